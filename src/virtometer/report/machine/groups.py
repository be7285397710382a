"""Groups of guests: groups with their members, matrices, scaling; and knees under rising load."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from virtometer.analysis.groups.matrix import Matrix
from virtometer.analysis.groups.order import Rank
from virtometer.model import Estimate, Quantity
from virtometer.report.machine.field import TYPES, Shape, by_name


def _rank_verdict(of: Rank) -> str:
    return "less" if of.gets_less else "more" if of.gets_more else "not shown"


RANK = Shape(
    "rank",
    "whether a guest gets less than the others",
    """
    guest=label     text     name of the guest, as in members
    against_others  ~number  its rate / geometric mean of the others' rates in the same block; the intervals of all
        guests hold jointly
    p_adjusted      share?   of no difference, after Holm over the guests; null below six blocks
    verdict         verdict  what is shown at 5 %
    worst           count    blocks in which it had the smallest rate
    blocks          ordinal
    """,
    types={"verdict": {"enum": ["less", "more", "not shown"]}},
    get={"verdict": _rank_verdict},
    head="guest",
)


def _metric(of: Quantity[Estimate | None]) -> str:
    return of.metric


def _unit(of: Quantity[Estimate | None]) -> str:
    return of.unit


def _estimate(of: Quantity[Estimate | None]) -> Estimate | None:
    return of.estimate


def _cpu(part: str) -> Callable[[Any], float | None]:
    return lambda of: of.cpu_s.get(part)


_MEASURE = """
    name            text      as the glossary of the page has it; those of a guest that serves begin with `target-`
    unit            text      s/s: 1 is one processor
    value,low,high,n  ~number  in host time, mean over the blocks, geometric where no block has 0 or less // single 95 %
        interval
"""
MEASURE = Shape(
    "further_measure",
    "a further measure of a guest of a group",
    _MEASURE,
    get={"name": _metric, "unit": _unit, "value": _estimate},
)
MEMBER = Shape(
    "member",
    "a guest of a group",
    """
    guest           text      environment and number, such as `box #2`; of instances with the number of the copy
    role            measured|load
    workload        text      its name in the plan
    unit=value.unit  text     of value
    value,low,high=value.estimate  ~number  in the unit of its workload // of the interval of value; those of all
        members hold jointly with 95 %
    share           ~share    part of the sum; null for loads
    slowdown        ~number   how many times slower than one guest alone in the same block
    host_cpu_s      number?   CPU seconds of the guest over the scored stretch, median of the trials; where several
        members are copies in one guest, the first alone tells it
    host_processors=processors  bound?  host_cpu_s / the scored stretch, median of the trials
    code_s          number?   of host_cpu_s: the guest's own code
    vmm_s           number?   of host_cpu_s: the program that makes the guest
    kernel_s        number?   threads of the host's kernel that serve it
    user_s          number?   of host_cpu_s: in user mode
    system_s        number?   of host_cpu_s: in kernel mode
    cpu_unknown     text      why a part is null; empty where none is
    received        number?   bytes by second, median of the trials
    sent            number?   bytes by second, median of the trials
    dropped         integer?  packets, in all trials
    measures        further_measure[]  what the agent reported beside the value, and the host's CPU by its accounts
    """,
    get={
        **{f"{part}_s": _cpu(part) for part in ("code", "vmm", "kernel", "user", "system")},
        "measures": lambda of: list(of.measures.values()),
    },
    head="guest",
)
GROUP = Shape(
    "group",
    "several guests that worked at the same time, over the blocks",
    """
    scenario           text      its name in the plan
    type               together|loaded|pair|mixed|instances
    environment        text
    workload           text
    guests             ordinal   that worked at once, with loads and services; of instances the agents
    unit=sum.unit      text      of sum and ideal; of a workload in s it is 1/s
    mean_unit=mean.unit  text    of mean
    better=alone.better  higher|lower  of the values of members, of alone, and of a mean in s
    n                  count     complete blocks
    sum=sum.estimate   ~number   work in a second of all measured guests; of a workload in s operations in a second
    mean=mean.estimate  ~number  of the measured guests, in the unit of the workload: sum / guests, for s guests / sum
    ideal              ~number   what the processors allow for so many guests: one guest's rate for each, shared fairly
    efficiency_of_sum=against_ideal  ~number  sum / ideal
    against_one        ~number   sum / the rate of one guest alone
    against_baseline   ~number   sum / that of baseline_guests guests of the baseline; null for the baseline itself
    baseline_guests    ordinal?  guests of the baseline behind against_baseline
    alone_unit=alone.unit  text  of alone: that of the workload
    alone=alone.estimate  ~number  value of one guest with nobody beside it, in the same blocks
    ideal_share=fairness.ideal_share  share?  share of the sum of each measured guest if all had the same
    worst_share=fairness.worst_share.estimate  ~share  of the guest with the smallest rate, mean of the blocks
    worst_share_of_equal=fairness.worst_share_of_equal.estimate  ~share  what equal guests with the noise of these
        blocks have: their worst share is below the ideal too; null: not known // 95 % range of worst_share_of_equal; a
        worst_share below it is not by noise alone
    max_over_min=fairness.max_over_min.estimate  ~from-one  largest by smallest rate, geometric mean of the blocks
    cv=fairness.cv.estimate  ~bound  standard deviation by mean of the rates, mean of the blocks
    jain=fairness.jain.estimate  ~share  index of Jain, mean of the blocks
    host_cpu_per_work=cost  ~bound  CPU seconds of the host for one unit of work (FLOP, B, IO, operation); null where a
        guest does other work too
    host_cpu_per_work_against_one=cost_against_one  ~bound  host_cpu_per_work / that of one guest alone
    host               states    processors' worth of the host by state (user, system, idle ...), mean of the trials;
        empty where unknown
    start_skew_p99_ns=skew_p99_ns  count  99 % of the trials started their guests within this time
    start_skew_bound_ns=skew_bound_ns  count  bound of the error of that time, by the clocks of the guests; in 99 % of
        the trials it was smaller
    overlap_s          bound?    median of the stretch that is scored, in which all measured guests worked
    watch_share        bound?    median of the part of one processor that watching the host took
    notes              text[]    everything that a reader must know, one sentence each
    ranks              rank[]    who gets less: one for each measured guest; empty for a single one
    members            member[]
    """,
    types={"states": by_name(TYPES["bound"])},
    get={"baseline_guests": lambda of: of.baseline_guests or None},
)


def _each(name: str, without: object = None) -> Callable[[Matrix], list[list[object]]]:
    return lambda of: [[without if cell is None else getattr(cell, name) for cell in row] for row in of.cells]


Shape(
    "cell_measure",
    "a further measure of a cell",
    "    row             text      source\n    column          text      target" + _MEASURE,
    get={
        "row": lambda of: of[0][0],
        "column": lambda of: of[0][1],
        "name": lambda of: of[1].metric,
        "unit": lambda of: of[1].unit,
        "value": lambda of: of[1].estimate,
    },
)
MATRIX = Shape(
    "matrix",
    "victim x aggressor, or source x target",
    """
    scenario   text         its name in the plan; several names of loaded scenarios are joined by commas
    type       loaded|pair|matrix
    workload   text         empty where the rows are different workloads
    of=of.metric  slowdown|throughput  what the values are
    unit=of.unit  text      of the values; empty for slowdowns
    better=of.better  higher|lower  which values are better
    rows       text[]       victims, or sources
    columns    text[]       aggressors with their measured part of the host's CPU, or targets
    values     number?[][]  slowdowns, or values in the unit of the workload, a list for each row; null where nothing
        was measured
    low        number?[][]  intervals; those of all cells hold jointly with 95 %
    high       number?[][]  as low
    n          count[][]    blocks behind each cell
    intensity  bound?[][]   measured part of the host's processor time that the load of a cell took; null where there is
        no load, or its CPU time is unknown
    notes      text[]       everything that a reader must know, one sentence each
    measures   cell_measure[]  further measures of both ends of each pair; empty of slowdowns, whose groups have them
    """,
    get={
        "measures": lambda of: [(pair, one) for pair, some in of.measures.items() for one in some.values()],
        "values": _each("value"),
        "low": _each("low"),
        "high": _each("high"),
        "n": _each("n", 0),
        "intensity": lambda of: of.shares or [[None for _ in row] for row in of.cells],
    },
)
Shape(
    "scaling",
    "how the sum grows with the number of guests",
    """
    scenario             text
    type                 together|mixed|instances
    environment          text
    workload             text
    guests               ordinal[]  numbers of guests that have a group
    sigma=law.sigma      ~number    contended part, by the universal scalability law; null with fewer than three numbers
        of guests // those of sigma, kappa and peak hold jointly
    kappa=law.kappa      ~number    cost of coherence // as sigma_low
    peak=law.peak        number?    guests with the largest sum by the law; null: the sum rises for ever
    peak_low=law.peak_low  number?  as sigma_low; null: no interval, or rises for ever
    peak_high=law.peak_high  number?  null: nothing bounds it
    misfit=law.misfit    flag?      the law misses the sums by more than their noise
    stops_at=saturation.at  integer?  guests from which on one more raises the sum by less than the margin, without a
        law; null: it still rises
    stops_low=saturation.low  integer?  the sum is shown to rise up to here
    stops_high=saturation.high  integer?  the sum is shown to have stopped here; null: not shown
    notes                text[]
    """,
    get={"guests": lambda of: [group.guests for group in of.groups]},
)
Shape(
    "latency",
    "of one rate",
    """
    rate=0    number   requests in a second of each thread
    p99,low,high,n=1.estimate  ~number  geometric mean over the blocks, s, from when requests were due
    """,
)
Shape(
    "knee",
    "where latency leaves its flat part under rising load",
    """
    workload=series.name   text       name in the plan
    op=series.op           text
    levels=series.levels   object     of the other factors
    environment            text
    against                text       the baseline
    scenario               text       of several guests; empty: one guest alone
    guests                 ordinal    at the same time
    smallest               number     rate with a value, requests in a second of each thread
    largest                number     as smallest
    position=at.position   within|above|below|unknown?  within: rate is a number; above: only low is known; below: only
        high; null: no block has a knee
    rate,low,high,n=at     ~number    median of the blocks' knees; null where it is not within // 95 % interval; null:
        nothing bounds it, or fewer than six blocks
    ratio_position=ratio.position  within|above|below|unknown?  of the ratio, as position; null of the baseline
    ratio,ratio_low,ratio_high,ratio_n  ~number  median of the blocks' ratios to the baseline's knee; null where it is
        not within // as low
    latencies              latency[]
    notes                  text[]
    """,
    get={"latencies": lambda of: of.latencies.items()},
)
