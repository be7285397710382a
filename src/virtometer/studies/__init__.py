"""The published results of five studies as data, and as the tables that the studies printed. PURE.

`data` reads published/, `units` has the printed units, `printed` puts values into rows and columns. `sections` says how
cells are measured today, `questions` which cells answer what, and `agreement` compares cells with claims.
"""
