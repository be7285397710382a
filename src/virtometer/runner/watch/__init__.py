"""What the host does while guests work, and what is due to others."""
