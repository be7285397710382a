"""The rows of `make bench`: each kernel of the agent, its anchor, and how much of the anchor's figure it must reach.

A row is one line of data. The anchors and the agent's measurements that several rows need are made by the functions
above the table, which also say how the tool counts. Demands are for the ratio agent / anchor, for times anchor /
agent.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.anchors import parsers
from bench.anchors.dgesv import LIBRARIES
from bench.anchors.program import Program

KIB, MIB = 2**10, 2**20


@dataclass(frozen=True, slots=True)
class Noise:
    """How steady a kind of work is: the A/A ratio that is tolerated, and the pairs that are needed for a verdict."""

    name: str
    tolerance: float
    pairs: int


COMPUTE = Noise("compute", 0.03, 11)
CACHE = Noise("cache", 0.10, 11)
DRAM = Noise("DRAM", 0.05, 11)
THREADS = Noise("two threads", 0.15, 21)
LATENCY = Noise("pinned latency", 0.05, 11)
DISK_READ = Noise("disk", 0.15, 21)
DISK_WRITE = Noise("disk, writing", 0.20, 21)
NETWORK = Noise("network", 0.10, 21)


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison. `unit` is that of both figures; `s` means that lower is better."""

    name: str  # its group, a full stop, what it is
    title: str
    unit: str
    agent: Program
    anchor: Program
    demand: float
    noise: Noise

    @property
    def group(self) -> str:
        """What rows of one kernel have in common."""
        return self.name.partition(".")[0]


def agent(
    unit: str, measure: str, *, pages: str = "", take: str = "total", cpus: str = "{cpu}", serve_on: str = ""
) -> Program:
    """A measurement of the agent, which pins itself; `serve_on` is where the other end of the network runs, if any."""
    return Program(
        file="{agent}",
        arguments=f"measure {measure} --cpus {cpus} --seconds {{seconds}} --json",
        parse=parsers.agent_figure(unit, take),
        cpus="",
        server="{agent} serve net --listen 127.0.0.1:{port}" if serve_on else "",
        server_cpus=serve_on,
        pages=pages,
    )


def likwid(test: str, kilobytes: int, *, pages: str = "", threads: int = 1, count: int = 10) -> Program:
    """likwid-bench over streams of so many decimal kilobytes in all. It counts 24 B an element of `stream` (STREAM's
    triad), 16 B of `copy`, 8 B of `load` and `store`; it pins itself, and needs a second to find its clock's rate."""
    return Program(
        file="likwid-bench",
        arguments=f"-t {test} -w N:{kilobytes}kB:{threads} -i {{count}}",
        parse=parsers.likwid,
        package="likwid",
        cpus="",
        count=count,
        took=parsers.number(r"^Time:\s+([\d.e+-]+) sec$"),
        pages=pages,
        overhead_s=1.1,
    )


def dgesv(kind: str, order: int) -> Program:
    """LAPACK's dgesv by one thread: the same system of equations, and nothing but dgesv in the time."""
    return Program(
        file="{python}",
        arguments=f"-m bench.anchors.dgesv {kind} {order} {{seconds}}",
        parse=parsers.figure,
        package={"reference": "liblapack3 and libblas3", "openblas": "libopenblas0-pthread"}[kind],
        needs=LIBRARIES[kind],
        overhead_s=0.5,
    )


def sysbench_read(megabytes: int, pages: str) -> Program:
    """sysbench memory, reading one block again and again."""
    return Program(
        file="sysbench",
        arguments=f"memory --memory-block-size={megabytes}M --memory-total-size=100T --memory-oper=read --threads=1 "
        "--time={whole} run",
        parse=parsers.sysbench_memory,
        package="sysbench",
        pages=pages,
    )


def perf(benchmark: str, parse: parsers.Parser, count: int) -> Program:
    """perf bench."""
    return Program(
        file="perf",
        arguments=f"bench {benchmark} -l {{count}}",
        parse=parse,
        package="linux-perf",
        count=count,
        took=parsers.number(r"Total time: ([\d.]+) \[sec\]"),
    )


def fio(operation: str, size: int, depth: int, engine: str) -> Program:
    """fio with the agent's access specification, on the agent's file: reading in the same half, writing in the second
    half, because the agent refuses to write over what is not its pattern."""
    direction = "write" if "write" in operation else "read"
    pattern = f"rand{direction}" if operation.startswith("random") else direction
    figure = "iops" if operation.startswith("random") else "bw_bytes"
    return Program(
        file="fio",
        arguments=f"--name=anchor --filename={{file}} --rw={pattern} --bs={size} --iodepth={depth} --ioengine={engine} "
        "--direct=1 --size={span} "
        + ("--offset={span} " if direction == "write" else "")
        + "--time_based --runtime={ms}ms --norandommap --randrepeat=0 --output-format=json",
        parse=parsers.fio(direction, figure),
        package="fio",
        overhead_s=0.4,
    )


def lmbench(arguments: str, parse: parsers.Parser, *, pages: str = "") -> Program:
    """A program of lmbench: its own choice of how long, three repetitions instead of eleven."""
    file, _, rest = arguments.partition(" ")
    return Program(file=file, arguments=f"-N 3 {rest}", parse=parse, pages=pages, overhead_s=3.0)


def disk(operation: str, size: int, depth: int, engine: str, demand: float = 0.95) -> Row:
    """An access specification, beside fio with the same one."""
    unit = "IO/s" if operation.startswith("random") else "B/s"
    named = f"{size // MIB}M" if size >= MIB else f"{size // KIB}K"
    measure = f"disk --op {operation} --file {{file}} --span {{span}} --size {size} --depth {depth} --engine {engine}"
    return Row(
        f"disk.{operation}-{named}-{engine}-{depth}",
        f"disk {operation} {named}, {engine}, depth {depth}",
        unit,
        agent(unit, f"{measure} --direct"),
        fio(operation, size, depth, engine),
        demand,
        DISK_WRITE if "write" in operation else DISK_READ,
    )


ROWS: tuple[Row, ...] = (
    Row(
        "memory.triad-likwid",
        "triad 3 x 128 MB, small pages, likwid stream_mem_avx_fma",
        "B/s",
        agent("B/s", "memory --op triad --size 128000000", pages="small"),
        likwid("stream_mem_avx_fma", 384_000, pages="small"),
        0.97,
        DRAM,
    ),
    Row(
        "memory.triad-best-likwid",
        "triad 3 x 128 MB, huge pages, likwid stream_mem_avx_fma as it comes",
        "B/s",
        agent("B/s", "memory --op triad --size 128000000"),
        likwid("stream_mem_avx_fma", 384_000, pages="small"),
        1.10,
        DRAM,
    ),
    Row(
        "memory.copy-likwid",
        "copy 2 x 128 MB, small pages, likwid copy_mem_avx",
        "B/s",
        agent("B/s", "memory --op copy --size 128000000", pages="small"),
        likwid("copy_mem_avx", 256_000, pages="small"),
        0.97,
        DRAM,
    ),
    Row(
        "memory.read-best-likwid",
        "read 128 MB, huge pages, likwid load_avx as it comes",
        "B/s",
        agent("B/s", "memory --op read --size 128000000"),
        likwid("load_avx", 128_000, pages="small"),
        1.15,
        DRAM,
    ),
    Row(
        "memory.read-best-sysbench",
        "read 128 MiB, huge pages, sysbench memory as it comes",
        "B/s",
        agent("B/s", "memory --op read --size 128M"),
        sysbench_read(128, "small"),
        1.15,
        DRAM,
    ),
    Row(
        "memory.read-lmbench",
        "read 128 MiB, huge pages, bw_mem frd as it comes",
        "B/s",
        agent("B/s", "memory --op read --size 128M"),
        lmbench("bw_mem 128m frd", parsers.lmbench_bandwidth, pages="small"),
        1.0,
        DRAM,
    ),
    Row(
        "linpack.classic-500",
        "linpack classic n = 500, reference LAPACK dgesv",
        "FLOP/s",
        agent("FLOP/s", "linpack --op classic --size 500"),
        dgesv("reference", 500),
        2.0,
        COMPUTE,
    ),
    Row(
        "linpack.classic-1000",
        "linpack classic n = 1000, reference LAPACK dgesv",
        "FLOP/s",
        agent("FLOP/s", "linpack --op classic --size 1000"),
        dgesv("reference", 1000),
        2.0,
        COMPUTE,
    ),
    Row(
        "os.pipe-perf",
        "pipe round trip, perf bench sched pipe",
        "s",
        agent("s", "os --op pipe"),
        perf("sched pipe", parsers.perf_operation, 20_000),
        0.95,
        LATENCY,
    ),
    Row(
        "os.system-call-perf",
        "null system call, perf bench syscall basic",
        "s",
        agent("s", "os --op system-call"),
        perf("syscall basic", parsers.perf_operation, 200_000),
        0.95,
        LATENCY,
    ),
    Row(
        "os.pipe-lmbench",
        "pipe round trip, lat_pipe",
        "s",
        agent("s", "os --op pipe", take="median"),
        lmbench("lat_pipe", parsers.lmbench_latency),
        0.95,
        LATENCY,
    ),
    Row(
        "os.system-call-lmbench",
        "null system call, lat_syscall null",
        "s",
        agent("s", "os --op system-call", take="median"),
        lmbench("lat_syscall null", parsers.lmbench_latency),
        0.95,
        LATENCY,
    ),
    Row(
        "os.fork-lmbench",
        "fork, lat_proc fork",
        "s",
        agent("s", "os --op fork", take="median"),
        lmbench("lat_proc fork", parsers.lmbench_latency),
        0.95,
        LATENCY,
    ),
    Row(
        "os.exec-lmbench",
        "exec, lat_proc exec",
        "s",
        agent("s", "os --op exec", take="median"),
        lmbench("lat_proc exec", parsers.lmbench_latency),
        0.95,
        LATENCY,
    ),
    disk("random-read", 4 * KIB, 1, "psync"),
    disk("random-write", 4 * KIB, 1, "psync"),
    disk("sequential-read", 256 * KIB, 1, "psync"),
    disk("sequential-write", 256 * KIB, 1, "psync"),
    Row(
        "net.stream-iperf3",
        "TCP stream, messages of 128 KiB, iperf3",
        "B/s",
        agent("B/s", "net --op stream --peer 127.0.0.1:{port} --size 128K", serve_on="{other}"),
        Program(
            file="iperf3",
            arguments="-c 127.0.0.1 -p {port} -t {whole} -l 128K -J",
            parse=parsers.iperf3,
            package="iperf3",
            server="iperf3 -s -1 -p {port}",
            server_cpus="{other}",
        ),
        1.0,
        NETWORK,
    ),
    Row(
        "net.stream-netperf",
        "TCP stream, messages of 128 KiB, netperf TCP_STREAM",
        "B/s",
        agent("B/s", "net --op stream --peer 127.0.0.1:{port} --size 128K", serve_on="{other}"),
        Program(
            file="netperf",
            arguments="-P 0 -H 127.0.0.1 -p {port} -l {whole} -t TCP_STREAM -- -m 128K,",
            parse=parsers.netperf(1e6 / 8),
            server="netserver -D -L 127.0.0.1 -p {port}",
            server_cpus="{other}",
        ),
        1.0,
        NETWORK,
    ),
    Row(
        "net.request-response-qperf",
        "TCP round trip of 1 byte, qperf tcp_lat",
        "1/s",
        agent("1/s", "net --op request-response --peer 127.0.0.1:{port}", serve_on="{cpu}"),
        Program(
            file="qperf",
            arguments="-lp {port} -t {whole} -uu --precision 6 127.0.0.1 tcp_lat",
            parse=parsers.qperf_round_trips,
            package="qperf",
            server="qperf -lp {port}",
        ),
        0.95,
        NETWORK,
    ),
    Row(
        "net.request-response-netperf",
        "TCP round trip of 1 byte, netperf TCP_RR",
        "1/s",
        agent("1/s", "net --op request-response --peer 127.0.0.1:{port}", serve_on="{cpu}"),
        Program(
            file="netperf",
            arguments="-P 0 -H 127.0.0.1 -p {port} -l {whole} -t TCP_RR",
            parse=parsers.netperf(1.0),
            server="netserver -D -L 127.0.0.1 -p {port}",
        ),
        0.95,
        NETWORK,
    ),
)
