"""How guests and the host are tuned, and how it is undone."""
