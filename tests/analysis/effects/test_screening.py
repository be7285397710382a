"""Which factors are kept after a first stage: by rules on what it saw, and on small experiments."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from tests.analysis.effects.experiments import experiment, response
from virtometer.analysis.effects.screening import Seen, screened, seen
from virtometer.analysis.effects.table import Variable
from virtometer.model import Why

MARGIN = 0.05
IDLE, FAR, WIDE = (-0.01, 0.02), (0.06, 0.10), (-0.01, 0.07)


def main(name: str, low: float, high: float, zero: float = 0.5, metric: str = "read") -> Seen:
    return Seen((name,), metric, "1", low, high, zero)


def pair(*chain: str, zero: float = 0.0001, high: float = 0.2) -> Seen:
    pairs = tuple(tuple(one.split(":")) for one in chain)
    return Seen(pairs[0], "read", "1, 1", 0.01, high, zero, pairs)


def fates(of: Sequence[Seen], names: str = "abcd", most: int = 99) -> dict[str, Why]:
    def has_room(kept: Collection[str]) -> bool:
        return len(kept) <= most

    return {one.factor: one.why for one in screened(list(names), of, MARGIN, has_room)}


def test_a_factor_is_dropped_where_no_metric_leaves_it_room_to_matter() -> None:
    of = [main("a", *IDLE), main("b", *FAR), main("c", *WIDE), main("d", *IDLE), main("d", *WIDE, metric="write")]
    assert fates(of) == {"a": Why.IDLE, "b": Why.MATTERS, "c": Why.MATTERS, "d": Why.MATTERS}


def test_what_has_no_interval_or_no_number_is_kept() -> None:
    assert fates([main("a", math.nan, math.nan, math.nan)], "ab") == {"a": Why.MATTERS, "b": Why.MATTERS}


def test_an_interaction_between_kept_factors_keeps_no_others() -> None:
    of = [main("a", *FAR), main("b", *FAR), main("c", *IDLE), main("d", *IDLE), pair("c:d", "a:b")]
    assert fates(of) == {"a": Why.MATTERS, "b": Why.MATTERS, "c": Why.IDLE, "d": Why.IDLE}


def test_an_interaction_keeps_the_partners_of_kept_factors() -> None:
    of = [main("a", *FAR), main("b", *IDLE), main("c", *IDLE), main("d", *IDLE), pair("a:b", "c:d")]
    assert fates(of) == {"a": Why.MATTERS, "b": Why.INTERACTION, "c": Why.IDLE, "d": Why.IDLE}


def test_an_interaction_without_a_kept_factor_keeps_all_that_may_make_it() -> None:
    of = [main(name, *IDLE) for name in "abcd"]
    chain = pair("a:b", "c:d")
    assert set(fates([*of, chain]).values()) == {Why.INTERACTION}
    (first, *_) = screened(list("abcd"), [*of, chain], MARGIN, lambda _: True)
    assert first.chain == ("a:b", "c:d")
    assert set(fates([*of, pair("a:b", zero=0.02)]).values()) == {Why.IDLE}, "it is not clear enough"
    assert set(fates([*of, pair("a:b", high=0.02)]).values()) == {Why.IDLE}, "it is too small to matter"


def test_where_there_is_no_room_those_with_the_least_evidence_go() -> None:
    of = [main("a", *FAR, zero=1e-6), main("b", *WIDE, zero=0.2), main("c", *WIDE, zero=0.1), main("d", *IDLE)]
    assert fates(of, most=2) == {"a": Why.MATTERS, "b": Why.ROOM, "c": Why.MATTERS, "d": Why.IDLE}
    assert fates(of, most=0) == {"a": Why.ROOM, "b": Why.ROOM, "c": Why.ROOM, "d": Why.IDLE}


def test_the_bound_is_that_of_the_change_that_may_be_farthest() -> None:
    (one,) = screened(["a"], [main("a", *IDLE), main("a", -0.04, 0.01, metric="write")], MARGIN, lambda _: True)
    assert (one.metric, one.level) == ("write", "1")
    assert one.low is not None and one.high is not None
    assert math.isclose(one.low, 100 * math.expm1(-0.04)) and math.isclose(one.high, 100 * math.expm1(0.01))


def test_what_is_seen_has_contrasts_of_all_that_is_to_be_made_best_with_what_they_may_be() -> None:
    """Half of the combinations of four factors: pairs cannot be told from each other."""
    variables = [Variable(name, ("0", "1")) for name in "abcd"]

    def odd(levels: object) -> bool:
        return sum(level == "1" for level in levels.values()) % 2 == 1  # type: ignore[attr-defined]

    of = experiment(
        response(variables, lambda levels: 0.1 * (levels["a"] == "1"), skip=odd),
        response(variables, lambda _: 0.0, "cost", beside=True, skip=odd),
        variables=variables,
    )
    found = seen(of)
    assert {one.metric for one in found} == {"read"}
    assert [one.factors for one in found if not one.chain] == [("a",), ("b",), ("c",), ("d",)]
    chains = [set(one.chain) for one in found if one.chain]
    assert chains == [{("a", "b"), ("c", "d")}, {("a", "c"), ("b", "d")}, {("a", "d"), ("b", "c")}]
    a = next(one for one in found if one.factors == ("a",))
    assert a.low < 0.1 < a.high and a.zero < 1e-6
    kept = [one.factor for one in screened(list("abcd"), found, MARGIN, lambda _: True) if one.why.kept]
    assert kept == ["a"]
