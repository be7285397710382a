"""What counts as a false mark, and real trials."""

import pytest

from bench import false_marks
from tests.analysis.simulated_campaigns import Place, simulate
from virtometer.model import Failure, FailureKind, Mark, MarkKind

FOREIGN = (Mark(MarkKind.FOREIGN, "other programs used 1 processor"), Mark(MarkKind.RUN_DELAY, "others had it"))
BESIDE = (Mark(MarkKind.BESIDE, "another laboratory measured"),)
PLACES = [Place("native"), Place("native again")]


def test_quiet_trials_have_no_mark() -> None:
    records = simulate(PLACES, blocks=2, marks={1: BESIDE}).trials
    assert false_marks.line(records, quiet=True) == ("0 of 4 trials marked: met", True)
    assert false_marks.line(records, quiet=False) == ("0 of 4 trials marked: MISSED", False)


def test_marks_are_counted_by_trial_and_kind() -> None:
    records = simulate(PLACES, blocks=2, marks={1: FOREIGN, 2: FOREIGN[:1]}).trials
    text, met = false_marks.line(records, quiet=True)
    assert (text, met) == ("2 of 4 trials marked (2 foreign, 1 run-delay): MISSED", False)
    every = simulate(PLACES, blocks=2, marks=dict.fromkeys(range(4), FOREIGN)).trials
    assert false_marks.line(every, quiet=False)[1]


def test_a_trial_that_failed_says_nothing() -> None:
    records = simulate(PLACES, blocks=2, fail={0: Failure(FailureKind.GUEST, "it ended", 0)}).trials
    assert false_marks.line(records, quiet=True) == ("0 of 4 trials marked; 1 failed: MISSED", False)


@pytest.mark.slow
def test_real_trials(capsys: pytest.CaptureFixture[str]) -> None:
    """Beside a busy loop all are marked; what others do while it is quiet is not known here."""
    false_marks.main(["--trials", "4", "--load", "2"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "marks, quiet, interleaved",
        "marks, quiet, continuous",
        "marks, beside 2 busy, interleaved",
        "marks, beside 2 busy, continuous",
    ]
    assert all("4 of 4 trials marked" in line for line in lines[2:])
