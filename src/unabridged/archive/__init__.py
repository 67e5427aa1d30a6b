"""What is true? The only writer of the record of conversations."""
