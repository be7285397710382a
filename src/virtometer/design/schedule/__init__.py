"""Trials and their order, from a plan and a seed."""
