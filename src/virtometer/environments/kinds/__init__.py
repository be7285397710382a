"""One module, or one folder, for each kind of environment."""
