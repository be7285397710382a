"""Plans of tests, read as the product reads them, on a host with a last-level cache of 32 MiB."""

from __future__ import annotations

from virtometer.design.parse import read_plan
from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.environments.registry import KINDS
from virtometer.model import Kinds, Plan


def resolved(text: str, file: str = "p.yaml", kinds: Kinds = KINDS) -> ResolvedPlan:
    return read_plan(text, file, kinds, last_cache_bytes=32 << 20).resolved


def parsed(text: str, file: str = "p.yaml", kinds: Kinds = KINDS) -> Plan:
    return resolved(text, file, kinds).plan
