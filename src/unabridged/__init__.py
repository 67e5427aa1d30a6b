"""Unabridged keeps every word of a coding agent's conversations and gives any exact passage back."""

__version__ = "0.1.0"
