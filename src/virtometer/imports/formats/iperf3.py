"""iperf3 -J: the end of a test."""

from __future__ import annotations

from collections.abc import Iterator

from virtometer.errors import UsageError
from virtometer.imports.content import Content
from virtometer.imports.format import Format
from virtometer.imports.node import Node
from virtometer.imports.value import Origin, Value


def recognises(content: Content) -> bool:
    """An object with start, intervals and end."""
    document = content.document
    return document is not None and document.has("start", "intervals", "end")


def read(content: Content) -> Iterator[Value]:
    """Throughput at the receiver; of UDP also the jitter. Raises UsageError where the test failed."""
    document = content.document
    assert document is not None
    if (error := document.get("error")) is not None:
        raise UsageError(f"{content.name}: iperf3 reports an error: {error.text()[:200]}")
    end = document["end"]
    setup = document["start"].get("test_start")
    protocol = setup.get("protocol") if setup is not None else None
    name = f"iperf3 {protocol.text()}" if protocol is not None else "iperf3"
    if setup is not None and (reverse := setup.get("reverse")) is not None and reverse.value:
        name += " reverse"
    received, both = end.get("sum_received"), end.get("sum")
    total = received or both
    if total is None:
        raise UsageError(f"{content.name} has no sum over the test; the test was interrupted")
    arrived = 1.0 if received is not None else _share_that_arrived(total)
    yield Value(name, "throughput", "B/s", "higher", arrived * total["bits_per_second"].number() / 8, Origin.RUN)
    if (jitter := (both or total).get("jitter_ms")) is not None:
        yield Value(name, "jitter", "s", "lower", 1e-3 * jitter.number(), Origin.RUN)


def _share_that_arrived(both: Node) -> float:
    """Of data by UDP. Older versions have one sum for both sides: the rate of the sender, and the share of losses."""
    lost = both.get("lost_percent")
    if lost is None:
        raise UsageError(
            f"{both.place} has the rate of the sender alone, and no lost_percent", advice="use a newer iperf3"
        )
    if not 0 <= lost.number() <= 100:
        raise UsageError(f"{lost.place} is not between 0 and 100")
    return 1 - lost.number() / 100


IPERF3 = Format("iperf3", "iperf3 -c HOST -J", "https://software.es.net/iperf/", recognises, read)
