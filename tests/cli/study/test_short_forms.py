"""Every experiment of the studies, measured in its short form. In all they take two hours, one after the other."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest

from tests.cli.laboratory import ROOT, virtometer
from virtometer.errors import EnvironmentFailed
from virtometer.model import FailureKind
from virtometer.store.ledger import Ledger

EXPERIMENTS = [(path.parent.name, path.stem) for path in sorted((ROOT / "plans" / "studies").glob("*/*.yaml"))]

pytestmark = [pytest.mark.sitting, pytest.mark.timeout(3600)]


@pytest.mark.parametrize(("study", "experiment"), EXPERIMENTS)
def test_a_short_form_ends_without_errors(
    study: str, experiment: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()
    outcome = virtometer("study", "run", study, experiment, "--short", "--out", tmp_path)
    took_s = time.monotonic() - began
    if outcome.status == EnvironmentFailed.exit_status:
        pytest.skip(f"{study} {experiment} cannot be measured here: {outcome.out}")
    assert outcome.status == 0, outcome.out + outcome.err
    with Ledger.open(tmp_path / experiment) as ledger:
        campaign = ledger.read()
    failures = Counter(record.failure.kind for record in campaign.trials if record.failure is not None)
    missing = [one.name for one in campaign.environments if not one.works]
    with capsys.disabled():
        without = f", without {', '.join(missing)}" if missing else ""
        print(f"\n{study} {experiment}: {took_s:.0f} s, {len(campaign.trials)} trials{without}")
    assert len(campaign.trials) == len(campaign.planned) and failures.keys() <= {FailureKind.UNAVAILABLE}
    assert (tmp_path / f"{study}.html").exists()
