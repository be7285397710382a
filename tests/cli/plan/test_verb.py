"""`virtometer plan`: check, show, schema."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path

import pytest
import yaml

from tests.cli.laboratory import ROOT, line_with, passage, virtometer
from tests.sentences import Said
from virtometer.cli.plan.files import load
from virtometer.model import MIN_BLOCKS
from virtometer.runner.campaign import here, page_cache

STUDIES = sorted((ROOT / "plans" / "studies").glob("*/*.yaml"))
PLANS = [*sorted((ROOT / "plans").glob("*.yaml")), *STUDIES]
SHORT_S = 240
"""A short form takes no longer, as predicted before it is measured."""


def _id(path: Path) -> str:
    return str(path.relative_to(ROOT / "plans"))


@pytest.mark.parametrize("path", PLANS, ids=_id)
def test_every_plan_of_the_house_is_right_and_says_what_it_asks(path: Path) -> None:
    outcome = virtometer("plan", "check", path)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith(f"{path}: right; ")
    text = path.read_text()
    assert re.match(r"# .*\?\n", text), "the first line is a comment that asks the question the plan answers"
    assert re.search(r"^question: \S", text, re.MULTILINE)
    name = f"{path.parent.name} {path.stem}" if path in STUDIES else path.stem
    assert re.search(rf"^name: {name}$", text, re.MULTILINE)


@pytest.mark.parametrize("path", STUDIES, ids=_id)
def test_every_plan_of_a_study_has_a_short_form_of_minutes_with_the_same_comparisons(path: Path) -> None:
    full, short = load(path)[0], load(path, short=True)[0]
    takes = here.seconds_here(short, ROOT / "results")
    assert takes <= SHORT_S and takes < here.seconds_here(full, ROOT / "results")
    compared = attrgetter("environments", "blocks", "fresh", "unavailable", "absent")
    assert compared(short.plan) == compared(full.plan)
    assert (short.plan.blocks, short.plan.fresh, short.plan.unavailable) == (MIN_BLOCKS, "block", "skip")
    assert all(one.scheduling == "interleaved" or short.works[one.name].seconds >= 0.05 for one in short.plan.workloads)


def test_errors_name_file_line_what_is_wrong_and_what_is_allowed(said: Said, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    text = (
        (ROOT / "plans" / "aa.yaml")
        .read_text()
        .replace("blocks:", "bloks:")
        .replace("kind: native}", "kind: nativ}", 1)
    )
    plan.write_text(text)
    lines = text.splitlines()
    bloks, nativ = (
        1 + next(number for number, line in enumerate(lines) if word in line) for word in ("bloks:", "kind: nativ}")
    )
    outcome = virtometer("plan", "check", plan)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith(f"virtometer: {plan}:{bloks}: ")
    said(outcome.err.partition(" allowed: ")[0], place=f"{plan}:{bloks}")
    plan.write_text(text.replace("bloks:", "blocks:"))
    outcome = virtometer("plan", "check", plan)
    assert outcome.err.startswith(f"virtometer: {plan}:{nativ}: ")
    said(outcome.err.partition(", ")[0], place=f"{plan}:{nativ}")


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path: None, "{path}: there is no such file"),
        (lambda path: path.mkdir(), "{path}: this is a directory, not a plan"),
        (lambda path: path.write_bytes(b""), "{path}: the plan is empty"),
        (lambda path: path.write_bytes(b"\x7fELF\0\0"), "{path}:1: the character U+007F cannot stand in a plan"),
        (lambda path: path.symlink_to("/dev/zero"), "{path}: the plan has 1048577 bytes; at most 1048576 are read"),
    ],
)
def test_what_is_no_plan(tmp_path: Path, make: Callable[[Path], object], sentence: str) -> None:
    path = tmp_path / "p.yaml"
    make(path)
    asked: list[list[str | Path]] = [
        ["plan", "check", path],
        ["plan", "show", path],
        ["run", path, "--out", tmp_path / "r"],
    ]
    for words in asked:
        outcome = virtometer(*words)
        assert outcome.status == 2
        assert outcome.err.startswith(f"virtometer: {sentence.format(path=path)}")
        assert outcome.err.count("\n") == 1
    assert not (tmp_path / "r").exists()


def test_show_says_what_is_compared_how_long_and_in_which_order(said: Said) -> None:
    outcome = virtometer("plan", "show", ROOT / "plans" / "runc-cpu-quota.yaml", "--seed", "11")
    assert (outcome.status, outcome.err) == (0, "")
    head, *blocks = re.split(r"^block \d+:\n", outcome.out, flags=re.MULTILINE)
    assert "question: What does half a processor give" in head
    assert "compared with unlimited, equivalent within 5%:" in head
    assert "  half a processor (kind runc, cpus 0.5)" in head
    assert "  cpu linpack 500 (linpack classic, size 500, 1 thread, 2 s)" in head
    assert " x 3 workloads = 120 trials, " in head
    said(line_with("size: ", head))
    assert re.search(r"^time: about \d+ minutes of measuring", head, re.MULTILINE)
    assert "order: that of seed 11\n" in head
    assert len(blocks) == 10
    trials = [line for block in blocks for line in block.splitlines()]
    assert [int(line.split()[0]) for line in trials] == list(range(1, 121))
    assert all(" starts " in line for line in trials)
    treatments = [{re.sub(r"^ *\d+  starts  ", "", line) for line in block.splitlines()} for block in blocks]
    assert all(len(block) == 12 and block == treatments[0] for block in treatments)
    again = virtometer("plan", "show", ROOT / "plans" / "runc-cpu-quota.yaml", "--seed", "11")
    assert again == outcome
    other = virtometer("plan", "show", ROOT / "plans" / "runc-cpu-quota.yaml", "--seed", "12")
    assert other.out != outcome.out


def test_show_names_the_ratio_of_the_verdicts(said: Said, tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    text = (ROOT / "plans" / "runc-cpu-quota.yaml").read_text()
    path.write_text(f"verdict: typical\n{text}")
    outcome = virtometer("plan", "show", path)
    said(line_with("equivalent within 5%, ", outcome.out))
    path.write_text(f"verdict: median\n{text}")
    assert "'verdict' is 'median'" in virtometer("plan", "show", path).err


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.name)
def test_show_tells_the_settings_that_the_plan_gives_and_no_others(path: Path) -> None:
    plan = yaml.safe_load(path.read_text())
    out = re.sub(r"tuning \([^()]*\)", "tuning steps", virtometer("plan", "show", path).out)
    for environment in plan["environments"]:
        found = re.search(
            rf"^  {re.escape(environment['name'])} \(kind {environment['kind']}([^)]*)\)(?: in \d+ combinations .*)?$",
            out,
            re.MULTILINE,
        )
        assert found
        shown = re.findall(r"(?:^|, )([a-z_]+) (?=\S)", found[1])
        assert sorted(shown) == sorted(environment.get("settings", {}))


def test_show_says_where_the_disk_file_is_when_trials_begin(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = ROOT / "plans" / "quick.yaml"
    for memory, how in ((1 << 30, "read into"), ((1 << 30) - 1, "dropped from")):
        monkeypatch.setattr(page_cache, "memory_bytes", lambda memory=memory: memory)
        told = line_with("disk: ", virtometer("plan", "show", quick).out)
        assert told.startswith(f"disk: a file of 256M, {how} ")
        said(told)
    assert "\ndisk: " not in virtometer("plan", "show", quick, "--only", "system call").out


def test_show_says_what_guests_need_at_once_and_their_groups(
    said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """QEMU's machine has 512 MiB and 128 beside it; each other guest holds three arrays of 32 MiB."""
    monkeypatch.setattr("virtometer.runner.campaign.here.last_cache_bytes", lambda: 16 << 20)
    path = tmp_path / "quick.yaml"
    path.write_text((ROOT / "plans" / "quick.yaml").read_text().replace("unavailable: skip", "unavailable: refuse"))
    words = ("plan", "show", path, "--in", "runc,QEMU (emulated)", "--only", "memory triad")
    monkeypatch.setattr(here, "memory_sizes", lambda: (64 << 30, 8 << 30))
    arithmetic = "2 x native 104M + runc 104M + QEMU (emulated) 640M = 952M"
    together = virtometer(*words).out
    assert f"\nmemory: {arithmetic} for guests that take turns; 7936M are free\n" in together
    assert "group" not in together
    monkeypatch.setattr(here, "memory_sizes", lambda: (64 << 30, 1 << 30))
    outcome = virtometer(*words)
    assert outcome.status == 0
    lines = outcome.out.splitlines()
    at = lines.index(line_with("memory: ", outcome.out))
    assert "= 24 trials, 36 in groups, " in lines[at - 1]
    assert "952M" in lines[at] and "768M are free" in lines[at] and "2 groups" in lines[at]
    assert [line.rpartition(" = ")[2] for line in lines[at + 1 : at + 3]] == ["312M", "848M"]
    assert lines[at + 3].startswith("time: ")
    said("\n".join(lines[at - 1 : at + 3]))
    assert outcome.out.count("  the next group:\n") == 6
    assert outcome.out.count("  starts  ") == 6 * 6
    monkeypatch.setattr(here, "memory_sizes", lambda: (800 << 20, 700 << 20))
    refused = virtometer("run", *words[2:])
    assert refused.status == 3
    assert "'QEMU (emulated)' and 'native' take turns" in refused.err
    assert "= 848M of memory, and this host has 800M" in refused.err
    said(passage(refused.err, "'QEMU (emulated)' and 'native' take turns", "800M"))


def test_show_marks_the_starts_that_workloads_share(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("virtometer.runner.campaign.here.last_cache_bytes", lambda: 16 << 20)
    monkeypatch.setattr(here, "memory_sizes", lambda: (64 << 30, 8 << 30))
    outcome = virtometer("plan", "show", ROOT / "plans" / "quick.yaml")
    trials = [line for line in outcome.out.splitlines() if re.match(r" +\d+ ", line)]
    plan = yaml.safe_load((ROOT / "plans" / "quick.yaml").read_text())
    starts = plan["blocks"] * (len(plan["environments"]) + 1)
    assert len(trials) == starts * len(plan["workloads"])
    assert sum(" starts " in line for line in trials) == starts
    assert "order: that of seed 0; " in outcome.out
    said(line_with("order: ", outcome.out))
    assert "size 32M" in outcome.out
    assert "direct true" in outcome.out
    assert "call (os system-call, 1 thread, 0.25 s in slices of 8 ms)" in outcome.out
    assert "network to host (net stream, 1 thread, 0.25 s)" in outcome.out
    assert sum(line.endswith(", in turns") for line in trials) == starts * (len(plan["workloads"]) - 1)


def test_check_and_show_take_a_part_of_a_plan(said: Said) -> None:
    words: list[str | Path] = [ROOT / "plans" / "quick.yaml", "--only", "system call,context switch", "--in", "gVisor"]
    check = virtometer("plan", "check", *words)
    assert (check.status, check.err) == (0, "")
    size = passage(check.out, "6 blocks x ", "= 36 trials")
    said(size)
    assert f"right; {size}" in check.out
    show = virtometer("plan", "show", *words)
    assert f"size: {size}" in show.out
    shown = [line.split("  ")[-1].strip() for line in show.out.splitlines() if re.match(r" +\d+ ", line)]
    assert set(shown) == {"system call, in turns", "context switch, in turns"}
    refused = [virtometer("plan", verb, words[0], "--in", "qemu") for verb in ("check", "show")]
    assert refused[0] == refused[1] and refused[0].status == 2
    assert "'qemu'; did you mean 'QEMU (emulated)'?\n" in refused[0].err
    said(refused[0].err.splitlines()[0])


def test_schema_is_the_file_in_the_contract() -> None:
    outcome = virtometer("plan", "schema")
    assert json.loads(outcome.out) == json.loads((ROOT / "contract" / "schema" / "plan.schema.json").read_text())
    assert outcome.out == (ROOT / "contract" / "schema" / "plan.schema.json").read_text()


def test_a_plan_with_too_few_blocks_for_a_verdict_says_so(tmp_path: Path) -> None:
    plan = tmp_path / "p.yaml"
    text = (ROOT / "plans" / "ramspeed.yaml").read_text()
    for blocks, end in ((5, " each guest a block; a verdict takes 6 blocks\n"), (6, " each guest a block\n")):
        plan.write_text(text.replace("blocks: 6", f"blocks: {blocks}"))
        outcome = virtometer("plan", "check", plan)
        assert outcome.out.endswith(end)
        assert f"{end.strip()}\n" in virtometer("plan", "show", plan).out


def test_work_that_runs_to_completion_takes_longer_than_is_known(said: Said) -> None:
    outcome = virtometer("plan", "show", ROOT / "plans" / "linpack-published.yaml")
    assert "time: at most 36 h 00 min of measuring" in outcome.out
    outcome = virtometer("plan", "show", ROOT / "plans" / "bonnie.yaml")
    told = line_with("time: about ", outcome.out)
    found = re.match(r"time: about \d+ (seconds|minutes) ", told)
    assert found
    assert " 546 trials " in told and told.endswith(" and 10 more)")
    said(told.removeprefix(found[0]))
    outcome = virtometer("plan", "show", ROOT / "plans" / "ramspeed.yaml")
    assert "time: about 6 minutes of measuring" in outcome.out


@pytest.mark.parametrize(
    ("settings", "workload", "line"),
    [
        pytest.param("memory: 64X", "os, op: fork", 3, id="a size"),
        pytest.param("cpus: 1", "os, op: fork, parameters: {processes: 2}", 4, id="a parameter of another workload"),
        pytest.param("cpus: 1", "disk, op: seeks, parameters: {depth: 4}", 4, id="the depth of an engine"),
        pytest.param("cpus: 1", "memory, op: latency, factors: {type: [int, float]}", 4, id="a factor"),
    ],
)
def test_what_does_not_go_together_is_said_before_anything_runs(
    said: Said, tmp_path: Path, settings: str, workload: str, line: int
) -> None:
    plan = tmp_path / "p.yaml"
    plan.write_text(
        "virtometer: 1\nname: p\n"
        f"environments: [{{name: native, kind: native}}, {{name: runc, kind: runc, settings: {{{settings}}}}}]\n"
        f"workloads: [{{name: w, workload: {workload}}}]\n"
    )
    outcome = virtometer("plan", "check", plan)
    assert outcome.status == 2
    assert outcome.err.startswith(f"virtometer: {plan}:{line}: ")
    assert outcome.err.count("\n") == 1
    said(outcome.err, plan=plan)


@pytest.mark.parametrize(
    ("change", "workload", "sentence"),
    [
        ("disk_span: 15T", "disk, op: random-read", ":3: the disk file 15T do"),
        (
            "disk_span: 64M",
            "disk, op: write, parameters: {span: 1000T}",
            ":3: the disk file 64M and the largest files ",
        ),
        (
            "blocks: 6",
            "memory, op: triad, parameters: {size: 900T}",
            ":4: memory triad takes 2700T of memory, and this ",
        ),
    ],
    ids=["the disk file", "files on the disk", "memory"],
)
def test_what_this_host_cannot_do_has_a_status_of_its_own(
    said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, workload: str, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.yaml").write_text(
        "virtometer: 1\nname: too much\n"
        f"{change}\nworkloads: [{{name: w, workload: {workload}}}]\n"
        "environments: [{name: native, kind: native}]\n"
    )
    advice: set[str] = set()
    for words in (["plan", "check", "p.yaml"], ["run", "p.yaml", "--out", "results"]):
        outcome = virtometer(*words)
        assert (outcome.status, outcome.out) == (3, "")
        assert outcome.err.startswith(f"virtometer: p.yaml{sentence}")
        advice.add(outcome.err.splitlines()[-1])
    [last] = advice
    said(last)
    assert [path.name for path in tmp_path.iterdir()] == ["p.yaml"]


def test_check_says_what_a_plan_skips(said: Said, tmp_path: Path) -> None:
    plan = tmp_path / "p.yaml"
    plan.write_text(
        "virtometer: 1\nname: skips\nunavailable: skip\nworkloads:\n"
        "  - {name: w, workload: memory, op: read, parameters: {size: 1G}}\n"
        "environments: [{name: native, kind: native}, {name: machine, kind: qemu}]\n"
    )
    first, last = virtometer("plan", "check", plan).out.splitlines()
    assert first.startswith(f"{plan}:5: will fail: ")
    assert " 1G " in first and "'machine'" in first and first.endswith(" 512M")
    said(first, plan=plan)
    assert last.startswith(f"{plan}: right; ")
    plan.write_text(plan.read_text().replace("unavailable: skip\n", ""))
    assert virtometer("plan", "check", plan).status == 2


def test_several_plans_are_checked_at_once_and_each_fault_is_reported(tmp_path: Path) -> None:
    right = ROOT / "plans" / "aa.yaml"
    wrong, other = tmp_path / "wrong.yaml", tmp_path / "other.yaml"
    wrong.write_text("virtometer: 2\n")
    other.write_text("blocks: x\n")
    both = virtometer("plan", "check", right, right)
    assert (both.status, both.err, both.out.count("right; ")) == (0, "", 2)
    one = virtometer("plan", "check", wrong, right)
    alone = virtometer("plan", "check", wrong)
    assert (one.status, one.err, one.out.count("right; ")) == (2, alone.err, 1)
    found = virtometer("plan", "check", wrong, right, other)
    assert (found.status, found.out.count("right; ")) == (2, 1)
    assert f"virtometer: {wrong}:1: " in found.err
    assert f"virtometer: {other}" in found.err


def test_a_number_of_100_000_digits_is_one_short_line(tmp_path: Path) -> None:
    plan = tmp_path / "p.yaml"
    plan.write_text(f"name: x\nblocks: {'9' * 100_000}\n")
    asked: list[list[str | Path]] = [["plan", "check", plan], ["plan", "show", plan], ["run", plan, "--out", tmp_path]]
    for words in asked:
        refused = virtometer(*words)
        sentence = f"virtometer: {plan}:2: {'9' * 57}... is not a number that a plan can use\n"
        assert (refused.status, refused.out, refused.err) == (2, "", sentence)
