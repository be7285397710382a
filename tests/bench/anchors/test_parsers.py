"""Each parser reads what the real tool printed (tests/bench/anchors/captured), and refuses what is not that.

likwid 5.2.2, sysbench 1.0.20, perf 6.1, coreutils 9.1, fio 3.33, iperf 3.12 and qperf 0.4.11 are Debian's; lmbench
3.0-a9, netperf 2.7.1, STREAM 5.10, RAMspeed 2.6.0, multichase (a1ffd89) and partdiff were built from their sources.
`linpackc` alone is not captured: its test is written from the format that its source prints.
"""

import json
from pathlib import Path

import pytest

from bench.anchors import parsers

CAPTURED = Path(__file__).parent / "captured"
AGENT = {
    "unit": "B/s",
    "value": 3e9,
    "check": {"passed": True},
    "samples": [
        {"start_ns": 0, "end_ns": 1_000_000_000, "work": 3_000_000_000},
        {"start_ns": 2_000_000_000, "end_ns": 2_500_000_000, "work": 3_000_000_000},
        {"start_ns": 3_000_000_000, "end_ns": 5_000_000_000, "work": 3_000_000_000},
    ],
}


@pytest.mark.parametrize(
    ("parse", "file", "figure"),
    [
        (parsers.likwid(384_000_000), "likwid-stream.txt", 24316.12e6),
        (parsers.likwid(384_000_000), "likwid-two-threads.txt", 7949.22e6),
        (parsers.sysbench_memory, "sysbench-memory.txt", 13748.12 * 2**20),
        (parsers.perf_operation, "perf-pipe.txt", 3.2546e-6),
        (parsers.perf_operation, "perf-syscall.txt", 100.865e-9),
        (parsers.dd, "dd.txt", 6553600000 / 0.106474),
        (parsers.fio("read", "iops"), "fio-randread.json", 95332.236842),
        (parsers.fio("write", "bw_bytes"), "fio-write.json", 2049251933),
        (parsers.fio("rw", "iops"), "fio-randrw.json", 71815.920398 + 34542.288557),
        (parsers.iperf3, "iperf3.json", 21630825030.498173 / 8),
        (parsers.qperf_round_trips, "qperf-tcp-lat.txt", 1 / (2 * 6627.82e-9)),
        (parsers.qperf_round_trips, "qperf-udp-lat.txt", 1 / (2 * 8971.83e-9)),
        (parsers.multichase, "multichase.txt", 380.6e-9),
        (parsers.netperf(1e6 / 8), "netperf-stream.txt", 17862.32e6 / 8),
        (parsers.netperf(1.0), "netperf-rr.txt", 71658.18),
        (parsers.stream("Triad"), "stream.txt", 20117.3e6),
        (parsers.ramspeed_mark(16), "ramspeed-intmark-reading.txt", 65294.39e6),
        (parsers.ramspeed_memory("Triad"), "ramspeed-floatmem.txt", 36399.83e6),
        (parsers.partdiff_time, "partdiff.txt", 0.301833),
        (parsers.partdiff(807**2), "partdiff.txt", 50 * 807**2 / 0.301833),
        (parsers.lmbench_bandwidth, "lmbench-bw-mem.txt", 7088.84e6),
        (parsers.lmbench_bandwidth, "lmbench-bw-file-rd.txt", 6530.72e6),
        (parsers.lmbench_pipe_bandwidth, "lmbench-bw-pipe.txt", 5969.50e6),
        (parsers.lmbench_context_switch, "lmbench-lat-ctx.txt", 1.37e-6),
        (parsers.lmbench_latency, "lmbench-lat-pagefault.txt", 0.2294e-6),
        (parsers.lmbench_latency, "lmbench-lat-pipe.txt", 4.6654e-6),
        (parsers.lmbench_latency, "lmbench-lat-proc-exec.txt", 160.9764e-6),
        (parsers.lmbench_latency, "lmbench-lat-proc-fork.txt", 180.3832e-6),
        (parsers.lmbench_latency, "lmbench-lat-proc-procedure.txt", 0.0011e-6),
        (parsers.lmbench_latency, "lmbench-lat-syscall-null.txt", 0.0818e-6),
    ],
)
def test_a_figure_is_read(parse: parsers.Parser, file: str, figure: float) -> None:
    assert parse((CAPTURED / file).read_text()) == pytest.approx(figure)


# written from the formats that netperf's and lmbench's sources print
UDP = "212992    1472   1.00       94310      0    1110.53\n212992           1.00       93544           1101.51\n"


def test_of_datagrams_what_has_arrived_counts() -> None:
    assert parsers.netperf_udp(UDP) == pytest.approx(1101.51e6 / 8)
    with pytest.raises(ValueError):
        parsers.netperf_udp(UDP.splitlines()[0])


def test_lmbench_names_both_kinds_of_bandwidth() -> None:
    assert parsers.lmbench_pipe_bandwidth("AF_UNIX sock stream bandwidth: 8123.45 MB/sec\n") == 8123.45e6


LINPACKC = """\
Enter array size (q to quit) [200]:  Memory required:  7824K.


LINPACK benchmark, Double precision.
Machine precision:  15 digits.
Array size 1000 X 1000.
Average rolled and unrolled performance:

    Reps Time(s) DGEFA   DGESL  OVERHEAD    KFLOPS
----------------------------------------------------
      16   0.56  93.80%   1.00%   5.20%  5052327.111
      32   1.12  93.71%   1.01%   5.28%  5058123.250
"""


def test_linpackc_tells_its_last_pass() -> None:
    assert parsers.linpackc(LINPACKC) == pytest.approx(5058123.25e3)
    with pytest.raises(ValueError, match="no pass"):
        parsers.linpackc(LINPACKC[: LINPACKC.index("      16")])


@pytest.mark.parametrize(
    ("parse", "file"),
    [
        (parsers.likwid(384_000_000), "stream.txt"),
        (parsers.likwid(192_000_000), "likwid-two-threads.txt"),
        (parsers.likwid(768_000_000), "likwid-two-threads.txt"),
        (parsers.multichase, "stream.txt"),
        (parsers.stream("Triad"), "likwid-stream.txt"),
        (parsers.iperf3, "iperf3-refused.json"),
        (parsers.fio("read", "iops"), "fio-write.json"),
        (parsers.fio("rw", "iops"), "fio-write.json"),
        (parsers.ramspeed_mark(64 * 1024), "ramspeed-intmark-reading.txt"),
        (parsers.netperf(1.0), "dd.txt"),
        (parsers.figure, "dd.txt"),
    ],
)
def test_what_is_no_figure_is_refused(parse: parsers.Parser, file: str) -> None:
    with pytest.raises(ValueError):
        parse((CAPTURED / file).read_text())


@pytest.mark.parametrize(("take", "figure"), [("total", 9e9 / 3.5), ("median", 3e9), ("best", 6e9)])
def test_the_agent_s_figure_is_taken_as_the_anchor_takes_its_own(take: str, figure: float) -> None:
    assert parsers.agent_figure("B/s", take)(json.dumps(AGENT)) == pytest.approx(figure)


@pytest.mark.parametrize(
    ("file", "in_use"), [("likwid-stream.txt", "1 x 384000000 B"), ("likwid-two-threads.txt", "2 x 384000000 B")]
)
def test_likwid_s_threads_and_their_bytes_are_read(file: str, in_use: str) -> None:
    assert parsers.likwid_in_use((CAPTURED / file).read_text()) == in_use


def test_what_the_agent_chose_is_read() -> None:
    chosen = {**AGENT, "conditions": {"huge_pages": "no", "pinned": "yes", "simd": "avx", "store": "non-temporal"}}
    assert parsers.agent_conditions(json.dumps(chosen)) == "avx, non-temporal, huge pages no"
    assert parsers.agent_conditions(json.dumps(AGENT)) == ""


def test_the_library_of_a_solver_is_read() -> None:
    assert parsers.library_in_use('{"figure": 1, "library": "OpenBLAS 1, core X"}') == "OpenBLAS 1, core X"


def test_times_are_the_inverse() -> None:
    timed = json.dumps({**AGENT, "unit": "s"})
    assert parsers.agent_figure("s")(timed) == pytest.approx(3.5 / 9e9)
    assert parsers.agent_figure("s", "best")(timed) == pytest.approx(1 / 6e9)


def test_another_unit_and_a_failed_check_are_refused() -> None:
    with pytest.raises(ValueError, match="wanted was FLOP/s"):
        parsers.agent_figure("FLOP/s")(json.dumps(AGENT))
    with pytest.raises(ValueError, match="checked: False"):
        parsers.agent_figure("B/s")(json.dumps({**AGENT, "check": {"passed": False}}))
