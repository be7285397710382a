"""Methods for numbers of any source: intervals, tests, corrections, forecasts."""
