"""A guest that lives, and what ends with it."""

from virtometer.environments.base import LabContext
from virtometer.environments.kinds.native import Native
from virtometer.model import Limits, PlanEnvironment
from virtometer.runner.guests.running import RunningGuest


def test_what_serves_a_guest_ends_before_it_and_once(lab: LabContext) -> None:
    environment = Native(lab)
    plan = PlanEnvironment(name="guest", kind=environment.kind)
    running_guest = RunningGuest.start(environment, plan, environment.settings_type(), "running-guest", Limits())
    lived: list[bool] = []
    running_guest.ending.callback(lambda: lived.append(running_guest.guest.alive()))
    running_guest.stop()
    assert lived == [True] and not running_guest.guest.alive()
    running_guest.stop()  # a second time is no error
    assert lived == [True]
