"""Tables that were measured elsewhere."""
