"""Results over the levels of a parameter."""
