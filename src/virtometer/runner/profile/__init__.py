"""One run of a command on the host itself that is counted, and the plan that measures what its operations cost."""
