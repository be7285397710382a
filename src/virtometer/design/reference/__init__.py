"""What may stand in a plan, for readers and for other programs. PURE."""
