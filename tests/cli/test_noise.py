"""`virtometer doctor --noise` as users meet it."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from rich.console import Console

from tests.cli.laboratory import PROGRAM, ROOT, program, virtometer
from tests.sentences import Said
from virtometer.analysis.stopping.noise import MINUTES, Noise
from virtometer.cli.noise import machine, show
from virtometer.cli.plan.files import NOISE, built_in, load

QUIET = Noise("cpu", 6, 0.012, 0.0137, 0.8, {1: 0.0052, 5: 0.0023, 30: 0.00094})
SLOW = Noise("disk", 6, 0.4, 0.62, 30.0, {1: None, 5: 0.81, 30: 0.25})
GONE = Noise("other", 0, None, None, None, dict.fromkeys(MINUTES), "no direct access here")


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_has_a_row_for_each_workload_and_says_what_is_missing(width: int) -> None:
    file = io.StringIO()
    show([QUIET, SLOW, GONE], Console(file=file, width=width, color_system=None))
    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    rows = {parts[0]: parts[1:] for line in lines if (parts := re.split(r"  +", line.strip()))}
    assert rows["cpu"] == ["6", "1.2 %", "1.4 %", "0.52 %", "0.23 %", "0.094 %"]
    assert rows["disk"] == ["6", "40 %", "62 %", "-", "81 %", "25 %"]
    assert rows["other"] == ["0", "-", "-", "-", "-", "-"]
    assert "other: no direct access here" in [line.strip() for line in lines]


def test_json_has_exact_values() -> None:
    cpu, _, other = machine([QUIET, SLOW, GONE])
    assert cpu == {
        "workload": "cpu", "blocks": 6, "sd": 0.012, "noise_floor": 0.0137, "seconds_per_block": 0.8,
        "detectable": [
            {"minutes": 1, "difference": 0.0052},
            {"minutes": 5, "difference": 0.0023},
            {"minutes": 30, "difference": 0.00094},
        ],
        "reason": "",
    }  # fmt: skip
    assert other["reason"] == "no direct access here"
    json.dumps([cpu, other])


def test_kinds_and_noise_are_two_things() -> None:
    outcome = virtometer("doctor", "--noise", "native")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("virtometer: --noise measures the host, not a kind\n")


def test_the_built_in_plan_measures_the_same_twice() -> None:
    plan = load(built_in(NOISE))[0].plan
    first, second = plan.environments
    assert (first.kind, first.settings) == (second.kind, second.settings)
    assert plan.baseline == first.name
    assert plan.blocks >= 6
    assert all(workload.scheduling == "interleaved" for workload in plan.workloads)


def test_a_real_measurement_as_json(tmp_path: Path) -> None:
    outcome = program("doctor", "--noise", "--json", TMPDIR=str(tmp_path))
    assert (outcome.status, outcome.err) == (0, "")
    found = json.loads(outcome.out)
    assert set(found) == {"host", "noise"}
    plan = load(built_in(NOISE))[0].plan
    assert [one["workload"] for one in found["noise"]] == [workload.name for workload in plan.workloads]
    for one in found["noise"]:
        assert (one["blocks"] >= 4 and one["sd"] > 0) or one["reason"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_nothing_is_left_after_a_signal(said: Said, tmp_path: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [PROGRAM, "doctor", "--noise"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert process.stderr is not None
    seen = [process.stderr.readline()]
    while seen[-1] and not seen[-1].startswith("block 1/"):
        seen.append(process.stderr.readline())
    assert seen[-1], seen
    assert list(tmp_path.iterdir()) != []
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    said(err.splitlines()[-1])
    assert list(tmp_path.iterdir()) == []
