"""Pure: what a tool printed becomes one figure, in SI units and counted as the agent counts.

Each takes the whole text and raises ValueError where it does not hold what the tool prints when all went well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

Parser = Callable[[str], float]


def number(pattern: str, factor: float = 1.0) -> Parser:
    """The number that the pattern's only group finds, times a factor to SI units. It must be there exactly once."""

    def parse(text: str) -> float:
        found = re.findall(pattern, text, re.MULTILINE)
        if len(found) != 1:
            raise ValueError(f"{pattern!r} is {len(found)} times in what it printed")
        return float(found[0]) * factor

    return parse


def inverse(parse: Parser, numerator: float = 1.0) -> Parser:
    """The numerator divided by what another parser finds."""
    return lambda text: numerator / parse(text)


def agent_figure(unit: str, take: str = "total") -> Parser:
    """Of `virtometer-agent measure --json`: work by time over all samples, as most tools average (`total`), or the
    median or best sample for tools that tell that. Refuses another unit than the row's, and what was not checked."""

    def parse(text: str) -> float:
        told = json.loads(text)
        if told["unit"] != unit or told["check"]["passed"] is not True:
            raise ValueError(f"the agent told {told['unit']}, checked: {told['check']['passed']}; wanted was {unit}")
        if take == "median":
            return float(told["value"])
        if take in told.get("measures", {}):
            return float(told["measures"][take]["value"])
        spans = [(sample["work"], (sample["end_ns"] - sample["start_ns"]) * 1e-9) for sample in told["samples"]]
        if take == "best":
            spans = [min(spans, key=lambda span: span[1] / span[0])]
        work, seconds = float(sum(span[0] for span in spans)), float(sum(span[1] for span in spans))
        return seconds / work if unit == "s" else work / seconds

    return parse


def agent_conditions(text: str) -> str:
    """Of `virtometer-agent measure --json`: the vectors and pages that the agent chose, where it reports them."""
    conditions = json.loads(text).get("conditions", {})
    words = [conditions[name] for name in ("simd", "store") if name in conditions]
    words += [f"huge pages {conditions[name]}" for name in ("huge_pages",) if name in conditions]
    return ", ".join(words)


def likwid(working_set: int) -> Parser:
    """likwid-bench, B/s: MByte/s in decimal megabytes, elements as its table of streams counts them. Refuses a run in
    which the arrays of one thread are not `working_set` bytes; likwid rounds them to whole turns of its loop."""

    def parse(text: str) -> float:
        found = number(r"^Size per thread:\s+(\d+)$")(text)
        if not 0.98 * working_set <= found <= working_set:
            raise ValueError(f"a thread of likwid-bench had {found:.0f} bytes, wanted were {working_set}")
        return number(r"^MByte/s:\s+([\d.]+)$", 1e6)(text)

    return parse


def likwid_in_use(text: str) -> str:
    """likwid-bench, the threads and the bytes that each of them had."""
    threads, size = number(r"^Using (\d+) threads$")(text), number(r"^Size per thread:\s+(\d+)$")(text)
    return f"{threads:.0f} x {size:.0f} B"


def sysbench_memory(text: str) -> float:
    """sysbench memory, B/s; it prints binary MiB."""
    return number(r"MiB transferred \(([\d.]+) MiB/sec\)", 2**20)(text)


def perf_operation(text: str) -> float:
    """perf bench, s for one operation: a call of getppid, or a message of `sched pipe` there and back."""
    return number(r"([\d.]+) usecs/op", 1e-6)(text)


def dd(text: str) -> float:
    """dd of coreutils, B/s of all its calls in total, from bytes and seconds: the rate that it prints is rounded."""
    return sum(float(copied) for copied in re.findall(r"^(\d+) bytes", text, re.MULTILINE)) / dd_time(text)


def dd_time(text: str) -> float:
    """dd of coreutils, s of all its calls in total."""
    spent = [float(seconds) for seconds in re.findall(r"copied, ([\d.e-]+) s,", text)]
    if not spent:
        raise ValueError("dd has copied nothing")
    return sum(spent)


def fio(direction: str, figure: str) -> Parser:
    """fio --output-format=json with one job: `bw_bytes` (B/s) or `iops` (IO/s) of its `read` or `write` part, or with
    `rw` of both in total, which ran at the same time."""
    parts = {"rw": ("read", "write")}.get(direction, (direction,))

    def parse(text: str) -> float:
        # Warnings may stand before the JSON object.
        (job,) = json.loads(text[text.index("{") :])["jobs"]
        requests = [job[part]["total_ios"] for part in parts]
        if job["error"] != 0 or 0 in requests:
            raise ValueError(f"fio says error {job['error']} after {requests} requests")
        return float(sum(job[part][figure] for part in parts))

    return parse


def iperf3(text: str) -> float:
    """iperf3 -J, B/s that arrived."""
    told: dict[str, Any] = json.loads(text)
    if "error" in told:
        raise ValueError(told["error"])
    return float(told["end"]["sum_received"]["bits_per_second"]) / 8


def qperf_round_trips(text: str) -> float:
    """qperf -uu tcp_lat and udp_lat, round trips per second. The latency is half of a round trip, in ns with -uu."""
    return inverse(number(r"latency\s+=\s+([\d.]+) ns"), 0.5e9)(text)


def figure(text: str) -> float:
    """The runner of bench/anchors/dgesv.py: one JSON object with a `figure`."""
    return float(json.loads(text)["figure"])


def library_in_use(text: str) -> str:
    """The runner of bench/anchors/dgesv.py: the library, its core and its threads; empty where it names none."""
    return str(json.loads(text).get("library", ""))


def multichase(text: str) -> float:
    """multichase with one thread, s for one load: nothing but nanoseconds."""
    return number(r"^\s*([\d.]+)\s*$", 1e-9)(text)


def lmbench_bandwidth(text: str) -> float:
    """bw_mem and bw_file_rd, B/s: decimal megabytes, then megabytes per second."""
    return number(r"^[\d.]+ ([\d.]+)$", 1e6)(text)


def lmbench_context_switch(text: str) -> float:
    """lat_ctx, s for one switch, with the cost of the pipe and of summing already subtracted."""
    return number(r"^\d+ ([\d.]+)$", 1e-6)(text)


def lmbench_latency(text: str) -> float:
    """lat_proc, lat_syscall, lat_pagefault, lat_pipe and their like, s for one operation."""
    return number(r": ([\d.]+) microseconds$", 1e-6)(text)


def lmbench_pipe_bandwidth(text: str) -> float:
    """bw_pipe and bw_unix, B/s; they print decimal megabytes."""
    return number(r"^(?:Pipe|AF_UNIX sock stream) bandwidth: ([\d.]+) MB/sec$", 1e6)(text)


def stream(kernel: str) -> Parser:
    """STREAM, B/s: the best rate of one kernel (Copy, Scale, Add, Triad), decimal megabytes."""
    return number(rf"^{kernel}:\s+([\d.]+)\s", 1e6)


def ramspeed_mark(block_kb: int) -> Parser:
    """RAMspeed's INTmark and FLOATmark, B/s for one block size; decimal megabytes."""
    return number(rf"(?:READING|WRITING)\s+{block_kb} Kb block: ([\d.]+) MB/s", 1e6)


def ramspeed_memory(operation: str) -> Parser:
    """RAMspeed's INTmem and FLOATmem, B/s of Copy, Scale, Add or Triad; decimal megabytes."""
    return number(rf"{operation}:\s+([\d.]+) MB/s", 1e6)


def linpackc(text: str) -> float:
    """The classic C program, FLOP/s of its last and longest pass, in which rolled and unrolled are averaged."""
    rows = re.findall(r"^\s*\d+\s+[\d.]+\s+[\d.]+%\s+[\d.]+%\s+[\d.]+%\s+([\d.]+)$", text, re.MULTILINE)
    if not rows:
        raise ValueError("no pass has ended")
    return float(rows[-1]) * 1e3


def partdiff(points: int) -> Parser:
    """partdiff, updates of its inner points per second; it prints in English or German."""
    iterations = number(r"^(?:Number of iterations|Anzahl Iterationen):\s+(\d+)$")
    return lambda text: iterations(text) * points / partdiff_time(text)


def partdiff_time(text: str) -> float:
    """partdiff, s for all iterations."""
    return number(r"^(?:Calculation time|Berechnungszeit):\s+([\d.]+) s")(text)


def netperf(factor: float) -> Parser:
    """netperf -P 0, in SI units by `factor`: TCP_STREAM prints 10^6 bit/s, TCP_RR transactions per second."""

    def parse(text: str) -> float:
        rows = [line.split() for line in text.splitlines() if len(line.split()) > 4]
        if len(rows) != 1:
            raise ValueError(f"{len(rows)} lines hold results")
        return float(rows[0][-1]) * factor

    return parse


def netperf_udp(text: str) -> float:
    """netperf -P 0 -t UDP_STREAM, B/s that arrived: the last of four numbers, in the line after the sender's six."""
    rows = [line.split() for line in text.splitlines() if len(line.split()) == 4]
    if len(rows) != 1:
        raise ValueError(f"{len(rows)} lines tell what has arrived")
    return float(rows[0][-1]) * 1e6 / 8
