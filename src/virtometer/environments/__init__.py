"""Places where work can run: one file a kind, and one registry."""
