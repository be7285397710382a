"""What is counted as a false claim beside busy programs, and that these programs end."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import busy_host
from bench.campaigns import plan_of
from tests.analysis.simulated_campaigns import Place, Work, simulate
from virtometer.model import Verdict


def row(of_runc: float, of_bubblewrap: float = 1.0) -> busy_host.Row:
    def noise(_block: int, _time: float, rng: object) -> float:
        return float(rng.normal(0, 0.002))  # type: ignore[attr-defined]

    works = [Work("system call", "os", "system-call", "s", 1e-7)]
    places = [
        Place("native"),
        Place("native in a cgroup", efficiency={"system call": 2.0}),
        Place("bubblewrap", efficiency={"system call": of_bubblewrap}),
        Place("runc", efficiency={"system call": of_runc}),
    ]
    return busy_host.row_of(simulate(places, works, blocks=10, noise=noise))


def test_a_claim_about_a_guest_of_the_same_kernel_is_false_and_equivalent_is_right() -> None:
    for efficiency, verdict in ((1.3, Verdict.FASTER), (0.7, Verdict.SLOWER), (1.0, Verdict.EQUIVALENT)):
        found = row(efficiency)
        assert {one.subject: one.verdict for one in found.concluded} == {
            "runc": verdict,
            "bubblewrap": Verdict.EQUIVALENT,
        }
        counted = busy_host.counts(found.concluded)
        assert counted["comparisons"] == 2
        assert counted["false"] == (verdict is not Verdict.EQUIVALENT)
        assert counted["right"] == 2 - counted["false"]
        assert f"{verdict.value} ({verdict.value})" in found.text()


def test_one_false_claim_in_twenty_comparisons_is_allowed() -> None:
    right, wrong = row(1.0), row(1.3)
    assert busy_host.sound([wrong, *[right] * 9])
    assert not busy_host.sound([wrong, *[right] * 8])
    assert not busy_host.sound([])
    assert busy_host.summary([wrong, *[right] * 9]).startswith("false claims in 1 of 20")


def test_the_plan_compares_what_is_counted() -> None:
    plan = plan_of(busy_host.PLAN.format(blocks=12))
    assert plan.blocks == 12
    assert set(busy_host.SUBJECTS) < {one.name for one in plan.environments}


def running(marker: str) -> list[str]:
    found = []
    for one in Path("/proc").iterdir():
        if one.name.isdecimal():
            try:
                words = (one / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if marker in words:
                found.append(words)
    return found


def test_a_busy_program_is_ended_whatever_happens_beside_it() -> None:
    marker = "600.0123"
    with pytest.raises(KeyboardInterrupt), busy_host.program("sleep", marker):
        assert running(marker)
        raise KeyboardInterrupt
    assert not running(marker)


def test_a_program_that_ended_by_itself_made_no_host_busy() -> None:
    with pytest.raises(RuntimeError, match="not busy"), busy_host.program("true") as process:
        process.wait()
