"""How agents reach the archive as tools: a pipe for each agent, one process that speaks the protocol to all."""
