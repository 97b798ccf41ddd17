"""Where a term or a quote was seen."""

USER, ASSISTANT, THINKING, EDIT, COMMAND, RESULT = 1, 2, 4, 8, 16, 32
"""A `TermFact.roles` is a sum of these, a `Quote.source` is one."""
