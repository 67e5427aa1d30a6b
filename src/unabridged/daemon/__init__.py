"""Who owns it? The one process that has the store open, and the client that everybody else uses."""
