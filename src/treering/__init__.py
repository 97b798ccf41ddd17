"""Treering keeps long LLM-agent sessions usable."""
