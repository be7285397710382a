"""Virtometer: a laboratory for the efficiency of virtualization."""

__version__ = "0.1.0"
