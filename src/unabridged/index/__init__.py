"""How is it found: the derived indexes of the archive."""
