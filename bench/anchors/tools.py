"""How the agent and its anchors are called, and how each tool counts. What is no argument is the same for all rows."""

from __future__ import annotations

from dataclasses import replace

from bench.anchors import parsers
from bench.anchors.dgesv import CORE, LIBRARIES
from bench.anchors.program import CPUS, Program

KIB, MIB = 2**10, 2**20
_CPUS = (f"{CPUS}cpu0", f"{CPUS}cpu1")


def agent(unit: str, measure: str, *, take: str = "total", cpus: str = "{cpu}", serve_on: str = "") -> Program:
    """A measurement of the agent, which pins itself; `serve_on` is where the other end of the network runs, if any."""
    return Program(
        file="{agent}",
        arguments=f"measure {measure} --cpus {cpus} --seconds {{seconds}} --json",
        parse=parsers.agent_figure(unit, take),
        cpus="",
        server="{agent} serve net --listen 127.0.0.1:{port}" if serve_on else "",
        server_cpus=serve_on,
        in_use=parsers.agent_conditions,
    )


def likwid(test: str, kilobytes: int, *, threads: int = 1) -> Program:
    """likwid-bench over streams of so many decimal kilobytes in all, which the threads share: its -w is their total, as
    the agent's size of an array is. It counts 24 B an element of `stream` (STREAM's triad), 16 B of `copy` and
    `update`, 8 B of `load` and `store`; it pins itself, and needs a second to find its clock's rate."""
    return Program(
        file="likwid-bench",
        arguments=f"-t {test} -w N:{kilobytes}kB:{threads} -i {{count}}",
        parse=parsers.likwid(1000 * kilobytes // threads),
        in_use=parsers.likwid_in_use,
        package="likwid",
        cpus="",
        needs=_CPUS[1:threads],
        count=max(10, 3_000_000 // kilobytes),
        took=parsers.number(r"^Time:\s+([\d.e+-]+) sec$"),
        overhead_s=1.1,
    )


def sysbench_read(megabytes: int) -> Program:
    """sysbench memory, reading one block again and again."""
    return Program(
        file="sysbench",
        arguments=f"memory --memory-block-size={megabytes}M --memory-total-size=100T --memory-oper=read --threads=1 "
        "--time={whole} run",
        parse=parsers.sysbench_memory,
        package="sysbench",
    )


def stream(kernel: str) -> Program:
    """STREAM, with the arrays that it was built with. docs/kernels/other-tools.md has the way to the agent's size."""
    return Program(file="stream", arguments="", parse=parsers.stream(kernel), overhead_s=0.5)


def ramspeed(benchmark: int, megabytes: int, parse: parsers.Parser) -> Program:
    """RAMspeed, 8 GB a pass: with one, it times the first touch of the pages."""
    arguments = f"-b {benchmark} -g 8 -m {megabytes}"
    return Program(file="ramspeed", arguments=arguments, parse=parse, overhead_s=2.0)


def dgesv(kind: str, order: int, *, threads: int = 1) -> Program:
    """LAPACK's dgesv: the same system of equations, and nothing but dgesv in the time. OpenBLAS is told the core that
    fits this processor, because it does not know every processor, and takes kernels of an older one then."""
    return Program(
        file="{python}",
        arguments=f"-m bench.anchors.dgesv {kind} {order} {{seconds}}",
        parse=parsers.figure,
        package={"reference": "liblapack3 and libblas3", "openblas": "libopenblas0-pthread"}.get(kind, ""),
        cpus="{cpu}" if threads == 1 else "{cpu},{other}",
        needs=(*LIBRARIES[kind], *_CPUS[1:threads]),
        environment=(("OPENBLAS_NUM_THREADS", f"{threads}"), *((("OPENBLAS_CORETYPE", CORE),) if CORE else ())),
        in_use=parsers.library_in_use,
        overhead_s=0.5 + 2e-13 * order**3,
    )


def multichase(size: int, stride: int, locality: int) -> Program:
    """multichase: loads, each from the address that the one before it loaded, in an order that is random within each
    `locality` bytes and takes these at random. It tells the mean (-a) of samples of half a second."""
    return Program(
        file="multichase",
        arguments=f"-a -m {size} -s {stride} -T {locality} -n {{halves}}",
        parse=parsers.multichase,
        overhead_s=0.5,
    )


def linpackc(order: int) -> Program:
    """The classic C program, which solves systems of half the order that it asks for. It goes on for ten seconds."""
    return Program(
        file="linpackc",
        before="stdbuf -oL",
        arguments="",
        parse=parsers.linpackc,
        input=f"{2 * order}\nq\n",
        stop=True,
        overhead_s=4.0,
    )


def partdiff(interlines: int) -> Program:
    """partdiff-seq, Gauss-Seidel without disturbance; updates of inner points of 8 * interlines + 9 a side."""
    return Program(
        file="partdiff-seq",
        arguments=f"1 1 {interlines} 1 2 {{count}}",
        parse=parsers.partdiff((8 * interlines + 7) ** 2),
        count=10,
        took=parsers.partdiff_time,
    )


def perf(benchmark: str, count: int) -> Program:
    """perf bench."""
    return Program(
        file="perf",
        arguments=f"bench {benchmark} -l {{count}}",
        parse=parsers.perf_operation,
        package="linux-perf",
        count=count,
        took=parsers.number(r"Total time: ([\d.]+) \[sec\]"),
    )


def dd(script: str, count: int) -> Program:
    """dd, as a floor: what a loop of read and write without any care reaches."""
    return Program(
        file="sh",
        arguments=f"-c '{script}'",
        parse=parsers.dd,
        package="coreutils",
        count=count,
        took=parsers.dd_time,
    )


def lmbench(arguments: str, parse: parsers.Parser, *, needs: tuple[str, ...] = ()) -> Program:
    """A program of lmbench: three repetitions instead of eleven, each of 0.1 s, as its variable ENOUGH says in us
    (where the clock is virtual it can choose ten seconds)."""
    file, _, rest = arguments.partition(" ")
    environment = (("ENOUGH", "100000"),)
    return Program(
        file=file, arguments=f"-N 3 {rest}", parse=parse, needs=needs, overhead_s=2.5, environment=environment
    )


def fio(pattern: str, size: int, depth: int, engine: str, more: str = "--direct=1 --size={span}") -> Program:
    """fio with the agent's access specification, on the agent's file: reading in the same half, writing in the second
    half, because the agent refuses to write over what is not its pattern. `pattern` is fio's own name."""
    direction = pattern.removeprefix("rand")
    return Program(
        file="fio",
        arguments=f"--name=anchor --filename={{file}} --rw={pattern} --bs={size} --iodepth={depth} --ioengine={engine} "
        f"{more} "
        + ("" if direction == "read" else "--offset={span} ")
        + "--time_based --runtime={ms}ms --norandommap --randrepeat=0 --output-format=json",
        parse=parsers.fio(direction, "iops" if pattern.startswith("rand") else "bw_bytes"),
        package="fio",
        overhead_s=0.4,
    )


def iperf3(message: str) -> Program:
    """iperf3, one connection; its server ends after one test."""
    return Program(
        file="iperf3",
        arguments=f"-c 127.0.0.1 -p {{port}} -t {{whole}} -l {message} -J",
        parse=parsers.iperf3,
        package="iperf3",
        server="iperf3 -s -1 -p {port}",
        server_cpus="{other}",
    )


def qperf(test: str, size: int) -> Program:
    """qperf tcp_lat or udp_lat, so many bytes each way, both ends on one processor."""
    return Program(
        file="qperf",
        arguments=f"-lp {{port}} -t {{whole}} -m {size} -uu --precision 6 127.0.0.1 {test}",
        parse=parsers.qperf_round_trips,
        package="qperf",
        server="qperf -lp {port}",
    )


def netperf(arguments: str, factor: float, serve_on: str) -> Program:
    """netperf, with a factor from what it prints to SI units."""
    return Program(
        file="netperf",
        arguments=f"-P 0 -H 127.0.0.1 -p {{port}} -l {{whole}} {arguments}",
        parse=parsers.netperf(factor),
        server="netserver -D -L 127.0.0.1 -p {port}",
        server_cpus=serve_on,
    )


def netperf_udp(message: int, serve_on: str) -> Program:
    """netperf UDP_STREAM, what arrives of datagrams of so many bytes."""
    told = netperf(f"-t UDP_STREAM -- -m {message}", 1e6 / 8, serve_on)
    return replace(told, parse=parsers.netperf_udp)
