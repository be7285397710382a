"""The tables of published studies, filled from campaigns: derived values, matching, cells, answers."""
