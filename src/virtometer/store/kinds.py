"""What kind each round trip of an older ledger is: inferred here, once. Newer ledgers hold what the runner recorded."""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_left
from collections.abc import Sequence

from virtometer.model import RoundTripKind

_NULL = 9  # iterations without work before the first one with work: eight of the run's, and that one's own

Times = tuple[int, int, int, int]
"""Sent (host), received and sent (guest), received (host), in ns."""


def record(raw: sqlite3.Connection) -> None:
    """Fill in the column `kind` of the table `probes`."""
    columns = "SELECT trial, placement, conditions_json FROM"
    statement = f"{columns} results UNION ALL {columns} evidence"
    for trial, placement, conditions in raw.execute(statement).fetchall():
        key = (trial, placement)
        trips = raw.execute(
            "SELECT sent_host_ns, received_guest_ns, sent_guest_ns, received_host_ns FROM probes "
            "WHERE trial = ? AND placement = ? ORDER BY position",
            key,
        ).fetchall()
        samples = raw.execute(
            "SELECT start_ns, end_ns FROM samples WHERE trial = ? AND placement = ? ORDER BY position", key
        ).fetchall()
        by_laboratory = json.loads(conditions).get("timing") == "laboratory"
        kinds = iterations(trips, samples) if by_laboratory else pings(trips, samples)
        raw.executemany(
            "UPDATE probes SET kind = ? WHERE trial = ? AND placement = ? AND position = ?",
            [(kind, *key, position) for position, kind in enumerate(kinds)],
        )


def pings(trips: Sequence[Times], samples: Sequence[tuple[int, int]]) -> list[RoundTripKind]:
    """Kinds where all are pings, by their order and by the guest's clock."""
    numbers = range(len(trips))
    first = next((n for n in numbers if samples and trips[n][2] > samples[0][0]), len(trips))
    last = next((n for n in reversed(numbers) if samples and trips[n][1] < samples[-1][1]), -1)
    return ["before" if n < first else "during" if n <= last else "after" for n in numbers]


def iterations(trips: Sequence[Times], samples: Sequence[tuple[int, int]]) -> list[RoundTripKind]:
    """Kinds where the laboratory timed the run. A sample's work is the longest round trip in which the sample ended."""
    known = sorted(range(len(trips)), key=lambda n: trips[n][2])
    work = set()
    for _, end_ns in samples:
        at = bisect_left(known, end_ns, key=lambda n: trips[n][2])
        # A ping that was under way when the sample ended may come before the one that is meant.
        near = [n for n in known[at : at + 3] if trips[n][1] < end_ns]
        work.update(sorted(near, key=lambda n: trips[n][3] - trips[n][0])[-1:])
    if not work:
        return ["before"] * len(trips)
    first, last = min(work), max(work)
    kinds: list[RoundTripKind] = ["before" if n < first else "during" for n in range(len(trips))]
    for n, trip in enumerate(trips):
        if trip[0] >= trips[last][3]:
            kinds[n] = "after"
    for n in work:
        kinds[n] = "work"
    warm_up = next((n for n in range(first) if trips[n][3] == trips[first][0]), None)
    if warm_up is not None:  # the work goes on from there
        kinds[warm_up] = "warm-up"
    released = first if warm_up is None else warm_up
    for n in range(max(released - _NULL, 0), released):
        kinds[n] = "null"
    if warm_up is None:
        for n in sorted(work - {first}):
            ended = [m for m in range(n) if trips[m][3] <= trips[n][0] and kinds[m] == "during"]
            if ended:
                kinds[ended[-1]] = "null"
    return kinds
