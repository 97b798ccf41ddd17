"""Evaluation: what a summary kept of what the session itself used later."""
