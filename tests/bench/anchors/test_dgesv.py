"""The runner of dgesv: the benchmark's matrix, and the library that was asked for, by its own path."""

import json
import subprocess
import sys

import pytest

from bench.anchors.dgesv import LIBRARIES, MULTIPLIER, SEEDS, matrix
from bench.anchors.program import Program
from tests.house.tracked import ROOT


def test_the_matrix_is_that_of_the_agent() -> None:
    state = 0
    for limb in SEEDS:
        state = state << 12 | limb
    found = matrix(7)
    for place in range(49):
        state = state * MULTIPLIER % 2**48
        assert found[place % 7, place // 7] == state / 2**48 - 0.5


@pytest.mark.parametrize("kind", LIBRARIES)
def test_it_solves_and_tells_the_rate(kind: str) -> None:
    if Program("{python}", "", float, needs=LIBRARIES[kind]).missing():
        pytest.skip(f"{kind} is not installed")
    argv = [sys.executable, "-m", "bench.anchors.dgesv", kind, "200", "0.05"]
    told = json.loads(subprocess.run(argv, cwd=ROOT, capture_output=True, check=True).stdout)
    assert told["solved"] >= 1 and told["seconds"] >= 0.05
    assert told["figure"] == pytest.approx(told["solved"] * (2 * 200**3 / 3 + 2 * 200**2) / told["seconds"])
    assert 0 < told["residual"] < 100
