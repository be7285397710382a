"""What few starts leave open beside a verdict: reasons to refuse it, blocks to ask for, and a note.

Three rules, each with what a verdict takes (docs/methods/comparisons.md):
1. a claim that starts of an unseen kind could explain takes `unseen.ENOUGH` starts of guests of its kind, or enough
   guests of all environments, where nothing hints at noise of its own;
2. where blocks lie apart, a verdict has to survive the share of such starts that these blocks allow;
3. where a subject has noise of its own, its blocks count as the independent blocks that they are worth at least.
Effects far larger than such kinds and such noise are not touched.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from scipy import special

from virtometer.analysis.compare.blocks import Key, TreatmentData
from virtometer.analysis.compare.ratios import Ratios
from virtometer.analysis.note import Note
from virtometer.analysis.notes.own_noise import OwnNoise, own_noise, worth
from virtometer.analysis.statistics import equivalence, unseen
from virtometer.analysis.statistics.precision import MAX_BLOCKS, least_blocks
from virtometer.analysis.statistics.spread import Spread, spread
from virtometer.analysis.statistics.verdicts import CLAIM_LEVEL, plain_verdicts
from virtometer.model import Campaign, Verdict

QUALIFIED = "too few starts"
"""What stands beside the verdict of a comparison that is refused for this."""


@dataclass(frozen=True, slots=True)
class Doubts:
    """By comparison.

    refused: why it gets no verdict. blocks: in all, that a verdict takes where it is refused (None: more than a plan
    may have), and where it is not, those with which starts of another kind would hardly be missed. notes: what stands
    beside the verdict.
    """

    refused: Mapping[Key, str]
    blocks: Mapping[Key, int | None]
    notes: Mapping[Key, tuple[Note, ...]]


def doubts(
    family: Mapping[Key, Sequence[float]],
    margin: float,
    *,
    controls: Mapping[Key, Spread] | None = None,
    starts: Mapping[Key, int] | None = None,
    alpha_factor: float = 1.0,
) -> Doubts:
    """Look at a family of comparisons. family: log ratios in the order of the blocks.

    controls, alpha_factor: as `decide` takes them. starts: guests of the subject's kind that did the work of a
    comparison, the baseline's among them where it is of that kind; by default one a block.
    """
    spreads = {key: spread(of) for key, of in family.items()}
    verdicts = plain_verdicts(spreads, margin, alpha_factor)
    seen = own_noise(family, controls or {})
    level = CLAIM_LEVEL * alpha_factor / max(len(seen), 1)
    everywhere = _unseen_everywhere(spreads, seen)
    refused, blocks, notes = {}, {}, {}
    for key, own in seen.items():
        of, verdict = spreads[key], verdicts[key]
        assert of is not None
        guests = (starts or {}).get(key, of.n)
        case = _Case(of, own, verdict, margin, guests, everywhere[key[0]], level, alpha_factor, len(seen))
        why, needed = case.refusal()
        if why:
            refused[key] = why
        if why or needed != of.n:
            blocks[key] = needed
        if found := case.notes():
            notes[key] = found
    return Doubts(refused, blocks, notes)


def _unseen_everywhere(spreads: Mapping[Key, Spread | None], seen: Mapping[Key, OwnNoise]) -> dict[str, float]:
    """By workload: how far a mean may be wrong by a kind of start that no guest of any comparison shows.

    It takes starts of another kind to be as likely in one environment as in another.
    """
    starts, apart = Counter[str](), Counter[str]()
    for key, own in seen.items():
        of = spreads[key]
        starts[key[0]] += of.n if of else 0
        apart[key[0]] += own.apart
    return {workload: unseen.share(n, apart[workload]) * unseen.SIZE for workload, n in starts.items()}


@dataclass(frozen=True, slots=True)
class _Case:
    """One comparison. everywhere: as `_unseen_everywhere` gives it. level: of a claim, two-sided."""

    of: Spread
    own: OwnNoise
    verdict: Verdict
    margin: float
    starts: int
    everywhere: float
    level: float
    alpha_factor: float
    comparisons: int

    @property
    def room(self) -> float:
        """How far the mean may be wrong before the verdict is, on the log scale."""
        away = abs(self.of.mean)
        return equivalence.limit(self.margin) - away if self.verdict is Verdict.EQUIVALENT else away

    @property
    def beyond(self) -> float:
        """As `room`, of a claim from the nearer end of the interval."""
        return self.room if self.verdict is Verdict.EQUIVALENT else self.room - self.half

    @property
    def half(self) -> float:
        """Half of the 95 % interval, on the log scale."""
        return self.of.reach(0.05 * self.alpha_factor / 2)

    def refusal(self) -> tuple[str, int | None]:
        """Why there is no verdict, empty where there is one; blocks in all that it takes."""
        if self.verdict is Verdict.UNDECIDED:
            return "", self.of.n
        return self._by_kinds() or self._by_own_noise() or self._by_few() or ("", self._to_be_sure())

    def _by_kinds(self) -> tuple[str, int | None] | None:
        own, n = self.own, self.of.n
        if not own.apart and not own.widespread:
            return None
        size = max(own.size, unseen.SIZE if own.widespread else 0.0)
        level = unseen.LEVEL / (self.comparisons if own.widespread else 1)
        if unseen.shift(n, own.apart, size, level) < self.beyond:
            return None
        needed = unseen.starts_needed(self.beyond, own.apart / n, size, level)
        return "starts are of two kinds here, and so few of them do not tell how many are of each", needed

    def _by_own_noise(self) -> tuple[str, int | None] | None:
        if not self.own.own or self._error(self.own.effective, self.of.n) < self.room:
            return None
        needed = least_blocks(lambda n: self._error(worth(n), n) < self.room, self.of.n + 1, MAX_BLOCKS)
        return "it has noise of its own that the baseline does not have, and so few blocks may be alike", needed

    def _error(self, effective: float, n: int) -> float:
        """How far the mean of blocks that are worth so many may be wrong, at the level of the verdict."""
        alike = equivalence.LEVEL * self.alpha_factor
        part = alike if self.verdict is Verdict.EQUIVALENT else self.level / 2
        return float(special.stdtrit(n - 1, 1 - part)) * self.of.sd / math.sqrt(effective)

    def _by_few(self) -> tuple[str, int | None] | None:
        claim = self.verdict in (Verdict.SLOWER, Verdict.FASTER)
        wrong_by = unseen.shift(self.of.n)
        if not self.own.hinted:
            wrong_by = min(wrong_by, self.everywhere)
        if not claim or self.starts >= unseen.ENOUGH or wrong_by < self.beyond:
            return None
        needed = unseen.starts_needed(self.beyond)
        more = unseen.ENOUGH if needed is None else min(unseen.ENOUGH, needed)
        return "so few starts may all be of one kind by chance: starts 20 % slower would explain this difference", more

    def _matters(self) -> bool:
        """Whether an unseen kind of start could change the verdict."""
        return self.verdict is not Verdict.UNDECIDED and unseen.shift(self.of.n) >= self.beyond

    def _to_be_sure(self) -> int:
        """Blocks in all with which an unseen kind of start is less likely; as many as there are where that is enough.

        For what is called equivalent; no verdict depends on these blocks.
        """
        few = self.starts < unseen.ENOUGH and self._matters()
        return max(self.of.n, unseen.ENOUGH) if few else self.of.n

    def notes(self) -> tuple[Note, ...]:
        """What stands beside the verdict; in tables, where it could change it."""
        said = []
        n, share = self.of.n, unseen.share(self.of.n)
        if share >= unseen.RARE and unseen.shift(n) > self.half:
            text = f"starts of another kind may be unseen: up to {100 * share:.0f} % of starts (95 %)"
            said.append(Note(text, "few starts: starts of another kind may be unseen" if self._matters() else ""))
        if count := self.own.apart:
            apart = f"{count} of {n} blocks {'lies' if count == 1 else 'lie'} apart by a factor of "
            text = f"{apart}{math.exp(self.own.size):.3g}: {_KINDS}"
            said.append(Note(text, f"blocks lie apart: {_KINDS}"))
        if self.own.own:
            text = _OWN_DRIFT if self.own.drifts else _OWN_SPREAD
            said.append(Note(text, text))
        return tuple(said)


def doubts_of(
    campaign: Campaign,
    table: Mapping[Key, TreatmentData],
    compared: Mapping[Key, Ratios],
    controls: Mapping[Key, Spread],
    alpha_factor: float,
) -> Doubts:
    """Of a campaign's comparisons, by the ratios that decide them."""
    family = {key: [of.decisive[block] for block in sorted(of.decisive)] for key, of in compared.items()}
    starts = _starts(campaign, table, family)
    return doubts(family, campaign.plan.margin, controls=controls, starts=starts, alpha_factor=alpha_factor)


def _starts(campaign: Campaign, table: Mapping[Key, TreatmentData], compared: Collection[Key]) -> dict[Key, int]:
    """How many guests of a subject's kind did the work of each comparison, whatever their settings."""
    kinds = {environment.name: environment.kind for environment in campaign.plan.environments}
    found: defaultdict[tuple[str, str], int] = defaultdict(int)
    for (workload, environment), data in table.items():
        found[workload, kinds[environment]] += sum(map(len, data.starts.values()))
    return {key: found[key[0], kinds[key[1]]] for key in compared}


_KINDS = "starts may be of two kinds"
_OWN_SPREAD = (
    "it has noise of its own: its blocks differ more than the baseline's, and the interval is too narrow if "
    "neighbouring blocks are alike"
)
_OWN_DRIFT = "it drifts from block to block, so that the interval is too narrow"
