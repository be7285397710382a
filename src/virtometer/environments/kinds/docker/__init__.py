"""Containers of a Docker daemon of this host."""
