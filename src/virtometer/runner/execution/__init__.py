"""Trials of one or several guests, from their preparation to their records."""
