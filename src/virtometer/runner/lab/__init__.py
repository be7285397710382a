"""The laboratory on this host: what it consists of, and whether it works."""
