"""Wrong agents on purpose: lists of mutants, and the program that says which check finds each of them."""
