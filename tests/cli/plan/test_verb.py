"""`virtometer plan`: check, show, schema."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.cli.laboratory import ROOT, virtometer
from virtometer.runner.campaign import here, page_cache

PLANS = sorted((ROOT / "plans").glob("*.yaml"))


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.name)
def test_every_plan_of_the_house_is_right_and_says_what_it_asks(path: Path) -> None:
    outcome = virtometer("plan", "check", path)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith(f"{path}: right; ")
    text = path.read_text()
    assert re.match(r"# .*\?\n", text), "the first line is a comment that asks the question the plan answers"
    assert re.search(r"^question: \S", text, re.MULTILINE)
    assert re.search(rf"^name: {path.stem}$", text, re.MULTILINE)


def test_errors_name_file_line_what_is_wrong_and_what_is_allowed(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    text = (
        (ROOT / "plans" / "aa.yaml")
        .read_text()
        .replace("blocks:", "bloks:")
        .replace("kind: native}", "kind: nativ}", 1)
    )
    plan.write_text(text)
    lines = text.splitlines()
    bloks = 1 + next(number for number, line in enumerate(lines) if line.startswith("bloks"))
    outcome = virtometer("plan", "check", plan)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith(
        f"virtometer: {plan}:{bloks}: unknown field 'bloks'; did you mean 'blocks'? allowed: "
    )
    plan.write_text(text.replace("bloks:", "blocks:"))
    outcome = virtometer("plan", "check", plan)
    assert re.match(
        rf"virtometer: {plan}:\d+: unknown kind of environment 'nativ'; did you mean 'native'\? allowed: native, ",
        outcome.err,
    )


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


def test_show_says_what_is_compared_how_long_and_in_which_order() -> None:
    outcome = virtometer("plan", "show", ROOT / "plans" / "runc-cpu-quota.yaml", "--seed", "11")
    assert (outcome.status, outcome.err) == (0, "")
    head, *blocks = re.split(r"^block \d+:\n", outcome.out, flags=re.MULTILINE)
    assert "question: What does half a processor give" in head
    assert "compared with unlimited, equivalent within 5%:" in head
    assert "  half a processor (kind runc, cpus 0.5)" in head
    assert "  cpu linpack 500 (linpack classic, size 500, 1 thread, 2 s)" in head
    assert "size: 10 blocks x (3 environments + control) x 3 workloads = 120 trials, each in a guest of its own" in head
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


def test_show_names_the_ratio_of_the_verdicts(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    text = (ROOT / "plans" / "runc-cpu-quota.yaml").read_text()
    path.write_text(f"verdict: typical\n{text}")
    outcome = virtometer("plan", "show", path)
    assert "equivalent within 5%, by the typical ratio where guests take turns:" in outcome.out
    path.write_text(f"verdict: median\n{text}")
    assert "'verdict' is 'median'" in virtometer("plan", "show", path).err


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.name)
def test_show_tells_the_settings_that_the_plan_gives_and_no_others(path: Path) -> None:
    plan = yaml.safe_load(path.read_text())
    out = virtometer("plan", "show", path).out
    for environment in plan["environments"]:
        found = re.search(
            rf"^  {re.escape(environment['name'])} \(kind {environment['kind']}([^)]*)\)(?: in \d+ combinations .*)?$",
            out,
            re.MULTILINE,
        )
        assert found
        shown = re.findall(r"(?:^|, )([a-z_]+) (?=\S)", found[1])
        assert sorted(shown) == sorted(environment.get("settings", {}))


def test_show_says_where_the_disk_file_is_when_trials_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = ROOT / "plans" / "quick.yaml"
    where = "before each trial that uses it, for all guests alike"
    monkeypatch.setattr(page_cache, "memory_bytes", lambda: 1 << 30)
    assert f"\ndisk: a file of 256M, read into the host's page cache {where}\n" in virtometer("plan", "show", quick).out
    monkeypatch.setattr(page_cache, "memory_bytes", lambda: (1 << 30) - 1)
    assert (
        f"\ndisk: a file of 256M, dropped from the host's page cache {where}\n" in virtometer("plan", "show", quick).out
    )
    assert "\ndisk: " not in virtometer("plan", "show", quick, "--only", "system call").out


def test_show_says_what_guests_need_at_once_and_their_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert (
        "\n".join(
            [
                "= 24 trials, 36 in groups, one start of each guest a block",
                "memory: guests that take turns need 952M of memory in total, and 768M are free: each block has "
                "2 groups, each with native",
                "  group 1: 2 x native 104M + runc 104M = 312M",
                "  group 2: 2 x native 104M + QEMU (emulated) 640M = 848M",
                "time: ",
            ]
        )
        in outcome.out
    )
    assert outcome.out.count("  the next group:\n") == 6
    assert outcome.out.count("  starts  ") == 6 * 6
    monkeypatch.setattr(here, "memory_sizes", lambda: (800 << 20, 700 << 20))
    refused = virtometer("run", *words[2:])
    assert refused.status == 3
    assert "'QEMU (emulated)' and 'native' take turns" in refused.err
    assert "2 x native 104M + QEMU (emulated) 640M = 848M of memory, and this host has 800M" in refused.err


def test_show_marks_the_starts_that_workloads_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("virtometer.runner.campaign.here.last_cache_bytes", lambda: 16 << 20)
    monkeypatch.setattr(here, "memory_sizes", lambda: (64 << 30, 8 << 30))
    outcome = virtometer("plan", "show", ROOT / "plans" / "quick.yaml")
    trials = [line for line in outcome.out.splitlines() if re.match(r" +\d+ ", line)]
    plan = yaml.safe_load((ROOT / "plans" / "quick.yaml").read_text())
    starts = plan["blocks"] * (len(plan["environments"]) + 1)
    assert len(trials) == starts * len(plan["workloads"])
    assert sum(" starts " in line for line in trials) == starts
    assert "order: that of seed 0; a run takes a fresh seed, and records it" in outcome.out
    assert "size 32M" in outcome.out
    assert "direct true" in outcome.out
    assert "system call (os system-call, 1 thread, 0.25 s in slices of 8 ms)" in outcome.out
    assert "network to host (net stream, 1 thread, 0.25 s)" in outcome.out
    assert sum(line.endswith(", in turns") for line in trials) == starts * (len(plan["workloads"]) - 1)


def test_check_and_show_take_a_part_of_a_plan() -> None:
    words: list[str | Path] = [ROOT / "plans" / "quick.yaml", "--only", "system call,context switch", "--in", "gVisor"]
    check = virtometer("plan", "check", *words)
    size = "6 blocks x (2 environments + control) x 2 workloads = 36 trials"
    assert (check.status, check.err) == (0, "")
    assert f"right; {size}" in check.out
    show = virtometer("plan", "show", *words)
    assert f"size: {size}" in show.out
    shown = [line.split("  ")[-1].strip() for line in show.out.splitlines() if re.match(r" +\d+ ", line)]
    assert set(shown) == {"system call, in turns", "context switch, in turns"}
    for verb in ("check", "show"):
        refused = virtometer("plan", verb, words[0], "--in", "qemu")
        assert refused.status == 2
        assert refused.err.startswith(
            "virtometer: --in: the plan has no environment 'qemu'; did you mean 'QEMU (emulated)'?\n"
        )


def test_schema_is_the_file_in_the_contract() -> None:
    outcome = virtometer("plan", "schema")
    assert json.loads(outcome.out) == json.loads((ROOT / "contract" / "schema" / "plan.schema.json").read_text())
    assert outcome.out == (ROOT / "contract" / "schema" / "plan.schema.json").read_text()


def test_a_plan_with_too_few_blocks_for_a_verdict_says_so(tmp_path: Path) -> None:
    plan = tmp_path / "p.yaml"
    text = (ROOT / "plans" / "ramspeed.yaml").read_text()
    for blocks, end in ((5, ", one start of each guest a block; a verdict takes 6 blocks\n"), (6, " a block\n")):
        plan.write_text(text.replace("blocks: 6", f"blocks: {blocks}"))
        outcome = virtometer("plan", "check", plan)
        assert outcome.out.endswith(end)
        assert f"{end.strip()}\n" in virtometer("plan", "show", plan).out


def test_work_that_runs_to_completion_takes_longer_than_is_known() -> None:
    outcome = virtometer("plan", "show", ROOT / "plans" / "linpack-published.yaml")
    assert "time: at most 36 h 00 min of measuring" in outcome.out
    outcome = virtometer("plan", "show", ROOT / "plans" / "bonnie.yaml")
    assert re.search(
        r"^time: about \d+ (seconds|minutes) of measuring where every environment works, and more: 546 trials run "
        r"their work to completion, for a time that is not known before\. `run` shows the whole time left once each of "
        r"these workloads has run \(per char write, block write, rewrite and 10 more\)$",
        outcome.out,
        re.MULTILINE,
    )
    outcome = virtometer("plan", "show", ROOT / "plans" / "ramspeed.yaml")
    assert "time: about 6 minutes of measuring" in outcome.out


@pytest.mark.parametrize(
    ("settings", "workload", "sentence"),
    [
        (
            "memory: 64X",
            "os, op: fork",
            "3: 'memory' is '64X', but a size is a whole number of bytes, or one with K, M, G or T ",
        ),
        ("cpus: 1", "os, op: fork, parameters: {processes: 2}", "4: os fork has no parameter processes; it has pin"),
        ("cpus: 1", "disk, op: seeks, parameters: {depth: 4}", "4: the engine psync has only depth 1: take libaio "),
        ("cpus: 1", "memory, op: latency, factors: {type: [int, float]}", "4: memory latency has no parameter type; "),
    ],
)
def test_what_does_not_go_together_is_said_before_anything_runs(
    tmp_path: Path, settings: str, workload: str, sentence: str
) -> None:
    plan = tmp_path / "p.yaml"
    plan.write_text(
        "virtometer: 1\nname: p\n"
        f"environments: [{{name: native, kind: native}}, {{name: runc, kind: runc, settings: {{{settings}}}}}]\n"
        f"workloads: [{{name: w, workload: {workload}}}]\n"
    )
    outcome = virtometer("plan", "check", plan)
    assert outcome.status == 2
    assert outcome.err.startswith(f"virtometer: {plan}:{sentence}")
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "workload", "said"),
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
)
def test_what_this_host_cannot_do_has_a_status_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, workload: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.yaml").write_text(
        "virtometer: 1\nname: too much\n"
        f"{change}\nworkloads: [{{name: w, workload: {workload}}}]\n"
        "environments: [{name: native, kind: native}]\n"
    )
    for words in (["plan", "check", "p.yaml"], ["run", "p.yaml", "--out", "results"]):
        outcome = virtometer(*words)
        assert (outcome.status, outcome.out) == (3, "")
        assert outcome.err.startswith(f"virtometer: p.yaml{said}")
        assert outcome.err.splitlines()[-1].startswith("virtometer: the plan is right, but this host cannot execute it")
    assert [path.name for path in tmp_path.iterdir()] == ["p.yaml"]


def test_check_says_what_a_plan_skips(tmp_path: Path) -> None:
    plan = tmp_path / "p.yaml"
    plan.write_text(
        "virtometer: 1\nname: skips\nunavailable: skip\nworkloads:\n"
        "  - {name: w, workload: memory, op: read, parameters: {size: 1G}}\n"
        "environments: [{name: native, kind: native}, {name: machine, kind: qemu}]\n"
    )
    first, last = virtometer("plan", "check", plan).out.splitlines()
    assert first == (f"{plan}:5: will fail: memory read takes 1G of memory, and 'machine' (kind qemu) has 512M")
    assert last.startswith(f"{plan}: right; ")
    plan.write_text(plan.read_text().replace("unavailable: skip\n", ""))
    assert virtometer("plan", "check", plan).status == 2


def test_several_plans_are_checked_at_once_and_each_fault_is_told(tmp_path: Path) -> None:
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
