"""Tide predictions, gauge residuals and level alerts for small harbours."""

__version__ = "0.4.0"
