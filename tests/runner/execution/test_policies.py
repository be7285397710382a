"""Which window comes next, without a guest: parties that are scripted, and a clock of the test."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from virtometer.design.schedule.slice_lengths import length_factor
from virtometer.model import Mark, MarkKind, Placement, Plan, Sample, Trial
from virtometer.runner.execution.policies import Growing, Party, Turns, Window, WindowAccount, continuous

SLICE_S = 0.01
RUN_IN_S = SLICE_S / 5
BEGINNING_S = 0.0125
COUNTED = {"often": 12, "seldom": 6}
Script = Mapping[str, Any]


class Scripted(Party):
    """Guests that do as they are told.

    later: the factor of the speed after the beginning of a window. windows: that in long windows. alternates: `later`,
    and its inverse in every second window. fails: the number of windows after which it fails. lost: rounds that are
    disturbed. iteration: seconds. slow: seconds that each window takes beside its length. shared: whether guests do.
    """

    def __init__(self, trial: Trial, seconds: float, **script: Any) -> None:
        super().__init__(trial, seconds)
        self.script = script
        self.lengths: list[float] = []

    @property
    def failed(self) -> bool:
        return len(self.accounts) >= int(self.script.get("fails", 1 << 30))

    @property
    def warm_up_s(self) -> float:
        return float(self.script.get("warm_up", 0.0))

    def disturbed(self) -> Mapping[int, str]:
        rounds = {one.window.number for one in self.accounts if not one.window.long}
        return dict.fromkeys(rounds & set(self.script.get("lost", ())), "others worked")

    def hardly_shared(self) -> bool:
        if not self.script.get("shared", True):
            self.repeated = Mark(MarkKind.REPEATED, "they hardly shared anything")
        return self.repeated is not None


@dataclass
class Laboratory:
    """Lets guests work, by a clock of its own. `windows`: those that were released, in their order."""

    plan: Plan
    known: dict[str, bool]
    windows: list[Window]
    now_s: float = 0.0

    def follow(self, windows: Iterator[Window], parties: list[Scripted]) -> list[Window]:
        """The windows that come. Each has an account before the next one is asked for."""
        found = []
        by_trial = {party.trial.index: party for party in parties}
        for window in windows:
            party = by_trial[window.trial]
            assert not party.failed and sorted(window.order) == list(range(party.size))
            took_s = window.seconds + party.script.get("slow", 0.0)
            samples = tuple(self._samples(window, party) for _ in window.order)
            self.now_s += took_s
            party.add(WindowAccount(window, samples, took_s))
            party.lengths.append(window.seconds)
            found.append(window)
        return found

    def turns(self, parties: list[Scripted], seed: int = 1) -> list[Window]:
        return self.follow(Turns(parties, self.plan, self.known, seed).windows(), parties)

    def growing(self, parties: list[Scripted], seed: int = 1) -> list[Window]:
        return self.follow(Growing(parties, self.plan, self.known, seed).windows(), parties)

    def _samples(self, window: Window, party: Scripted) -> tuple[Sample, ...]:
        iteration_s = party.script.get("iteration", 0.0025)
        samples: list[Sample] = []
        while not samples or (len(samples) + 0.5) * iteration_s < window.seconds:
            after_s = len(samples) * iteration_s
            start_ns = round((self.now_s + after_s) * 1e9)
            speed = party.script.get("windows", 1.0) if window.long else 1.0
            later = party.script.get("later", 1.0) ** (
                -1 if party.script.get("alternates") and window.number % 2 else 1
            )
            speed *= later if after_s > BEGINNING_S else 1.0
            work = round(1e6 * speed)
            samples.append(Sample(start_ns, start_ns + round(iteration_s * 1e9), work, "ok", slice=window.slice))
        return tuple(samples)


@pytest.fixture
def laboratory() -> Laboratory:
    document = {
        "virtometer": 1, "name": "p", "baseline": "a", "seconds": 0.2, "slice_s": SLICE_S, "blocks": 2,
        "environments": [{"name": name, "kind": "native"} for name in "abc"],
        "workloads": [{"name": "w", "workload": "linpack", "op": "classic"}],
    }  # fmt: skip
    return Laboratory(Plan.model_validate(document), {}, [])


def singles(seconds: float = 0.2, **scripts: Script) -> list[Scripted]:
    """One guest of each environment."""
    return [
        Scripted(Trial(number, 0, 0, 0, (Placement(name, "w"),), turns=0), seconds, **script)
        for number, (name, script) in enumerate(scripts.items())
    ]


def groups(environment: str = "a", sizes: tuple[int, ...] = (1, 1, 2), **script: Any) -> list[Scripted]:
    """So many guests of one environment."""
    found = []
    for number, size in enumerate(sizes):
        placements = tuple(Placement(environment, "w", guest=one + 1, ordinal=one) for one in range(size))
        found.append(Scripted(Trial(number, 0, 0, 0, placements, turns=0), 0.2, **script))
    return found


def numbers(party: Party) -> list[int]:
    """As samples have them: below 0 for long windows."""
    return [one.window.slice for one in party.accounts]


def test_a_continuous_window_is_repeated_longer_twice_at_most(laboratory: Laboratory) -> None:
    (good,) = singles(0.2, a={})
    assert [one.seconds for one in laboratory.follow(continuous(good), [good])] == [0.2]
    (bad,) = singles(0.2, a={})
    for repeats, wanted in ((1, [0.2, 0.6]), (2, [0.2, 0.6, 1.8]), (9, [0.2, 0.6, 1.8])):
        bad.repeated, found = None, []
        for window in continuous(bad):
            found.append(window)
            if len(found) <= repeats:
                bad.repeated = Mark(MarkKind.REPEATED, "its guests hardly shared anything")
        assert [one.number for one in found] == list(range(1, len(wanted) + 1))
        assert [one.seconds for one in found] == pytest.approx(wanted)


def test_each_round_has_a_slice_of_every_guest_in_an_order_of_the_seed(laboratory: Laboratory) -> None:
    laboratory.known |= dict.fromkeys("abc", False)
    found = laboratory.turns(singles(a={}, b={}, c={}), 7)
    rounds = [list(group) for _, group in itertools.groupby(found, lambda one: one.number)]
    assert len(rounds) == 20 and all(sorted(one.trial for one in some) == [0, 1, 2] for some in rounds)
    assert len({tuple(one.trial for one in some) for some in rounds}) > 1
    for number, some in enumerate(rounds):
        assert {one.seconds for one in some} == {SLICE_S * length_factor(7, number) + RUN_IN_S}
    assert laboratory.turns(singles(a={}, b={}, c={}), 7) == found
    assert laboratory.turns(singles(a={}, b={}, c={}), 8) != found


def test_long_windows_come_first_and_are_known_then(laboratory: Laboratory) -> None:
    parties = singles(a={}, b={})
    found = laboratory.turns(parties)
    assert [one.long for one in found[:3]] == [True, True, False]
    assert {one.seconds for one in found[:2]} == {0.2}
    assert laboratory.known == {"a": False, "b": False}
    again = singles(a={}, b={})
    assert not any(one.long for one in laboratory.turns(again))


@pytest.mark.parametrize(
    ("script", "windows", "known"),
    [
        ({"later": 0.25}, [-1, -2, -3, -4, -5], True),
        ({"later": 2.0, "alternates": True}, [-1, -2, *range(20)], False),
        ({"windows": 0.25}, [-1, *range(20)], True),  # found by comparing them with slices
        ({"fails": 1}, [-1], False),
    ],
)
def test_a_guest_that_changes_its_speed_has_long_windows(
    laboratory: Laboratory, script: Script, windows: list[int], known: bool
) -> None:
    parties = singles(a={}, b=script, c={})
    laboratory.turns(parties)
    assert numbers(parties[1]) == windows
    assert laboratory.known["b"] is known and not laboratory.known["a"]
    assert numbers(parties[2]) == [-1, *range(20)]


def test_where_the_baseline_changes_its_speed_all_have_long_windows(laboratory: Laboratory) -> None:
    parties = singles(a={"later": 0.25}, b={"later": 0.25})
    laboratory.turns(parties)
    assert laboratory.known == {"a": True, "b": False}, "what both do alike is nothing of their own"
    again = singles(a={}, b={}, c={})
    laboratory.known["c"] = False
    laboratory.turns(again)
    assert [numbers(one) for one in again] == [[-1]] * 3


def test_a_slow_guest_has_fewer_rounds_and_all_have_more_where_one_was_disturbed(laboratory: Laboratory) -> None:
    laboratory.known |= dict.fromkeys("ab", False)
    parties = singles(a={"lost": range(3)}, b={"slow": 0.05})
    laboratory.turns(parties)
    assert numbers(parties[0]) == list(range(23))
    assert 6 <= len(numbers(parties[1])) < 20
    most = singles(a={"lost": range(15)}, b={})
    laboratory.turns(most)
    assert [len(numbers(one)) for one in most] == [30, 30], "at most half as many again"


def test_a_plan_may_have_a_long_window_in_each_block(laboratory: Laboratory) -> None:
    laboratory.plan = laboratory.plan.model_copy(update={"long_windows": "each"})
    laboratory.known |= dict.fromkeys("ab", False)
    places = set()
    for seed in range(8):
        parties = singles(a={}, b={})
        laboratory.turns(parties, seed)
        found = {numbers(one).index(-1) for one in parties}
        assert found in ({0}, {20})
        places |= found
    assert places == {0, 20}


def test_each_number_of_guests_has_a_window_in_each_round(laboratory: Laboratory) -> None:
    laboratory.known["a"] = False
    parties = groups()
    found = laboratory.growing(parties)
    assert len({one.order for one in found if one.trial == 2}) == 2, "guests are released in random order"
    assert [len(numbers(one)) for one in parties] == [2, 2, 4], "single guests have windows in turn"
    assert sorted(numbers(parties[0]) + numbers(parties[1])) == numbers(parties[2]) == list(range(4))
    assert parties[2].lengths == [5 * SLICE_S * length_factor(1, number) for number in range(4)]


def test_windows_are_longer_for_long_iterations(laboratory: Laboratory) -> None:
    laboratory.known["a"] = False
    parties = groups(iteration=0.04)
    laboratory.growing(parties)
    lengths = [length / length_factor(1, number) for number, length in enumerate(parties[2].lengths)]
    assert lengths[1:] == [pytest.approx(0.24)] * (len(lengths) - 1)


def test_rounds_of_guests_that_hardly_worked_together_are_repeated_longer(laboratory: Laboratory) -> None:
    laboratory.known["a"] = False
    parties = groups(sizes=(1, 2))
    parties[1].script["shared"] = False
    laboratory.growing(parties)
    assert numbers(parties[0]) == list(range(4))
    assert numbers(parties[1]) == list(range(8)) and parties[1].first_round == 4
    first, last = parties[1].lengths[:4], parties[1].lengths[4:]
    assert last == [pytest.approx(15 * SLICE_S * length_factor(1, number)) for number in range(4, 8)]
    assert max(first) < min(last)


def test_guests_that_change_their_speed_together_have_long_windows(laboratory: Laboratory) -> None:
    parties = groups(later=0.2)
    laboratory.growing(parties)
    assert laboratory.known == {"a": True}
    assert [numbers(one) for one in parties] == [[-1, -2, -3, -4, -5], [-1], [-1, -2, -3, -4, -5]]
    again = groups(later=0.2)
    laboratory.growing(again)
    assert [numbers(one) for one in again] == [[-1]] * 3


def test_counted_runs_are_made_one_by_one_and_none_is_made_again(laboratory: Laboratory) -> None:
    workloads = [{"name": "w", "workload": "command", "op": "time", "runs": 9}]
    laboratory.plan = Plan.model_validate({**laboratory.plan.model_dump(exclude={"workloads"}), "workloads": workloads})
    laboratory.known.update(dict.fromkeys("abc", False))
    parties = singles(a={"lost": [0, 1, 2]}, b={"iteration": 0.0001, "warm_up": 0.008}, c={"slow": 100.0})
    windows = laboratory.turns(parties)
    assert [len(party.accounts) for party in parties] == [5, 5, 5], "the first of two blocks has one more"
    assert all(len(samples) == 1 for party in parties for one in party.accounts for samples in one.samples)
    rounds = [[one.trial for one in windows if one.number == number] for number in range(5)]
    assert all(sorted(one) == [0, 1, 2] for one in rounds) and len(set(map(tuple, rounds))) > 1


def test_runs_of_commands_with_other_numbers_are_spread_over_all_rounds(laboratory: Laboratory) -> None:
    workloads = [{"name": name, "workload": "command", "op": "time", "runs": runs} for name, runs in COUNTED.items()]
    laboratory.plan = Plan.model_validate({**laboratory.plan.model_dump(exclude={"workloads"}), "workloads": workloads})
    laboratory.known.update(dict.fromkeys("ab", False))
    parties = [
        Scripted(Trial(2 * at + number, 0, 0, 0, (Placement(name, work),), turns=0), 0.2)
        for at, work in enumerate(COUNTED)
        for number, name in enumerate("ab")
    ]
    windows = laboratory.turns(parties)
    numbers = [[one.window.number for one in party.accounts] for party in parties]
    assert numbers[:2] == [[*range(6)]] * 2 and numbers[2:] == [[1, 3, 5]] * 2
    orders = [[one.trial for one in windows if one.number == number] for number in (1, 3, 5)]
    assert all(sorted(one) == [0, 1, 2, 3] for one in orders) and len(set(map(tuple, orders))) > 1
