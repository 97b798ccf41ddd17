"""Data that comes with the package: the example session (see docs/example.md)."""
