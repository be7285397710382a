"""Operations that stand for what commands do."""

from __future__ import annotations

from tests.analysis.profile_campaigns import counts
from virtometer.agent_table import operations
from virtometer.analysis.profile.operations import PRICED, UNPRICED, needed

BY_NAME = {one.name: one for one in PRICED}


def test_each_class_has_an_operation_of_the_agent() -> None:
    assert {one.op for one in PRICED if one.op} <= set(operations("os"))
    assert len(BY_NAME) == len(PRICED)
    assert not set(UNPRICED) & set(BY_NAME)


def test_what_is_within_an_operation_is_not_counted_twice() -> None:
    of = counts(
        classes={"opens": 10, "closes": 12, "mappings": 5, "unmappings": 5, "simple calls": 3, "starts of programs": 2,
                 "forks": 4, "pipes": 30, "waiting": 1},
        minor_faults=200, start_faults=40, waits=10,
    )  # fmt: skip
    assert BY_NAME["page faults"].count(of) == 200 - 2 * 40 - 5
    assert BY_NAME["forks"].count(of) == 3, "one of four executed a program, and the caller starts the command"
    assert BY_NAME["switches"].count(of) == 10 - 4
    assert BY_NAME["simple calls"].count(of) == 3 + 1 + (12 - 10) + (30 - 2 * 6)
    empty = counts(classes={}, minor_faults=0, waits=0, user_s=0.0)
    assert not any(one.count(empty) for one in PRICED)


def test_only_operations_that_may_explain_something_are_measured() -> None:
    few = counts(classes={"simple calls": 3, "starts of programs": 1}, minor_faults=41, waits=0, wall_s=1.0)
    assert set(needed([few])) == {"computing"}
    many = counts(classes={"reads": 1_000}, read_by_calls=1_000_000, wall_s=1.0, minor_faults=0, waits=0)
    assert set(needed([few, many])) == {"computing", "read 1024 B"}
    priced, of = needed([few, many])["read 1024 B"]
    assert priced.values(of, "/a") == {"size": "64K", "block": 1024, "file": "/a"}
