"""What the host does while guests work, and what is due to others.

`observer` reads each guest's account around windows, `guest_use` divides what a guest used, `rules` mark what was
disturbed, and `reading_budget` is what the watching itself may cost.
"""
