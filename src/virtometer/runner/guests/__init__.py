"""Guests while they live: started, placed, spoken to, stopped."""
