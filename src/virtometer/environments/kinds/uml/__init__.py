"""What this kind of machine consists of; `kind` is the environment."""
