"""From texts and queries to index terms, by the same rules."""
