"""The story of the example session, a chapter a module. Every text in it was written by hand."""
