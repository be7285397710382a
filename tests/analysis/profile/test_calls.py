"""Classes of system calls."""

from __future__ import annotations

from virtometer.analysis.profile.calls import CLASS_OF, CLASSES, MOVING


def test_a_call_has_one_class() -> None:
    names = [name for of in CLASSES.values() for name in of]
    assert len(names) == len(set(names)) == len(CLASS_OF)
    assert set(MOVING) <= set(CLASSES)
    assert CLASS_OF["openat"] != CLASS_OF["newfstatat"]
    assert "getppid" not in CLASS_OF, "what has no class is simple"
