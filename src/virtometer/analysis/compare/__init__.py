"""Values of blocks and their ratios."""
