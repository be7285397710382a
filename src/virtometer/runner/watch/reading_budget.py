"""What watching the host may cost the laboratory, and how often it may be done."""

from __future__ import annotations

WATCH_S = 0.05
"""Time between two readings, where they are cheap."""

SHARE = 1 / 250
"""Part of one processor that readings may take."""


def pause_s(cost_s: float) -> float:
    """Time from the end of a reading, which cost so much processor time, to the next one."""
    return max(WATCH_S * 0.9, cost_s / SHARE)


class Budget:
    """Says before which windows the host may be read, so that readings take at most SHARE of all windows in total.

    A window is read as it begins and ends, or not at all. The first one always is: nothing would be known without it.
    """

    def __init__(self) -> None:
        """Nothing was read."""
        self._spent_ns = self._passed_ns = 0
        self._cost_ns = self._length_ns = 0  # of the last window that was read, of the last window

    @property
    def allows(self) -> bool:
        """Whether the next window may be read, where it is as long as the last one and costs as much."""
        return self._spent_ns + self._cost_ns <= SHARE * (self._passed_ns + self._length_ns) or not self._passed_ns

    def passed(self, length_ns: int, cost_ns: int) -> None:
        """A window of this length has ended, and its readings took so much processor time: 0 where it was not read."""
        self._spent_ns += cost_ns
        self._passed_ns += length_ns
        self._cost_ns, self._length_ns = cost_ns or self._cost_ns, length_ns
