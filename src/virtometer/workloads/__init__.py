"""What is measured: one file a workload, one registry."""
