"""How many blocks comparisons get."""
