"""How much less noise there is for the same wall time, and a real comparison."""

import re

import pytest

from bench import slices
from bench.campaigns import plan_of
from tests.sentences import Said

KEY = ("linpack", "runc")
NOISY = [[-0.3, 0.1, 0.2, -0.1, 0.2, -0.1], [0.3, -0.1, -0.2, 0.1, -0.2, 0.1]]
STEADY = [[one / 10 for one in series] for series in NOISY]


def test_the_gain_is_that_of_variance_by_wall_time(said: Said) -> None:
    logs = {("former", KEY): NOISY, ("interleaved", KEY): STEADY, ("typical", KEY): NOISY}
    lines = slices.gains(logs, {"interleaved": 4.0, "former": 2.0})
    assert lines[0] == "wall time of a block: interleaved 4.00 s, former 2.00 s"
    assert lines[1].startswith("linpack: ")
    said(lines[1])
    found = [float(one) for one in re.findall(r"-?\d+\.\d", lines[1])]
    # F with 10 and 10 degrees of freedom: 3.717 at 97.5 %.
    assert found == pytest.approx([50, 50 / 3.717, 50 * 3.717, 0.5, 0.5 / 3.717, 0.5 * 3.717], abs=0.06)
    assert len(lines) == 2


def test_means_of_campaigns_are_no_noise() -> None:
    apart = [[0.5 + one for one in NOISY[0]], [one - 0.5 for one in NOISY[1]]]
    assert slices.pooled(apart).sd == pytest.approx(slices.pooled(NOISY).sd)


def test_the_former_design_has_a_start_for_each_trial() -> None:
    plan = plan_of(slices.plan_text(["runc"], "former", 6, 0.4))
    assert plan.fresh == "trial" and {one.scheduling for one in plan.workloads} == {"continuous"}
    assert {one.settings["processors"] for one in plan.environments} == {"all"}
    assert plan_of(slices.plan_text(["runc"], "interleaved", 6, 0.4)).fresh == "block"


def test_a_workload_that_is_not_there_is_named(said: Said, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        slices.main(["runc", "--only", "linpack 100", "linpak"])
    assert ended.value.code == 2
    told = capsys.readouterr().err.partition("error: ")[2].strip()
    assert "linpak;" in told
    said(told)


@pytest.mark.slow
def test_a_real_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--pairs", "1", "--blocks", "2", "--seconds", "0.4", "--ways", "interleaved", "former"]
    assert slices.main(["bubblewrap", *options, "--only", "system call"]) == 0
    out = capsys.readouterr().out
    assert "linpack" not in out
    assert re.search(r"^system call: .* smaller than former: total", out, re.MULTILINE)
