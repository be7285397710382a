"""Which setting is to blame: main effects and two-factor interactions of a designed experiment. Pure.

`table` is what goes in: trials with the levels of their factors. `coding` makes columns of terms, `aliases` finds which
of them cannot be told apart, `fit` estimates them within blocks, `error` says how exactly (Smyth 2004), `claims` makes
verdicts (Holm 1979, Schuirmann 1987), `settings` recommends, `diagnostics` looks for what the model leaves over.
`conditionals` are the parts of an interaction. `whole` puts them together; `of_campaign` and `of_table` make the table,
`comparable` its values where a block has groups of guests or several kinds of windows. METHODOLOGY.md defines every
number.
"""
