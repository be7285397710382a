"""Tuning in words: what a plan asks for, and what was done to a guest or its host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from virtometer.model import step_words


def tuning_words(steps: Sequence[Mapping[str, Any]]) -> str:
    """All steps in one line. They are those of a plan, or the records of what was done."""
    return "; ".join(_done(step) if "what" in step else _planned(step) for step in steps) or "none"


def _planned(step: Mapping[str, Any]) -> str:
    return f"{step.get('where', 'guest')}: {step_words(step)}"


def _done(record: Mapping[str, Any]) -> str:
    if "status" in record:
        return f"{record['where']}: {record['what']} (status {record['status']})"
    return f"{record['where']}: {record['what']} {record.get('before')} \N{RIGHTWARDS ARROW} {record.get('after')}"
