"""When half a processor is found, and a real quota."""

import os
import shutil
from dataclasses import replace

import pytest

from bench import quota
from tests.analysis.simulated_campaigns import Place, Work, finding_of, simulate
from virtometer.model import Estimate

FINDING = finding_of(
    simulate([Place("unlimited"), Place("half a processor")], [Work("cpu")]), "half a processor", "cpu"
)


@pytest.mark.parametrize(
    ("value", "kernel", "subject", "met"),
    [
        (0.505, "linpack", "half a processor", True),
        (0.53, "linpack", "half a processor", False),
        (0.53, "os", "half a processor", True),
        (0.99, "linpack", "one processor", True),
    ],
)
def test_half_a_processor_is_half_of_the_work(value: float, kernel: str, subject: str, met: bool) -> None:
    ratio = replace(FINDING.ratio, estimate=Estimate(value, value - 0.01, value + 0.01, 10))
    text, found = quota.line(replace(FINDING, ratio=ratio, value=replace(FINDING.value, subject=subject)), kernel)
    assert found is met
    assert text.startswith(f"cpu, {subject}: {value:.4f} [")


def test_processor_time_is_that_of_the_guests_by_their_windows() -> None:
    campaign = simulate([Place("unlimited"), Place("half a processor", cost=0.5)], [Work("cpu")], blocks=2)
    found = quota.processor_times(campaign, "cpu")
    assert found["half a processor"] == pytest.approx(0.5 * found["unlimited"], rel=0.05)
    assert quota.processor_times(campaign, "another") == {}
    assert quota.steal(campaign) == 0


def test_no_ratio_is_no_half() -> None:
    text, found = quota.line(
        replace(FINDING, ratio=replace(FINDING.ratio, estimate=None), notes=("it broke",)), "linpack"
    )
    assert (text, found) == ("cpu, half a processor: no ratio: it broke", False)


def test_a_workload_that_the_plan_does_not_have(capsys: pytest.CaptureFixture[str]) -> None:
    assert quota.main(["--only", "chess"]) == 2
    assert capsys.readouterr().err == "quota: the plan has no workload chess\n"


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("runc") is None, reason="runc and root are needed")
def test_a_real_quota(capsys: pytest.CaptureFixture[str]) -> None:
    quota.main(["--only", "cpu linpack 500", "--blocks", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[1].strip() for line in lines[:2]] == [
        "cpu linpack 500, one processor",
        "cpu linpack 500, half a processor",
    ]
