"""Effects of factors."""
