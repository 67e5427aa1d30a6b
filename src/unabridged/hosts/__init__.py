"""Who speaks? One package per host, each independent of the others."""
