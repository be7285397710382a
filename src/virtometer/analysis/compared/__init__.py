"""Two campaigns, or two environments of one, compared: what became better, what worse, and what is open.

`campaigns` and `environments` compare; `groups` has the sums of groups of guests. `pair` is one comparison
before anything is concluded, `comparison` what is concluded. `worse` has the tests behind the exit status, `drift` the
error between campaigns, `rare_stalls` what stalls may remain unseen, `marked` the disturbed trials.
"""
