"""Whole campaigns: stages, plans of this host, resuming."""
