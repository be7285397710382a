"""LAPACK's dgesv as an anchor, for `bench.anchors`: python -m bench.anchors.dgesv reference|openblas ORDER SECONDS

Solves the benchmark's system of equations again and again, times nothing but dgesv, checks the solution, and prints the
rate. The libraries are loaded by their own paths, because Debian's alternatives let each stand for the other.
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
}
MULTIPLIER = 33952834046453
SEEDS = (1, 2, 3, 1325)
LARGEST_RESIDUAL = 100.0  # of right solutions it is about 10, of a wrong one larger by many orders of magnitude


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


def rate(library: ctypes.CDLL, order: int, seconds: float) -> dict[str, object]:
    """Solve until dgesv has run for so many seconds. Raises ValueError for a wrong solution."""
    original = matrix(order)
    right = original.sum(axis=1)
    work = np.empty_like(original, order="F")
    solution = np.empty_like(right)
    pivots = np.empty(order, dtype=np.int32)
    n, one, info = ctypes.c_int(order), ctypes.c_int(1), ctypes.c_int(0)
    a, ipiv, b = (values.ctypes.data_as(ctypes.c_void_p) for values in (work, pivots, solution))
    lda = ctypes.byref(n)
    arguments = (lda, ctypes.byref(one), a, lda, ipiv, b, lda, ctypes.byref(info))
    spent, solved = 0.0, 0
    while solved == 0 or spent < seconds:
        work[:], solution[:] = original, right
        began = time.perf_counter()
        library.dgesv_(*arguments)
        spent += time.perf_counter() - began
        solved += 1
    rest = np.abs(original @ solution - right).max()
    residual = rest / (order * np.abs(original).max() * np.abs(solution).max() * np.finfo(float).eps)
    if info.value != 0 or not residual < LARGEST_RESIDUAL:
        raise ValueError(f"dgesv gave info {info.value} and a normalised residual of {residual}")
    operations = 2 * order**3 / 3 + 2 * order**2
    return {"figure": solved * operations / spent, "solved": solved, "seconds": spent, "residual": residual}


def main() -> int:
    kind, order, seconds = sys.argv[1:]
    print(json.dumps(rate(load(kind), int(order), float(seconds))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
