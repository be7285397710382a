"""Comparisons of environments."""
