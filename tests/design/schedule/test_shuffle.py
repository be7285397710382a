"""The same order for a seed for ever, and every order equally often."""

from __future__ import annotations

import itertools
import math
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from virtometer.design.schedule.shuffle import Generator


def test_splitmix64_gives_its_published_numbers() -> None:
    # Vigna's splitmix64.c (https://prng.di.unimi.it/splitmix64.c) from the seed 1234567, as listed at
    # https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64
    generator = Generator(1234567)
    assert [generator.next() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_the_order_of_a_seed_never_changes() -> None:
    assert "".join(Generator(0).shuffled("abcdefgh")) == "cfadegbh"
    assert "".join(Generator(2**63 - 1).shuffled("abcdefgh")) == "agbedcfh"


@given(st.integers(0, 2**63 - 1), st.lists(st.integers(), max_size=40))
def test_a_shuffle_is_a_permutation_and_leaves_its_argument(seed: int, items: list[int]) -> None:
    before = list(items)
    assert sorted(Generator(seed).shuffled(items)) == sorted(items)
    assert items == before


@given(st.integers(0, 2**63 - 1), st.integers(1, 2**40))
def test_below_is_below(seed: int, bound: int) -> None:
    generator = Generator(seed)
    assert all(0 <= generator.below(bound) < bound for _ in range(5))


def test_every_order_is_equally_likely_within_one_stream_and_over_seeds() -> None:
    orders = math.factorial(4)
    generator = Generator(1)
    for source in (
        (tuple(generator.shuffled("abcd")) for _ in range(200 * orders)),
        (tuple(Generator(seed).shuffled("abcd")) for seed in range(200 * orders)),
    ):
        counts = Counter(source)
        observed = [counts[order] for order in itertools.permutations("abcd")]
        assert sum(observed) == 200 * orders
        # Fixed seeds: the p-values do not vary from run to run, they only must not be extreme.
        assert 0.001 < chisquare(observed).pvalue < 0.999
