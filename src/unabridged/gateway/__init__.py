"""How does a host without hooks get a window? An HTTP proxy between an agent and its model provider."""
