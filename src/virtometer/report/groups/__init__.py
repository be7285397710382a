"""Groups of guests that work at the same time."""
