"""Still pictures of plots, drawn by a program of their own: the engine of scripts takes 140 MB and a second to start.

The laboratory stays small, and the engine starts while the report is computed.
"""
