"""One native run of a command that is counted, and the plan that measures what its operations cost."""
