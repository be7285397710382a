"""The order in which guests of a group are started: random, the same in all trials of the group."""

from __future__ import annotations

from collections import Counter

from scipy.stats import chisquare

from virtometer.design.schedule.scenarios import Placements
from virtometer.design.schedule.shuffle import Generator
from virtometer.design.schedule.start_order import in_start_order, started_in_order
from virtometer.model import GuestKey, Placement


def together(count: int) -> Placements:
    return tuple(Placement("box", "cpu", guest=at + 1, ordinal=at) for at in range(count))


def numbers(trial: Placements) -> tuple[int, ...]:
    return tuple(one.guest for one in trial)


def test_all_orders_are_equally_often_and_the_trials_of_a_group_agree() -> None:
    generator, found = Generator(7), Counter[tuple[int, ...]]()
    for _ in range(1200):
        one, two, three = in_start_order([together(1), together(2), together(3)], generator)
        assert one == together(1)
        assert [placement.ordinal for placement in three] == [0, 1, 2]
        assert numbers(two) == tuple(number for number in numbers(three) if number != 3)
        assert started_in_order([one, two, three]) == [GuestKey("box", number) for number in numbers(three)]
        found[numbers(three)] += 1
    assert len(found) == 6 and chisquare(list(found.values())).pvalue > 0.001


def test_work_of_one_guest_stays_together_and_copies_are_apart() -> None:
    mixed = tuple(
        Placement("box", workload, guest=guest, ordinal=ordinal)
        for ordinal, (guest, workload) in enumerate([(1, "disk"), (1, "net"), (2, "disk"), (2, "net")])
    )
    copies = tuple(Placement("box", "cpu", ordinal=at, instance=at + 1) for at in range(2))
    orders = [in_start_order([mixed], Generator(seed))[0] for seed in range(20)]
    assert {numbers(one) for one in orders} == {(1, 1, 2, 2), (2, 2, 1, 1)}
    assert {tuple(one.workload for one in order) for order in orders} == {("disk", "net", "disk", "net")}
    found = {tuple(one.instance for one in in_start_order([copies], Generator(seed))[0]) for seed in range(20)}
    assert found == {(1, 2), (2, 1)}


def test_loads_services_and_single_guests_stay_and_draw_nothing() -> None:
    loaded = (Placement("box", "disk"), *(Placement("box", "cpu", "load", at + 1, at) for at in (1, 2)))
    pair = (Placement("box", "net", uses=(1,)), Placement("box", "net", "service", 2, 1))
    for trials in ([loaded, together(1)], [pair, together(1)], [together(1)]):
        generator = Generator(3)
        assert in_start_order(trials, generator) == trials
        assert generator.next() == Generator(3).next()
