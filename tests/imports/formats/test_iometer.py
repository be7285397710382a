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


@pytest.mark.parametrize(
    ("workers", "name"),
    [
        (["4K random"], "4K random"),
        (["4K random", "4K random"], "4K random"),
        (["4K random", "64K"], "Iometer"),
        ([""], "Iometer"),
        ([], "Iometer"),
    ],
)
def test_a_sum_without_a_name_has_that_of_all_its_workers(workers: list[str], name: str) -> None:
    """Iometer leaves the name out where another worker was idle."""
    rows = "".join(f"WORKER,Worker {at},{one},,,1,1,1,0,1,1,1\n" for at, one in enumerate(workers))
    block = f"'Results\n{HEADER}\nALL,All,,1,1,1,700,700,0,1,1,1\n{rows}"
    found = numbers(written(f"{FILE}{block}{block}"))
    assert found[name, "I/O rate", "1/s", "higher"] == [700.0, 700.0]
    assert found["4 KiB; 100% Read; 0% random", "I/O rate", "1/s", "higher"] == [5000.5]


def test_cut_files_are_named() -> None:
    with pytest.raises(UsageError, match="no row ALL"):
        written(FILE.partition("ALL")[0])
    with pytest.raises(UsageError, match=":7: this row has no IOps"):
        written(FILE.partition("5000")[0])
