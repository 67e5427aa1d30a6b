"""The archive's tools where a client has none of ours: offered to the model, answered here, unseen by the client."""
