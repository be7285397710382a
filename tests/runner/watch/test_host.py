"""What host this is, and whether it is the same one."""

import os

from virtometer.runner.watch import host


def test_facts_are_found_and_compared() -> None:
    facts = host.facts()
    assert facts["cpus"] == os.cpu_count()
    assert facts["memory_bytes"] > 0
    assert facts["kernel"] == os.uname().release
    assert host.changed(facts, host.facts()) == []
    (difference,) = host.changed({**facts, "cpus": 1024}, facts)
    assert difference == f"cpus was 1024 and is {os.cpu_count()}"


def test_a_little_less_memory_is_the_same_host_and_much_less_is_not() -> None:
    facts = host.facts()
    assert host.changed(facts, {**facts, "memory_bytes": round(facts["memory_bytes"] * 0.99)}) == []
    (difference,) = host.changed(facts, {**facts, "memory_bytes": facts["memory_bytes"] // 2})
    assert difference.startswith("memory_bytes")


def test_fewer_processors_for_us_are_another_host() -> None:
    facts = host.facts()
    (difference,) = host.changed({**facts, "cpus_allowed": 64}, facts)
    assert difference.startswith("cpus_allowed was 64")
