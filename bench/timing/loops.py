"""Programs of known length: a loop in C, whose number of steps is fixed by a calibration on this host.

The loop does a part more than that where the agent that starts it has the variable EXTRA (bench/slower_agent.py).
"""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.slower_agent import EXTRA

_LOOP = """
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* The part that is added: what a variable of the process that started this one says. */
static double extra(void)
{
    char path[64], text[65536];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)getppid());
    int file = open(path, O_RDONLY);
    long size = file < 0 ? 0 : read(file, text, sizeof text - 1);
    text[size < 0 ? 0 : size] = 0;
    for (char *at = text; at < text + size; at += strlen(at) + 1)
        if (strncmp(at, "VARIABLE=", sizeof "VARIABLE=" - 1) == 0)
            return atof(at + sizeof "VARIABLE=" - 1);
    return 0;
}
int main(int count, char **words)
{
    uint64_t state = 1;
    for (long left = count > 1 ? atol(words[1]) * (1 + extra()) : 0; left > 0; left--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(state));
    }
    return state == 0;
}
""".replace("VARIABLE", EXTRA)
# The least that starting a program and waiting for it takes: as a shell would do it, without anything beside it.
_STARTER = """
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
extern char **environ;
int main(int count, char **words)
{
    for (long left = atol(words[1]); left > 0 && count > 2; left--) {
        struct timespec from, to;
        pid_t child;
        int status;
        clock_gettime(CLOCK_MONOTONIC, &from);
        if (posix_spawn(&child, words[2], NULL, NULL, words + 2, environ) != 0 || waitpid(child, &status, 0) != child)
            return 1;
        clock_gettime(CLOCK_MONOTONIC, &to);
        printf("%.9f\\n", (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
    }
    return 0;
}
"""
_TRIED = 20_000_000  # steps


@dataclass(frozen=True)
class Loops:
    """The programs. step_s: how long a step of the loop takes here, s."""

    loop: Path
    starter: Path
    step_s: float

    def words(self, seconds: float) -> list[str]:
        """A command that takes about `seconds`."""
        return [str(self.loop), str(round(seconds / self.step_s))]


@contextmanager
def loops() -> Iterator[Loops]:
    """Both programs, compiled by cc into a folder that is removed at the end. CalledProcessError where cc fails."""
    with TemporaryDirectory(prefix="virtometer-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        made = []
        for program, source in (("loop", _LOOP), ("starter", _STARTER)):
            file = folder / program
            subprocess.run(["cc", "-O2", "-x", "c", "-o", file, "-"], input=source, text=True, check=True)
            made.append(file)
        took = []
        for _ in range(5):
            begun = time.monotonic()
            subprocess.run([made[0], str(_TRIED)], check=True)
            took.append(time.monotonic() - begun)
        yield Loops(made[0], made[1], statistics.median(took) / _TRIED)
