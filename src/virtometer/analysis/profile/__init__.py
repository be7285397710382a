"""What a command does natively, what each of its operations costs elsewhere, and what both explain of its slowdown."""
