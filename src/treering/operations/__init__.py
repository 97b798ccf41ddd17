"""Operations: the only functions that call a summarizer and append to a session."""
