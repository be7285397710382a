"""`plan show` of plans with factors, and a campaign of one on the real agent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.analysis.simulated_campaigns import Place, Work, gaussian, simulate
from tests.cli.laboratory import ROOT, Outcome, line_with, stored, virtometer
from tests.sentences import Said
from virtometer.analysis.statistics import verdicts
from virtometer.cli.plan.design import settings_beside_factors
from virtometer.cli.plan.files import load
from virtometer.design.factorial import power
from virtometer.store.ledger import Ledger

EIGHT = """\
virtometer: 1
name: eight
environments:
  - {name: here, kind: native}
factors:
FACTORS
design: DESIGN
workloads:
  - {name: a system call, workload: os, op: system-call}
blocks: 8
seconds: 0.5
fresh: block
"""


def eight(directory: Path, design: str = "{type: fraction}", more: str = "") -> Path:
    factors = "\n".join(f"  - {{name: {name}, levels: {{low: {{}}, high: {{}}}}}}" for name in "abcdefgh")
    path = directory / "eight.yaml"
    path.write_text(EIGHT.replace("FACTORS", factors).replace("DESIGN", design) + more)
    return path


def shown(path: Path, *words: str | Path) -> Outcome:
    outcome = virtometer("plan", "show", path, *words)
    return Outcome(outcome.status, outcome.out.partition("\nblock 1:")[0], outcome.err)


def test_levels_that_no_host_can_have_are_shown_with_the_reason(tmp_path: Path) -> None:
    outcome = shown(eight(tmp_path, more="absent: {system=Windows: no kind starts it}\n"))
    assert outcome.status == 0
    assert "  not available: system=Windows: no kind starts it\n" in outcome.out


def test_combinations_that_are_excluded_are_named(said: Said, tmp_path: Path) -> None:
    constraints = "constraints: [{never: {a: high, b: high}}, {where: {c: high}, only: {d: high}}]\n"
    outcome = shown(eight(tmp_path, "{type: optimal, terms: [main]}", constraints))
    assert outcome.status == 0
    excluded = [line for line in outcome.out.splitlines() if line.startswith("  excluded: ")]
    assert [line.rpartition(": ")[2] for line in excluded] == ["64 of 256 combinations"] * 2
    said("\n".join(excluded))
    out = shown(ROOT / "plans" / "qemu-disk.yaml").out
    excluded = [line for line in out.splitlines() if line.startswith("  excluded: cache=")]
    assert [line.rpartition(": ")[2] for line in excluded] == ["12 of 60 combinations"]
    said(excluded[0])
    assert "design: full, 48 of 60 combinations for 28 numbers\n" in out


def test_tuning_is_shown_in_words(said: Said, tmp_path: Path) -> None:
    tuning = "tuning: [{where: host, sysctl: {vm.dirty_ratio: 5}}, {where: port, queue_length: 9}]\n"
    outcome = shown(eight(tmp_path, more=tuning))
    assert outcome.status == 0
    tuned = line_with("all tuned: ", outcome.out)
    assert "vm.dirty_ratio 5" in tuned and "queue length 9" in tuned
    said(tuned)


def test_show_says_what_is_measured_and_what_cannot_be_told_apart(said: Said, tmp_path: Path) -> None:
    outcome = shown(eight(tmp_path))
    assert (outcome.status, outcome.err) == (0, "")
    assert "compared with here a=low b=low " in outcome.out
    assert "  here (kind native) in 16 combinations of factors\n" in outcome.out
    assert "  a: low (reference), high\n" in outcome.out
    assert "design: fraction, 16 of 256 combinations for 9 numbers\n" in outcome.out
    assert "\n   1  a=low, b=low, c=low, d=low, e=low, f=low, g=low, h=low\n" in outcome.out
    assert "  estimated: a, b, c, d, e, f, g, h\n" in outcome.out
    assert "  not estimated: a:b, a:c, a:d, a:e, a:f, a:g, a:h, b:c and 20 more\n" in outcome.out
    assert "  resolution: IV, " in outcome.out
    assert ", D-efficiency 100 %\n" in outcome.out
    assert len(re.findall(r"^  \S+, \S+, \S+ and \S+ cannot be told from each other$", outcome.out, re.MULTILINE)) == 7
    begun = ("compared with ", "  resolution: ", "  checked: ", "power: ")
    said("\n".join(line for line in outcome.out.splitlines() if line.startswith(begun)))


def test_show_names_the_aliases_of_main_effects(said: Said, tmp_path: Path) -> None:
    path = tmp_path / "seven.yaml"
    path.write_text(re.sub(r"  - \{name: h, .*\n", "", eight(tmp_path, "{type: fraction, resolution: 3}").read_text()))
    out = shown(path).out
    assert "design: fraction, 8 of 128 combinations for 8 numbers\n" in out
    assert "  resolution: III, " in out
    said(line_with("  resolution: ", out))
    assert len(re.findall(r"^  the effect of [a-g] cannot be told from .:., .:. and .:.$", out, re.MULTILINE)) == 7


def test_show_says_how_small_an_effect_will_be_found(said: Said, tmp_path: Path) -> None:
    told = line_with("power: ", shown(eight(tmp_path), "--noise", "3%").out)
    assert "with a noise of 3.0 % " in told and "at most 15 claims" in told
    found = re.search(r"effects of factors of ([0-9.]+) %", told)
    assert found and float(found[1]) == pytest.approx(2.9, abs=0.1)
    said(told.replace(found[0], "effects of factors of SIZE %"))
    assert power.CLAIM_LEVEL == verdicts.CLAIM_LEVEL
    few = eight(tmp_path)
    few.write_text(few.read_text().replace("blocks: 8", "blocks: 5"))
    assert "\npower: none; a verdict takes 6 blocks\n" in shown(few, "--noise", "3%").out


def test_the_noise_may_come_from_an_earlier_campaign(said: Said, tmp_path: Path) -> None:
    places = [Place("native"), Place("other")]
    pilot = stored(
        simulate(places, [Work("a system call", "os", "system-call", "s", 1e-7)], blocks=60, noise=gaussian(0.03)),
        tmp_path / "pilot",
    )
    found = re.search(
        r"^power: a system call: with a noise of ([0-9.]+) %", shown(eight(tmp_path), "--pilot", pilot).out, re.M
    )
    assert found and float(found[1]) == pytest.approx(3.0, abs=0.8)
    strange = stored(simulate(places, blocks=6), tmp_path / "strange")
    outcome = shown(eight(tmp_path), "--pilot", strange)
    assert outcome.status == 2
    assert outcome.err.startswith(f"virtometer: --pilot {strange}: ") and "memory triad 64 MB" in outcome.err
    said(outcome.err, pilot=strange)


def test_a_budget_takes_the_best_design_that_fits_and_says_what_is_given_up(said: Said, tmp_path: Path) -> None:
    path = eight(tmp_path, "{type: fraction, resolution: 5}")
    roomy = shown(path, "--budget", "2h").out
    assert "\nbudget: the plan's own design fits, with " in roomy
    assert "  nothing is given up\n" in roomy
    small = shown(path, "--budget", "3m").out
    told = line_with("budget: ", small)
    found = re.search(r" takes (.*); write '(design: .*)' and '(blocks: \d+)'$", told)
    assert found, small
    said(told.removesuffix(found[0]))
    assert "fraction, resolution: 4" in found[2]
    assert "  given up: a:b, a:c, a:d, a:e, a:f, a:g, a:h, a:b and 20 more" not in small
    assert re.search(r"^  given up: a:b, a:c, .* and \d+ more$", small, re.MULTILINE)
    written = path.read_text()
    path.write_text(re.sub(r"design: .*", found[2], written).replace("blocks: 8", found[3]))
    assert "\nbudget: the plan's own design fits, with " in shown(path, "--budget", "3m").out
    none = shown(path, "--budget", "2s")
    assert none.status == 2
    assert re.search(r" has \d+ combinations in 6 blocks and takes ", none.err)
    said(re.sub(r"\d+ combinations|takes .*", "...", none.err))


def test_options_of_designs_need_factors(tmp_path: Path) -> None:
    for words in (("--noise", "3%"), ("--pilot", tmp_path), ("--budget", "1h")):
        outcome = virtometer("plan", "show", ROOT / "plans" / "aa.yaml", *words)
        assert outcome.status == 2
        assert f"{words[0]} is for plans with factors, and 'aa' has none" in outcome.err
    both = shown(eight(tmp_path), "--noise", "3%", "--pilot", tmp_path)
    assert "--noise and --pilot exclude each other" in both.err
    assert "--noise is much, but must be" in shown(eight(tmp_path), "--noise", "much").err
    assert "--budget is long, but must be" in shown(eight(tmp_path), "--budget", "long").err


def test_settings_that_no_factor_varies() -> None:
    plan = load(ROOT / "plans" / "qemu-disk-factors.yaml")[0].plan
    assert set(settings_beside_factors(plan, plan.cells[0])) == {"memory", "cpus"}


REAL = """\
virtometer: 1
name: real factors
environments:
  - {name: box, kind: native}
factors:
  - {name: placement, setting: processors, levels: {auto: auto, all: all}}
  - {name: dummy, levels: {this: {}, that: {}}}
workloads:
  - {name: a system call, workload: os, op: system-call}
blocks: 2
seconds: 0.05
fresh: block
"""


def test_a_campaign_of_cells_on_the_real_agent(tmp_path: Path) -> None:
    path, out = tmp_path / "plan.yaml", tmp_path / "out"
    path.write_text(REAL)
    outcome = virtometer("run", path, "--out", out, "--seed", "3")
    assert outcome.status == 0, outcome.err
    with Ledger.open(out) as ledger:
        campaign = ledger.read()
    plan = campaign.plan
    assert [one.levels for one in plan.cells] == [
        {"placement": placement, "dummy": dummy} for placement in ("auto", "all") for dummy in ("this", "that")
    ]
    assert plan.baseline == "box placement=auto dummy=this"
    assert plan.factors and plan.design is not None and plan.design.terms == ["placement", "dummy", "placement:dummy"]
    measured = [placement for record in campaign.trials for placement in record.trial.placements]
    names = {one.name for one in plan.cells}
    assert {placement.environment for placement in measured} == names
    # Each block has every cell once, and the reference once more as the control.
    assert len(measured) == 2 * (4 + 1)
    assert all(record.failure is None for record in campaign.trials)
    assert load(out / "plan.yaml")[0].plan.cells == plan.cells, "the stored text gives the same cells again"
