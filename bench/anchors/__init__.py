"""The agent's kernels side by side with the tools that users know: `python -m bench.anchors --help`."""
