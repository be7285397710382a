"""What a campaign becomes: which rows there are, which verdict applies first, what the notes say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.simulated_campaigns import Place, Work, changed, gaussian, lied, simulate, with_runs
from virtometer.analysis import analyse
from virtometer.model import (
    Campaign,
    ClockFault,
    Failure,
    FailureKind,
    Finding,
    Mark,
    MarkKind,
    SetAside,
    TrialRecord,
    Verdict,
)

NATIVE = Place("native")
DIED = Failure(FailureKind.GUEST, "the guest died")
NO_NETWORK = Failure(FailureKind.UNAVAILABLE, "no network", 0)


def of(campaign: Campaign, subject: str, workload: str = "memory triad 64 MB") -> Finding:
    return next(f for f in analyse(campaign).findings if f.subject == subject and f.workload == workload)


def with_fields(campaign: Campaign, change: dict[int, dict[str, object]]) -> Campaign:
    """The campaign with fields of some trials' runs replaced, by trial index."""
    trials: list[TrialRecord] = []
    for record in campaign.trials:
        fields = change.get(record.trial.index, {})
        trials.append(replace(record, runs=tuple(changed(run, **fields) for run in record.runs)))
    return replace(campaign, trials=tuple(trials))


def trials_of(campaign: Campaign, environment: str) -> list[int]:
    return [r.trial.index for r in campaign.trials if r.trial.placements[0].environment == environment]


def test_one_row_for_every_workload_and_environment_in_the_order_of_the_plan() -> None:
    works = [Work("b"), Work("a")]
    found = analyse(simulate([Place("z"), Place("y"), Place("x")], works)).findings
    assert [(f.workload, f.subject) for f in found] == [(w, e) for w in "ba" for e in "zyx"]
    assert [f.verdict for f in found[::3]] == [Verdict.BASELINE] * 2
    assert all(f.against == "z" for f in found)


def test_the_baseline_has_its_value_and_a_ratio_of_1_without_an_interval() -> None:
    baseline = of(simulate([NATIVE, Place("runc")], noise=gaussian(0.02)), "native")
    assert baseline.ratio is not None and (baseline.ratio.value, baseline.ratio.low) == (1.0, None)
    assert baseline.value is not None and baseline.value.value == pytest.approx(18e9, rel=0.05)
    assert baseline.value.low is not None and baseline.value.low < baseline.value.value
    assert (baseline.unit, baseline.metric, baseline.better) == ("B/s", "bandwidth, 3 x size", "higher")


@pytest.mark.parametrize(("unit", "level"), [("B/s", 1e9), ("s", 1e-6)])
def test_above_1_is_better_whatever_the_unit(unit: str, level: float) -> None:
    campaign = simulate([NATIVE, Place("half", efficiency={"": 0.5})], [Work(unit=unit, level=level)])
    found = of(campaign, "half")
    assert found.ratio is not None and found.ratio.value == pytest.approx(0.5)
    assert found.verdict is Verdict.SLOWER
    assert found.value is not None
    assert found.value.value == pytest.approx(level / 2 if unit == "B/s" else level * 2)


def test_five_blocks_give_neither_interval_nor_verdict_and_six_give_both() -> None:
    places = [NATIVE, Place("half", efficiency={"": 0.5})]
    few = of(simulate(places, blocks=5, noise=gaussian(0.02)), "half")
    assert few.verdict is Verdict.UNDECIDED
    assert few.ratio is not None and few.ratio.low is None and few.ratio.n == 5
    assert few.p_value is None and few.detectable is None
    assert few.blocks_needed == 6
    assert "5 complete blocks; an interval and a verdict take 6" in few.notes
    enough = of(simulate(places, blocks=6, noise=gaussian(0.02)), "half")
    assert enough.verdict is Verdict.SLOWER and enough.ratio is not None and enough.ratio.low is not None


def test_undecided_says_what_could_have_been_seen_and_what_deciding_takes() -> None:
    campaign = simulate([NATIVE, Place("runc")], blocks=8, noise=gaussian(0.2), seed=3)
    found = of(campaign, "runc")
    assert found.verdict is Verdict.UNDECIDED
    assert found.detectable is not None and 0.1 < found.detectable < 1.5
    assert found.blocks_needed is not None and found.blocks_needed > 8
    # Two trials a block, two seconds from the start of one to the start of the next.
    assert found.seconds_needed == pytest.approx((found.blocks_needed - 8) * 4)


def test_decided_findings_carry_no_forecast() -> None:
    found = of(simulate([NATIVE, Place("half", efficiency={"": 0.5})], noise=gaussian(0.01)), "half")
    assert (found.detectable, found.blocks_needed, found.seconds_needed) == (None, None, None)


def test_a_failed_trial_leaves_its_block_incomplete_and_is_told() -> None:
    campaign = simulate([NATIVE, Place("runc")], blocks=8, fail={0: DIED}, noise=gaussian(0.01))
    failed_in = campaign.trials[0].trial.placements[0].environment
    found = of(campaign, "runc")
    assert found.ratio is not None and found.ratio.n == 7
    where = " in native" if failed_in == "native" else ""
    assert f"1 of 8 trials{where} failed: the guest died" in found.notes


def test_an_environment_that_does_not_work_is_not_available_with_the_reason() -> None:
    found = of(simulate([NATIVE, Place("kvm", works=False, reason="there is no /dev/kvm")]), "kvm")
    assert found.verdict is Verdict.UNAVAILABLE
    assert found.ratio is None and found.value is None and found.host_cpu_ratio is None
    assert found.notes == ("not available here: there is no /dev/kvm",)
    assert found.unit == "B/s"  # known from the others


@pytest.mark.parametrize("placement", [None, 0])
def test_trials_that_cannot_be_done_make_it_not_available_never_a_zero(placement: int | None) -> None:
    failure = replace(NO_NETWORK, placement=placement)
    found = of(simulate([NATIVE, Place("qemu", fails={"memory triad 64 MB": failure})]), "qemu")
    assert found.verdict is Verdict.UNAVAILABLE
    assert found.notes == ("not available here: no network (8 trials)",)
    assert found.value is None


@pytest.mark.parametrize("reason", ["no network", "the agent says internal: not available here: no network"])
def test_trials_that_all_fail_leave_it_undecided_and_are_not_called_absent(reason: str) -> None:
    failure = Failure(FailureKind.AGENT, reason, 0)
    found = of(simulate([NATIVE, Place("qemu", fails={"memory triad 64 MB": failure})]), "qemu")
    assert (found.verdict, found.ratio, found.value) == (Verdict.UNDECIDED, None, None)
    assert f"8 of 8 trials failed: {reason}" in found.notes
    assert not any(note.startswith("not available") for note in found.notes)


def test_trials_of_which_some_failed_are_not_called_absent() -> None:
    campaign = simulate([NATIVE, Place("qemu", fails={"memory triad 64 MB": NO_NETWORK})])
    first, *_ = trials_of(campaign, "qemu")
    died = Failure(FailureKind.GUEST, "it died")
    trials = tuple(replace(one, failure=died) if one.trial.index == first else one for one in campaign.trials)
    found = of(replace(campaign, trials=trials), "qemu")
    assert found.verdict is Verdict.UNDECIDED
    assert {"1 of 8 trials failed: it died", "7 of 8 trials not available here: no network"} <= set(found.notes)


def test_what_cannot_be_done_here_is_not_counted_as_failed() -> None:
    """Of eight trials one failed and one could not be done; the others have values."""
    campaign = simulate([NATIVE, Place("qemu")], noise=gaussian(0.01))
    first, second, *_ = trials_of(campaign, "qemu")
    failures = {first: DIED, second: NO_NETWORK}
    trials = tuple(
        replace(record, failure=failures[record.trial.index], runs=()) if record.trial.index in failures else record
        for record in campaign.trials
    )
    notes = of(replace(campaign, trials=trials), "qemu").notes
    assert "1 of 8 trials failed: the guest died" in notes
    assert "1 of 8 trials not available here: no network" in notes


def test_what_is_lost_to_a_lying_clock_is_not_called_absent() -> None:
    campaign = simulate([NATIVE, Place("qemu")], noise=gaussian(0.01))
    step = ClockFault("stepped", 3.0, 0.5)
    lies = set(trials_of(campaign, "qemu"))
    trials = tuple(
        lied(record, step, "the guest's clock stepped") if record.trial.index in lies else record
        for record in campaign.trials
    )
    found = of(replace(campaign, trials=trials), "qemu")
    assert (found.verdict, found.ratio, found.value) == (Verdict.UNDECIDED, None, None)
    assert (found.blocks_needed, found.seconds_needed) == (None, None), "more of the same would not help"
    assert "8 of 8 trials failed: the guest's clock stepped" in found.notes
    assert not any("not available" in note for note in found.notes)


def test_a_baseline_that_gave_nothing_leaves_the_others_undecided_with_their_values() -> None:
    campaign = simulate(
        [Place("native", fails={"memory triad 64 MB": Failure(FailureKind.GUEST, "no space")}), Place("runc")]
    )
    own = of(campaign, "native")
    assert (own.verdict, own.ratio, own.value) == (Verdict.BASELINE, None, None)
    assert "8 of 8 trials failed: no space" in own.notes
    found = of(campaign, "runc")
    assert (found.verdict, found.ratio, found.blocks_needed) == (Verdict.UNDECIDED, None, None)
    assert found.value is not None
    assert "native gave no value to compare with" in found.notes


def test_a_campaign_that_has_only_begun_is_undecided_everywhere() -> None:
    campaign = replace(simulate([NATIVE, Place("runc")]), trials=())
    assert [f.verdict for f in analyse(campaign).findings] == [Verdict.BASELINE, Verdict.UNDECIDED]
    assert all(f.value is None and f.ratio is None for f in analyse(campaign).findings)


def test_a_plan_whose_baseline_is_missing_says_so() -> None:
    campaign = simulate([NATIVE, Place("runc")], baseline="elsewhere")
    assert all(f.verdict is Verdict.UNDECIDED for f in analyse(campaign).findings)
    assert "the plan's baseline elsewhere is not among its environments" in analyse(campaign).findings[0].notes


def test_marked_trials_are_kept_and_told_as_one_where_they_are_of_a_kind() -> None:
    campaign = simulate([NATIVE, Place("runc")], blocks=8)
    indices = trials_of(campaign, "runc")
    marks = {index: (Mark(MarkKind.STEAL, f"{index}% went to others"),) for index in indices[:2]}
    found = of(simulate([NATIVE, Place("runc")], blocks=8, marks=marks), "runc")
    assert found.ratio is not None and found.ratio.n == 8
    assert "2 of 8 trials marked as disturbed, and kept: steal" in found.notes


def test_samples_that_were_set_aside_are_counted_with_the_reason() -> None:
    campaign = simulate([NATIVE, Place("runc")], blocks=8, samples=4)
    first = trials_of(campaign, "runc")[0]
    samples = campaign.trials[first].runs[0].samples
    mark = "clock error ±0.6%"
    aside = tuple(replace(sample, set_aside=SetAside.CLOCK_ERROR, mark=mark) for sample in samples)
    some = of(with_fields(campaign, {first: {"samples": (*aside[:1], *samples[1:])}}), "runc")
    assert f"1 of 32 samples not used: {mark}" in some.notes
    assert some.ratio is not None and some.ratio.n == 8
    all_of_them = of(with_fields(campaign, {first: {"samples": aside}}), "runc")
    assert all_of_them.ratio is not None and all_of_them.ratio.n == 7
    assert "1 of 8 trials gave no usable value and left their blocks incomplete" in all_of_them.notes


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_value_that_is_no_positive_number_is_not_used(value: float) -> None:
    campaign = simulate([NATIVE, Place("runc")], blocks=8)
    first = trials_of(campaign, "runc")[0]
    found = of(with_fields(campaign, {first: {"value": value}}), "runc")
    assert found.ratio is not None and found.ratio.n == 7


def test_host_cpu_per_unit_of_work_is_a_within_block_ratio() -> None:
    campaign = simulate([NATIVE, Place("uml", efficiency={"": 0.5}, cost=3.0)], noise=gaussian(0.05), samples=1)
    cost = of(campaign, "uml").host_cpu_ratio
    assert cost is not None and cost.n == 8
    assert cost.value == pytest.approx(3.0)
    assert cost.low is not None and cost.high is not None and cost.low <= 3.0 + 1e-9 and cost.high >= 3.0 - 1e-9


def test_a_guest_without_an_account_of_its_cpu_time_has_no_cost_and_a_note() -> None:
    found = of(simulate([NATIVE, Place("far", cost=None)]), "far")
    assert found.host_cpu_ratio is None
    assert "the host CPU time of far could not be told" in found.notes


def test_buffered_is_never_silently_compared_with_direct() -> None:
    work = Work("disk", "disk", "random-read", "IO/s", 1e4)
    native = Place("native", conditions={"disk": {"io": "direct"}})
    uml = Place("uml", conditions={"disk": {"io": "buffered", "io_reason": "O_DIRECT refused: EINVAL"}})
    found = of(simulate([native, uml], [work]), "uml", "disk")
    assert not found.like_with_like
    assert "not like with like: disk access: buffered here (O_DIRECT refused: EINVAL), direct in native" in found.notes
    assert of(simulate([native, replace(native, name="runc")], [work]), "runc", "disk").like_with_like


def test_how_the_disk_file_is_reached_is_what_is_measured_and_no_condition() -> None:
    work = Work("disk", "disk", "random-read", "IO/s", 1e4)
    native = Place("native", conditions={"disk": {"io": "direct", "disk_path": "file"}})
    qemu = Place("qemu", conditions={"disk": {"io": "direct", "disk_path": "virtio-blk"}})
    assert of(simulate([native, qemu], [work]), "qemu", "disk").like_with_like


def test_a_condition_that_only_one_side_tells_is_a_difference() -> None:
    found = of(simulate([NATIVE, Place("qemu", conditions={"memory triad 64 MB": {"pages": "huge"}})]), "qemu")
    assert "not like with like: pages: huge here, not told in native" in found.notes


def test_other_reasons_for_the_same_condition_are_no_difference() -> None:
    name = "memory triad 64 MB"
    one = Place("native", conditions={name: {"io": "buffered", "io_reason": "was asked for"}})
    two = Place("uml", conditions={name: {"io": "buffered", "io_reason": "O_DIRECT refused"}})
    assert of(simulate([one, two]), "uml").like_with_like


def test_sizes_that_caches_may_hold_are_noted_and_no_difference() -> None:
    name, reason = "memory triad 64 MB", "a size of 1 MiB is less than 4 times the last-level cache of 32 MiB"
    partly = Place("uml", conditions={name: {"cached": "partly", "cached_reason": reason}})
    found = of(simulate([NATIVE, partly]), "uml")
    assert found.like_with_like
    assert f"in uml caches may hold what is measured: {reason}" in found.notes
    beyond = of(simulate([NATIVE, replace(partly, conditions={name: {"cached": "no"}})]), "uml")
    assert not any("caches" in note for note in beyond.notes)


def test_conditions_that_change_between_trials_of_one_environment_are_told() -> None:
    campaign = simulate([NATIVE, Place("uml")], blocks=8)
    first = trials_of(campaign, "uml")[0]
    found = of(with_fields(campaign, {first: {"conditions": {"simd": "sse2"}}}), "uml")
    assert not found.like_with_like
    assert (
        "not like with like: in uml, vector instruction set changed between trials (avx2 in 7, sse2 in 1 of them)"
        in found.notes
    )


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({"threads": 2}, "not like with like: threads: 2 here, 1 in native"),
        ({"parameters": {"size": 1}}, "not like with like: size: 1 here, 67108864 in native"),
    ],
)
def test_other_threads_and_parameters_are_not_alike(change: dict[str, object], note: str) -> None:
    campaign = simulate([NATIVE, Place("uml")], blocks=6)
    assert note in of(with_fields(campaign, dict.fromkeys(trials_of(campaign, "uml"), change)), "uml").notes


@pytest.mark.parametrize("place", ["file", "peer", "time-server", "arguments"])
def test_where_a_file_or_a_peer_lies_is_no_difference(place: str) -> None:
    campaign = simulate([NATIVE, Place("uml")], blocks=6)
    change: dict[int, dict[str, object]] = {
        index: {"parameters": {"size": 64 << 20, place: f"/x{index}"}} for index in trials_of(campaign, "uml")
    }
    assert of(with_fields(campaign, change), "uml").like_with_like


def test_load_placements_are_not_compared() -> None:
    campaign = simulate([NATIVE, Place("runc")], blocks=6)
    as_load = with_runs(campaign, lambda run: replace(run, placement=replace(run.placement, role="load")))
    assert all(f.value is None for f in analyse(as_load).findings)


def test_a_significant_interval_that_holm_does_not_let_through_is_explained() -> None:
    """Search for a campaign in which one comparison alone looks different, and read what is said about it."""
    for seed in range(200):
        works = [Work(f"w{number}") for number in range(10)]
        for found in analyse(
            simulate([NATIVE, Place("runc")], works, seed=seed, noise=gaussian(0.2), samples=1)
        ).findings:
            if found.ratio is not None and found.ratio.high is not None and found.ratio.high < 1:
                assert found.verdict is Verdict.UNDECIDED
                assert any("among the 10 comparisons of this campaign" in note for note in found.notes)
                return
    pytest.fail("200 campaigns of 10 comparisons without one interval below 1: the noise is not what it says")


@given(st.floats(0.01, 100), st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_what_a_whole_block_shares_does_not_change_any_ratio(factor: float, seed: int) -> None:
    campaign = simulate([NATIVE, Place("runc", efficiency={"": 0.9})], seed=seed, noise=gaussian(0.1), samples=1)
    block = campaign.trials[0].trial.block
    change: dict[int, dict[str, object]] = {
        record.trial.index: {"value": record.runs[0].scored.value * factor}
        for record in campaign.trials
        if record.trial.block == block
    }
    before, after = of(campaign, "runc").ratio, of(with_fields(campaign, change), "runc").ratio
    assert before is not None and after is not None
    assert after.value == pytest.approx(before.value) and after.low == pytest.approx(before.low)


@given(st.randoms())
@settings(max_examples=20, deadline=None)
def test_the_order_in_which_trials_are_read_does_not_matter(random: object) -> None:
    campaign = simulate([NATIVE, Place("runc"), Place("uml")], noise=gaussian(0.1), samples=1)
    shuffled = list(campaign.trials)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    before, after = analyse(campaign).findings, analyse(replace(campaign, trials=tuple(shuffled))).findings
    for one, two in zip(before, after, strict=True):
        assert one.verdict == two.verdict and one.ratio is not None and two.ratio is not None
        assert two.ratio.value == pytest.approx(one.ratio.value)


@given(st.integers(0, 2**32), st.floats(0.01, 0.3))
@settings(max_examples=30, deadline=None)
def test_swapping_subject_and_baseline_turns_the_ratio_round(seed: int, sd: float) -> None:
    campaign = simulate([Place("a"), Place("b", efficiency={"": 0.8})], seed=seed, noise=gaussian(sd), samples=1)
    turned = replace(campaign, plan=campaign.plan.model_copy(update={"baseline": "b"}))
    one, two = of(campaign, "b"), of(turned, "a")
    assert one.ratio is not None and two.ratio is not None
    assert one.ratio.low is not None and two.ratio.high is not None
    assert two.ratio.value == pytest.approx(1 / one.ratio.value)
    assert two.ratio.high == pytest.approx(1 / one.ratio.low)
    opposite = {Verdict.SLOWER: Verdict.FASTER, Verdict.FASTER: Verdict.SLOWER}
    assert two.verdict is opposite.get(one.verdict, one.verdict)
