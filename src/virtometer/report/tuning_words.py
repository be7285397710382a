"""Tuning in words: what a plan asks for, and what was done to a guest or its host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def tuning_words(steps: Sequence[Mapping[str, Any]]) -> str:
    """All steps in one line. They are those of a plan, or the records of what was done."""
    return "; ".join(_done(step) if "what" in step else _planned(step) for step in steps) or "none"


def _done(record: Mapping[str, Any]) -> str:
    if "status" in record:
        return f"{record['where']}: {record['what']} (status {record['status']})"
    return f"{record['where']}: {record['what']} {record.get('before')} \N{RIGHTWARDS ARROW} {record.get('after')}"


def _planned(step: Mapping[str, Any]) -> str:
    parts = [f"sysctl {name} {value}" for name, value in (step.get("sysctl") or {}).items()]
    parts += [f"{path} {value}" for path, value in (step.get("sysfs") or {}).items()]
    if step.get("queue_length") is not None:
        parts.append(f"queue length {step['queue_length']}")
    parts += [f"offload {name} {'on' if value else 'off'}" for name, value in (step.get("offloads") or {}).items()]
    if step.get("run"):
        parts.append(str(step["run"]))
    return f"{step.get('where', 'guest')}: {', '.join(parts)}"
