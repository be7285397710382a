"""Two campaigns, or two environments of one: what `compare --json` prints."""

from __future__ import annotations

from virtometer.analysis.compared.worse import Outcome
from virtometer.report.machine.field import Shape, texts
from virtometer.report.machine.findings import FORMAT

_OUTCOME = {"outcome": texts(Outcome)}

Shape(
    "reached",
    "efficiency, or value in the unit of the finding",
    """
    value  number
    low    number?
    high   number?
    n      integer
    level  number
    """,
)
Shape(
    "marked",
    "how many trials of one side were marked",
    """
    trials  count
    marked  count   trials with a mark
    kinds   object  trials by kind of mark
    """,
)
Shape(
    "compared",
    "what stands beside the finding of the same place in findings",
    """
    workload=where.workload    text
    subject=where.environment  text      environment; of a matrix source and target
    scenario=where.scenario    text      of a group; empty where measured alone
    guests=where.guests        count     that worked, loads included; 0: measured alone, or a cell of a matrix
    by_values                  flag      values are compared, not efficiencies
    a=before.estimate          reached?  what A reached
    b=after.estimate           reached?  what B reached
    outcome=tested.outcome     outcome   whether B is worse by more than the margin
    p_worse=tested.p_worse     share?    one-sided p of a loss of at most the margin; null below six blocks
    p_worse_adjusted=tested.p_worse_adjusted  share?  p_worse after Holm over all comparisons
    p_not_worse=tested.p_not_worse  share?  one-sided p of a loss of the margin or more, rare stalls included
    why=tested.why             text[]    why it is open, in sentences
    worked_s                   bound     seconds of counted work of B; of several guests the mean
    noise_floor_a=floors.0     number?   noise floor of the control of A, as a share; null: not known
    noise_floor_b=floors.1     number?   noise floor of the control of B, as a share; null: not known
    marked_a=marked.0          marked
    marked_b=marked.1          marked
    """,
    types=_OUTCOME,
    get={"by_values": lambda of: not of.after.reference},
)
COMPARISON = Shape(
    "comparison",
    "what `compare --json` prints",
    """
    format       format
    margin       number      as a share
    absolute     flag        values are compared, not efficiencies
    findings     finding[]
    effects      nothing
    outcome      outcome     of all: not worse where every comparison is and nothing is lost
    worse        count
    not_worse    count
    open         count
    comparisons=compared  compared[]  one for each finding, in the same order
    differing    text[]      what else differs between both, in sentences
    left_out     text[]      what stands on one side alone or was not alike, in sentences
    lost         text[]      what A measured and B did not, although its plan has it, in sentences
    """,
    types={**_OUTCOME, "nothing": {"type": "array", "maxItems": 0}, "format": {"const": FORMAT}},
    get={
        "format": lambda of: FORMAT,
        "effects": lambda of: [],
        "worse": lambda of: len(of.worse),
        "not_worse": lambda of: len(of.not_worse),
        "open": lambda of: len(of.open),
    },
)
