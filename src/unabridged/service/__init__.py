"""What can be asked? One table of operations, which every surface is made from."""
