"""The agent with unreported work: made from these sources, and no part of the released one."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from bench.slower_agent import EXTRA, PATCH, PLACEBO, ROOT, build
from mutants.listing import stale


def test_it_can_be_made_from_these_sources() -> None:
    assert stale(PATCH, ROOT) is None


def test_the_released_agent_knows_nothing_of_it(agent: Path) -> None:
    assert EXTRA.encode() not in agent.read_bytes()
    assert PLACEBO.encode() not in agent.read_bytes()


@pytest.mark.slow
def test_it_does_more_than_it_reports() -> None:
    """Half as much again takes one and a half times as long: the median of five, because a host may be busy."""
    agent = build()
    assert EXTRA.encode() in agent.read_bytes()
    ratios = sorted(_value(agent, "0.5") / _value(agent, "0") for _ in range(5))
    assert ratios[2] == pytest.approx(1 / 1.5, rel=0.2)


@pytest.mark.slow
def test_the_placebo_adds_nothing() -> None:
    """As fast as without, where half as much again would be added: the median of five, because a host may be busy."""
    agent = build()
    ratios = sorted(_value(agent, "0.5", {PLACEBO: "1"}) / _value(agent, "0") for _ in range(5))
    assert ratios[2] == pytest.approx(1.0, rel=0.2)


def _value(agent: Path, extra: str, more: Mapping[str, str] | None = None) -> float:
    argv: list[str | Path] = [
        agent,
        "measure",
        "linpack",
        "--op",
        "classic",
        "--size",
        "50",
        "--seconds",
        "0.2",
        "--json",
    ]
    ran = subprocess.run(argv, env={**os.environ, EXTRA: extra, **(more or {})}, stdout=subprocess.PIPE, check=True)
    return float(json.loads(ran.stdout)["value"])
