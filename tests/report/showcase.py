"""Campaigns that have everything a report must show: all verdicts, other conditions, faults, marks, odd names."""

from __future__ import annotations

from dataclasses import replace

from tests.analysis.simulated_campaigns import Place, Work, outliers, simulate
from virtometer.model import Campaign, CommandLine

CPU = Work("cpu linpack 500", "linpack", "classic", "FLOP/s", 4e9, parameters={"size": 500})
MEMORY = Work("memory triad 64 MB", parameters={"size": "64M"})
DISK = Work("disk 4k random read", "disk", "random-read", "IO/s", 10_300)
NETWORK = Work("network to host", "net", "stream", "B/s", 1.7e9)
SWITCH = Work("context switch", "os", "context-switch", "s", 2.9e-6)
ODD = 'odd & <b>"name"</b> [red]</script>'


def showcase() -> Campaign:
    """Eight blocks, seven environments, five workloads, fixed seed."""
    direct = {DISK.name: {"io": "direct"}}
    buffered = {DISK.name: {"io": "buffered", "io_reason": "O_DIRECT refused: EINVAL"}}
    places = [
        Place("native", conditions=direct),
        Place("runc", "runc", {"": 0.998, NETWORK.name: 0.93}, 1.01, direct, provision_s=0.08),
        Place("gVisor", "gvisor", {"": 0.97, SWITCH.name: 0.12, NETWORK.name: 0.21}, 1.3, direct, provision_s=0.6),
        Place("user-mode Linux", "uml", {"": 0.96, SWITCH.name: 0.3, DISK.name: 1.8}, None, buffered, provision_s=1.6),
        Place(
            "QEMU (emulated)", "qemu", {"": 0.07, MEMORY.name: 0.3}, 12.0, {**direct, CPU.name: {"simd": "sse2"}},
            fails={NETWORK.name: "QEMU (emulated): not available here: this environment offers no network"},
            settings={"memory": "512M"}, provision_s=4.2,
        ),
        Place("KVM", "kvm", works=False, reason="a guest needed 2,100 ns for an instruction: KVM is emulated here"),
        Place(ODD, "runc", {"": 0.95}, 1.02, direct, provision_s=0.1),
    ]  # fmt: skip
    campaign = simulate(
        places,
        [CPU, MEMORY, DISK, NETWORK, SWITCH],
        seed=3,
        noise=outliers(0.015),
        marks={5: ("steal: 7.1% of the host's processor time went to others (the plan allows 5.0%)",)},
        fail={30: f"{ODD}: the guest ended in the middle of the trial: <out of memory>"},
        name="showcase",
        question=f"What does {ODD} cost?",
    )
    first = campaign.trials[0]
    samples = first.results[0].samples
    aside = (replace(samples[0], used=False, mark="clock error ±0.6% exceeds the limit of 0.5%"), *samples[1:])
    trials = (replace(first, results=(replace(first.results[0], samples=aside),)), *campaign.trials[1:])
    command = CommandLine(campaign.created_at, "a command", ("sh", "-c", "echo '</script><img src=x>'"), None)
    return replace(
        campaign,
        trials=trials,
        commands=(*campaign.commands, command),
        plan_text=f"virtometer: 1\nname: showcase\n# {ODD}\n",
    )


def small() -> Campaign:
    """Seven blocks of one workload in four environments, for formats that hold every field."""
    buffered = {DISK.name: {"io": "buffered", "io_reason": "O_DIRECT refused: EINVAL"}}
    places = [
        Place("native", conditions={DISK.name: {"io": "direct"}}),
        Place("user-mode Linux", "uml", {"": 1.8}, 1.2, buffered),
        Place("gVisor", "gvisor", {"": 0.97}, None, {DISK.name: {"io": "direct"}}),
        Place("KVM", "kvm", works=False, reason='no, "not" here'),
    ]
    return simulate(
        places, [DISK], blocks=7, seed=5, noise=outliers(0.03), samples=2, fail={4: "it ended, and said: \n\"no\""},
        marks={2: ("steal: 7.1%", "swap: 3 pages")},
    )  # fmt: skip
