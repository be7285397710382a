"""Plans and campaigns of the experiments of a study."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.studies.hand_made import NATIVE, levels, linpack, made
from tests.cli.laboratory import stored
from virtometer.cli.study.experiments import campaigns_in, plans_of, states
from virtometer.errors import LedgerError


def campaign(directory: Path) -> Path:
    works, places = [linpack(1000, 1e9)], [NATIVE]
    return stored(made(places, works, levels(places, works)).campaign, directory)


def test_a_study_that_is_unknown_has_no_plans() -> None:
    assert plans_of("nobody2000") == {}


def test_a_folder_stands_for_the_campaigns_in_it(tmp_path: Path) -> None:
    some = [campaign(tmp_path / name) for name in ("a", "b")]
    assert campaigns_in(tmp_path) == some
    assert campaigns_in(some[0]) == [some[0]]
    assert campaigns_in(tmp_path / "nothing") == [tmp_path / "nothing"]


def test_what_is_left_of_a_campaign_is_known(tmp_path: Path) -> None:
    campaign(tmp_path / "a")
    (tmp_path / "empty").mkdir()
    (state,) = states(tmp_path).values()
    assert (state.left, state.directory) == (0, tmp_path / "a")
    assert states(tmp_path / "nothing") == {}


def test_a_damaged_campaign_is_an_error(tmp_path: Path) -> None:
    (campaign(tmp_path / "a") / "ledger.sqlite").write_bytes(b"no ledger")
    with pytest.raises(LedgerError, match="a"):
        states(tmp_path)
