"""What answers this? Places found, scored, and given back exactly."""
