"""When campaigns agree, and a real one."""

import math
from pathlib import Path

import pytest

from bench import agreement
from bench.campaigns import Measured, read_rows
from tests.analysis.simulated_campaigns import Place, Work, in_rounds, simulate, with_runs
from tests.house.tracked import ROOT
from tests.sentences import Said


def row(campaign: int, ratio: float, half: float, long_blocks: int = 0, later: str = "") -> dict[str, str]:
    return {
        "campaign": str(campaign), "processors": "auto", "workload": "system call", "environment": "gvisor",
        "ratio": str(ratio), "low": str(ratio / (1 + half)), "high": str(ratio * (1 + half)), "blocks": "6",
        "long_blocks": str(long_blocks), "later_by_beginning": later,
    }  # fmt: skip


def test_campaigns_agree_whose_intervals_overlap_with_that_of_all(said: Said) -> None:
    ratios = [0.0100, 0.0102, 0.0098, 0.0101, 0.0099, 0.0200]
    (line,) = agreement.summary([row(number, ratio, 0.05) for number, ratio in enumerate(ratios)])
    pooled = math.exp(sum(map(math.log, ratios)) / len(ratios))
    assert ": 5 of 6 campaigns agree " in line and f" {pooled:.4g} [" in line
    assert line.endswith("; 0.0098 to 0.02; 0 of 36 blocks in long windows")
    before, _, after = line.partition("[")
    said(f"{before}[...]{after.partition(']')[2]}")


def test_levels_are_reported(said: Said) -> None:
    rows = [row(1, 0.01, 0.1, 6, "0.25"), row(2, 0.011, 0.1, 0, "1.5")]
    (line,) = agreement.summary(rows)
    assert line.endswith(" 0.25 to 1.50 times the beginning")
    said(line.partition("; ")[2])


def test_a_row_has_what_long_windows_show() -> None:
    campaign = simulate([Place("native"), Place("uml", kind="uml")], [Work("system call")])
    window = [4e9, *[4e9] * 2, *[1e9] * 9]
    slowed = with_runs(campaign, lambda run: in_rounds(run, [4e9] * 6, [window]))
    (found,) = agreement.rows_of(Measured(slowed, 30.0), 3, "all")
    assert found["environment"] == "uml" and found["ratio"] == pytest.approx(1)
    assert found["later_by_beginning"] == pytest.approx(0.25)
    assert found["long_blocks"] == 0


@pytest.mark.slow
def test_a_real_campaign(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rows.csv"
    options = ["bubblewrap", "--campaigns", "1", "--seconds", "0.1", "--file", str(file)]
    if agreement.main(options) != 0:
        pytest.skip("bubblewrap does not work here")
    assert {one["processors"] for one in read_rows(file)} == {"auto", "all"}
    assert "agree with the pooled ratio" in capsys.readouterr().out


def test_the_methodology_says_what_the_record_holds() -> None:
    lines = agreement.summary(read_rows(ROOT / "bench" / "records" / "agreement.csv"))
    told = (ROOT / "bench" / "records" / "truths.md").read_text().splitlines()
    [said] = [line for line in told if line.startswith("| ") and "bench/records/agreement.csv" in line]
    assert len(lines) == 8 and "in all eight series 10 of 10 campaigns agree" in said
    for line in lines:
        assert ": 10 of 10 campaigns agree with the pooled ratio " in line
        assert f"{float(line.partition('pooled ratio ')[2].split()[0]):.3g}" in said
