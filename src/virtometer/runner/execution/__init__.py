"""Trials of one guest or a group of guests, from their preparation to their records."""
