"""What cannot be in a printed table: derived values that do not follow, slips, exchanges, broken orders.

`reading` makes grids of a text, `numbers` reads cells, `labels` reads what rows and columns are called. `relations` and
`forms` find the arithmetic between rows or columns, `conflicts` the cell that breaks it. `pattern` predicts each cell
from the others, and `repairs` changes single numbers. `order`, `repeats`, `signs`, `slips` and `twice` look for single
errors. `check` joins them. Each rule stands in `rules`, with its source.
"""
