"""The text of a plan, checked."""
