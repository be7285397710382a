"""Programs that do one thing: system calls, page faults, exchanges over TCP, or computing. Each is a loop in C.

An exchange is a byte over the loopback to a child and back, by read(2) and write(2).
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_PROGRAM = """
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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
static int network(long steps)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    int listening = socket(AF_INET, SOCK_STREAM, 0), here = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    if (bind(listening, (struct sockaddr *)&at, size) || listen(listening, 1)
        || getsockname(listening, (struct sockaddr *)&at, &size))
        return 1;
    int child = fork(), first = child != 0;
    int own = child ? here : accept(listening, NULL, NULL);
    if (child < 0 || own < 0 || (child && connect(here, (struct sockaddr *)&at, size))
        || setsockopt(own, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on))
        return 1;
    for (char byte = 1; steps > 0; steps--)
        if ((first && write(own, &byte, 1) != 1) || read(own, &byte, 1) != 1 || (!first && write(own, &byte, 1) != 1))
            return 1;
    int status = 0;
    return child ? waitpid(child, &status, 0) != child || status : 0;
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
    if (strcmp(words[1], "network") == 0)
        return network(steps);
    calls(steps);
    return strcmp(words[1], "calls") != 0;
}
"""


@contextmanager
def planted() -> Iterator[Path]:
    """`PROGRAM calls|faults|network|computing STEPS`, below the home directory, where all guests see it."""
    with TemporaryDirectory(prefix="virtometer-planted-", dir=Path.home()) as folder:
        source, program = Path(folder) / "planted.c", Path(folder) / "planted"
        source.write_text(_PROGRAM)
        subprocess.run(["gcc", "-O2", "-o", program, source], check=True)
        yield program
