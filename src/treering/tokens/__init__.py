"""Tokens: estimates, and what providers counted."""
