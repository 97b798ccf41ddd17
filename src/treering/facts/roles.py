"""Where a term or a quote was seen."""

USER, ASSISTANT, THINKING, EDIT, COMMAND, RESULT, ARGUMENT = 1, 2, 4, 8, 16, 32, 64
"""A `TermFact.roles` is a sum of these, a `Quote.source` is one."""
