"""Levels of a parameter."""
