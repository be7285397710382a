"""What this kind of guest consists of; `kind` is the environment."""
