"""What several kinds are made of."""
