"""How does a program ask? `from unabridged import Archive`."""
