"""`virtometer plan icf`, read back by a reader of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests.cli.laboratory import ROOT, Outcome, virtometer
from tests.cli.plan.icf_reader import IDLE, Icf, read_icf
from tests.imports.files import numbers, written
from tests.sentences import Said

DISK = ROOT / "plans" / "iometer-disk.yaml"
PLANS = [
    ROOT / "plans" / f"{name}.yaml"
    for name in ("bonnie", "fio", "iozone-surface", "mixed", "qemu-disk", "time", "studies/lemberger2010/net-disk")
]


def icf(plan: Path, folder: Path, *words: str) -> tuple[Icf, Outcome]:
    out = folder / "iometer.icf"
    outcome = virtometer("plan", "icf", plan, "--out", out, *words)
    assert (outcome.status, outcome.out) == (0, "")
    return read_icf(out.read_bytes()), outcome


def plan_with(folder: Path, *workloads: Mapping[str, object], **more: object) -> Path:
    """A plan of disk workloads; `op` is random-read where it is not given."""
    path = folder / "plan.yaml"
    document = {
        "virtometer": 1,
        "name": "p",
        "baseline": "native",
        "environments": [{"name": "native", "kind": "native"}],
        "workloads": [
            {"name": f"w{number}", "workload": "disk", "op": "random-read", **one}
            for number, one in enumerate(workloads, 1)
        ],
        "seconds": 1,
        "disk_span": "64M",
        **more,
    }
    path.write_text(yaml.safe_dump(document))
    return path


def test_the_published_series_with_its_mix(said: Said, tmp_path: Path) -> None:
    found, outcome = icf(DISK, tmp_path)
    said(outcome.err)
    series = dict(list(found.specifications.items())[:20])
    assert [rows for rows in series.values() if len(rows) != 1] == []
    sizes = {4 << 10, 32 << 10, 256 << 10, 1 << 20, 4 << 20}
    wanted = {(size, 100, reads, order, 0, 1, size, 0) for size in sizes for reads in (0, 100) for order in (0, 100)}
    assert {rows[0] for rows in series.values()} == wanted
    assert found.specifications["random write 32K"] == [(32768, 100, 0, 100, 0, 1, 32768, 0)]
    assert list(found.specifications.values())[20] == [
        (8192, 80, 67, 100, 0, 1, 8192, 0),
        (65536, 20, 50, 0, 0, 1, 65536, 0),
    ]
    assert [worker.depth for worker in found.workers] == [1, 32]
    assert {worker.sectors for worker in found.workers} == {((1 << 30) // 512, 0)}
    active = list(zip(*(worker.assigned for worker in found.workers), strict=True))
    assert [set(one) - {IDLE} for one in active] == [{name} for name in found.specifications]
    assert all(IDLE in one for one in active)
    assert found.run_time_s == 1
    assert int(found.setup["Ramp Up Time (s)"]) > 0
    assert found.setup["Record Results"] == "ALL"
    assert found.setup["Test Description"] == "iometer-disk"


def test_plans_of_the_house_are_written_or_have_nothing_for_iometer(tmp_path: Path) -> None:
    statuses = []
    for plan in PLANS:
        outcome = virtometer("plan", "icf", plan, "--out", tmp_path / "one.icf")
        statuses.append(outcome.status)
        left_out = [line for line in outcome.err.splitlines() if line.startswith("left out: ")]
        if outcome.status == 0:
            found = read_icf((tmp_path / "one.icf").read_bytes())
            assert f"{len(found.specifications)} access specification" in outcome.err.splitlines()[-1]
        else:
            assert outcome.status == 2
            assert left_out
    assert statuses == [2, 0, 2, 0, 0, 2, 0]


def test_standard_output_has_the_same_file(tmp_path: Path) -> None:
    icf(DISK, tmp_path)
    assert virtometer("plan", "icf", DISK).out.encode() == (tmp_path / "iometer.icf").read_bytes()
    assert virtometer("plan", "icf", DISK, "--out", "-").out.encode() == (tmp_path / "iometer.icf").read_bytes()


def test_threads_are_workers_and_others_are_idle_meanwhile(tmp_path: Path) -> None:
    plan = plan_with(
        tmp_path,
        {"threads": 3},
        {"threads": 1},
        {"parameters": {"engine": "libaio", "depth": 8}, "threads": 2},
        {"parameters": {"span": "8M"}},
    )
    found, _ = icf(plan, tmp_path, "--target", "E:")
    assert [(one.depth, one.sectors[0], one.assigned) for one in found.workers] == [
        (1, 131072, ["w1", "w2", IDLE, IDLE]),
        (1, 131072, ["w1", IDLE, IDLE, IDLE]),
        (1, 131072, ["w1", IDLE, IDLE, IDLE]),
        (8, 131072, [IDLE, IDLE, "w3", IDLE]),
        (8, 131072, [IDLE, IDLE, "w3", IDLE]),
        (1, 16384, [IDLE, IDLE, IDLE, "w4"]),
    ]
    assert len({one.name for one in found.workers}) == 6
    assert all(one.targets == ["E:"] for one in found.workers)


def test_iometer_chooses_the_target_where_none_is_given(tmp_path: Path) -> None:
    found, _ = icf(plan_with(tmp_path, {}), tmp_path)
    assert [one.targets for one in found.workers] == [[]]


def test_what_iometer_lacks_is_said_and_left_out(said: Said, tmp_path: Path) -> None:
    plan = plan_with(
        tmp_path,
        {"op": "write", "parameters": {"sync": "end"}},
        {"op": "random-write", "parameters": {"sync": "each"}},
        {"parameters": {"direct": False}},
        {"parameters": {"think": 1500}},
        {"parameters": {"align": 1000}},
        {"op": "access", "parameters": {"direct": True, "mix": "4K share=50, 1000 share=50"}},
        {"threads": 129},
        {"workload": "memory", "op": "copy"},
        {"parameters": {"verify": "full", "seed": 7, "pages": "huge"}},
    )
    found, outcome = icf(plan, tmp_path)
    assert list(found.specifications) == ["w9"]
    said(outcome.err)


def test_the_workers_of_all_workloads_are_limited(tmp_path: Path) -> None:
    spans = [{"threads": 64, "parameters": {"span": f"{size}M"}} for size in (1, 2, 3)]
    found, outcome = icf(plan_with(tmp_path, *spans, {"threads": 60, "parameters": {"span": "2M"}}), tmp_path)
    assert list(found.specifications) == ["w1", "w2", "w4"]
    assert len(found.workers) == 128
    assert outcome.err.startswith("left out: w3: ")


@pytest.mark.parametrize(("seconds", "whole"), [([0.01], 1), ([2.5, 1], 3), ([3600], 3600), ([61, 3], 61)])
def test_the_time_is_of_the_longest_window(tmp_path: Path, seconds: list[float], whole: int) -> None:
    found, outcome = icf(plan_with(tmp_path, *({"seconds": one} for one in seconds)), tmp_path)
    assert found.run_time_s == whole
    assert outcome.err.rstrip().endswith(f"{whole} s") == (seconds == [whole])


def test_the_results_of_iometer_have_the_names_of_the_plan(tmp_path: Path) -> None:
    """As Iometer writes them: without a name where a worker was idle."""
    found, _ = icf(DISK, tmp_path)
    lines = ["'Results", "'Target Type,Target Name,Access Specification Name,# Managers,# Workers,# Disks,IOps"]
    for number, name in enumerate(found.specifications, 1):
        lines += [f"ALL,All,,1,1,1,{number}", f"WORKER,Worker 1,{name},,,1,{number}"]
    imported = numbers(written("\n".join(lines)))
    assert [benchmark for benchmark, *_ in imported] == list(found.specifications)
    assert "random read 4K" in found.specifications


def test_nothing_for_iometer_is_one_sentence(said: Said, tmp_path: Path) -> None:
    out = tmp_path / "none.icf"
    outcome = virtometer("plan", "icf", ROOT / "plans" / "linpack-published.yaml", "--out", out)
    assert (outcome.status, outcome.out) == (2, "")
    assert not out.exists()
    said(outcome.err)


@pytest.mark.parametrize("target", ["Ä:", "E:\n'End target", " E:", "x" * 80])
def test_a_target_that_no_line_can_hold_is_refused(target: str, said: Said) -> None:
    outcome = virtometer("plan", "icf", DISK, "--target", target)
    assert (outcome.status, outcome.out) == (2, "")
    said(outcome.err)


def test_files_that_are_missing_are_named(tmp_path: Path) -> None:
    missing = virtometer("plan", "icf", tmp_path / "no.yaml")
    assert (missing.status, missing.out) == (2, "")
    assert "no.yaml" in missing.err
    nowhere = virtometer("plan", "icf", DISK, "--out", tmp_path / "no" / "x.icf")
    assert nowhere.status != 0
    assert str(tmp_path / "no") in nowhere.err


def test_a_part_of_a_plan(tmp_path: Path) -> None:
    found, _ = icf(DISK, tmp_path, "--only", "random read 4K,random write 4K")
    assert list(found.specifications) == ["random read 4K", "random write 4K"]
    assert len(found.workers) == 1
