"""`virtometer time`: the user's own commands, natively and in other environments."""
