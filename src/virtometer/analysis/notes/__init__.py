"""What a reader has to know beside a verdict, and what takes one back."""
