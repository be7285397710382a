"""What a record of a trial says of itself, from its failure alone."""

from __future__ import annotations

import pytest

from virtometer.model import Failure, FailureKind, Mark, MarkKind, Placement, Sample, SetAside, Trial, TrialRecord

TRIAL = Trial(0, 0, 0, 0, (Placement("native", "w"), Placement("box", "w", ordinal=1)))


def record(failure: Failure | None) -> TrialRecord:
    return TrialRecord(TRIAL, failure, "", 1.0, 0, None, (), ())


def test_a_trial_without_a_failure_is_done() -> None:
    done = record(None)
    assert (done.status, done.reason, done.unavailable, done.at_fault) == ("done", "", False, False)


@pytest.mark.parametrize(
    ("placement", "unavailable", "otherwise"),
    [(None, "not available here: no disk", "no disk"), (1, "box: not available here: no disk", "box: no disk")],
)
def test_the_reason_names_the_environment_of_the_placement(
    placement: int | None, unavailable: str, otherwise: str
) -> None:
    for kind in FailureKind:
        failed = record(Failure(kind, "no disk", placement))
        here = kind is FailureKind.UNAVAILABLE
        assert (failed.status, failed.unavailable, failed.at_fault) == ("failed", here, not here)
        assert failed.reason == (unavailable if here else otherwise)


def test_a_mark_of_an_older_version_is_its_text() -> None:
    assert str(Mark(MarkKind.STEAL, "7%")) == "steal: 7%"
    assert str(Mark(MarkKind.UNKNOWN, "steal 7%")) == "steal 7%"


def test_a_sample_is_used_unless_it_is_set_aside() -> None:
    assert Sample(0, 1, 1, "").used
    assert not any(Sample(0, 1, 1, "", why).used for why in SetAside)
