"""Which rules of the plan the host broke while guests worked, each as a mark with its reason."""

from __future__ import annotations

from collections.abc import Sequence

from virtometer.counted import counted
from virtometer.model import HostUse, Mark, MarkKind, Rules
from virtometer.runner.watch.foreign import HostWatch
from virtometer.runner.watch.host import read_table
from virtometer.runner.watch.points import Point
from virtometer.visible import visible


def of_watch(watch: HostWatch | None, pairs: Sequence[tuple[Point, Point]], rules: Rules) -> list[Mark]:
    """What happened to the guests' processors and in the kernel. `pairs` of points cover the windows."""
    if watch is None:
        return []
    found = []
    fall = watch.fall([(first.counters, last.counters) for first, last in pairs])
    if fall is not None and 1 - fall[1] / fall[0] > rules.max_frequency_change:
        text = f"the frequency of the guest's processors fell from {fall[0]:.0f} to {fall[1]:.0f} MHz, by"
        allowed = f"(the plan allows {rules.max_frequency_change:.0%})"
        found.append(Mark(MarkKind.FREQUENCY, f"{text} {1 - fall[1] / fall[0]:.0%} {allowed}"))
    if (governors := watch.governor_change()) is not None and rules.max_frequency_change < 1:
        then, here = (one or "none" for one in governors)
        found.append(
            Mark(MarkKind.FREQUENCY, visible(f"the governor of the guest's processors was {then} and is {here}"))
        )
    if (times := watch.throttled()) > rules.max_throttling:
        text = f"processors of the guest were slowed down {times} times for their temperature"
        found.append(Mark(MarkKind.THROTTLED, f"{text} (the plan allows {rules.max_throttling})"))
    if len(errors := watch.kernel_errors()) > rules.max_kernel_errors:
        text = f"the kernel of the host logged {counted(len(errors), 'error')}: {errors[0]}"
        found.append(Mark(MarkKind.KERNEL, visible(text)))
    return found


def of_use(use: HostUse | None, swapped: int, rules: Rules) -> list[Mark]:
    """What took the processors and the memory. `swapped`: pages; `use` None: unknown."""
    found = []
    total = use.busy + use.idle + use.iowait + use.steal if use else 0.0
    if use and total > 0 and use.steal / total > rules.max_steal_share:
        share = f"{use.steal / total:.1%} of the host's processor time went to others"
        found.append(Mark(MarkKind.STEAL, f"{share} (the plan allows {rules.max_steal_share:.1%})"))
    if use and use.foreign is not None and use.wall_s > 0 and use.foreign / use.wall_s > rules.max_foreign_load:
        text = f"other programs used {use.foreign / use.wall_s:.2f} processors"
        found.append(Mark(MarkKind.FOREIGN, f"{text} (the plan allows {rules.max_foreign_load:g})"))
    if use and use.run_delay is not None and use.wall_s > 0 and use.run_delay / use.wall_s > rules.max_run_delay_share:
        text = f"others had the guest's processors for {use.run_delay / use.wall_s:.0%} of the window"
        text += f" while the guest was ready (the plan allows {rules.max_run_delay_share:.0%})"
        found.append(Mark(MarkKind.RUN_DELAY, text))
    if swapped > rules.max_swap_pages:
        found.append(Mark(MarkKind.SWAP, f"{swapped} pages moved (the plan allows {rules.max_swap_pages})"))
    free = read_table("/proc/meminfo").get("MemAvailable", 0) * 1024
    if free < rules.min_free_memory_bytes:
        text = f"{free >> 20} MiB were free (the plan asks for {rules.min_free_memory_bytes >> 20})"
        found.append(Mark(MarkKind.MEMORY, text))
    return found


def swap_pages() -> int:
    """Pages that were swapped in or out since the host was started."""
    table = read_table("/proc/vmstat")
    return table.get("pswpin", 0) + table.get("pswpout", 0)
