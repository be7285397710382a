"""Groups of guests: sums, shares, who gets less, when the host is full, and who hurts whom. Pure.

One method a file: `fairness` (Jain 1984), `order` (who gets less), `scaling` (Gunther's universal scalability law),
`saturation` (where the sum stops rising, without a law), `conservation` (what no host can give), `interference` and
`network` (matrices). `members` is the input, `gather` makes it from a campaign, `estimates` joins the methods.
docs/methods/groups.md defines every number.
"""
