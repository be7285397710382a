"""The host's time for programs in guests: the server of `virtometer time-server`, and the process beside a guest."""
