"""How each provider writes a conversation: adapters to and from the window, and a check of what is sent."""
