"""The mathematics of clocks: from round trips to host time with bounds, steps and faults. Pure.

`line` and `iterations` fit a clock, `intervals` converts samples with it, `steps` finds faults, and `region` is their
geometry. docs/methods/clocks.md has the methods.
"""
