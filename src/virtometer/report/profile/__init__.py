"""Profiles of commands, on the terminal and on the page."""
