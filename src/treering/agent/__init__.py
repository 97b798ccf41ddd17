"""The live session: what happens around the calls of a model."""
