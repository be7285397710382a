"""Whether cells agree with claims: every relation by hand-made numbers, then all claims by the printed cells."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest

from tests.studies.validator import EXPERIMENTS
from virtometer.studies.agreement import (
    NOT_MEASURED,
    NOT_PRINTED,
    RESTATED,
    VERDICTS,
    Measured,
    Outcome,
    by_measured,
    by_printed,
    claims_table,
    counts,
    evaluate,
)
from virtometer.studies.bounds import Bounded, of_printed
from virtometer.studies.data import Claim, PublishedValue, claims
from virtometer.studies.rules import rule, rules

CLAIM = Claim("tsiouprou2010", "1", "tsiouprou2010/c000", "", "", "", "", None, None, "", "", ("disk",), "")
TIME, NATIVE_TIME = "tsiouprou2010/5.1/r1c2", "tsiouprou2010/5.1/r1c4"
RATE, NATIVE_RATE = "tsiouprou2010/5.3/r1c1", "tsiouprou2010/5.3/r1c3"
RATES = {"subject": {"id": RATE}, "reference": {"id": NATIVE_RATE}}
TIMES = {"subject": {"id": TIME}, "reference": {"id": NATIVE_TIME}}
SHARES = {"subject": {"item": "6.4", "operation": "write-random", "member": ["1", "2", "3"]}}
SUMS = {
    "subject": {"item": ["6.3", "6.4"], "operation": "write-random", "member": ["single", "sum"]},
    "along": {"guests": [1, 2, 3]},
}

# Claims that printed cells contradict: the figure, its least and greatest, in how many pairs the claim holds, and of
# how many. All others of the claims that printed cells decide agree with them.
CONTRADICTED: dict[str, tuple[str, float, float, int, int]] = {
    "tsiouprou2010/c001": ("loss", -0.3309, 0.7143, 35, 68),
    "tsiouprou2010/c002": ("speed ratio", 0.1848, 1.438, 83, 136),
    "tsiouprou2010/c003": ("speed ratio", 0.3197, 1.313, 15, 40),
    "tsiouprou2010/c009": ("speed ratio", 0.9698, 1, 0, 16),
    "tsiouprou2010/c013": ("speed ratio", 0.7267, 1.438, 4, 8),
    "tsiouprou2010/c016": ("speed ratio", 0.9378, 1.143, 11, 16),
    "tsiouprou2010/c019": ("ratio", 0.132, 1.053, 59, 64),
    "tsiouprou2010/c022": ("gain", 0.8209, 1.1, 0, 6),
    "tsiouprou2010/c023": ("loss", 0.6204, 0.8152, 3, 4),
    "tsiouprou2010/c025": ("speed ratio", 0.8865, 1.715, 15, 24),
    "tsiouprou2010/c027": ("ratio", 0.817, 1.358, 11, 16),
    "tsiouprou2010/c030": ("ratio", 0.4983, 10.04, 4, 8),
    "tsiouprou2010/c032": ("speed ratio", 0.817, 1.45, 2, 8),
    "tsiouprou2010/c034": ("ratio", 0.817, 1.358, 6, 8),
    "tsiouprou2010/c041": ("speed ratio", 0.862, 0.9132, 0, 4),
    "tsiouprou2010/c044": ("ratio", 0.9009, 1.274, 5, 8),
    "tsiouprou2010/c045": ("loss", 0.03521, 0.03547, 0, 2),
    "tsiouprou2010/c048": ("speed ratio", 0.6994, 1.124, 12, 24),
    "tsiouprou2010/c049": ("ratio", 0.4858, 0.6983, 10, 12),
    "tsiouprou2010/c050": ("speed ratio", 0.6435, 1.142, 7, 18),
    "tsiouprou2010/c051": ("loss", -0.03112, 0, 0, 16),
    "tsiouprou2010/c052": ("gain", 0.3072, 2.761, 2, 8),
    "tsiouprou2010/c053": ("speed ratio", 0.9692, 1.287, 18, 24),
    "tsiouprou2010/c054": ("ratio", 1.011, 1.049, 0, 4),
    "tsiouprou2010/c057": ("ratio", 0.8027, 4.352, 32, 48),
    "zupka2008/c043": ("speed ratio", 0.8438, 0.8438, 0, 1),
    "zupka2008/c048": ("gain", 0.2293, 0.2293, 0, 1),
    "zupka2008/c049": ("ratio", 1.156, 2.077, 1, 2),
    "zupka2008/c050": ("speed ratio", 0.5242, 1.277, 2, 15),
    "lemberger2010/c007": ("gain", -0.03664, 0.1999, 4, 16),
    "lemberger2010/c008": ("loss", -0.01558, 0.05659, 8, 24),
    "lemberger2010/c016": ("loss", 0.1923, 0.2077, 0, 2),
    "lemberger2010/c020": ("loss", -0.08938, 0.4832, 9, 16),
    "lemberger2010/c023": ("ratio", 0.584, 1.089, 2, 4),
    "lemberger2010/c024": ("loss", 0.2576, 0.2641, 0, 4),
    "lemberger2010/c026": ("speed ratio", 0.9093, 1.286, 2, 16),
    "lemberger2010/c027": ("loss", -0.06776, 0.06836, 4, 8),
    "lemberger2010/c028": ("gain", 0.0243, 0.1583, 5, 8),
    "lemberger2010/c032": ("loss", 0.1248, 0.2443, 1, 2),
    "lemberger2010/c039": ("loss", -1.454, 0.1849, 1, 2),
    "lemberger2010/c044": ("ratio", 0.3817, 1.186, 2, 4),
    "lemberger2010/c049": ("speed ratio", 0.9434, 1.148, 93, 104),
}

# Verdicts of printed cells: agrees, disagrees, undecided, cannot be tried here.
COUNTS = {
    "tsiouprou2010": (22, 25, 1, 10),
    "klein2008": (8, 0, 2, 15),
    "zupka2008": (8, 4, 0, 39),
    "appel2008": (4, 0, 0, 13),
    "lemberger2010": (29, 13, 0, 7),
}


def numbers(given: dict[str, float | tuple[float, float]]) -> Measured:
    """The numbers of cells by the ends of their ids: one number, or the ends of an interval."""

    def number_of(cell: PublishedValue) -> Bounded | None:
        for end, number in given.items():
            if cell.id.endswith(end):
                low, high = number if isinstance(number, tuple) else (number, number)
                return Bounded((low + high) / 2, low, high)
        return None

    return number_of


def judged(relation: str, entry: dict[str, Any], given: dict[str, float | tuple[float, float]], **of: Any) -> Outcome:
    claim = dataclasses.replace(CLAIM, relation=relation, **of)
    return evaluate(claim, rule(claim, entry), numbers(given), "nothing")


@pytest.mark.parametrize(
    ("relation", "subject", "verdict"),
    [
        ("about equal", 95, "agrees"), ("about equal", 94.9, "disagrees"), ("equal", 105, "agrees"),
        ("unchanged", 105.1, "disagrees"), ("no influence", (94, 96), "undecided"),
        ("influence", (96, 104), "disagrees"), ("influence", (106, 120), "agrees"),
        ("influence", (104, 120), "undecided"), ("faster than", (100.1, 120), "agrees"),
        ("faster than", (99, 120), "undecided"), ("faster than", 100, "disagrees"),
        ("slower than", 99, "agrees"), ("slower than", 101, "disagrees"),
        ("higher than", 101, "agrees"), ("higher than", 100, "disagrees"), ("lower than", (99, 101), "undecided"),
        ("loss", 99, "agrees"), ("loss", 101, "disagrees"), ("gain", 101, "agrees"), ("gain", 99, "disagrees"),
    ],
)  # fmt: skip
def test_rates_are_compared(relation: str, subject: float | tuple[float, float], verdict: str) -> None:
    outcome = judged(relation, RATES, {RATE: subject, NATIVE_RATE: 100})
    assert (outcome.verdict, outcome.reason, outcome.of, len(outcome.pairs)) == (verdict, "", 1, 1)


@pytest.mark.parametrize(
    ("relation", "subject", "verdict"),
    [
        ("about equal", 95.3, "agrees"), ("about equal", 95.2, "disagrees"), ("faster than", 99, "agrees"),
        ("slower than", 99, "disagrees"), ("higher than", 99, "disagrees"), ("lower than", 99, "agrees"),
        ("loss", 101, "agrees"), ("gain", 99, "agrees"),
    ],
)  # fmt: skip
def test_a_shorter_time_is_faster_but_not_higher(relation: str, subject: float, verdict: str) -> None:
    assert judged(relation, TIMES, {TIME: subject, NATIVE_TIME: 100}).verdict == verdict


@pytest.mark.parametrize(
    ("relation", "value", "high", "subject", "verdict"),
    [
        ("loss", 0.5, None, 37.5, "agrees"), ("loss", 0.5, None, 37.4, "disagrees"),
        ("loss", 0.5, None, 62.5, "agrees"), ("loss", 0.1, 0.2, (79, 85), "undecided"),
        ("loss", 0.03, None, 97.9, "agrees"), ("loss", 0.03, None, 98.1, "disagrees"),
        ("loss", 0.1, 0.2, 79.5, "agrees"), ("loss", 0.1, 0.2, 79.4, "disagrees"),
        ("gain", 0.5, None, 150, "agrees"), ("gain", 0.5, None, 163, "disagrees"),
        ("gain", 0, 0.25, 126, "disagrees"), ("gain", 0, 0.25, 125.4, "agrees"),
    ],
)  # fmt: skip
def test_a_stated_loss_or_gain_has_a_tolerance(
    relation: str, value: float, high: float | None, subject: float | tuple[float, float], verdict: str
) -> None:
    given = {RATE: subject, NATIVE_RATE: 100.0}
    assert judged(relation, RATES, given, value=value, high=high, unit="share").verdict == verdict


@pytest.mark.parametrize(
    ("value", "high", "subject", "verdict"),
    [(2, None, 150, "agrees"), (2, None, 251, "disagrees"), (0, 0.25, 25, "agrees"), (0, 0.25, 26, "disagrees")],
)
def test_a_stated_ratio_has_a_tolerance_and_a_range_has_none(
    value: float, high: float | None, subject: float, verdict: str
) -> None:
    outcome = judged("ratio", RATES, {RATE: subject, NATIVE_RATE: 100}, value=value, high=high, unit="1")
    assert (outcome.verdict, outcome.figure) == (verdict, "ratio")


def test_a_gain_in_a_unit_of_its_own_is_a_difference() -> None:
    of = {"value": 0, "high": 10, "unit": "B/s"}
    outcome = judged("gain", RATES, {RATE: 109, NATIVE_RATE: 100}, **of)
    assert (outcome.verdict, outcome.figure, outcome.pairs[0].figure.value) == ("agrees", "difference", 9)
    assert judged("gain", RATES, {RATE: 99, NATIVE_RATE: 100}, **of).verdict == "disagrees"


@pytest.mark.parametrize(("relation", "seconds", "verdict"), [("value", 2.5, "agrees"), ("value", 2.51, "disagrees")])
def test_a_value_is_judged_alone(relation: str, seconds: float, verdict: str) -> None:
    outcome = judged(relation, {"subject": {"id": TIME}}, {TIME: seconds}, value=2, unit="s")
    assert (outcome.verdict, outcome.pairs[0].reference) == (verdict, None)


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(100, 170, "agrees"), (170, 190, "undecided"), (190, 200, "disagrees")]
)
def test_a_limit_is_a_range_of_values(low: float, high: float, verdict: str) -> None:
    entry = {"subject": {"id": TIME}, "value": 0, "high": 180}
    assert judged("limit", entry, {TIME: (low, high)}, unit="s").verdict == verdict


@pytest.mark.parametrize(
    ("shares", "fair", "unfair"),
    [
        ((100, 105, 110), "agrees", "disagrees"),
        ((100, 105, 110.2), "disagrees", "agrees"),
        (((99, 101), 105, 110), "undecided", "undecided"),
    ],
)
def test_shares_are_fair_where_the_greatest_is_near_the_least(
    shares: tuple[float | tuple[float, float], ...], fair: str, unfair: str
) -> None:
    given = {f"6.4/r3c{at}": share for at, share in enumerate(shares, 1)}
    assert judged("fair", SHARES, given).verdict == fair
    assert judged("unfair", SHARES, given).verdict == unfair


def test_one_share_alone_is_not_judged() -> None:
    assert judged("fair", SHARES, {"6.4/r3c1": 100}).verdict == "cannot be tried here"


@pytest.mark.parametrize(
    ("sums", "up", "down"),
    [
        ((10, 11, 12), "agrees", "disagrees"),
        ((12, 11, 10), "disagrees", "agrees"),
        ((10, 12, 11), "disagrees", "disagrees"),
        ((10, 11, (10.9, 12)), "undecided", "disagrees"),
    ],
)
def test_a_trend_holds_in_every_step(sums: tuple[float | tuple[float, float], ...], up: str, down: str) -> None:
    given = dict(zip(("6.3/r3c4", "6.3/r3c3", "6.4/r3c4"), sums, strict=True))
    outcome = judged("trend up", SUMS, given)
    assert (outcome.verdict, len(outcome.pairs)) == (up, 2)
    assert judged("trend down", SUMS, given).verdict == down


@pytest.mark.parametrize(
    ("holds", "rates", "verdict"),
    [
        ("each", (101, 101, 101, 99), "disagrees"), ("most", (101, 101, 101, 99), "agrees"),
        ("most", (101, 101, 99, 99), "disagrees"), ("clearly", (101, 101, 101, 99), "agrees"),
        ("clearly", (101, 101, (99, 102), (99, 102)), "undecided"), ("clearly", (101, 101, 99, 99), "disagrees"),
        ("each", (101, 101, 101, (99, 102)), "undecided"),
        ("most", (101, 101, 99, (99, 102)), "undecided"), ("most", (101, 101, 101, (99, 102)), "agrees"),
        ("mean", (50, 50, 500, 101), "agrees"), ("mean", (50, 50, 101, 101), "disagrees"),
        ("mean", (101, 101, 101, (90, 110)), "undecided"), ("mean", ((90, 140),) * 4, "undecided"),
    ],
)  # fmt: skip
def test_pairs_are_judged_together(holds: str, rates: tuple[float | tuple[float, float], ...], verdict: str) -> None:
    entry = {"subject": {"item": "5.3", "role": "guest", "bits": 32}, "reference": {"item": "5.3", "role": "native"}}
    given: dict[str, float | tuple[float, float]] = {f"5.3/r{at}c1": rate for at, rate in enumerate(rates, 1)}
    given |= {f"5.3/r{at}c3": 100 for at in range(1, 5)}
    outcome = judged("higher than", {**entry, "holds": holds}, given)
    assert (outcome.verdict, outcome.of, len(outcome.pairs)) == (verdict, 4, 4)
    assert (outcome.mean is None) is (holds != "mean")


def test_pairs_without_numbers_are_left_out_and_counted() -> None:
    entry = {"subject": {"item": "5.3", "role": "guest", "bits": 32}, "reference": {"item": "5.3", "role": "native"}}
    outcome = judged("higher than", entry, {"5.3/r1c1": 101, "5.3/r1c3": 100, "5.3/r2c1": 99})
    assert (outcome.verdict, outcome.holding, len(outcome.pairs), outcome.of) == ("agrees", 1, 1, 4)
    outcome = judged("higher than", entry, {})
    assert (outcome.verdict, outcome.reason, outcome.of) == ("cannot be tried here", "nothing", 4)


def test_a_mean_that_agrees_while_no_pair_does_decides_nothing() -> None:
    entry = {"subject": {"item": "5.3", "role": "guest", "bits": 32}, "reference": {"item": "5.3", "role": "native"}}
    given: dict[str, float | tuple[float, float]] = {
        f"5.3/r{at}c1": rate for at, rate in enumerate((50, 50, 200, 200), 1)
    }
    given |= {f"5.3/r{at}c3": 100 for at in range(1, 5)}
    outcome = judged("about equal", {**entry, "holds": "mean"}, given)
    assert outcome.mean is not None and outcome.mean.value == pytest.approx(1)
    assert (outcome.verdict, outcome.holding) == ("undecided", 0)


def test_cells_that_slipped_are_in_no_pair_and_the_row_says_so() -> None:
    rows = {row.claim_id: row for row in claims_table("lemberger2010")}
    slipped = {f"lemberger2010/appendix-RAM-RAMspeed-Linux/{place}" for place in ("r2c1", "r4c1")}
    for name in ("c006", "c008", "c049"):
        outcome = rows[name].published
        cells = {one.id for pair in outcome.pairs for one in (pair.subject, pair.reference) if one is not None}
        assert set(outcome.left_out) == slipped and not slipped & cells and outcome.of == len(outcome.pairs)
        assert "2 cells" in rows[name].note
    assert not rows["c007"].published.left_out and "cells" not in rows["c007"].note


def test_cells_of_a_trend_that_slipped_leave_the_others() -> None:
    claim = dataclasses.replace(CLAIM, relation="trend up")
    given = numbers({"6.3/r3c4": 10, "6.3/r3c3": 11, "6.4/r3c4": 12})
    outcome = evaluate(claim, rule(claim, SUMS), given, "nothing", frozenset({"tsiouprou2010/6.3/r3c3"}))
    assert (outcome.verdict, len(outcome.pairs), outcome.left_out) == ("agrees", 1, ("tsiouprou2010/6.3/r3c3",))


def test_numbers_without_bounds_decide_nothing_that_has_two_ends() -> None:
    given: dict[str, float | tuple[float, float]] = {RATE: (0, math.inf), NATIVE_RATE: (0, math.inf)}
    for relation in ("about equal", "higher than", "loss", "influence"):
        assert judged(relation, RATES, given).verdict == "undecided"
    assert judged("gain", RATES, given, value=0, high=9, unit="B/s").verdict == "undecided"
    assert judged("higher than", {**RATES, "holds": "mean"}, given).verdict == "undecided"


def test_a_pair_has_its_numbers_and_what_rounding_allows() -> None:
    pair = judged("loss", TIMES, {TIME: (4, 5), NATIVE_TIME: (2, 3)}).pairs[0]
    assert pair.reference is not None
    assert (pair.subject.id, pair.reference.id) == (TIME, NATIVE_TIME)
    assert (pair.subject_number, pair.reference_number) == (Bounded(4.5, 4, 5), Bounded(2.5, 2, 3))
    assert pair.ratio is not None
    assert (pair.ratio.value, pair.ratio.low, pair.ratio.high) == pytest.approx((2.5 / 4.5, 0.4, 0.75))
    assert (pair.figure.low, pair.figure.high, pair.holds) == (0.25, 0.6, True)


@pytest.mark.parametrize("study", EXPERIMENTS)
def test_all_claims_of_a_study_have_a_verdict(study: str) -> None:
    table = claims_table(study)
    assert [row.claim for row in table] == list(claims(study))
    found = counts(row.published for row in table)
    assert tuple(found[verdict] for verdict in VERDICTS) == COUNTS[study]
    assert all(row.new is None for row in table)
    assert all(bool(row.published.pairs) is not bool(row.published.reason) for row in table)


@pytest.mark.parametrize("study", EXPERIMENTS)
def test_the_printed_cells_contradict_these_claims_and_no_others(study: str) -> None:
    found: dict[str, tuple[object, ...]] = {}
    for row in claims_table(study):
        if row.published.verdict == "disagrees":
            of = [pair.figure.value for pair in row.published.pairs]
            ends = pytest.approx((min(of), max(of)), rel=1e-3)
            found[row.claim.claim_id] = (row.published.figure, ends, row.published.holding, len(of))
    wanted = {claim: of for claim, of in CONTRADICTED.items() if claim.startswith(study)}
    assert found.keys() == wanted.keys()
    for claim, (figure, low, high, holding, pairs) in wanted.items():
        assert found[claim] == (figure, (low, high), holding, pairs)


def test_every_subject_of_a_claim_is_compared() -> None:
    # A cell alone in its row, or a system pair that was not measured before tuning, has no reference.
    allowed = {"klein2008/c008": 16, "appel2008/c005": 1}
    for study in EXPERIMENTS:
        for claim in claims(study):
            of = rules(study)[claim.claim_id]
            outcome = evaluate(claim, of, lambda _: Bounded(1, 1, 1), "")
            compared = {one.id for pair in outcome.pairs for one in (pair.subject, pair.reference) if one is not None}
            if of.relation not in {"fair", "unfair"} and not of.along:
                subjects = {cell.id for case in of.cases for cell in case.subject_cells()}
                assert len(subjects - compared) == allowed.get(claim.claim_id, 0), claim.claim_id


def test_new_cells_give_the_verdict_that_printed_ones_give() -> None:
    for row in claims_table("klein2008", of_printed):
        assert row.new is not None
        if row.claim.untried:
            assert (row.new.verdict, row.new.reason) == ("cannot be tried here", row.claim.untried)
        elif row.rule.undecidable:
            assert row.new == row.published
        elif not row.rule.restates:
            assert (row.new.verdict, row.new.pairs) == (row.published.verdict, row.published.pairs)


def test_a_claim_that_only_restates_a_number_is_decided_by_new_cells_alone() -> None:
    claim = claims("zupka2008")[0]
    of = rules("zupka2008")[claim.claim_id]
    assert (by_printed(claim, of).verdict, by_printed(claim, of).reason) == ("cannot be tried here", RESTATED)
    for low, high, verdict in ((0.11, 0.19, "agrees"), (0.19, 0.21, "undecided"), (0.3, 0.4, "disagrees")):
        assert by_measured(claim, of, numbers({"text-3.1.1/1": (low, high)})).verdict == verdict


def test_reasons_say_what_is_missing() -> None:
    assert all(row.new is not None and row.new.reason for row in claims_table("appel2008", lambda _: None))
    reasons = {row.new.reason for row in claims_table("klein2008", lambda _: None) if row.new is not None}
    assert NOT_MEASURED in reasons
    unreadable = {row.claim_id: row.published.reason for row in claims_table("lemberger2010")}
    assert unreadable["c041"] == NOT_PRINTED


def test_an_unknown_study_has_no_claims() -> None:
    assert claims_table("nobody2000") == ()
