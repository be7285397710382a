"""In which order the guests of a group are started, prepared and released: random in each block. PURE.

The order of the placements of a trial is that order. Were it that of the guests' numbers, a host that favours what
begins first would look like one that favours the guest with the number 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from virtometer.design.schedule.scenarios import Placements, guests_of
from virtometer.design.schedule.shuffle import Generator
from virtometer.model import GuestKey, Placement


def in_start_order(trials: Sequence[Placements], generator: Generator) -> list[Placements]:
    """The trials of one group with their placements in a fresh random order, the same one in all of them.

    Only measured guests that work at the same time have an order, and the copies in one guest. Loads and services stay
    where they are: they start before what is measured.
    """
    workers = dict.fromkeys(map(_worker, (one for trial in trials if _is_free(trial) for one in trial)))
    if not any(_is_free(trial) for trial in trials if len(set(map(_worker, trial))) > 1):
        return list(trials)
    places = {worker: place for place, worker in enumerate(generator.shuffled(list(workers)))}
    return [_ordered(trial, places) if _is_free(trial) else trial for trial in trials]


def started_in_order(trials: Iterable[Placements]) -> list[GuestKey]:
    """The guests of some trials in the order in which they are started: that of the trial with the most of them."""
    return guests_of(sorted(trials, key=len, reverse=True))


def _worker(placement: Placement) -> tuple[GuestKey, int]:
    return placement.guest_key, placement.instance


def _is_free(trial: Placements) -> bool:
    return all(one.role == "measured" and not one.uses for one in trial)


def _ordered(trial: Placements, places: dict[tuple[GuestKey, int], int]) -> Placements:
    placements = sorted(trial, key=lambda one: places[_worker(one)])
    return tuple(replace(one, ordinal=ordinal) for ordinal, one in enumerate(placements))
