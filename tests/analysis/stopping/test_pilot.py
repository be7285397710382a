"""The noise of single trials, from campaigns whose noise is known."""

from __future__ import annotations

import pytest

from tests.analysis.simulated_campaigns import Place, Work, gaussian, quiet, simulate
from virtometer.analysis.stopping.pilot import trial_noise


@pytest.mark.parametrize("control", [False, True])
@pytest.mark.parametrize("unit", ["B/s", "s"])
def test_the_noise_is_that_of_a_single_trial(control: bool, unit: str) -> None:
    """Of a cell in one block, whatever number of guests the baseline has."""
    places = [Place("native"), Place("a", efficiency={"": 0.5}), Place("b", efficiency={"": 2.0})]
    campaign = simulate(places, [Work(unit=unit)], blocks=400, noise=gaussian(0.05), samples=1, control=control)
    (found,) = trial_noise(campaign).values()
    assert found.sd == pytest.approx(0.05, rel=0.1)
    assert found.freedom == 2 * 399


def test_each_workload_has_its_own() -> None:
    works = [Work("one"), Work("two")]
    found = trial_noise(simulate([Place("native"), Place("a")], works, blocks=6, noise=quiet, samples=1))
    assert list(found) == ["one", "two"]
    assert found["one"].sd == pytest.approx(0, abs=1e-9)


def test_one_block_or_one_environment_has_no_noise() -> None:
    assert not trial_noise(simulate([Place("native"), Place("a")], blocks=1, noise=quiet, samples=1))
    assert not trial_noise(simulate([Place("native")], blocks=6, noise=quiet, samples=1))
