"""Trials of groups of guests: who works, how many processors that can use, and what is left for each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.groups.injected import member, trial


def test_roles_and_numbers() -> None:
    of = trial(0, [member(1.0), member(2.0, 2), member(3.0, 3, role="load", workload="burn")])
    assert [one.rate for one in of.measured] == [1.0, 2.0] and [one.rate for one in of.loads] == [3.0]
    assert of.guests == 3 and not of.single and len(of.of("cpu")) == 2
    assert trial(0, [member(1.0)]).single
    assert not trial(0, [member(1.0)], services={"box": "box #2"}).single
    assert trial(0, [member(1.0)], services={"box": "box #2"}).guests == 2


def test_guests_share_the_hosts_processors_fairly() -> None:
    three = trial(0, [member(1.0, number) for number in (1, 2, 3)])
    assert (three.demanded, three.offered) == (3, 2)
    assert three.portion(three.members[0]) == pytest.approx(2 / 3)
    two = trial(0, [member(1.0), member(1.0, 2)])
    assert two.portion(two.members[0]) == 1


def test_copies_share_the_processors_of_their_guest() -> None:
    copies = [replace(member(1.0, vcpus=2.0), guest=f"box copy {number}") for number in range(1, 5)]
    of = trial(0, copies)
    assert (of.demanded, of.guests) == (2, 4)
    assert of.portion(of.members[0]) == 0.5


def test_guests_that_are_bound_together_have_the_processors_of_the_set() -> None:
    one = frozenset({1})
    of = trial(0, [member(1.0, number, on=one) for number in (1, 2)])
    assert of.offered == 1 and of.portion(of.members[0]) == 0.5
    apart = trial(0, [member(1.0, 1, on=frozenset({0})), member(1.0, 2, on=one)])
    assert apart.offered == 2
    half = trial(0, [member(1.0, 1, on=one), member(1.0, 2)])
    assert half.offered == 2  # one of them may use all


def test_a_speed_is_better_when_it_is_more() -> None:
    assert member(4.0, unit="s").speed == pytest.approx(4.0)
    assert member(4.0).speed == 4.0
    assert replace(member(4.0), value=None).speed is None


def test_shapes_tell_directions_apart() -> None:
    there, back = (
        trial(0, [member(1.0, a)], services={f"box{x}": f"box{y}"}) for a, x, y in ((1, "", " #2"), (2, " #2", ""))
    )
    assert there.shape != back.shape
