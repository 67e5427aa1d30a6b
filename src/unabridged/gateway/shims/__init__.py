"""How does a host's own extension get a window? `una window serve`: requests and answers as lines of JSON."""
