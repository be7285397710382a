"""Plans and campaigns of the experiments of a study."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.analysis.studies.hand_made import NATIVE, levels, linpack, made
from tests.cli.laboratory import stored
from tests.sentences import Said
from virtometer.analysis.studies.matching import NOT_YET
from virtometer.analysis.studies.results import results
from virtometer.cli.study import experiments
from virtometer.cli.study.experiments import campaigns_in, plans_of, progress, state_of, with_unreadable, without_plan
from virtometer.errors import LedgerError
from virtometer.model import Campaign
from virtometer.studies.data import studies


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
    state = state_of(tmp_path / "a")
    assert state is not None and (state.left, state.failed) == (frozenset(), frozenset())
    assert state_of(tmp_path / "empty") is None and state_of(tmp_path / "nothing") is None


def test_a_damaged_campaign_is_an_error(tmp_path: Path) -> None:
    (campaign(tmp_path / "a") / "ledger.sqlite").write_bytes(b"no ledger")
    with pytest.raises(LedgerError, match="a"):
        state_of(tmp_path / "a")


def test_each_experiment_has_its_state(said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "studies" / "klein2008"
    folder.mkdir(parents=True)
    for name in ("whole", "begun", "short", "never"):
        (folder / f"{name}.yaml").write_text("")
    monkeypatch.setattr(experiments, "built_in_folder", lambda: tmp_path)
    works = [linpack(1000, 1e9)]
    campaign = made([NATIVE], works, levels([NATIVE], works)).campaign

    def named(name: str, **more: object) -> Campaign:
        return replace(campaign, plan=campaign.plan.model_copy(update={"name": f"klein2008 {name}", **more}))

    some = [
        named("whole"),
        replace(named("begun"), trials=campaign.trials[:3]),
        named("short", shortened=["windows of 1 s instead of 100 s"]),
    ]
    found = progress("klein2008", some, ())
    assert [name for name, _ in found][:4] == ["begun", "never", "short", "whole"]
    said("\n".join(state for _, state in found[:4]))


def test_experiments_without_a_plan_have_the_reason_of_their_sections() -> None:
    def of(study: str) -> dict[str, str]:
        return without_plan(study, results(studies()[study], ()).sections)

    assert of("klein2008") == {"mpi-io": "a second server is needed"}
    assert of("lemberger2010").keys() == {"tree"} and "no numbers" in of("lemberger2010")["tree"]
    # Several reasons, or texts alone, say nothing about the experiment. ramspeed-marks has two plans.
    assert of("tsiouprou2010") == {"life-cycle": NOT_YET}
    assert of("appel2008") == {"java": NOT_YET}
    listed = progress("klein2008", (), results(studies()["klein2008"], ()).sections)
    assert listed[-1] == ("mpi-io", "a second server is needed") and len(listed) == 1 + len(plans_of("klein2008"))


def test_a_campaign_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    listed = [("disk", "measured on 2026-01-02 in full"), ("net", progress("lemberger2010", (), ())[0][1])]
    errors = {tmp_path / name: LedgerError(f"{name} is damaged") for name in ("disk", "net", "other")}
    found = dict(with_unreadable(listed, errors))
    assert found["disk"] == listed[0][1] and "disk is damaged" in found[str(tmp_path / "disk")]
    assert "net is damaged" in found["net"] and "other is damaged" in found["other"] and len(found) == 4
