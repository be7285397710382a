"""How long the experiments of the studies took, and what they decided."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.study_plans import campaign
from bench.study_runs import main, minutes
from tests.cli.laboratory import stored
from virtometer.cli.plan.files import load
from virtometer.cli.study.experiments import plans_of
from virtometer.model import Failure, FailureKind


def test_campaigns_and_claims_are_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    made = campaign(load(plans_of("klein2008")["partdiff"], short=True)[0])
    last = replace(made.trials[-1], started_at="2026-01-02T03:05:00.000+00:00", wall_s=30.0)
    of = replace(made, trials=(*made.trials[:-1], last))
    assert minutes(of) == pytest.approx(5.5)
    first = replace(of.trials[0], failure=Failure(FailureKind.GUEST, "it ended"), runs=(), host=None)
    stored(replace(of, trials=(first, *of.trials[1:])), tmp_path / "partdiff")
    assert main([str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert f"| klein2008 partdiff | short | 2026-01-02 | 5.5 | {len(of.trials)} | 1 | " in out
    assert "- klein2008: " in out and "cannot be tried" in out
    assert main([str(tmp_path / "nothing")]) == 4
