"""Other tools' forms, in and out: one module each."""
