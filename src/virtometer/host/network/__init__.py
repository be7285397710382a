"""The network of guests in namespaces of its own, and the counts of interfaces."""
