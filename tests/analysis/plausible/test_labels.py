"""What labels say."""

from __future__ import annotations

import pytest

from virtometer.analysis.plausible.labels import hinted, intensive, leading, role, sizes, unit


@pytest.mark.parametrize(
    ("label", "what"),
    [
        ("AVERAGE", "mean"), ("Mittelwert", "mean"), ("mean (MB/s)", "mean"), ("mean #2", "mean"), ("Summe:", "sum"),
        ("Soll", "expected"), ("Rang", "rank"), ("copy", ""), ("mean of guests", ""),
    ],
)  # fmt: skip
def test_roles_of_whole_labels(label: str, what: str) -> None:
    assert role(label) == what


def test_labels_that_begin_or_end_with_a_statistic() -> None:
    labels = ("sum of VMs", "grand total", "mean time", "mean", "time of all", "totals of VM")
    assert [leading(label) for label in labels] == ["sum", "sum", "mean", "", "", ""]


def test_quantities_that_do_not_add_up() -> None:
    assert all(intensive(label) for label in ("rate [MB/s]", "latency", "overhead %", "b/a", "service demand"))
    assert not any(intensive(label) for label in ("time [s]", "VM 1", "files"))


def test_words_units_and_sizes() -> None:
    assert hinted("CPU efficiency of guests") == "efficiency"
    assert (unit("rate (MB/s)"), unit("rate, KB"), unit("rate")) == ("mb/s", "kb", "")
    assert sizes(["4 KB", "1 MB", "16", "copy"]) == [4096, 1 << 20, 16, None]
