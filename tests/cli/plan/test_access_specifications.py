"""Access specifications of workloads, beside what the agent makes of the same parameters."""

from __future__ import annotations

from typing import Any

import pytest

from virtometer.cli.plan.access_specifications import AccessLine, iometer_text, translated
from virtometer.model import Plan, PlanWorkload


def plan(*workloads: tuple[str, str, dict[str, Any]]) -> Plan:
    return Plan.model_validate(
        {
            "virtometer": 1,
            "name": "p",
            "baseline": "native",
            "environments": [{"name": "native", "kind": "native"}],
            "workloads": [
                PlanWorkload(name=name, workload="disk", op=op, parameters=parameters)
                for name, op, parameters in workloads
            ],
        }
    )


def line(size: int = 4096, share: int = 100, reads: int = 100, random: int = 100, **more: int) -> AccessLine:
    return AccessLine(size, share, reads, random, **{"delay": 0, "burst": 1, "align": size} | more)


@pytest.mark.parametrize(
    ("op", "parameters", "lines"),
    [
        ("random-read", {}, [line()]),
        ("random-write", {"size": "1M"}, [line(1 << 20, reads=0)]),
        ("sequential-read", {"size": 512, "align": "4K"}, [line(512, random=0, align=4096)]),
        ("sequential-write", {}, [line(reads=0, random=0)]),
        ("access", {}, [line()]),
        (
            "access",
            {"read": 67, "random": 10, "think": 2000, "burst": 5},
            [line(reads=67, random=10, delay=2, burst=5)],
        ),
        ("access", {"burst": 5}, [line()]),
        (
            "access",
            {"mix": "4K share=67 read=80 align=512, 64K share=33 random=0", "read": 50, "align": "8K"},
            [line(4096, 67, 80, align=512), line(65536, 33, 50, 0, align=8192)],
        ),
        ("access", {"mix": "4K, 8K share=0"}, [line()]),
        ("access", {"mix": "1M share=1 read=0,2M share=99"}, [line(1 << 20, 1, 0), line(2 << 20, 99)]),
    ],
)
def test_lines(op: str, parameters: dict[str, Any], lines: list[AccessLine]) -> None:
    (one,) = translated(plan(("w", op, parameters))).specifications
    assert list(one.lines) == lines


def test_names_differ_where_iometer_sees_no_difference() -> None:
    names = ["Read, 4K", "read; 4K", "idle", "größe 4 µs", 'a "b" | c']
    found = translated(plan(*((name, "random-read", {}) for name in names)))
    assert [one.name for one in found.specifications] == [
        "Read; 4K",
        "read; 4K (2)",
        "idle (2)",
        "gr\\xf6\\xdfe 4 us",
        "a 'b' / c",
    ]


def test_text_is_ascii_in_one_short_line() -> None:
    assert iometer_text("a\tb\n c") == "a b c"
    assert len(iometer_text("ö" * 60)) <= 100
