"""What did the model say? An answer put together from its stream, as the client will send it back."""
