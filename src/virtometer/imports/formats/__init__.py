"""One file for each tool: how its results are recognised, and which values are in them."""
