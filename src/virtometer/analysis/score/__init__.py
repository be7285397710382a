"""The value of a run."""
