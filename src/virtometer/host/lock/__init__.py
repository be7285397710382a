"""One laboratory for each host."""
