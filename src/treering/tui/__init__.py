"""The terminal application `treering browse` (extra `treering[tui]`)."""
