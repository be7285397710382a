"""The host under all environments: what belongs to whom, who used which processor, who is connected."""
