"""What counts as near enough to pde, and the plan behind it."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from bench.small_orders import ORDER, ORDERS, PLAN, VIRTOMETER, line


def estimate(ratio: float, half: float) -> dict[str, Any]:
    return {"ratio": ratio, "low": ratio / (1 + half), "high": ratio * (1 + half), "verdict": "undecided"}


@pytest.mark.parametrize(
    ("ratio", "half", "verdict"),
    [
        (0.95, 0.01, "met"),
        (0.88, 0.01, "met"),
        (0.85, 0.01, "undecided"),
        (0.95, 0.2, "undecided"),
        (0.83, 0.01, "MISSED"),
        (1.1, 0.01, "MISSED"),
        (0.018, 0.2, "MISSED"),
    ],
)
def test_an_order_is_compared_with_pde(ratio: float, half: float, verdict: str) -> None:
    text, found = line("order 25", estimate(ratio, half), estimate(0.95, 0.01))
    assert found == verdict
    assert text.startswith(f"order 25: {ratio:.3f} [") and text.endswith(f" of pde's: {verdict}")


def test_its_plan_is_one_that_the_laboratory_takes(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    orders = "\n".join(ORDER.format(order=order) for order in ORDERS)
    plan.write_text(PLAN.format(kind="uml", orders=orders, blocks=7, seconds=0.4))
    subprocess.run([VIRTOMETER, "plan", "check", str(plan)], check=True)
