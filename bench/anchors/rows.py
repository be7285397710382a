"""The rows of `make bench`: each kernel of the agent, its anchor, and how much of the anchor's figure it must reach.

A row is one entry: name, unit, the agent's measurement, the anchor, the demand, the kind of noise. Demands are for the
ratio agent / anchor, for times (unit s) anchor / agent. bench/anchors/tools.py says how each tool is called and counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bench.anchors import parsers
from bench.anchors.program import Program
from bench.anchors.running import Pages
from bench.anchors.tools import (
    KIB,
    MIB,
    agent,
    dd,
    dgesv,
    fio,
    iperf3,
    likwid,
    linpackc,
    lmbench,
    multichase,
    netperf,
    netperf_udp,
    partdiff,
    perf,
    qperf,
    ramspeed,
    stream,
    sysbench_read,
)


@dataclass(frozen=True, slots=True)
class Noise:
    """How steady a kind of work is: the A/A ratio that is tolerated, and the pairs that are needed for a verdict."""

    name: str
    tolerance: float
    pairs: int = 21


COMPUTE = Noise("compute", 0.03)
COMPUTE_THREADS = Noise("compute, two threads", 0.05)
CACHE = Noise("cache", 0.10)
DRAM = Noise("DRAM", 0.05)
THREADS = Noise("two threads", 0.15)
LATENCY = Noise("pinned latency", 0.05)
DISK_READ = Noise("disk, reading", 0.15)
DISK_WRITE = Noise("disk, writing", 0.20)
NETWORK = Noise("network", 0.10)


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison. `unit` is that of both figures; `s` means that lower is better. What both sides do not do alike
    is in `differs`, in sentences that the table prints; bench/anchors/alike.py adds what can only be seen on a host."""

    name: str  # its group, a full stop, what it is
    unit: str
    agent: Program
    anchor: Program
    demand: float
    noise: Noise
    pages: Literal["small", "huge", "best"] = "small"  # of both sides; best: what the agent takes, the anchor small
    differs: str = ""
    static: tuple[str, ...] = ()  # the anchor's programs that have to be linked statically, as the agent is

    def pages_of(self, side: str) -> Pages:
        """What bench/anchors/running.py gives one side."""
        if self.pages == "best":
            return "small" if side == "anchor" else "own"
        return self.pages

    @property
    def group(self) -> str:
        """What its name begins with: memory, linpack, pde, os, disk or net."""
        return self.name.partition(".")[0]

    @property
    def compared(self) -> str:
        """What is compared with what, in short."""
        measure = self.agent.arguments.replace("measure ", "").partition(" --cpus")[0]
        other = self.anchor.arguments.replace("measure ", "").partition(" --cpus")[0]
        return f"{measure} / {self.anchor.file.strip('{}')} {other}"


def disk(operation: str, size: int, depth: int, engine: str) -> Row:
    """An access specification, beside fio with the same one."""
    unit = "IO/s" if operation.startswith("random") else "B/s"
    named = f"{size // MIB}M" if size >= MIB else f"{size // KIB}K"
    measure = f"disk --op {operation} --file {{file}} --span {{span}} --size {size} --depth {depth} --engine {engine}"
    noise = DISK_WRITE if operation.endswith("write") else DISK_READ
    anchor = fio(operation.removeprefix("sequential-").replace("random-", "rand"), size, depth, engine)
    name = f"disk.{operation}-{named}-{engine}-{depth}"
    demand = 1.0 if name == "disk.sequential-read-1M-psync-1" else 0.95
    return Row(name, unit, agent(unit, measure), anchor, demand, noise)


def lmbench_row(name: str, op: str, program: str, demand: float = 0.95) -> Row:
    """An operation of the system, beside lmbench's program, which tells the median, less what it knows as overhead."""
    file = program.partition(" ")[0]
    static = {"fork": (file,), "exec": (file, "/tmp/hello"), "shell": (file, "/tmp/hello")}.get(name, ())
    take = "without-overhead" if op.startswith(("context-switch", "signal-catch")) else "median"
    parse = parsers.lmbench_context_switch if program.startswith("lat_ctx") else parsers.lmbench_latency
    # these two start a program that lmbench's installation leaves there
    needs = ("tmp/hello",) if op in {"exec", "shell"} else ()
    anchor = lmbench(program, parse, needs=needs)
    measured = agent("s", f"os --op {op}", take=take)
    differs = LMBENCH_DIFFERS.get(name, "")
    return Row(f"os.{name}-lmbench", "s", measured, anchor, demand, LATENCY, differs=differs, static=static)


def ordinary(op: str, kind: str, size: int, simd: str = "auto") -> Program:
    """INTmem and FLOATmem as a program of an ordinary compiler has them: stores through the caches."""
    return agent("B/s", f"memory --op {op} --type {kind} --size {size} --simd {simd} --store temporal")


def cached_read(kind: str, simd: str, size: int) -> Program:
    """INTmark and FLOATmark: one block that a cache holds is read again and again."""
    return agent("B/s", f"memory --op read --type {kind} --simd {simd} --size {size}")


# lat_select tells the kernel how many descriptors it has where the largest number of one is wanted: as many of them are
# not looked at as other descriptors were open before, nine of a file and one more of TCP.
LAT_SELECT_LEAVES_OUT = 9
LMBENCH_DIFFERS = {
    "page-fault": "lat_pagefault's time includes unmapping the touched pages, the agent's does not.",
}
INTEGERS = "The agent loads integers, likwid floating-point numbers."
COMPILED = "The agent takes the widest vectors, the anchor those of its compiler."
BY_BLOCKS = "LAPACK factors by blocks, the agent's left-looking by groups of columns."
BIG = 128_000_000  # bytes of an array that no cache holds
STREAM_TO = "net --op stream --peer 127.0.0.1:{port} --size 128K"
ROUND_TRIPS_TO = "net --op request-response --peer 127.0.0.1:{port}"
DATAGRAMS_TO = "net --op udp-request-response --peer 127.0.0.1:{port} --size 16"
PAGES: tuple[Literal["small", "huge"], ...] = ("small", "huge")
ACCESSES = ("random-read", "random-write", "sequential-read", "sequential-write")

# fmt: off
ROWS: tuple[Row, ...] = (
    *(Row(f"memory.{op}-{pages}-likwid", "B/s",
          agent("B/s", f"memory --op {op} --size {BIG} --simd avx --store non-temporal --pages {pages}"),
          likwid(test, arrays * BIG // 1000), 0.97, DRAM, pages)
      for pages in PAGES
      for op, test, arrays in (("triad", "stream_mem_avx_fma", 3), ("copy", "copy_mem_avx", 2))),
    Row("memory.triad-two-threads-likwid", "B/s",
        agent("B/s", f"memory --op triad --size {BIG} --simd avx --store non-temporal --threads 2",
              cpus="{cpu},{other}"),
        likwid("stream_mem_avx_fma", 3 * BIG // 1000, threads=2), 1.0, THREADS),
    Row("memory.triad-two-threads-best-likwid", "B/s",
        agent("B/s", f"memory --op triad --size {BIG} --threads 2", cpus="{cpu},{other}"),
        likwid("stream_mem_avx_fma", 3 * BIG // 1000, threads=2), 1.0, THREADS, "best"),
    Row("memory.triad-best-likwid", "B/s", agent("B/s", f"memory --op triad --size {BIG}"),
        likwid("stream_mem_avx_fma", 3 * BIG // 1000), 1.10, DRAM, "best"),
    Row("memory.copy-best-likwid", "B/s", agent("B/s", f"memory --op copy --size {BIG}"),
        likwid("copy_mem_avx", 2 * BIG // 1000), 1.10, DRAM, "best"),
    Row("memory.read-best-likwid", "B/s", agent("B/s", f"memory --op read --size {BIG}"),
        likwid("load_avx", BIG // 1000), 1.15, DRAM, "best"),
    Row("memory.read-best-sysbench", "B/s", agent("B/s", "memory --op read --size 128M"),
        sysbench_read(128), 1.15, DRAM, "best"),
    Row("memory.read-write-likwid", "B/s", agent("B/s", f"memory --op read-write --size {BIG} --simd avx"),
        likwid("update_avx", BIG // 1000), 0.95, DRAM),
    Row("memory.INTmem-likwid", "B/s", ordinary("triad", "int", BIG, "avx"),
        likwid("stream_avx_fma", 3 * BIG // 1000), 0.95, DRAM, differs=INTEGERS),
    Row("memory.FLOATmem-likwid", "B/s", ordinary("triad", "float", BIG, "avx"),
        likwid("stream_avx_fma", 3 * BIG // 1000), 0.95, DRAM),
    *(Row(f"memory.{mark}-{level}-likwid", "B/s", cached_read(kind, simd, size),
          likwid(test, size // 1000), demand, CACHE, differs=INTEGERS if kind == "int" else "")
      for level, size in (("L1", 24_000), ("L2", 512_000))
      for mark, kind, simd, test, demand in (
          ("INTmark", "int", "scalar", "load", 1.0), ("INTmark-vector", "int", "avx", "load_avx", 0.95),
          ("FLOATmark", "float", "scalar", "load", 1.0), ("FLOATmark-vector", "float", "avx", "load_avx", 0.95))),
    *(Row(f"memory.{op}-stream", "B/s",
          agent("B/s", f"memory --op {op} --size {BIG}", take="best"),
          stream(op.capitalize()), 1.0, DRAM, differs=COMPILED)
      for op in ("triad", "copy", "scale", "add")),
    *(Row(f"memory.latency-{order}-multichase", "s",
          agent("s", f"memory --op latency --size 64M --stride 64 --order {order}"),
          multichase(64 * MIB, 64, locality), 0.95, CACHE)
      for order, locality in (("random", 64 * MIB), ("page", 4 * KIB))),
    Row("memory.read-best-lmbench", "B/s", agent("B/s", "memory --op read --size 128M", take="median"),
        lmbench("bw_mem 128m frd", parsers.lmbench_bandwidth), 1.0, DRAM, "best"),
    *(Row(f"memory.{memory}-ramspeed", "B/s", ordinary("triad", kind, 128 * MIB),
          ramspeed(benchmark, 128, parsers.ramspeed_memory("Triad")), 1.0, DRAM, differs=COMPILED)
      for memory, kind, benchmark in (("INTmem", "int", 3), ("FLOATmem", "float", 6))),
    *(Row(f"memory.{mark}-{level}-ramspeed", "B/s", cached_read(kind, "scalar", kilobytes * KIB),
          ramspeed(benchmark, 1, parsers.ramspeed_mark(kilobytes)), 1.0, CACHE)
      for level, kilobytes in (("L1", 16), ("L2", 512))
      for mark, kind, benchmark in (("INTmark", "int", 2), ("FLOATmark", "float", 5))),

    Row("linpack.left-looking-500", "FLOP/s", agent("FLOP/s", "linpack --op left-looking --size 500"),
        dgesv("reference", 500), 2.0, COMPUTE, differs=BY_BLOCKS),
    Row("linpack.left-looking-1000", "FLOP/s", agent("FLOP/s", "linpack --op left-looking --size 1000"),
        dgesv("reference", 1000), 2.0, COMPUTE, differs=BY_BLOCKS),
    *(Row(f"linpack.blocked-{order}-{named}{library}", "FLOP/s",
          agent("FLOP/s", f"linpack --op blocked --size {order} --threads {threads}",
                cpus="{cpu}" if threads == 1 else "{cpu},{other}"),
          dgesv(library, order, threads=threads), 1.0, COMPUTE if threads == 1 else COMPUTE_THREADS)
      for order in (2000, 4000) for threads, named in ((1, ""), (2, "two-threads-"))
      for library in ("openblas", "wheel")),
    # the C program's own mean of rolled and unrolled loops, all that it prints, on its array of twice the order
    *(Row(f"linpack.classic-{order}-linpackc", "FLOP/s",
          agent("FLOP/s", f"linpack --op classic --convention published --size {2 * order}"),
          linpackc(order), 1.0, COMPUTE)
      for order in (500, 1000)),

    Row("pde.gauss-seidel-naive", "1/s", agent("1/s", "pde --op gauss-seidel --interlines 100 --variant fast"),
        agent("1/s", "pde --op gauss-seidel --interlines 100 --variant naive"), 2.0, COMPUTE, "huge"),
    Row("pde.gauss-seidel-512-naive", "1/s", agent("1/s", "pde --op gauss-seidel --interlines 512 --variant fast"),
        agent("1/s", "pde --op gauss-seidel --interlines 512 --variant naive"), 2.0, COMPUTE, "huge"),
    Row("pde.gauss-seidel-partdiff", "1/s", agent("1/s", "pde --op gauss-seidel --interlines 100 --variant fast"),
        partdiff(100), 2.0, COMPUTE),
    Row("pde.jacobi-naive", "1/s", agent("1/s", "pde --op jacobi --interlines 100 --variant fast"),
        agent("1/s", "pde --op jacobi --interlines 100 --variant naive"), 1.0, COMPUTE, "huge"),
    Row("pde.jacobi-512-naive", "1/s", agent("1/s", "pde --op jacobi --interlines 512 --variant fast"),
        agent("1/s", "pde --op jacobi --interlines 512 --variant naive"), 1.0, COMPUTE, "huge"),

    Row("os.pipe-perf", "s", agent("s", "os --op pipe"), perf("sched pipe", 20_000), 0.95, LATENCY),
    Row("os.system-call-perf", "s", agent("s", "os --op system-call"), perf("syscall basic", 200_000), 0.95, LATENCY),
    Row("os.pipe-bandwidth-dd", "B/s", agent("B/s", "os --op pipe-bandwidth --size 64K"),
        dd("dd if=/dev/zero bs=64k count={count} status=none | dd of=/dev/null bs=64k", 10_000), 1.0, CACHE,
        differs="dd also has every byte from /dev/zero."),
    Row("os.file-reread-dd", "B/s", agent("B/s", "os --op file-reread --file {cached} --size 64M"),
        dd("for i in $(seq {count}); do dd if=\"{cached}\" of=/dev/null bs=64k; done", 10), 1.0, CACHE),
    *(lmbench_row(*words) for words in (
        ("context-switch-2", "context-switch", "lat_ctx -s 0 2"),
        ("context-switch-16-64K", "context-switch --processes 16 --size 64K", "lat_ctx -s 64 16"),
        ("fork", "fork", "lat_proc fork"),
        ("exec", "exec", "lat_proc exec"),
        ("shell", "shell", "lat_proc shell"),
        ("page-fault", "page-fault --mapping file --size 64M --directory {folder}", "lat_pagefault {cached}"),
        ("pipe", "pipe", "lat_pipe"),
        ("unix", "unix", "lat_unix"),
        ("system-call", "system-call", "lat_syscall null"),
        ("read", "system-call --call read", "lat_syscall read"),
        ("write", "system-call --call write", "lat_syscall write"),
        ("signal-install", "signal-install", "lat_sig install"),
        ("signal-catch", "signal-catch", "lat_sig catch"),
        ("select", "select --descriptors 100", f"lat_select -n {100 + LAT_SELECT_LEAVES_OUT} file", 1.0),
        ("select-tcp", "select --descriptors 100 --of tcp", f"lat_select -n {101 + LAT_SELECT_LEAVES_OUT} tcp"),
        ("stat", "system-call --call stat --file {cached}", "lat_syscall stat {cached}"),
        ("fstat", "system-call --call fstat --file {cached}", "lat_syscall fstat {cached}"),
        ("open", "system-call --call open --file {cached}", "lat_syscall open {cached}"),
    )),
    Row("os.pipe-bandwidth-lmbench", "B/s", agent("B/s", "os --op pipe-bandwidth --size 64K", take="median"),
        lmbench("bw_pipe", parsers.lmbench_pipe_bandwidth), 1.0, CACHE),
    Row("os.unix-bandwidth-lmbench", "B/s", agent("B/s", "os --op unix-bandwidth --size 64K", take="median"),
        lmbench("bw_unix", parsers.lmbench_pipe_bandwidth), 1.0, CACHE),
    Row("os.file-reread-lmbench", "B/s",
        agent("B/s", "os --op file-reread --file {cached} --size 64M --sum", take="median"),
        lmbench("bw_file_rd 64m io_only {cached}", parsers.lmbench_bandwidth), 1.0, CACHE),

    # the access specifications of the published studies, one request at a time
    *(disk(operation, size, 1, "psync")
      for size in (4 * KIB, 32 * KIB, 256 * KIB, MIB, 4 * MIB) for operation in ACCESSES),
    # requests in flight
    *(disk(operation, 4 * KIB, depth, engine)
      for engine in ("libaio", "io_uring") for depth in (1, 32) for operation in ("random-read", "random-write")),
    *(disk(operation, 256 * KIB, 32, engine) for engine in ("libaio", "io_uring") for operation in ACCESSES[2:]),
    Row("disk.mixed-67-4K-libaio-32", "IO/s",
        agent("IO/s", "disk --op access --read 67 --random 100 --file {file} --span {span} --size 4096 --depth 32 "
              "--engine libaio"),
        fio("randrw", 4 * KIB, 32, "libaio", "--rwmixread=67 --direct=1 --size={span}"), 0.95, DISK_WRITE),
    Row("disk.sequential-read-64K-buffered", "B/s",
        agent("B/s", "disk --op sequential-read --buffered --file {file} --span 64M --size 65536"),
        fio("read", 64 * KIB, 1, "psync", "--direct=0 --invalidate=0 --size=64m"), 0.95, DISK_READ),
    Row("disk.random-write-4K-sync", "IO/s",
        agent("IO/s", "disk --op random-write --sync each --file {file} --span {span} --size 4096"),
        fio("randwrite", 4 * KIB, 1, "psync", "--sync=dsync --direct=1 --size={span}"), 0.95, DISK_WRITE),

    Row("net.stream-iperf3", "B/s", agent("B/s", STREAM_TO, serve_on="{other}"), iperf3("128K"), 1.0, NETWORK),
    Row("net.stream-netperf", "B/s", agent("B/s", STREAM_TO, serve_on="{other}"),
        netperf("-t TCP_STREAM -- -m 131072,", 1e6 / 8, "{other}"), 1.0, NETWORK),
    Row("net.request-response-qperf", "1/s", agent("1/s", ROUND_TRIPS_TO, serve_on="{cpu}"),
        qperf("tcp_lat", 1), 0.95, NETWORK),
    Row("net.request-response-netperf", "1/s", agent("1/s", ROUND_TRIPS_TO, serve_on="{cpu}"),
        netperf("-t TCP_RR", 1.0, "{cpu}"), 0.95, NETWORK),
    Row("net.connect-netperf", "1/s", agent("1/s", "net --op connect --peer 127.0.0.1:{port}", serve_on="{cpu}"),
        netperf("-t TCP_CRR", 1.0, "{cpu}"), 0.95, NETWORK),
    Row("net.udp-stream-netperf", "B/s",
        agent("B/s", "net --op udp-stream --peer 127.0.0.1:{port} --size 1472", serve_on="{other}"),
        netperf_udp(1472, "{other}"), 1.0, NETWORK),
    Row("net.udp-request-response-qperf", "1/s", agent("1/s", DATAGRAMS_TO, serve_on="{cpu}"),
        qperf("udp_lat", 16), 0.95, NETWORK),
    Row("net.udp-request-response-netperf", "1/s", agent("1/s", DATAGRAMS_TO, serve_on="{cpu}"),
        netperf("-t UDP_RR -- -r 16,16", 1.0, "{cpu}"), 0.95, NETWORK),
)
# fmt: on
