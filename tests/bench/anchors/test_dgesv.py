"""The runner of dgesv: the benchmark's matrix, and the library that was asked for, by its own path."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.anchors.dgesv import AVX512, CORE, LIBRARIES, MULTIPLIER, SEEDS, fitting_core, matrix, processor_flags
from bench.anchors.program import Place, Program
from bench.anchors.running import Runner
from bench.anchors.tools import dgesv
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
    assert ("core" in told["library"]) is (kind != "reference")


CPUINFO = "processor\t: 0\nflags\t\t: fpu avx2 fma avx512f avx512cd avx512bw avx512dq avx512vl\n\nflags\t\t:\n"


def test_the_core_fits_the_processor_s_flags() -> None:
    assert processor_flags(CPUINFO) == {"fpu", "avx2", "fma", *AVX512}
    assert processor_flags("Features : asimd\n") == set()
    assert fitting_core(processor_flags(CPUINFO)) == "SkylakeX"
    assert [fitting_core(AVX512 - {flag}) for flag in AVX512] == [""] * len(AVX512)


@pytest.mark.parametrize("kind", ["openblas", "wheel"])
def test_the_library_uses_the_core_and_the_threads_that_its_row_names(kind: str) -> None:
    program = dgesv(kind, 100, threads=2)
    if missing := program.missing():
        pytest.skip(f"needs {missing}")
    wanted = dict(program.environment)
    assert wanted["OPENBLAS_NUM_THREADS"] == "2" and wanted.get("OPENBLAS_CORETYPE", "") == CORE
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("needs another processor")
    place = Place(Path("agent"), Path(sys.executable), cpus[0], cpus[1], 0.01, Path("f"), 0, Path("c"))
    run = Runner(place).run(program)
    assert f"core {CORE}" in run.in_use if CORE else "core " in run.in_use
    assert run.in_use.startswith("OpenBLAS ") and run.in_use.endswith(", 2 threads")
