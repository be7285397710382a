"""Designs of experiments: which combinations of levels are measured, and what can be estimated from them. PURE."""
