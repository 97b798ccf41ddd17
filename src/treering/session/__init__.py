"""The session: a tree of entries in an append-only log."""
