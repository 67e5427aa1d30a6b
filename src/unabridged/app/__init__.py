"""How do the processes fit together? Entry points, and the composition of each process."""
