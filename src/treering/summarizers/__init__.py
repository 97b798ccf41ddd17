"""Summarizers: from a span of messages to the text that replaces it."""
