"""Where plans lie, and reading one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.laboratory import ROOT
from tests.sentences import Said
from virtometer.cli.plan.files import DEFAULT, QUICK, built_in, load, load_for_here, seed_of, selection
from virtometer.design.plan.document import MAX_BYTES
from virtometer.design.schedule.scenarios import groups
from virtometer.errors import PlanError, PlanNotHere, UsageError
from virtometer.store.rows import plan_of

PLANS = sorted((ROOT / "plans").rglob("*.yaml"))


@pytest.mark.parametrize("name", [DEFAULT, QUICK])
def test_the_built_in_plans_are_the_files_in_plans(name: str) -> None:
    assert built_in(name) == ROOT / "plans" / name


@pytest.mark.parametrize("name", ["loaded", "mixed", "studies/tsiouprou2010/parallel-net", "studies/appel2008/ramsmp"])
def test_plans_of_several_guests_measure_the_baseline_too(name: str) -> None:
    plan = load(ROOT / "plans" / f"{name}.yaml")[0].plan
    names = [one.name for one in plan.environments]
    trials = [trial for scenario in plan.scenarios for group in groups(plan, scenario, names) for trial in group]
    work = {one.workload for trial in trials for one in trial if one.role == "measured"}
    alone = {trial[0].workload for trial in trials if len(trial) == 1 and trial[0].environment == plan.baseline}
    assert work == alone == {one.name for one in plan.workloads}


@pytest.mark.parametrize(("study", "at_once"), [("tsiouprou2010", "parallel-net-disk"), ("lemberger2010", "net-disk")])
def test_the_published_rows_under_load_and_at_once_are_in_the_plans(study: str, at_once: str) -> None:
    disk, net = {"random-read", "random-write", "sequential-read", "sequential-write"}, {"send", "receive"}

    def operations(experiment: str, kind: str) -> set[object]:
        """Operations of the disk, and directions of the network, in the scenarios of a type."""
        plan = load(ROOT / "plans" / "studies" / study / f"{experiment}.yaml")[0].plan
        works = {one.name: one for one in plan.workloads}
        named = [works[name] for one in plan.scenarios if one.type == kind for name in one.workloads]
        return {one.parameters.get("direction", "send") if one.workload == "net" else one.op for one in named}

    assert operations("loaded", "loaded") == operations(at_once, "mixed") == disk | net
    assert operations("guest-to-guest", "pair") == net


GOOD = """\
virtometer: 1
name: good
environments:
  - {name: native, kind: native}
  - {name: other, kind: native}
workloads:
  - {name: one, workload: os, op: system-call}
  - {name: two, workload: memory, op: read, parameters: {size: SIZE}}
unavailable: skip
"""


def written(directory: Path, text: str, size: str = "1M") -> Path:
    path = directory / "plan.yaml"
    path.write_text(text.replace("SIZE", size), encoding="utf-8")
    return path


def test_a_built_in_plan_that_is_missing_is_one_sentence(said: Said) -> None:
    with pytest.raises(PlanError, match=r"^nightly\.yaml: ") as caught:
        built_in("nightly.yaml")
    said(caught.value.sentence)


def test_a_plan_comes_with_its_text(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    resolved, text = load(path)
    plan = resolved.plan
    assert (plan.name, len(plan.workloads), text) == ("good", 2, path.read_text())


def test_a_mark_of_the_byte_order_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("SIZE", "1M").encode())
    assert load(path)[1].startswith("virtometer: 1\n")


def test_a_part_of_a_plan_is_chosen_by_names(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    assert selection(None, None) == selection([], ())
    resolved, text = load(path, selection(["two"], ["native"]))
    plan = resolved.plan
    assert [one.name for one in plan.workloads] == ["two"]
    assert [one.name for one in plan.environments] == ["native"]
    assert text == path.read_text(), "the text is whole"
    with pytest.raises(UsageError, match="three"):
        load(path, selection(["three"], None))


@pytest.mark.parametrize(
    ("name", "sentence"), [("none", "there is no such file"), ("folder", "this is a directory, not a plan")]
)
def test_what_cannot_be_read_is_reported_with_its_name(tmp_path: Path, name: str, sentence: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(PlanError, match=sentence) as caught:
        load(tmp_path / name)
    assert caught.value.sentence.startswith(f"{tmp_path / name}: ")


def test_what_is_no_text_and_what_is_endless_is_refused(tmp_path: Path) -> None:
    for content in (b"\xff\xfe\x00", b"# " + b"x" * (MAX_BYTES + 1)):
        (tmp_path / "plan.yaml").write_bytes(content)
        with pytest.raises(PlanError):
            load(tmp_path / "plan.yaml")


def test_a_plan_that_fits_skips_nothing(tmp_path: Path) -> None:
    resolved, _, skipped = load_for_here(written(tmp_path, GOOD), tmp_path)
    assert (len(resolved.plan.workloads), skipped) == (2, [])


def test_what_this_host_cannot_do_names_file_and_line(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD.replace("unavailable: skip\n", ""), "64T")
    with pytest.raises(PlanNotHere) as caught:
        load_for_here(path, tmp_path)
    assert caught.value.sentence.startswith(f"{path}:8: ") and "64T" in caught.value.sentence
    assert load(path)[0].plan.name == "good", "the plan is right"
    assert load_for_here(path, tmp_path, selection(["one"], None))[2] == [], "what is not chosen does not matter"


def test_the_seed_of_the_command_line_goes_before_that_of_the_plan(tmp_path: Path) -> None:
    plan = load(written(tmp_path, GOOD))[0].plan
    seeded = plan.model_copy(update={"seed": 7})
    assert [seed_of(seeded, 0), seed_of(seeded, 9), seed_of(seeded, None)] == [0, 9, 7]
    fresh = {seed_of(plan, None) for _ in range(8)}
    assert len(fresh) > 1 and all(0 <= seed < 1 << 32 for seed in fresh)


def test_the_quick_plan_s_arrays_follow_the_host_s_cache_and_have_a_size_without_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for cache, size in ((8 << 20, 16 << 20), (504 << 20, 128 << 20), (None, 64 << 20)):
        monkeypatch.setattr("virtometer.runner.campaign.here.last_cache_bytes", lambda cache=cache: cache)
        plan = load(built_in(QUICK))[0].plan
        (triad,) = (one for one in plan.workloads if one.name == "memory triad")
        assert (triad.parameters["size"], triad.scheduling) == (size, "interleaved")
    own = tmp_path / "own.yaml"
    own.write_bytes(built_in(QUICK).read_bytes())
    with pytest.raises(PlanError, match="this host reports no last-level cache"):
        load(own)


@pytest.mark.parametrize("path", PLANS, ids=lambda path: str(path.relative_to(ROOT / "plans")))
def test_every_plan_of_the_house_comes_back_from_a_ledger(path: Path) -> None:
    full = load(path)[0].plan
    for plan in (full, load(path, short=True)[0].plan) if full.short is not None else (full,):
        assert plan_of(plan.model_dump_json()) == plan
