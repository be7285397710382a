"""Which setting is to blame: main effects and two-factor interactions of a designed experiment. Pure.

`table` is the input: trials with the levels of their factors. `coding` makes columns of terms, and `aliases` finds the
terms that cannot be distinguished. `fit` estimates them within blocks, `error` has their errors (Smyth 2004), `claims`
makes verdicts (Holm 1979, Schuirmann 1987). `settings` recommends, `diagnostics` looks for effects beyond the model.
`conditionals` are the parts of an interaction. `of_experiment` joins the methods of one experiment, and `in_stages`
those of a campaign with stages. `of_campaign` and `of_table` make the table, `comparable` its values where a block has
groups of guests or several kinds of windows. docs/methods/effects.md defines every number.
"""
