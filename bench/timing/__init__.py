"""What `virtometer time` promises, measured: beside hyperfine, against known truths, and with many runs."""
