"""Iometer: written after the published format."""

import pytest

from tests.imports.files import numbers, written
from virtometer.errors import UsageError

HEADER = (
    "'Target Type,Target Name,Access Specification Name,# Managers,# Workers,# Disks,IOps,Read IOps,Write IOps,"
    "MBps (Binary),Average Response Time,Average Read Response Time"
)
FILE = (
    "'Test Type,Test Description\n0,\n'Version\n1.1.0\n'Results\n" + HEADER + "\n"
    "ALL,All,4 KiB; 100% Read; 0% random,1,2,2,5000.5,5000.5,0.0,19.5,0.4,0.4\n"
    "MANAGER,host,4 KiB; 100% Read; 0% random,,2,2,1,1,0,1,1,1\n"
)


def test_the_sum_of_each_access_specification() -> None:
    name = "4 KiB; 100% Read; 0% random"
    assert numbers(written(FILE)) == {
        (name, "I/O rate", "1/s", "higher"): [5000.5],
        (name, "read I/O rate", "1/s", "higher"): [5000.5],
        (name, "throughput", "B/s", "higher"): [19.5 * 2**20],
        (name, "mean latency", "s", "lower"): [0.4e-3],
        (name, "mean read latency", "s", "lower"): [0.4e-3],
    }


def test_cut_files_are_named() -> None:
    with pytest.raises(UsageError, match="no row ALL"):
        written(FILE.partition("ALL")[0])
    with pytest.raises(UsageError, match=":7: this row has no IOps"):
        written(FILE.partition("5000")[0])
