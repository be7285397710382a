"""All formats, in the order in which they are asked whether a file is theirs."""

from __future__ import annotations

from virtometer.imports.format import Format
from virtometer.imports.formats.ab import AB, AB_PERCENTILES, AB_REQUESTS
from virtometer.imports.formats.criterion import CRITERION, CRITERION_MESSAGES
from virtometer.imports.formats.fio import FIO, FIO_LOG
from virtometer.imports.formats.go_test import GO_TEST
from virtometer.imports.formats.google_benchmark import GOOGLE_BENCHMARK
from virtometer.imports.formats.hyperfine import HYPERFINE
from virtometer.imports.formats.iometer import IOMETER
from virtometer.imports.formats.iperf3 import IPERF3
from virtometer.imports.formats.jmh import JMH
from virtometer.imports.formats.oha import OHA
from virtometer.imports.formats.perf_stat import PERF_STAT
from virtometer.imports.formats.perfkit import PERFKIT
from virtometer.imports.formats.pgbench import PGBENCH, PGBENCH_LOG
from virtometer.imports.formats.phoronix import PHORONIX
from virtometer.imports.formats.pytest_benchmark import PYTEST_BENCHMARK
from virtometer.imports.formats.sysbench import SYSBENCH
from virtometer.imports.formats.vegeta import VEGETA, VEGETA_REQUESTS
from virtometer.imports.formats.wrk import WRK

FORMATS: tuple[Format, ...] = (
    FIO,
    FIO_LOG,
    HYPERFINE,
    JMH,
    GOOGLE_BENCHMARK,
    CRITERION,
    CRITERION_MESSAGES,
    GO_TEST,
    PYTEST_BENCHMARK,
    SYSBENCH,
    PGBENCH,
    PGBENCH_LOG,
    AB,
    AB_REQUESTS,
    AB_PERCENTILES,
    WRK,
    OHA,
    VEGETA,
    VEGETA_REQUESTS,
    IPERF3,
    PERF_STAT,
    PHORONIX,
    PERFKIT,
    IOMETER,
)
