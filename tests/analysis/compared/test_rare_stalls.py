"""How much counted work excludes rare stalls."""

from __future__ import annotations

import numpy as np
import pytest

from tests.analysis.simulated_campaigns import Place, simulate
from virtometer.analysis.compared import rare_stalls


def test_the_p_value_is_the_chance_that_no_stall_came() -> None:
    rng = np.random.default_rng(1)
    rate, seconds = 0.05 / rare_stalls.STALL_S, 3.0
    none = float((rng.poisson(rate * seconds, 20_000) == 0).mean())
    assert rare_stalls.p_value(seconds, 0.05) == pytest.approx(none, abs=0.015)
    needed = rare_stalls.needed_s(0.05, 0.05)
    assert needed == pytest.approx(6.59, abs=0.01)
    assert rare_stalls.p_value(needed, 0.05) == pytest.approx(0.05)


def test_the_work_of_samples_counts_in_host_time() -> None:
    of = simulate([Place("native")], blocks=3)
    runs = [run for record in of.trials for run in record.runs]
    assert rare_stalls.worked_s(runs) == pytest.approx(3.0, rel=0.001)
