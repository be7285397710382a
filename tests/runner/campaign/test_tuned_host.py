"""Which plans tune the host itself."""

from __future__ import annotations

from typing import Any

import pytest

from tests.design.reading import parsed
from tests.runner.fixtures import MakePlan
from virtometer.runner.campaign.tuned_host import tunes_host

ON_HOST: dict[str, Any] = {"where": "host", "sysctl": {"vm.swappiness": 11}}
IN_GUEST: dict[str, Any] = {"sysctl": {"net.ipv4.tcp_sack": 0}}


@pytest.mark.parametrize(("steps", "tunes"), [([], False), ([IN_GUEST], False), ([IN_GUEST, ON_HOST], True)])
def test_steps_of_the_plan_and_of_an_environment_count(
    make_plan: MakePlan, steps: list[dict[str, Any]], tunes: bool
) -> None:
    native = {"name": "native", "kind": "native"}
    assert tunes_host(make_plan([native], tuning=steps)) is tunes
    assert tunes_host(make_plan([native, {**native, "name": "tuned", "settings": {"tuning": steps}}])) is tunes


PLAN = """\
virtometer: 1
name: factors
environments: [{name: native, kind: native}]
factors:
  - name: swappiness
    levels: {usual: {}, low: {tuning: [{where: host, sysctl: {vm.swappiness: 11}}]}}
  - {name: cpus, setting: cpus, levels: [1, 2]}
  - {name: weight, setting: bits, levels: [64, 32]}
design: {type: DESIGN}
workloads: [{name: system call, workload: os, op: system-call}]
fresh: trial
"""


@pytest.mark.parametrize(("design", "later"), [("full", False), ("sequential", True)])
def test_levels_of_factors_count(design: str, later: bool) -> None:
    """Those that no cell of the first stage has may come in a second one."""
    plan = parsed(PLAN.replace("DESIGN", design), "plan.yaml")
    assert tunes_host(plan)
    first = [one.model_copy(update={"settings": {}}) for one in plan.environments]
    assert tunes_host(plan.model_copy(update={"environments": first})) is later
