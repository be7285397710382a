"""Groups: every guest is kept apart, and sums, efficiencies, shares and slowdowns of known truth are found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.groups.injected import LEAST, REPETITIONS, covered, member, noisy, trial
from tests.sentences import Said
from virtometer.analysis.groups.estimates import Group, groups
from virtometer.analysis.groups.members import GroupTrial, shape_of
from virtometer.analysis.groups.reference import References
from virtometer.model import HostUse

QUOTAS = (0.3, 0.3, 0.6)


def campaign(
    rng: np.random.Generator, rates: Mapping[int, tuple[float, ...]], blocks: int = 8, sd: float = 0.02
) -> list[GroupTrial]:
    """Blocks with so many guests each: rates of one guest's rate."""
    made = []
    for block in range(blocks):
        host = noisy(rng, 0.05)
        for parts in rates.values():
            guests = [member(1e9 * host * part * noisy(rng, sd), at) for at, part in enumerate(parts, 1)]
            made.append(trial(block, guests))
    return made


def made(trials: list[GroupTrial], baseline: str = "native", failed: int = 0) -> list[Group]:
    lost = {(trials[-1].scenario, trials[-1].shape): failed} if failed else {}
    return list(groups(trials, References(trials), lost, baseline))


def test_injected_quotas_of_30_30_and_60_are_found() -> None:
    rng = np.random.default_rng(81)
    hits = 0
    for _ in range(REPETITIONS):
        _, three = made(campaign(rng, {1: (1.0,), 3: QUOTAS}))
        hits += all(
            covered(one.share.low, quota / 1.2, one.share.high)
            and covered(one.slowdown.low, 1 / quota, one.slowdown.high)
            for one, quota in zip(three.members, QUOTAS, strict=True)
            if one.share is not None and one.slowdown is not None
        )
        assert [rank.label for rank in three.ranks if rank.gets_more] == ["box #3"]
    assert hits >= LEAST


def test_the_sum_and_its_efficiencies() -> None:
    one, two, three = made(campaign(np.random.default_rng(82), {1: (1,), 2: (0.9, 0.9), 3: (0.6, 0.6, 0.6)}, sd=1e-6))
    assert one.guests == 1 and one.fairness is not None and one.fairness.jain.estimate.value == pytest.approx(1)
    assert two.against_one is not None and two.against_one.value == pytest.approx(1.8, rel=1e-4)
    assert two.against_ideal is not None and two.against_ideal.value == pytest.approx(0.9, rel=1e-4)
    # Three guests of one processor each on two: the ideal is the sum of two.
    assert three.against_one is not None and three.against_one.value == pytest.approx(1.8, rel=1e-4)
    assert three.against_ideal is not None and three.against_ideal.value == pytest.approx(0.9, rel=1e-4)
    assert three.sum.estimate is not None and three.mean.estimate is not None
    assert three.mean.estimate.value == pytest.approx(three.sum.estimate.value / 3)
    assert three.members[0].slowdown is not None and three.members[0].slowdown.value == pytest.approx(1 / 0.6, rel=1e-4)


def test_guests_by_themselves_in_one_block_are_one_value() -> None:
    trials = []
    for block in range(6):
        trials += [trial(block, [member(rate, number)]) for number, rate in enumerate((100.0, 400.0), 1)]
        trials.append(trial(block, [member(150.0, 1), member(150.0, 2)]))
    one, two = made(trials)
    assert one.n == two.n == 6 and one.sum.estimate is not None and one.sum.estimate.value == pytest.approx(200)
    assert [of.guest for of in one.members] == ["box", "box #2"]
    assert [of.share.value for of in one.members if of.share is not None] == [1.0, 1.0]
    assert two.against_one is not None and two.against_one.value == pytest.approx(1.5)


def test_no_value_is_a_mean_of_guests() -> None:
    (_, two) = made(campaign(np.random.default_rng(83), {1: (1.0,), 2: (0.25, 1.0)}, sd=1e-6))
    values = [of.value / 1e9 for one in two.members if (of := one.value.estimate) is not None]
    assert values[1] / values[0] == pytest.approx(4, rel=1e-4)
    assert two.fairness is not None and two.fairness.worst_share.estimate.value == pytest.approx(0.2, rel=1e-4)


def test_times_are_added_as_rates() -> None:
    trials = [
        trial(block, [member(rate, number, unit="s") for number, rate in enumerate(rates, 1)])
        for block in range(6)
        for rates in ((100.0,), (100.0, 50.0))
    ]
    two = made(trials)[1]
    assert two.sum.unit == "1/s" and two.sum.estimate is not None and two.sum.estimate.value == pytest.approx(150)
    assert two.mean.unit == "s" and two.mean.estimate is not None and two.mean.estimate.value == pytest.approx(2 / 150)
    assert [one.value.estimate and one.value.estimate.value for one in two.members] == [
        pytest.approx(0.01),
        pytest.approx(0.02),
    ]


def test_native_is_as_many_copies_where_they_were_measured_and_else_one() -> None:
    trials = []
    for block in range(6):
        for count in (1, 2):
            trials.append(trial(block, [member(10.0, at, environment="native") for at in range(1, count + 1)]))
        for count in (1, 2, 3):
            trials.append(trial(block, [member(5.0, at) for at in range(1, count + 1)]))
    found = {(one.environment, one.guests): one for one in made(trials)}
    assert found["native", 2].against_baseline is None
    two, three = found["box", 2], found["box", 3]
    assert two.against_baseline is not None and three.against_baseline is not None
    assert two.baseline_guests == 2 and two.against_baseline.value == pytest.approx(0.5)
    assert three.baseline_guests == 1 and three.against_baseline.value == pytest.approx(1.5)


def test_mixed_work_of_the_baseline_is_beside_the_same_other_work() -> None:
    trials = []
    for block in range(6):
        for environment, rate in (("native", 10.0), ("box", 4.0)):
            for scenario, factor in (("with disk", 1.0), ("with net", 0.5)):
                both = [
                    member(rate * factor, environment=environment),
                    member(1.0, environment=environment, workload=scenario),
                ]
                trials.append(trial(block, both, scenario=scenario, type="mixed"))
    found = {(one.environment, one.scenario): one for one in made(trials) if one.workload == "cpu"}
    for scenario in ("with disk", "with net"):
        against = found["box", scenario].against_baseline
        assert against is not None and against.value == pytest.approx(0.4)


def test_loads_are_members_but_not_in_the_sum() -> None:
    trials = []
    for block in range(6):
        alone = member(100.0, workload="disk")
        loads = [member(7.0, number, workload="cpu", role="load", cpu_s=0.7) for number in (2, 3)]
        trials.append(trial(block, [alone], type="loaded"))
        trials.append(trial(block, [replace(alone, rate=50.0, value=50.0), *loads], type="loaded"))
    (found,) = made(trials)
    assert (found.guests, found.workload, found.n) == (3, "disk", 6)
    assert found.sum.estimate is not None and found.sum.estimate.value == pytest.approx(50)
    assert [(one.role, one.workload) for one in found.members] == [
        ("measured", "disk"),
        ("load", "cpu"),
        ("load", "cpu"),
    ]
    assert found.members[0].slowdown is not None and found.members[0].slowdown.value == pytest.approx(2)
    assert found.members[1].slowdown is None and found.members[1].share is None
    assert any("the load took 70 % of the host's processor time" in note for note in found.notes)


def test_host_cpu_by_work_and_what_the_host_did() -> None:
    use = HostUse(2.0, 1.0, 0.0, 0.5, 2.0, 0.0, 0.0, 0.5, 0.0)
    trials = [
        trial(block, [member(10.0, at, cpu_s=cpu_s) for at in range(1, count + 1)], window_s=2.0, host=use)
        for block in range(6)
        for count, cpu_s in ((1, 1.0), (2, 1.5))
    ]
    two = made(trials)[1]
    assert two.cost is not None and two.cost.value == pytest.approx(3.0 / 40)
    assert two.cost_against_one is not None and two.cost_against_one.value == pytest.approx(1.5)
    assert two.host["user"] == 0.5 and two.host["idle"] == 1.0
    assert (two.members[0].host_cpu_s, two.members[0].processors) == (1.5, 0.75)


def test_copies_in_one_guest_tell_what_it_used_once() -> None:
    """Four copies on two processors must not seem to have had more of them than there are."""
    copies = [replace(member(10.0, at, cpu_s=1.9), instance="box") for at in range(1, 5)]
    (four,) = made([trial(block, copies, type="instances") for block in range(6)])
    assert [one.of for one in four.members] == ["box"] * 4
    assert [one.host_cpu_s for one in four.members] == [1.9, None, None, None]
    assert [one.processors for one in four.members] == [1.9, None, None, None]


def test_a_guest_with_two_workloads_has_no_cost_for_each() -> None:
    trials = [
        trial(block, [member(10.0, workload="disk"), member(20.0, workload="net")], type="mixed") for block in range(6)
    ]
    disk, net = made(trials)
    assert (disk.workload, net.workload, disk.cost, net.cost) == ("disk", "net", None, None)


def test_the_skew_is_the_99th_percentile_and_the_stretch_the_median() -> None:
    trials = [
        replace(trial(block, [member(1.0), member(1.0, 2)], skew_ns=block * 1000, window_s=9.0), overlap_s=1 + block)
        for block in range(7)
    ]
    (found,) = made(trials)
    assert found.skew_p99_ns == 6000 and found.overlap_s == 4
    (found,) = made([replace(one, overlap_s=None) for one in trials])
    assert found.overlap_s is None


def test_trials_that_were_repeated_are_noted(said: Said) -> None:
    trials = [replace(trial(block, [member(1.0), member(1.0, 2)]), repeated=block < 2) for block in range(6)]
    (note,) = [note for note in made(trials)[0].notes if "repeated" in note]
    assert note.startswith("2 of 6 trials repeated")
    said(note)
    assert not any("repeated" in note for note in made(trials[2:])[0].notes)


def test_the_share_of_the_watcher_is_the_median_of_the_trials_that_know_it() -> None:
    use = HostUse(2.0, 1.0, 0.0, 0.5, 2.0, 0.0, 0.0, 0.5, 0.0)
    known = [trial(block, [member(1.0)], host=replace(use, watch_s=0.002 * block)) for block in range(1, 6)]
    assert made([*known, trial(7, [member(1.0)], host=use)])[0].watch_share == pytest.approx(0.003)
    assert made([trial(7, [member(1.0)], host=use)])[0].watch_share is None


def test_a_guest_without_a_value_makes_its_block_incomplete(said: Said) -> None:
    trials = campaign(np.random.default_rng(84), {2: (1.0, 1.0)}, 7)
    first = trials[0]
    trials[0] = replace(first, members=(first.members[0], replace(first.members[1], rate=None, value=None)))
    (found,) = made(trials, failed=2)
    assert found.n == 6 and found.members[1].value.estimate is not None and found.members[1].value.estimate.n == 6
    (note,) = [note for note in found.notes if note.startswith("2 of 9 trials failed")]
    said(note)
    assert "1 of 9 trials lack the value of a guest" in found.notes
    assert any("alone in the same block" in note for note in found.notes)


def test_below_six_blocks_there_is_no_interval() -> None:
    _, two = made(campaign(np.random.default_rng(85), {1: (1.0,), 2: (1.0, 1.0)}, 5))
    assert two.sum.estimate is not None and two.sum.estimate.low is None and two.members[0].value.estimate is not None
    assert two.members[0].value.estimate.low is None and any("no interval below 6" in note for note in two.notes)


def test_who_gets_less_by_processor_where_that_is_not_the_guest() -> None:
    rng = np.random.default_rng(86)
    trials = []
    for block in range(8):
        slow = block % 2  # the guest on processor 0 changes
        rates = [0.7 if at == slow else 1.0 for at in range(2)]
        on = [frozenset({0}) if at == slow else frozenset({1}) for at in range(2)]
        trials.append(trial(block, [member(rates[at] * noisy(rng, 0.01), at + 1, on=on[at]) for at in range(2)]))
    (found,) = made(trials)
    assert not any(rank.gets_less for rank in found.ranks)
    assert any(note.startswith("by processor: always the same gets less: 0") for note in found.notes)


def test_a_group_that_only_failed_is_no_group() -> None:
    trials = campaign(np.random.default_rng(87), {1: (1.0,)}, 6)
    lost = {("growing", shape_of([("measured", "box", "cpu", "box"), ("measured", "box", "cpu", "box #2")])): 6}
    assert [one.guests for one in groups(trials, References(trials), lost, "native")] == [1]
