"""What does every engine need that none should do itself? Wrappers of the storage contracts."""
