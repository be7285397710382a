"""Processor time of guests and its parts, processors and caches of the host."""
