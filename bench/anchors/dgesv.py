"""LAPACK's dgesv as an anchor, for `bench.anchors`: python -m bench.anchors.dgesv KIND ORDER SECONDS

KIND is `reference` (Debian's LAPACK), `openblas` (Debian's) or `wheel` (the newer OpenBLAS in numpy's wheel). Solves
the benchmark's system of equations again and again, times nothing but dgesv, checks the solution, and prints the rate
and which library with which core gave it. The libraries are loaded by their own paths, because Debian's alternatives
let each stand for the other.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

# In this order: liblapack.so.3 needs a libblas.so.3, and takes the one that is already loaded under that name.
LIBRARIES = {
    "reference": ("usr/lib/*/blas/libblas.so.3", "usr/lib/*/lapack/liblapack.so.3"),
    "openblas": ("usr/lib/*/openblas-pthread/libopenblas.so.0",),
    "wheel": (f"{Path(np.__file__).parent.parent}/numpy.libs/libscipy_openblas64_*.so".lstrip("/"),),
}
# What is around a function's name: numpy's OpenBLAS has integers of 64 bits, and names of its own.
AFFIXES = {"reference": ("", ""), "openblas": ("", ""), "wheel": ("scipy_", "64_")}
# The flags of a processor that OpenBLAS's kernels for AVX-512 need.
AVX512 = {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}
MULTIPLIER = 33952834046453
SEEDS = (1, 2, 3, 1325)
LARGEST_RESIDUAL = 100.0  # of right solutions it is about 10, of a wrong one larger by many orders of magnitude


def fitting_core(flags: set[str]) -> str:
    """The name for OPENBLAS_CORETYPE whose kernels fit a processor with these flags (as in /proc/cpuinfo). Empty where
    the library is left to choose: without AVX-512 it takes the right kernels automatically."""
    return "SkylakeX" if flags >= AVX512 else ""


def processor_flags(cpuinfo: str) -> set[str]:
    """The flags of the first processor in the text of /proc/cpuinfo; none on other architectures than x86."""
    line = next((line for line in cpuinfo.splitlines() if line.startswith("flags")), "")
    return set(line.partition(":")[2].split())


CORE = fitting_core(processor_flags(Path("/proc/cpuinfo").read_text()))


def matrix(order: int) -> NDArray[np.float64]:
    """The matrix of the agent's linpack, by columns: multiplicative congruential modulo 2^48, values within ±0.5."""
    mask = (1 << 48) - 1
    state = 0
    for limb in SEEDS:
        state = state << 12 | limb
    states = np.array([state * MULTIPLIER & mask], dtype=np.uint64)
    while len(states) < order * order:
        # a block of 2^k numbers later, the generator has multiplied by the 2^k-th power
        jump = np.uint64(pow(MULTIPLIER, len(states), 1 << 48))
        states = np.concatenate([states, states * jump & np.uint64(mask)])
    values = states[: order * order] / float(1 << 48) - 0.5
    return np.asfortranarray(values.reshape((order, order), order="F"))


def load(kind: str) -> ctypes.CDLL:
    """The library that has dgesv. Raises FileNotFoundError naming a pattern that nothing matches."""
    library = None
    for pattern in LIBRARIES[kind]:
        path = next(iter(sorted(Path("/").glob(pattern))), None)
        if path is None:
            raise FileNotFoundError(f"there is no /{pattern}")
        library = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    assert library is not None
    if kind == "reference" and "openblas-pthread" in Path("/proc/self/maps").read_text():
        raise RuntimeError(
            "the reference LAPACK has loaded OpenBLAS: its libblas.so.3 is not the one that was asked for"
        )
    return library


def described(library: ctypes.CDLL, kind: str) -> str:
    """Which library this is, and with OpenBLAS the core and the threads that it really uses, by its own words."""
    if kind == "reference":
        return "reference LAPACK"
    before, after = AFFIXES[kind]
    answers = {}
    for name, answer in (("config", ctypes.c_char_p), ("corename", ctypes.c_char_p), ("num_threads", ctypes.c_int)):
        function = getattr(library, f"{before}openblas_get_{name}{after}")
        function.argtypes, function.restype = [], answer
        answers[name] = function()
    version = " ".join(answers["config"].decode().split()[:2])
    threads = answers["num_threads"]
    return f"{version}, core {answers['corename'].decode()}, {threads} thread{'s' if threads > 1 else ''}"


def rate(library: ctypes.CDLL, kind: str, order: int, seconds: float) -> dict[str, object]:
    """Solve until dgesv has run for so many seconds. Raises ValueError for a wrong solution."""
    before, after = AFFIXES[kind]
    dgesv = getattr(library, f"{before}dgesv_{after}")
    integer = ctypes.c_int64 if after == "64_" else ctypes.c_int
    original = matrix(order)
    right = original.sum(axis=1)
    work = np.empty_like(original, order="F")
    solution = np.empty_like(right)
    pivots = np.empty(order, dtype=integer)
    n, one, info = integer(order), integer(1), integer(0)
    a, ipiv, b = (values.ctypes.data_as(ctypes.c_void_p) for values in (work, pivots, solution))
    lda = ctypes.byref(n)
    arguments = (lda, ctypes.byref(one), a, lda, ipiv, b, lda, ctypes.byref(info))
    spent, solved = 0.0, 0
    while solved == 0 or spent < seconds:
        work[:], solution[:] = original, right
        began = time.perf_counter()
        dgesv(*arguments)
        spent += time.perf_counter() - began
        solved += 1
    rest = np.abs(original @ solution - right).max()
    residual = rest / (order * np.abs(original).max() * np.abs(solution).max() * np.finfo(float).eps)
    if info.value != 0 or not residual < LARGEST_RESIDUAL:
        raise ValueError(f"dgesv gave info {info.value} and a normalised residual of {residual}")
    operations = 2 * order**3 / 3 + 2 * order**2
    told = {"figure": solved * operations / spent, "solved": solved, "seconds": spent, "residual": residual}
    return {**told, "library": described(library, kind)}


def main() -> int:
    kind, order, seconds = sys.argv[1:]
    print(json.dumps(rate(load(kind), kind, int(order), float(seconds))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
