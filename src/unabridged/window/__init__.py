"""What goes into the prompt: the window over a conversation, a pure function of messages, state and limits."""
