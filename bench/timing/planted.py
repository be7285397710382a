"""Programs that do one thing: system calls, page faults, or computing. Each is a loop in C, of so many steps."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_PROGRAM = """
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
enum { PAGE = 4096, PAGES = 4096 };
static void calls(long steps)
{
    while (steps-- > 0)
        syscall(SYS_getppid);
}
static int faults(long steps)
{
    while (steps > 0) {
        char *at = mmap(NULL, (size_t)PAGE * PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED || madvise(at, (size_t)PAGE * PAGES, MADV_NOHUGEPAGE) > 0)
            return 1;
        for (long page = 0; page < PAGES && steps > 0; page++, steps--)
            ((volatile char *)at)[page * PAGE] = 1;
        munmap(at, (size_t)PAGE * PAGES);
    }
    return 0;
}
static int computing(long steps)
{
    uint64_t state = 1;
    for (; steps > 0; steps--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(state));
    }
    return state == 0;
}
int main(int count, char **words)
{
    if (count != 3)
        return 2;
    long steps = atol(words[2]);
    if (strcmp(words[1], "computing") == 0)
        return computing(steps);
    if (strcmp(words[1], "faults") == 0)
        return faults(steps);
    calls(steps);
    return strcmp(words[1], "calls") != 0;
}
"""


@contextmanager
def planted() -> Iterator[Path]:
    """The program, below the home directory, where all guests see it: `PROGRAM calls|faults|computing STEPS`."""
    with TemporaryDirectory(prefix="virtometer-planted-", dir=Path.home()) as folder:
        source, program = Path(folder) / "planted.c", Path(folder) / "planted"
        source.write_text(_PROGRAM)
        subprocess.run(["gcc", "-O2", "-o", program, source], check=True)
        yield program
