"""The lending desk of a small library."""
