"""Comparisons: findings, and the baseline with itself."""

from __future__ import annotations

from virtometer.model import Verdict
from virtometer.report.machine.field import Shape, by_name, texts

FORMAT = 4
"""Of the machine interface: increased where a field is renamed or removed."""

Shape(
    "median",
    "the median of the blocks' ratios",
    """
    value  number
    low    number?  an order statistic of the blocks' ratios; null with fewer than six blocks
    high   number?
    level  number   what the interval covers, whatever the distribution: at least 0.95
    """,
    head="value",
)
Shape(
    "ratio",
    "a ratio with its interval",
    """
    ratio=value  positive
    low          positive?  null below six blocks
    high         positive?  null below six blocks
    n            ordinal    blocks behind it
    """,
    head="ratio",
)
Shape(
    "worst_block",
    "the block whose ratio is farthest from the median of the blocks",
    """
    block            count     as in trials
    ratio=ratio.estimate.value  positive  the ratio of this block
    without=without.estimate  ratio  ratio over the other blocks, with its interval
    verdict_without  slower|faster|equivalent|undecided
        verdict without this block; the other comparisons keep theirs
    """,
    head="block",
)
FINDING = Shape(
    "finding",
    "one comparison: an environment with the baseline in one workload",
    """
    workload             text       name of the workload in the plan
    op                   text       operation of the kernel
    metric=value.metric  text       what the unit measures, in words
    unit=value.unit      unit       unit of value; empty when nothing was measured anywhere
    better=value.better  higher|lower  direction of value; of `net open-loop` value is the mean latency in s
    subject              text       environment
    against=ratio.reference  text   the plan's baseline
    ratio,low,high,n=ratio.estimate  ~positive  efficiency: above 1 the subject is better; null without a complete
        block // of the interval of ratio; null below six blocks and for the baseline
    level=ratio.estimate.level  number?  of the intervals of ratio and typical: 0.95, in a campaign with stages 0.97
    typical=typical.estimate  ~positive  ratio of a typical round: trimmed mean over the rounds in which the
        guests took turns; null where they took none
    verdict              verdict    the finding in a word
    qualified            text       what stands beside the verdict in tables, without its own word, such as `the host
        was busy`; empty where nothing does
    verdict_by           total|typical  the ratio that verdict, p values, forecasts and the worst block are about
    p_value              share?     two-sided, of a ratio of 1, this comparison alone
    p_adjusted           share?     after Holm over all comparisons of the campaign
    p_equivalent_adjusted  share?   of the two tests of equivalence, adjusted by Holm over the family: the equivalent
        findings below 0.05 hold jointly, with a chance of 5 % that any is wrong
    host_cpu_ratio,host_cpu_low,host_cpu_high,host_cpu_n=host_cpu_ratio.estimate  ~positive
        host CPU time per unit of work, subject / against: above 1 it costs more
    value,value_low,value_high,value_n=value.estimate  ~positive  geometric mean over the blocks, in unit;
        of the user's commands over what the verdict is about
    detectable           bound?     undecided only: the difference, as a fraction, that would have been found in 80 of
        100
    blocks_needed        count?     undecided only: complete blocks in all that would decide in 80 of 100, as a forecast
    blocks_needed_low    count?     with blocks_needed_high: range of 90 % of the plausible ratios and spreads; null:
        not known, or more than a plan may have
    blocks_needed_high   count?     see blocks_needed_low
    seconds_needed       bound?     undecided only: further seconds of measuring until then
    comparable       flag       false where conditions differ; unlike and the notes say which
    unlike               text[]     names of the conditions that differ, or changed on one side
    levels               levels     level of each factor of the treatment
    median=median.estimate  median? median ratio of the blocks, of those that the verdict is about; null of the
        baseline, and in the output of compare and analyse
    unseen_share         share?     up to this share of starts may be of a kind that is not in the blocks, with 95 %
        confidence: 1 - 0.05^(1/n)
    worst_block          worst_block?  null with fewer than three blocks, or where all are equal
    slices_by_windows=slices_by_windows.estimate  ratio?  the ratio in slices by that in the long windows beside
        them; null where no block has both
    notes                text[]     everything that a reader must know, one sentence each
    """,
    types={
        "unit": {"enum": ["FLOP/s", "B/s", "IO/s", "1/s", "s", ""]},
        "verdict": texts(Verdict),
        "levels": by_name({"type": ["string", "number", "boolean"]}),
    },
)
CONTROL = Shape(
    "control",
    "the baseline against itself",
    """
    workload          text
    op                text
    ratio,low,high,n=ratio.estimate  ~number  the second guest of the baseline against the first // of the interval of
        ratio
    noise_floor       number?  smallest margin within which both guests would be equivalent, as a share; null below six
        blocks
    differs           flag     the 95 % interval leaves out 1
    by                total|typical  which ratio it is: that of the verdicts where each block has it
    """,
    get={"differs": lambda of: of.ratio.estimate.excludes(1)},
)
Shape(
    "entry",
    "how long the host takes to start an empty program in a guest that lives, in one environment",
    """
    environment=0      text
    way=1.way          text   the program of the host; empty where there is none
    seconds            number?  geometric mean over guests of the median of each; null: none was entered
    low                number?  of its interval
    high               number?  of its interval
    n                  count  guests
    count=1.count      count  entries that are timed
    reason=1.reason    text   why a guest was not entered; empty where all were
    """,
    get={
        "seconds": lambda of: of[1].time and of[1].time.estimate.value,
        "low": lambda of: of[1].time and of[1].time.estimate.low,
        "high": lambda of: of[1].time and of[1].time.estimate.high,
        "n": lambda of: of[1].time.estimate.n if of[1].time else 0,
    },
)
COMMAND_RATIO = Shape(
    "command_ratio",
    "the time of a command by that of the first one, in one environment",
    """
    workload=0.0       text
    subject=0.1        text  environment
    against=1.reference  text  the first command
    ratio,low,high,n=1.estimate  ~positive  geometric mean over the blocks that have both: above 1 the command takes
        longer // of the interval of ratio; null below six blocks
    level=1.estimate.level  number  of the interval
    """,
)
EMPTY_PROGRAM = Shape(
    "empty_program",
    "start of an empty program beside the runs of a command, in one environment",
    """
    workload=0.0       text
    subject=0.1        text  environment
    time,shortest,longest,guests=1.estimate  ~positive  s, from the start of the program to its end: median over the
        guests // over the guests
    """,
)
CLOCK_READING = Shape(
    "clock_reading",
    "what one reading of the clock costs a command in one environment",
    """
    subject=0  text    environment
    time=1     positive  s, median over the guests
    """,
)
WITHOUT_EMPTY = Shape(
    "without_empty",
    "efficiency of a command without the start of an empty program",
    """
    workload=0.0       text
    subject=0.1        text  environment
    ratio,low,high,n=1.ratio.estimate  ~positive  above 1 the subject is faster; null where `why` says why // of the
        interval of ratio
    why=1.why          text  why there is no ratio; empty where there is one
    """,
)
COLD = Shape(
    "cold_command",
    "a command in guests that were started for one run each, in one environment",
    """
    workload=0.0       text
    subject=0.1        text  environment
    start=1.start.estimate  ~positive  s, from before the launcher is started to the greeting of the agent // of the
        interval of start
    whole=1.whole.estimate  ~positive  s, the start and the run // of the interval of whole
    ratio,low,high,n=1.ratio.estimate  ~positive  whole of the baseline / whole; null of the baseline // of the interval
        of ratio
    """,
)
DIFFERING = Shape(
    "differing_condition",
    "a condition that is not the same everywhere, with which commands are timed",
    """
    condition  text    its name in the conditions of a run
    name       text    in words
    values     values  of each environment, in words
    """,
    types={"values": by_name({"type": "string"})},
)
