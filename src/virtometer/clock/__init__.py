"""The mathematics of clocks: from round trips to host time with bounds, steps and faults. Pure.

docs/methods/clocks.md has the methods.
"""
