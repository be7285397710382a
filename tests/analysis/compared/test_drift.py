"""The error between campaigns, with noise that has memory."""

from __future__ import annotations

import numpy as np
import pytest

from virtometer.analysis.compared.drift import between_campaigns
from virtometer.analysis.compared.worse import p_not_worse
from virtometer.analysis.statistics.spread import spread
from virtometer.analysis.statistics.unpaired import difference

LIMIT = float(np.log1p(0.05))


def pink(rng: np.random.Generator, n: int, of: int = 256) -> np.ndarray:
    """A stretch of a series of 1/f noise, whose deviation is 1."""
    frequencies = np.fft.rfftfreq(of)[1:]
    parts = (rng.normal(size=len(frequencies)) + 1j * rng.normal(size=len(frequencies))) / np.sqrt(frequencies)
    series = np.fft.irfft(np.concatenate([[0], parts]), of)
    at = int(rng.integers(0, of - n))
    return np.asarray((series / series.std())[at : at + n])


def wrong(blocks: int, repetitions: int, *, wider: bool, memory: bool) -> float:
    """How often "not worse" is said where B has lost exactly the margin. B alone has noise with memory."""
    rng, found = np.random.default_rng(blocks), 0
    for _ in range(repetitions):
        before = list(rng.normal(0, 0.02, blocks))
        after = list((0.02 * pink(rng, blocks) if memory else rng.normal(0, 0.02, blocks)) - LIMIT)
        control = spread(list(rng.normal(0, 0.01, blocks)))
        sides = [between_campaigns(one, control) if wider else spread(one) for one in (after, before)]
        of = difference(*sides)
        found += of is not None and p_not_worse(of, 0.05) < 0.05
    return found / repetitions


@pytest.mark.parametrize("blocks", [6, 12, 24])
def test_noise_with_memory_is_wrong_less_often(blocks: int) -> None:
    plain, wider = (wrong(blocks, 400, wider=wide, memory=True) for wide in (False, True))
    assert plain > 0.1
    assert wider < 0.65 * plain


def test_independent_noise_keeps_its_level() -> None:
    assert wrong(8, 1000, wider=True, memory=False) <= 0.05


def test_the_mean_stays_and_the_error_never_shrinks() -> None:
    rng = np.random.default_rng(3)
    for n in (2, 5, 6, 40):
        logs = list(rng.normal(0.1, 0.01, n))
        plain, wider = spread(logs), between_campaigns(logs, None)
        assert plain is not None and wider is not None
        assert (wider.mean, wider.n) == (plain.mean, n) and wider.error >= plain.error
    assert between_campaigns([], None) is None
    assert between_campaigns([0.1, 0.1], None) == spread([0.1, 0.1])
