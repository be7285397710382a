"""Which programs guests carry because a plan tunes them by running these."""

from __future__ import annotations

from tests.runner.fixtures import MakePlan
from virtometer.runner.campaign.tuning_programs import tuning_programs


def test_only_guests_with_a_kernel_of_their_own_carry_programs(make_plan: MakePlan) -> None:
    run = {"run": "ip link set {interface} txqueuelen 5"}
    kinds = [
        {"name": "native", "kind": "native", "settings": {"tuning": [{"run": "tc qdisc"}]}},
        {"name": "vm", "kind": "qemu", "settings": {"tuning": [run, run, {"where": "port", "run": "bridge link"}]}},
    ]
    assert tuning_programs(make_plan(kinds)) == ("ip",)
    assert tuning_programs(make_plan(kinds[:1])) == ()
