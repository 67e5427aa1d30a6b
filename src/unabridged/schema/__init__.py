"""What is stored? Frozen values, their keys and their only codec."""
