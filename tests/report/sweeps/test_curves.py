"""Curves, surfaces, measures and histograms on the page."""

from __future__ import annotations

import pytest

from tests.analysis.simulated_campaigns import Place, Work, changed, simulate, with_runs
from tests.report.formats.test_html import Reader
from tests.report.showcase import ODD, curves
from virtometer.analysis import analyse
from virtometer.analysis.compare.blocks import by_treatment
from virtometer.analysis.curves.levels import of_series
from virtometer.analysis.curves.sweeps import series
from virtometer.model import Failure, FailureKind
from virtometer.report.formats.html import page
from virtometer.report.parts.plot import Figure
from virtometer.report.sweeps.curves import curve, efficiency_curve, surface


@pytest.fixture(scope="module")
def reader() -> Reader:
    campaign = curves()
    return Reader(page(analyse(campaign), scripts=False))


def pictures(reader: Reader) -> list[str]:
    """What the plots show, in words."""
    return [attributes["aria-label"] for _, attributes in reader.elements if attributes.get("role") == "img"]


def test_a_curve_tells_every_value_of_every_environment(reader: Reader) -> None:
    (told,) = [label for label in pictures(reader) if label.startswith("read: memory read over size: ")]
    assert told.count("KiB: ") + told.count("MiB: ") == 18
    assert f"; {ODD} 1 KiB: " in told


def test_a_surface_has_a_picture_for_each_environment(reader: Reader) -> None:
    told = [label for label in pictures(reader) if label.startswith("write: disk write in ")]
    assert [label.split(" over")[0] for label in told] == ["write: disk write in native", f"write: disk write in {ODD}"]
    assert all(label.count(" by ") == 12 for label in told)


def test_the_efficiency_stands_beside_the_values_of_a_curve(reader: Reader) -> None:
    (told,) = [label for label in pictures(reader) if label.startswith("efficiency of read: memory read over size: ")]
    assert told.startswith(f"efficiency of read: memory read over size: {ODD} 1 KiB: 0.")
    assert "native" not in told
    assert told.count("±") + told.count("[") == 9 + ODD.count("["), "an interval at each of nine sizes"


def test_categories_are_bars_with_intervals(reader: Reader) -> None:
    (told,) = [label for label in pictures(reader) if label.startswith("Efficiency of system against native: ")]
    assert [f"{call}: " in told for call in ("null", "read", "open")] == [True] * 3


def test_microseconds_over_processes_are_one_line_an_environment() -> None:
    works = [
        Work(
            f"switch {count} {size}", "os", "context-switch", "s", count * 1e-6, of="switch",
            levels={"processes": count, "size": size}, parameters={"processes": count, "size": size},
        )
        for count in (2, 4, 8, 16)
        for size in (0, 4096, 65536)
    ]  # fmt: skip
    campaign = simulate([Place("native"), Place("runc", "runc")], works)
    drawn = [curve(one, analyse(campaign).findings) for one in series(campaign.plan.workloads)]
    assert len(drawn) == 3
    for figure in drawn:
        assert figure is not None
        assert " over processes: native 2: 2.00 µs, 4: 4.00 µs, 8: 8.00 µs, 16: 16.0 µs; runc 2: " in figure.alternative


def test_the_slowest_operations_are_drawn_and_reported(reader: Reader) -> None:
    (told,) = [label for label in pictures(reader) if label.startswith("latency of single operations")]
    assert "native median " in told and f"; {ODD} median " in told
    text = " ".join(reader.text)
    for word in ("cpu-per-io", "service-demand", "µs/KB", "99.9 %", "longest"):
        assert word in text
    assert "14.0 µs" in text and "21.0 µs" in text


def test_level_averages_stand_below_the_curves() -> None:
    """Over the caches that the results report: two sizes in the first, one in the second, one in RAM."""
    works = [
        Work(
            f"read {size}", "memory", "read", "B/s", level, parameters={"size": size}, of="read", levels={"size": size}
        )
        for size, level in ((1 << 10, 90e9), (1 << 14, 110e9), (1 << 18, 50e9), (1 << 26, 20e9))
    ]
    campaign = simulate([Place("native")], works)
    told = {"l1d-bytes": {"unit": "1", "value": 32768.0}, "l2-bytes": {"unit": "1", "value": 1048576.0}}
    campaign = with_runs(campaign, lambda run: changed(run, measures=told, parameters={}))
    (one,) = series(campaign.plan.workloads)
    averages = of_series(by_treatment(campaign), one)["native"]
    for seed in range(4):
        ordered = simulate([Place("z"), Place("a"), Place("m")], works, seed=seed)
        campaign_shown = with_runs(ordered, lambda run: changed(run, measures=told))
        assert list(of_series(by_treatment(campaign_shown), one)) == ["z", "a", "m"], "the plan's order"
    assert {level: average.estimate.value for level, average in averages.items()} == pytest.approx(
        {"L1": 100e9, "L2": 50e9, "RAM": 20e9}, rel=1e-6
    )
    text = " ".join(Reader(page(analyse(campaign), scripts=False)).text)
    assert "100 GB/s [100 GB/s to 100 GB/s]" in text


def test_what_has_too_few_values_is_not_drawn() -> None:
    works = [
        Work(f"read {size}", "memory", "read", "B/s", 1e9, parameters={"size": size}, of="read", levels={"size": size})
        for size in (1, 2, 3)
    ]
    failure = Failure(FailureKind.AGENT, "no")
    campaign = simulate([Place("native", fails={work.name: failure for work in works[1:]})], works)
    (one,) = series(campaign.plan.workloads)
    assert curve(one, analyse(campaign).findings) is None
    assert surface(one, analyse(campaign).findings) == []


def test_values_that_are_all_alike_are_drawn() -> None:
    works = [
        Work(
            f"write {span} {size}", "disk", "write", "s", 1e-3, of="write",
            parameters={"span": span, "size": size}, levels={"span": span, "size": size},
        )
        for span in (1, 2, 3)
        for size in (1, 2, 3)
    ]  # fmt: skip
    campaign = simulate([Place("native")], works)
    assert [len(one.axes) for one in series(campaign.plan.workloads)] == [2]
    assert "NaN" not in page(analyse(campaign), scripts=False)


@pytest.mark.parametrize("blocks", [2, 8])
def test_an_environment_has_one_colour_and_intervals_are_named_where_there_are_any(blocks: int) -> None:
    works = [Work(f"w {size}", of="w", parameters={"size": size}, levels={"size": size}) for size in (1, 2, 4)]
    places = [Place("native"), Place("runc", "runc"), Place("gVisor", "gvisor")]
    campaign = simulate(places, works, blocks=blocks)
    (one,) = series(campaign.plan.workloads)
    findings = analyse(campaign).findings
    drawn = [figure for figure in (curve(one, findings), efficiency_curve(one, findings)) if figure is not None]
    values, ratios = (colours(figure) for figure in drawn)
    assert list(values) == ["native", "runc", "gVisor"] and ratios == {
        name: values[name] for name in ("runc", "gVisor")
    }
    assert len(set(values.values())) == 3
    assert [("interval" in figure.caption) for figure in drawn] == [blocks == 8] * 2


def colours(figure: Figure) -> dict[str, str]:
    """The colour of each environment in a plot."""
    found: dict[str, str] = {}
    for layer in figure.spec["layer"]:
        if scale := layer["encoding"].get("color", {}).get("scale"):
            found |= dict(zip(scale["domain"], scale["range"], strict=True))
    return found


def test_an_environment_without_values_takes_no_others_colour() -> None:
    works = [Work(f"w {size}", of="w", parameters={"size": size}, levels={"size": size}) for size in (1, 2, 4)]
    failure = Failure(FailureKind.AGENT, "no")
    gone = Place("runc", "runc", fails={work.name: failure for work in works})
    campaign = simulate([Place("native"), gone, Place("gVisor", "gvisor")], works)
    (one,) = series(campaign.plan.workloads)
    findings = analyse(campaign).findings
    drawn = [figure for figure in (curve(one, findings), efficiency_curve(one, findings)) if figure is not None]
    assert [set(colours(figure)) for figure in drawn] == [{"native", "gVisor"}, {"gVisor"}]
    assert len({colours(figure)["gVisor"] for figure in drawn}) == 1
