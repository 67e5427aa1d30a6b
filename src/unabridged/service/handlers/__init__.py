"""What does an operation do? One module a group of operations."""
