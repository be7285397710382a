"""The same quantity in several tables."""

from __future__ import annotations

import pytest

from virtometer.analysis.plausible.check import check
from virtometer.analysis.plausible.reading import read

HEADER = "study,item,row,column,workload,metric,system,value,relation\n"


def lines(*of: tuple[str, str, str, str]) -> bytes:
    """Item, system, value and relation."""
    return (HEADER + "".join(f"s,{item},r,c {system},disk,rate,{system},{value},{relation}\n"
                             for item, system, value, relation in of)).encode()  # fmt: skip


def test_the_later_of_two_tables_is_accused_once() -> None:
    (one,) = check(read(lines(("1", "kvm", "5.20", "="), ("2", "kvm", "5.90", "=")), "t"))
    assert (one.table, one.rule, one.value, one.expected) == ("s 2", "contradiction", 5.9, 5.2)
    assert one.others == (("s 1", "r", "c kvm"),)


def test_of_three_tables_the_one_that_differs() -> None:
    content = lines(("1", "kvm", "5.20", "="), ("2", "kvm", "5.90", "="), ("3", "kvm", "5.90", "="))
    assert [one.table for one in check(read(content, "t"))] == ["s 1"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("1", "kvm", "5.20", "="), ("2", "kvm", "5.2", "=")),  # fewer digits
        (("1", "kvm", "5.28", "="), ("2", "kvm", "5.2", "=")),  # cut off
        (("1", "kvm", "5.20", "="), ("2", "qemu", "5.9", "=")),  # another system
        (("1", "kvm", "5.20", "="), ("2", "kvm", "9.9", "about")),
    ],
)
def test_what_is_no_contradiction(one: tuple[str, str, str, str], other: tuple[str, str, str, str]) -> None:
    assert check(read(lines(one, other), "t")) == []


def test_a_quantity_that_a_table_prints_twice_is_left_out() -> None:
    content = lines(("1", "kvm", "5.20", "="), ("1", "kvm", "5.90", "="), ("2", "kvm", "7.00", "="))
    assert check(read(content, "t")) == []
