"""How fast the time stamp counter of this host's processor counts.

A machine without a timer that its kernel can calibrate by has to be told. Source: Intel SDM volume 2, RDTSC.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import platform
import time

_CODE = bytes.fromhex("0f3148c1e2204809d0c3")  # rdtsc; shl rdx, 32; or rax, rdx; ret
_LENGTH_S = 0.05
_TRIES = 16


@functools.cache
def tsc_khz() -> int | None:
    """In thousands of counts a second. None: on another processor, or where the host lets nobody make code."""
    if platform.machine() != "x86_64":
        return None
    try:
        with mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC) as page:
            page.write(_CODE)
            here = ctypes.c_char.from_buffer(page)
            try:
                read = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(here))
                begin_ns, begin = _moment(read)
                time.sleep(_LENGTH_S)
                end_ns, end = _moment(read)
            finally:
                del here
    except OSError:
        return None
    return round((end - begin) * 1_000_000 / (end_ns - begin_ns))


def _moment(read: ctypes._FuncPointer) -> tuple[float, int]:
    """The host's clock in ns and the counter at the same time: of several readings the one least interrupted."""
    readings = []
    for _ in range(_TRIES):
        before, count, after = time.monotonic_ns(), read(), time.monotonic_ns()
        readings.append((after - before, (before + after) / 2, count))
    _, moment, count = min(readings)
    return moment, count
