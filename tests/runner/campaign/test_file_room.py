"""How much room the workloads of a plan need on a file system."""

from __future__ import annotations

from virtometer.design.parse import parse_plan
from virtometer.environments.base import Room
from virtometer.runner.campaign.catalogue import catalogue
from virtometer.runner.campaign.file_room import file_room

PLAN = """
virtometer: 1
name: files
environments: [{name: native, kind: native}, {name: machine, kind: qemu}]
workloads:
  - {name: read, workload: disk, op: random-read}
  - {name: write, workload: disk, op: write, threads: 2, parameters: {span: 8M}}
  - {name: names, workload: disk, op: create-random, parameters: {files: 500}}
"""


def room(text: str) -> Room | None:
    return file_room(parse_plan(text, "p.yaml", catalogue()), catalogue())


def test_the_largest_counts_or_all_that_run_at_once() -> None:
    assert room(PLAN) == Room(16 << 20, 500)
    at_once = (
        PLAN + "scenarios: [{name: m, type: mixed, environment: native, workloads: [write, names], guests: [1]}]\n"
    )
    assert room(at_once) == Room(16 << 20, 502)


def test_without_files_there_is_no_file_system() -> None:
    assert room("\n".join(PLAN.splitlines()[:6]) + "\n") is None
