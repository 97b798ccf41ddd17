"""Facts: what the entries of a session say that the future may need."""
