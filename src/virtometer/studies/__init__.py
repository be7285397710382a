"""The published results of five studies as data, and as the tables that the studies printed. PURE.

`data` reads published/, `units` has the printed units, `printed` puts values into rows and columns.
"""
