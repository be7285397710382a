"""Files of other tools become the table of `virtometer analyse`: recognised, read, numbered, written as CSV."""
