"""A campaign in two stages: the blocks of the first fix how many blocks each comparison gets in the second.

As in C. Stein, "A two-sample test for a linear hypothesis whose power is independent of the variance", Ann. Math.
Statist. 16 (1945) 243-258. There is no look between the first stage and the end. A look after every block would
find three to four times as many wrong equivalences as the level allows (docs/methods/stopping.md has the figures).

Exact: With `precision`, noise that is Gaussian and independent, and Stein's own interval. This interval has the mean of
all blocks, and the spread and degrees of freedom of the first stage. It has its nominal coverage, and is not wider than
`precision`.
Approximate: The reported interval. The final analysis has the spread of all blocks, which is more powerful. Without
`precision` the number of blocks depends on the first mean too. Both make errors more frequent: At the usual levels up
to 7 % of equivalences at the margin were wrong, and the 95 % interval covered 92 %. Therefore all levels of a campaign
in stages are multiplied by ALPHA_FACTOR, also of comparisons that stay at the first stage. Their intervals are 97 %
intervals (`Estimate.level`). With it the simulations in tests/analysis/stopping/test_rule.py find at most 5 % and at
least 93 %. That is simulated, not proved.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from scipy import special

from virtometer.analysis.compare.blocks import Key
from virtometer.analysis.statistics import equivalence, holm
from virtometer.analysis.statistics.equivalence import noise_floor
from virtometer.analysis.statistics.precision import MAX_BLOCKS, POWER, least_blocks, noncentral, shrunken
from virtometer.analysis.statistics.spread import Spread
from virtometer.analysis.statistics.verdicts import CLAIM_LEVEL
from virtometer.model import MIN_BLOCKS

ALPHA_FACTOR = 0.6
"""What the levels of a campaign in stages are multiplied by.

For two looks at one-sided 5 % the level of each is 0.0304: S. J. Pocock, "Group sequential methods in the design and
analysis of clinical trials", Biometrika 64 (1977) 191-199.
"""

SAFE = 0.1
"""Part of its level below which a difference of the first stage is final."""

SURER = 0.95
"""Probability of a decision for which what is left of a budget is used."""
RESERVE = 0.1
"""Part of what is left that stays unused: blocks may take longer than those before."""
WORTH = 0.2
"""Probability of a decision from which what is left of a budget is used for a comparison that does not fit.

Low, because the first stage may show less than the truth, and the user has given this time.
"""


@dataclass(frozen=True, slots=True)
class Allotment:
    """What the second stage measures.

    blocks: by (workload, environment), of both stages; every compared key of the family. beyond: comparisons for which
    the budget or a plan's greatest number of blocks is too small. Each has the seconds that its second stage alone
    would take (math.inf: more blocks than a plan may have). Of the budget they get what the others leave, where that
    may decide them.
    """

    blocks: Mapping[Key, int]
    beyond: Mapping[Key, float]


def allot(
    family: Mapping[Key, Spread | None],
    margin: float,
    *,
    cost_s: Mapping[Key, float],
    shared_s: Mapping[str, float],
    start_s: Mapping[str, float],
    left_s: float,
    controls: Mapping[Key, Spread] | None = None,
    precision: float | None = None,
    most_blocks: int = MAX_BLOCKS,
    first: int | None = None,
    doubted: Mapping[Key, int | None] | None = None,
    refused: Collection[Key] = (),
) -> Allotment:
    """Fix the blocks of every comparison from the first stage, the cheapest comparisons first.

    family: spreads of the log ratios, as `decide` takes them. cost_s: seconds of one more block of the comparison's own
    treatment; shared_s: by workload, of its baseline; start_s: by environment, until its guest and the baseline's have
    started: guests of a block start side by side. left_s: seconds of the budget, math.inf without one. controls: the
    spread of the baseline's log ratios with itself, whose noise floor an equivalence has to reach too. precision: the
    half width of the 95 % interval that is asked for, as a fraction; without it a comparison goes on until it is
    decided with 80 % probability, and with what is left of a budget until it is with 95 %. most_blocks: of both stages.
    first: blocks of the first stage; by default the most that any comparison has. A block that failed in the first
    stage is made up for. doubted: blocks in all that `doubts` asks for. Comparisons that it does not refuse a verdict
    are decided, and get theirs after all others.
    """
    done = first if first is not None else max((of.n for of in family.values() if of is not None), default=0)
    questions = _questions(family, margin, controls or {}, most_blocks) if precision is None else {}
    more: dict[Key, int | None] = {}
    for key, of in family.items():
        if of is not None and of.n >= 2:
            needed = _needed(of, questions.get(key), precision, most_blocks)
            more[key] = None if needed is None else needed - of.n
    sure: dict[Key, int] = {}
    for key, count in (doubted or {}).items():
        of, own = family.get(key), more.get(key, 0)
        if of is None:
            continue
        wanted = None if count is None or own is None else max(own, count - of.n)
        if key in refused or own != 0:
            more[key] = wanted
        elif wanted:
            sure[key] = wanted
    wanted_more = dict.fromkeys(family, 0) | more
    purse = _Purse(cost_s, shared_s, start_s, left_s, most_blocks - done)
    found = _allotted(wanted_more, done, most_blocks, purse, sure)
    return found if left_s == math.inf else _with_the_rest(found, questions, done, purse, doubted or {})


def allotted(
    more: Mapping[Key, int | None],
    done: int,
    most_blocks: int,
    *,
    cost_s: Mapping[Key, float],
    shared_s: Mapping[str, float],
    start_s: Mapping[str, float],
    left_s: float,
) -> Allotment:
    """What of the blocks that are wanted fits. more: further blocks of each key; None: more than a plan may have."""
    return _allotted(more, done, most_blocks, _Purse(cost_s, shared_s, start_s, left_s, most_blocks - done), {})


def _allotted(
    more: Mapping[Key, int | None], done: int, most_blocks: int, purse: _Purse, sure: Mapping[Key, int]
) -> Allotment:
    """The same. sure: further blocks of comparisons that are decided, which get what the others leave."""
    wanted, beyond = {}, {}
    for key, count in more.items():
        if count is None or done + count > most_blocks:
            beyond[key] = math.inf
        elif count > 0:
            wanted[key] = count
    later = {key: min(count, most_blocks - done) for key, count in sure.items() if done < most_blocks}
    for part in (wanted, later):
        purse.buy_cheapest(part)
    for key, count in wanted.items():
        if not purse.has(key):
            beyond[key] = purse.alone_s(key, count)
    return Allotment({key: done + purse.has(key) for key in more}, beyond)


def _with_the_rest(
    found: Allotment,
    questions: Mapping[Key, _Question],
    done: int,
    purse: _Purse,
    doubted: Mapping[Key, int | None],
) -> Allotment:
    """The same with what is left of the budget: first for what does not fit, then for more certainty.

    The blocks are still fixed by the first stage alone. doubted: as of `allot`; with fewer blocks there is no verdict.
    """
    purse.set_aside(RESERVE)
    blocks = dict(found.blocks)
    for key in sorted(questions, key=lambda key: (key not in found.beyond, purse.alone_s(key, 1), key)):
        question, least = questions[key], doubted.get(key) or 0
        n = question.of.n
        surest = question.blocks(SURER, n + purse.most)
        count = purse.affordable(key, purse.most if surest is None else max(surest, least) - n)
        if count > purse.has(key) and n + count >= least and question.chance(n + count) >= WORTH:
            purse.buy(key, count)
            blocks[key] = done + count
    return Allotment(blocks, found.beyond)


def blocks_to_decide(
    of: Spread,
    limit: float,
    level: float,
    most: int = MAX_BLOCKS,
    *,
    alike_level: float = equivalence.LEVEL * ALPHA_FACTOR,
    freedom: float | None = None,
) -> int | None:
    """Blocks in all that decide a comparison with 80 % probability; None beyond `most`.

    limit: of equivalence, on the log scale. level: of a difference, two-sided; alike_level: of equivalence. The true
    ratio is taken to be the shrunken one, the true spread as uncertain as the degrees of freedom of the first stage
    make it: one less than its blocks, where `freedom` does not say.
    """
    shift, known = shrunken(of), of.n - 1.0 if freedom is None else freedom

    def decides(n: int) -> bool:
        alike = _equivalence_chance(of, shift, n, limit, alike_level, known)
        return alike >= POWER or _difference_chance(of, shift, n, level, known) >= POWER

    return least_blocks(decides, max(of.n, MIN_BLOCKS), most)


def blocks_for_precision(of: Spread, half_width: float, level: float = 0.95, freedom: float | None = None) -> int:
    """Blocks in all with which Stein's interval is not wider than ± half_width on the log scale: (t · s / half_width)².

    t has the degrees of freedom of the first stage (one less than its blocks, where `freedom` does not say), and the
    level multiplied by ALPHA_FACTOR, which the final interval has. That interval takes its spread from all blocks. It
    is within half_width in at least three of four cases.
    """
    known = of.n - 1 if freedom is None else freedom
    reach = float(special.stdtrit(known, 1 - ALPHA_FACTOR * (1 - level) / 2)) * of.sd / half_width
    return max(of.n, MIN_BLOCKS, math.ceil(min(reach, 1e6) ** 2))


@dataclass(frozen=True, slots=True)
class _Question:
    """What is open about a comparison after the first stage.

    limit: of equivalence, on the log scale. level: of a difference, two-sided. floor: blocks in all with which the
    noise floor is low enough for an equivalence; None: more than may be.
    """

    of: Spread
    limit: float
    level: float
    floor: int | None

    def blocks(self, power: float, most: int) -> int | None:
        """Blocks in all that decide it with this probability; None beyond `most`."""
        return least_blocks(lambda n: self.chance(n) >= power, max(self.of.n, MIN_BLOCKS), most)

    def chance(self, blocks: int) -> float:
        """Probability that so many blocks in all decide it."""
        shift, known = shrunken(self.of), self.of.n - 1.0
        different = _difference_chance(self.of, shift, blocks, self.level, known)
        if self.floor is None or blocks < self.floor:
            return different
        return max(
            different,
            _equivalence_chance(self.of, shift, blocks, self.limit, equivalence.LEVEL * ALPHA_FACTOR, known),
        )


def _questions(
    family: Mapping[Key, Spread | None], margin: float, controls: Mapping[Key, Spread], most: int
) -> dict[Key, _Question]:
    """The comparisons with a spread that the first stage does not decide safely."""
    known = {key: of for key, of in family.items() if of is not None and of.n >= 2}
    limit = equivalence.limit(margin)
    tested = {key: p for key, of in known.items() if (p := of.p_of_none) is not None}
    adjusted = holm.adjusted(tested)
    safe = CLAIM_LEVEL * ALPHA_FACTOR * SAFE
    level = ALPHA_FACTOR * CLAIM_LEVEL / max(1, sum(p >= safe for p in adjusted.values()))
    return {
        key: _Question(
            of, limit, level, _blocks_for_floor(controls.get(key), limit, most) if abs(shrunken(of)) < limit else 0
        )
        for key, of in known.items()
        if of.n < MIN_BLOCKS or adjusted[key] >= safe
    }


def _needed(of: Spread, question: _Question | None, precision: float | None, most: int) -> int | None:
    """Blocks in all of a comparison; None beyond `most`."""
    if precision is not None:
        return blocks_for_precision(of, math.log1p(precision))
    if question is None:
        return of.n
    own = blocks_to_decide(of, question.limit, question.level, most)
    return None if own is None or question.floor is None else max(own, question.floor)


def _blocks_for_floor(control: Spread | None, limit: float, most: int) -> int | None:
    """Blocks in all with which the noise floor is within the limit with 80 % probability; None beyond `most`."""
    if control is None or control.n < MIN_BLOCKS:
        return 0

    def reaches(n: int) -> bool:
        return _equivalence_chance(control, 0.0, n, limit, equivalence.LEVEL, control.n - 1) >= POWER

    floor = noise_floor(control)
    return 0 if floor is not None and floor <= limit else least_blocks(reaches, control.n + 1, most)


class _Purse:
    """What is left of a budget, and the further blocks that it was spent on.

    A block of the baseline is paid for once, whatever else is measured in the block, and of the starts the longest.
    """

    def __init__(
        self,
        cost_s: Mapping[Key, float],
        shared_s: Mapping[str, float],
        start_s: Mapping[str, float],
        left_s: float,
        most: int,
    ) -> None:
        self.most = max(most, 0)
        self._cost_s, self._shared_s, self._start_s, self._left_s = cost_s, shared_s, start_s, left_s
        self._bought: dict[Key, int] = {}
        self._longest: dict[str, int] = {}
        self._starts = np.zeros(self.most)  # of each further block

    def has(self, key: Key) -> int:
        """Further blocks of a comparison so far."""
        return self._bought.get(key, 0)

    def alone_s(self, key: Key, count: int) -> float:
        """Seconds of so many further blocks, if nothing else were measured."""
        return count * (self._cost_s[key] + self._shared_s.get(key[0], 0.0) + self._start_s.get(key[1], 0.0))

    def adds_s(self, key: Key, count: int) -> float:
        """Seconds that so many further blocks in place of those so far add."""
        workload, environment = key
        shared = self._shared_s.get(workload, 0.0) * max(0, count - self._longest.get(workload, 0))
        longer = np.maximum(self._start_s.get(environment, 0.0) - self._starts[:count], 0.0).sum()
        return (count - self.has(key)) * self._cost_s[key] + shared + float(longer)

    def buy(self, key: Key, count: int) -> None:
        """So many further blocks in place of those so far."""
        self._left_s -= self.adds_s(key, count)
        self._bought[key] = count
        self._longest[key[0]] = max(self._longest.get(key[0], 0), count)
        self._starts[:count] = np.maximum(self._starts[:count], self._start_s.get(key[1], 0.0))

    def set_aside(self, part: float) -> None:
        """Leave a part of what is left unused."""
        self._left_s *= 1.0 - part

    def buy_cheapest(self, wanted: Mapping[Key, int]) -> None:
        """What fits into the time that is left, each time the one that adds least."""
        if self._left_s == math.inf:
            self._bought |= wanted
            return
        open_ones = set(wanted)
        while open_ones:
            price, key = min((self.adds_s(key, wanted[key]), key) for key in open_ones)
            if price > self._left_s:
                return
            self.buy(key, wanted[key])
            open_ones.remove(key)

    def affordable(self, key: Key, most: int) -> int:
        """The most further blocks of a comparison that fit, up to `most`; at least those so far."""
        low, high = self.has(key), max(min(most, self.most), self.has(key))
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.adds_s(key, middle) <= self._left_s else (low, middle - 1)
        return low


def _difference_chance(of: Spread, shift: float, n: int, level: float, freedom: float) -> float:
    if of.sd == 0.0:
        return float(shift != 0.0)
    critical = float(special.stdtrit(freedom + n - of.n, 1 - level / 2))
    return noncentral(freedom, critical, abs(shift) * math.sqrt(n) / of.sd)


def _equivalence_chance(of: Spread, shift: float, n: int, limit: float, level: float, freedom: float) -> float:
    """At least, averaged over what the spread may be: P(lower test rejects) - P(upper test does not).

    K. F. Phillips, "Power of the two one-sided tests procedure in bioequivalence", J. Pharmacokin. Biopharm. 18 (1990).
    With z the critical value, d the distance to the limit and sd² = s²·df/χ², the chance of a rejection is
    P((Z + z) / √(χ²/df) < d·√n/s): the noncentral t distribution.
    """
    inside = limit - abs(shift)
    if inside <= 0 or of.sd == 0.0:
        return float(inside > 0)
    critical = float(special.stdtrit(freedom + n - of.n, 1 - level))
    scale = math.sqrt(n) / of.sd
    near = noncentral(freedom, critical, inside * scale)
    far = noncentral(freedom, critical, (limit + abs(shift)) * scale)
    return max(0.0, near + far - 1.0)
