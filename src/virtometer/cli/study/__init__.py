"""The verb `study`."""
