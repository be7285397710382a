"""Waiting for a condition instead of for a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


def wait_until(condition: Callable[[], Value | None], limit_s: float = 30.0) -> Value:
    """The first true value of a condition, which is tried every few milliseconds. Fails where none comes in time."""
    deadline = time.monotonic() + limit_s
    while not (value := condition()):
        assert time.monotonic() < deadline, f"what was waited for did not come within {limit_s:g} s"
        time.sleep(0.002)
    return value
