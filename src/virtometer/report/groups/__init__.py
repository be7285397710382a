"""Several guests at the same time."""
