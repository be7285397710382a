"""A missing value is reported with its reason, and is never a zero."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analysis.simulated_campaigns import (
    Place,
    finding_of,
    gaussian,
    in_rounds,
    lied,
    simulate,
    trials_of,
    with_fields,
)
from tests.sentences import Said
from virtometer.analysis import analyse
from virtometer.analysis.compare.blocks import TreatmentData, by_treatment
from virtometer.analysis.notes.missing import About, Reason, failures, marked, notes, unavailable, unused
from virtometer.model import (
    Campaign,
    ClockFault,
    EnvironmentStatus,
    Excluded,
    Failure,
    FailureKind,
    FaultKind,
    Mark,
    MarkKind,
    Placement,
    Sample,
    Trial,
    TrialRecord,
    Verdict,
)

NATIVE = Place("native")
DIED = Failure(FailureKind.GUEST, "the guest died")
NO_NETWORK = Failure(FailureKind.UNAVAILABLE, "no network", 0)


def test_a_failed_trial_leaves_its_block_incomplete_and_is_reported() -> None:
    campaign = simulate([NATIVE, Place("runc")], blocks=8, fail={0: DIED}, noise=gaussian(0.01))
    failed_in = campaign.trials[0].trial.placements[0].environment
    found = finding_of(campaign, "runc")
    assert found.ratio.estimate is not None and found.ratio.estimate.n == 7
    where = " in native" if failed_in == "native" else ""
    assert f"1 of 8 trials{where} failed: the guest died" in found.notes


def test_an_environment_that_does_not_work_is_not_available_with_the_reason() -> None:
    found = finding_of(simulate([NATIVE, Place("kvm", works=False, reason="there is no /dev/kvm")]), "kvm")
    assert found.verdict is Verdict.UNAVAILABLE
    assert found.ratio.estimate is None and found.value.estimate is None and found.host_cpu_ratio is None
    assert found.notes == ("not available here: there is no /dev/kvm",)
    assert found.value.unit == "B/s"  # known from the others


@pytest.mark.parametrize("placement", [None, 0])
def test_trials_that_cannot_be_done_make_it_not_available_never_a_zero(placement: int | None) -> None:
    failure = replace(NO_NETWORK, placement=placement)
    found = finding_of(simulate([NATIVE, Place("qemu", fails={"memory triad 64 MB": failure})]), "qemu")
    assert found.verdict is Verdict.UNAVAILABLE
    assert found.notes == ("not available here: no network (8 trials)",)
    assert found.value.estimate is None


@pytest.mark.parametrize("reason", ["no network", "the agent says internal: not available here: no network"])
def test_trials_that_all_fail_leave_it_undecided_and_are_not_called_absent(reason: str) -> None:
    failure = Failure(FailureKind.AGENT, reason, 0)
    found = finding_of(simulate([NATIVE, Place("qemu", fails={"memory triad 64 MB": failure})]), "qemu")
    assert (found.verdict, found.ratio.estimate, found.value.estimate) == (Verdict.UNDECIDED, None, None)
    assert f"8 of 8 trials failed: {reason}" in found.notes
    assert not any(note.startswith("not available") for note in found.notes)


def test_trials_of_which_some_failed_are_not_called_absent() -> None:
    campaign = simulate([NATIVE, Place("qemu", fails={"memory triad 64 MB": NO_NETWORK})])
    first, *_ = trials_of(campaign, "qemu")
    died = Failure(FailureKind.GUEST, "it died")
    trials = tuple(replace(one, failure=died) if one.trial.index == first else one for one in campaign.trials)
    found = finding_of(replace(campaign, trials=trials), "qemu")
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
    notes = finding_of(replace(campaign, trials=trials), "qemu").notes
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
    found = finding_of(replace(campaign, trials=trials), "qemu")
    assert (found.verdict, found.ratio.estimate, found.value.estimate) == (Verdict.UNDECIDED, None, None)
    assert (found.blocks_needed, found.seconds_needed) == (None, None), "more of the same would not help"
    assert "8 of 8 trials failed: the guest's clock stepped" in found.notes
    assert not any("not available" in note for note in found.notes)


def test_marked_trials_are_kept_and_reported_as_one_where_they_are_of_a_kind() -> None:
    campaign = simulate([NATIVE, Place("runc")], blocks=8)
    indices = trials_of(campaign, "runc")
    marks = {index: (Mark(MarkKind.STEAL, f"{index}% went to others"),) for index in indices[:2]}
    found = finding_of(simulate([NATIVE, Place("runc")], blocks=8, marks=marks), "runc")
    assert found.ratio.estimate is not None and found.ratio.estimate.n == 8
    assert "2 of 8 trials marked as disturbed, and kept: steal" in found.notes


def test_samples_that_were_excluded_are_counted_with_the_reason(said: Said) -> None:
    campaign = simulate([NATIVE, Place("runc")], blocks=8, samples=4)
    first = trials_of(campaign, "runc")[0]
    samples = campaign.trials[first].runs[0].samples
    mark = "clock error ±0.6%"
    aside = tuple(replace(sample, excluded=Excluded.CLOCK_ERROR, mark=mark) for sample in samples)
    some = finding_of(with_fields(campaign, {first: {"samples": (*aside[:1], *samples[1:])}}), "runc")
    assert f"1 of 32 samples not used: {mark}" in some.notes
    assert some.ratio.estimate is not None and some.ratio.estimate.n == 8
    all_of_them = finding_of(with_fields(campaign, {first: {"samples": aside}}), "runc")
    assert all_of_them.ratio.estimate is not None and all_of_them.ratio.estimate.n == 7
    (note,) = [note for note in all_of_them.notes if "no usable value" in note]
    assert note.startswith("1 of 8 trials ")
    said(note)


def cell_of(campaign: Campaign, environment: str) -> TreatmentData:
    return by_treatment(campaign)["memory triad 64 MB", environment]


def test_what_has_a_value_is_not_absent_whatever_its_check_says() -> None:
    broken = EnvironmentStatus("native", "native", False, "broken", "", {})
    assert unavailable(cell_of(simulate([NATIVE]), "native"), broken) is None


def test_what_has_not_run_yet_is_absent_where_its_check_failed(said: Said) -> None:
    data = cell_of(replace(simulate([NATIVE]), trials=()), "native")
    assert unavailable(data, None) is None
    assert unavailable(data, EnvironmentStatus("native", "native", True, "", "", {})) is None
    wordless = EnvironmentStatus("native", "native", False, "", "", {})
    found = unavailable(data, wordless)
    assert found is not None and len(found) == 1
    said(found[0])


def texts(data: TreatmentData, name: str = "") -> list[str]:
    return [one.text for one in notes(data, name=name)]


def test_a_name_is_reported_where_there_is_one() -> None:
    data = cell_of(simulate([NATIVE], blocks=1, fail={0: DIED}), "native")
    assert texts(data) == ["1 of 1 trial failed: the guest died"]
    assert texts(data, "native") == ["1 of 1 trial in native failed: the guest died"]


def test_a_trial_with_two_marks_of_a_kind_is_marked_once() -> None:
    twice = (Mark(MarkKind.STEAL, "7%"), Mark(MarkKind.STEAL, "8%"), Mark(MarkKind.SWAP, "3 pages"))
    data = cell_of(simulate([NATIVE], blocks=2, marks={0: twice}), "native")
    assert texts(data) == [
        "1 of 2 trials marked as disturbed, and kept: steal",
        "1 of 2 trials marked as disturbed, and kept: swap",
    ]
    assert [one.brief for one in notes(data, name="")] == [
        "trials marked as disturbed, and kept: steal",
        "trials marked as disturbed, and kept: swap",
    ], "without counts, so that cells of a table share the words"


def test_disturbed_slices_are_shown_without_the_figures_of_one_of_them(said: Said) -> None:
    campaign = simulate([NATIVE], blocks=1)
    (run,) = campaign.trials[0].runs
    disturbed = [replace(one, excluded=Excluded.DISTURBED, mark=f"{at}%") for at, one in enumerate(run.samples[:2])]
    data = cell_of(with_fields(campaign, {0: {"samples": (*disturbed, *run.samples[2:])}}), "native")
    (note,) = notes(data, name="native")
    assert note.text == "2 of 4 samples in native not used: 0% (for example)"
    assert "%" not in note.brief
    said(note.brief)


def test_a_sample_that_was_excluded_without_a_word_is_counted() -> None:
    campaign = simulate([NATIVE], blocks=1)
    (run,) = campaign.trials[0].runs
    samples = (replace(run.samples[0], excluded=Excluded.DISTURBED), *run.samples[1:])
    data = cell_of(with_fields(campaign, {0: {"samples": samples}}), "native")
    assert texts(data) == ["1 of 4 samples not used: no reason reported"]


def test_a_good_cell_has_no_notes() -> None:
    assert notes(cell_of(simulate([NATIVE]), "native"), name="native") == []


def failed(environment: str = "runc", workload: str = "stream", guest: int = 1, **failure: Any) -> TrialRecord:
    """A failed trial; `failure`: what differs from a guest that died."""
    trial = Trial(0, 0, 0, 0, (Placement(environment, workload, guest=guest),))
    why = replace(Failure(FailureKind.GUEST, "the guest died", 0), **failure)
    return TrialRecord(trial, why, "", 0.4, 0, None, (), ())


def test_reasons_of_one_kind_about_the_same_are_one_whatever_their_sentences_say() -> None:
    records = [failed(reason=reason) for reason in ("took 3 s", "took 12.5 s", "was lost")]
    (found,) = failures(records)
    assert (found.about, found.count) == (About(FailureKind.GUEST, "stream", "runc"), 3)
    assert (found.sentence, found.shown) == ("took 3 s", "took 3 s (for example)")


def test_one_sentence_of_several_trials_is_no_example() -> None:
    (found,) = failures([failed(), failed()])
    assert (found.count, found.shown) == (2, "the guest died")


@pytest.mark.parametrize(
    "other",
    [
        failed(kind=FailureKind.AGENT), failed(workload="disk read"), failed(guest=2), failed(environment="qemu"),
        failed(placement=None),
    ],
)  # fmt: skip
def test_reasons_about_something_else_are_others_although_their_sentences_are_the_same(other: TrialRecord) -> None:
    first, second = failures([other, failed(), failed()])
    assert (first.count, second.count) == (2, 1), "the most frequent is the first"
    assert first.about != second.about
    assert first.sentence == second.sentence


def test_a_guest_that_does_not_start_is_one_reason_for_all_its_workloads() -> None:
    records = [failed(kind=FailureKind.START, workload=workload) for workload in ("stream", "disk read")]
    (found,) = failures(records)
    assert (found.about, found.count) == (About(FailureKind.START, guest="runc"), 2)


def test_faults_of_a_clock_are_reasons_of_their_own() -> None:
    (record,) = simulate([NATIVE], blocks=1).trials
    kinds: tuple[FaultKind, ...] = ("stepped", "went-back", "stepped")
    found = failures([lied(record, ClockFault(kind), "its clock is wrong") for kind in kinds])
    assert [(one.about.fault, one.count) for one in found] == [("stepped", 2), ("went-back", 1)]


def test_a_trial_that_is_done_has_no_reason() -> None:
    assert failures(simulate([NATIVE], blocks=1).trials) == ()


def test_marks_are_counted_by_their_kind() -> None:
    found = marked([Mark(MarkKind.SWAP, "3 pages"), Mark(MarkKind.STEAL, "7%"), Mark(MarkKind.STEAL, "8%")])
    assert found == (
        Reason(About(MarkKind.STEAL), 2, "7%", alike=False), Reason(About(MarkKind.SWAP), 1, "3 pages")
    )  # fmt: skip


def test_samples_that_are_not_used_are_counted_by_the_kind_of_reason() -> None:
    aside = [Sample(0, 1, 1, "", Excluded.CLOCK_ERROR, mark) for mark in ("±0.6%", "±0.7%")]
    assert unused([aside, [Sample(0, 1, 1, "")]]) == (Reason(About(Excluded.CLOCK_ERROR), 2, "±0.6%", alike=False),)


@given(st.lists(st.tuples(st.sampled_from(FailureKind), st.text(max_size=3))))
def test_every_trial_is_counted_once(kinds: list[tuple[FailureKind, str]]) -> None:
    found = failures([failed(kind=kind, reason=reason) for kind, reason in kinds])
    counts = [one.count for one in found]
    assert sum(counts) == len(kinds)
    assert counts == sorted(counts, reverse=True)
    assert {one.about.kind for one in found} == {kind for kind, _ in kinds}


def test_long_windows_are_not_called_unused() -> None:
    long = Sample(0, 1, 1, "", Excluded.LONG_WINDOW, "a long window", -1)
    assert unused([[long, Sample(0, 1, 1, "", slice=0)]]) == ()
    lost = Sample(0, 1, 1, "", Excluded.CLOCK_ERROR, "±0.6%", -1)
    assert [one.about.kind for one in unused([[long], [lost]])] == [Excluded.CLOCK_ERROR]
    campaign = simulate([NATIVE], blocks=1)
    (run,) = campaign.trials[0].runs
    turned = in_rounds(run, [1e9] * 10, [[1e9] * 12])
    assert notes(cell_of(with_fields(campaign, {0: {"samples": turned.samples}}), "native"), name="") == []


@pytest.mark.parametrize(("lost", "told"), [(1, False), (3, True)])
def test_a_few_disturbed_slices_are_counted_and_not_reported_of_each_finding(lost: int, told: bool) -> None:
    campaign = simulate([NATIVE, Place("box", "runc")], blocks=6, samples=8)
    trials = list(campaign.trials)
    for at in trials_of(campaign, "box")[:lost]:
        (run,) = trials[at].runs
        disturbed = replace(run.samples[0], excluded=Excluded.DISTURBED, mark="others worked")
        trials[at] = replace(trials[at], runs=(replace(run, samples=(disturbed, *run.samples[1:])),))
    of = replace(campaign, trials=tuple(trials))
    assert any("others worked" in note for note in finding_of(of, "box").notes) is told
    assert analyse(of).counts.samples_unused == lost
