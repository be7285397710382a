"""What several sections are made of."""
