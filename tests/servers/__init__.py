"""Servers for tests: a real model, and one that answers what it is told to."""
