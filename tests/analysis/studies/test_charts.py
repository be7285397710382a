"""Charts whose values are printed nowhere, filled from campaigns calculated by hand, and the claims on them."""

from __future__ import annotations

import math
import statistics

import pytest

from tests.analysis.simulated_campaigns import Place, Work
from tests.analysis.studies.hand_made import ALONE, NATIVE, SWING, levels, made
from tests.analysis.studies.test_cells import Key, assert_fields, filled, values_of
from virtometer.analysis import Analysis
from virtometer.analysis.studies.matching import NOT_HERE, NOT_YET
from virtometer.analysis.studies.results import judged
from virtometer.model import Placement, Trial
from virtometer.studies.data import studies

MEGA = 2**20
FILES = {"10M": 400.0, "80M": 300.0, "5120M": 50.0}  # MB/s, with records of 64 KB, natively
OPS = ("write", "rewrite")
IOZONE = [
    Work(f"{op} {size}", "disk", op, "B/s", rate * MEGA, parameters={"span": size, "size": "64K"})
    for op in OPS
    for size, rate in FILES.items()
]
GUESTS = [1, 2, 3, 4, 5, 6, 7]


def verdicts(study: str, *analyses: Analysis) -> dict[str, str]:
    return {row.claim_id: row.new.verdict for row in judged(studies()[study], analyses) if row.new is not None}


@pytest.fixture(scope="module")
def files() -> Analysis:
    places = [NATIVE, Place("box", "runc", {"": 0.98, "write 10M": 1.5, "rewrite 10M": 1.5, "write 80M": 1.5,
                                            "rewrite 80M": 1.5})]  # fmt: skip
    return made(places, IOZONE, levels(places, IOZONE))


def test_a_surface_of_sizes_has_values_intervals_and_efficiencies(files: Analysis) -> None:
    dom0 = filled("klein2008", "surface node7-hd write", files)
    column = "records of 64K"
    assert values_of(dom0) == pytest.approx({(f"file of {size}", column): rate for size, rate in FILES.items()})
    assert (dom0.filled, len(dom0.all_cells), dom0.reasons) == (3, 100, {NOT_HERE: 97})
    assert_fields(dom0, values_of(dom0), {})
    guest = filled("klein2008", "surface vm3-hd write", files)
    expected = {("file of 10M", column): 600.0, ("file of 80M", column): 450.0, ("file of 5120M", column): 49.0}
    assert values_of(guest) == pytest.approx(expected)
    assert_fields(guest, expected, {(f"file of {size}", column): (None, rate) for size, rate in FILES.items()})
    cell = guest.cells[-1][2]
    assert cell is not None and (cell.published.value, cell.by) == (None, "box")


def test_claims_on_surfaces_are_decided_by_new_cells_alone(files: Analysis) -> None:
    rows = {row.claim_id: row for row in judged(studies()["klein2008"], [files])}
    assert rows["c003"].published.verdict == "cannot be tried here" and rows["c003"].published.of == 400
    found = verdicts("klein2008", files)
    # The guest gains half for two of three sizes. Files of 5 GB are a sixth as fast as those of 80 MB.
    assert (found["c004"], found["c006"]) == ("agrees", "agrees")
    even = [NATIVE, Place("box", "runc", {"": 0.5})]
    assert verdicts("klein2008", made(even, IOZONE, levels(even, IOZONE)))["c004"] == "disagrees"


MEMORY = [
    Work(op, "memory", op, "B/s", 1000.0 * MEGA, parameters={"size": "32M", "type": "int"}, threads=2)
    for op in ("copy", "scale", "add", "triad")
]


def _shared(placement: Placement, trial: Trial) -> float:
    """One guest reaches 1000 MB/s, all of more 1500 but for 1 % a guest; each further guest has 2 % more."""
    count = sum(one.role == "measured" for one in trial.placements)
    if count == 1:
        return 1000.0 * MEGA
    total = 2000.0 * (1 - 0.01 * (count - 3)) if count >= 3 else 1500.0
    weights = [1 + 0.001 * count * at for at in range(count)]
    return total * MEGA * weights[placement.guest - 1] / sum(weights)


@pytest.fixture(scope="module")
def memory() -> Analysis:
    places = [NATIVE, Place("box", "runc")]
    growing = {"name": "growing", "type": "together", "environment": "box", "guests": GUESTS}
    return made(places, MEMORY, _shared, [ALONE, growing], swing=0.0)


def test_sums_and_spreads_over_guests(memory: Analysis) -> None:
    sums = filled("appel2008", "slide: Full Memory Bandwidth", memory)
    column = [value for (_, name), value in values_of(sums).items() if name == "copy, all guests"]
    assert column == pytest.approx([1000.0, 1500.0, 2000.0, 1980.0, 1960.0, 1940.0, 1920.0])
    whole = values_of(sums)
    assert len(whole) == 28
    assert_fields(sums, whole, dict.fromkeys(whole, (None, 1000.0)), whole.keys())
    shared = filled("appel2008", "slide: Memory Bandwidth is Distributed fairly", memory)
    fair = values_of(shared)
    assert fair["3 guests", "add, each guest"] == pytest.approx(2000 / 3)
    shares = [2000 * weight / 3.009 for weight in (1.0, 1.003, 1.006)]
    spread = fair["3 guests", "add, standard deviation over guests"]
    assert spread == pytest.approx((shares[2] - shares[0]) / 2, rel=1e-6)
    expected: dict[Key, float] = {}
    for count, total in zip(GUESTS[1:], column[1:], strict=True):
        weights = [1 + 0.001 * count * at for at in range(count)]
        for op in ("copy", "scale", "add", "triad"):
            row = f"{count} guests"
            expected[row, f"{op}, each guest"] = total / count
            expected[row, f"{op}, standard deviation over guests"] = total * statistics.stdev(weights) / sum(weights)
    assert fair == pytest.approx({key: value for key, value in expected.items() if key in fair}) and len(fair) >= 24
    each = {key: (None, 1000.0) for key in fair if key[1].endswith("each guest")}
    assert_fields(shared, {key: expected[key] for key in fair}, each, fair.keys())


def test_claims_on_shares_of_memory(memory: Analysis) -> None:
    found = verdicts("appel2008", memory)
    # Full from three guests on, each further one costs 1 %, and the spread grows, but stays below 5 % of the mean.
    assert [found[name] for name in ("c002", "c010", "c011", "c012")] == ["agrees"] * 4
    assert found["c007"] == found["c013"] == "cannot be tried here"


WRITES = [
    Work("out", "disk", "write", "B/s", 100.0 * MEGA, parameters={"size": "8K"}),
    Work("in", "disk", "read", "B/s", 200.0 * MEGA, parameters={"size": "8K"}),
]


def test_runs_are_blocks_and_their_spread_has_an_interval() -> None:
    places = [NATIVE, Place("box", "runc")]
    three = {"name": "three", "type": "together", "environment": "box", "guests": [3]}
    campaign = made(places, WRITES, levels(places, WRITES), [ALONE, three])
    found = filled("appel2008", "slide: High Differences in IO Throughput", campaign)
    cells = values_of(found)
    low, high = 100 * math.exp(-SWING), 100 * math.exp(SWING)
    column = "writing of 1 guest"
    assert [cells[f"run {run}", column] for run in range(1, 7)] == pytest.approx([low, high] * 3)
    sd = (high - low) / 2 * math.sqrt(8 / 7)
    assert cells["standard deviation between runs by the mean", column] == pytest.approx(100 * sd / ((low + high) / 2))
    # All three guests swing alike: what each reaches has the same spread between runs.
    assert cells["standard deviation between runs by the mean", "writing of 3 guests, each"] == pytest.approx(
        cells["standard deviation between runs by the mean", column]
    )
    # The interval of McKay and Vangel; 16.013 and 1.690 are the quantiles of chi squared with 7 degrees of freedom.
    part = sd / ((low + high) / 2)
    ends = [100 * part / math.sqrt(((of + 2) / 8 - 1) * part**2 + of / 7) for of in (16.0128, 1.68987)]
    for row, some in zip(found.rows, found.cells, strict=True):
        for cell in some:
            if cell is None or cell.value is None:
                continue
            assert (cell.then, cell.now, cell.ratio) == (None, None, None)
            if row.startswith("run "):
                assert (cell.value.estimate.low, cell.value.estimate.high) == (None, None)
            else:
                of = cell.value.estimate
                assert (of.value, of.low, of.high) == pytest.approx((100 * part, *ends), rel=1e-4)
    assert verdicts("appel2008", campaign)["c014"] == "undecided"  # 10.7 % with an interval on both sides of 10 %


def test_what_guests_reach_in_total_stands_beside_one_guest() -> None:
    places = [NATIVE, Place("box", "runc", {"": 0.5})]
    three = {"name": "three", "type": "together", "environment": "box", "guests": [3]}
    campaign = made(places, WRITES, levels(places, WRITES), [ALONE, three])
    found = filled("appel2008", "slide: Accumulated Throughput", campaign)
    expected = {
        ("1 guest", "reading"): 100.0, ("1 guest", "writing"): 50.0,
        ("3 guests, all", "reading"): 300.0, ("3 guests, all", "writing"): 150.0,
    }  # fmt: skip
    assert values_of(found) == pytest.approx(expected)
    bare = {"reading": (None, 200.0), "writing": (None, 100.0)}
    assert_fields(found, expected, {key: bare[key[1]] for key in expected})


def test_latency_of_one_of_several_rings_and_throughput_by_the_host_processors() -> None:
    machine = Place("machine", "qemu", settings={"disk_device": "virtio", "network_device": "virtio", "cpus": 2})
    works = [
        Work("switch", "os", "context-switch", "s", 4e-6, parameters={"processes": 2, "size": "4K"}, threads=2),
        Work("pipe", "os", "pipe-bandwidth", "B/s", 1024.0 * 1000, threads=2),
    ]
    places = [NATIVE, machine]
    campaign = made(places, works, levels(places, works))
    found = values_of(filled("zupka2008", "F5.8", campaign))
    assert found == pytest.approx({("2 processes", f"{name}, processors: 2"): 8.0 for name in ("native", "KVM")})
    # 1000 KB/s with half a processor of the host are 20 KB/s for each percent of one.
    efficiencies = values_of(filled("zupka2008", "F5.9", campaign))
    rows = ("native, processors: 2", "KVM, processors: 2")
    assert efficiencies == pytest.approx({(row, "pipe"): 20.0 for row in rows}, rel=1e-3)


def test_works_that_fit_alike_are_never_mixed() -> None:
    # The slides do not say which sizes of records iozone had: the first one that the guests have counts.
    rates = {"4K": 100.0, "64K": 800.0}
    works = [Work(size, "disk", "write", "B/s", rate * MEGA, parameters={"size": size}) for size, rate in rates.items()]
    places = [NATIVE, Place("box", "runc", {"": 0.5})]
    three = {"name": "three", "type": "together", "environment": "box", "guests": [3], "workloads": ["64K"]}
    campaign = made(places, works, levels(places, works), [ALONE, three], swing=0.0)
    found = filled("appel2008", "slide: The Average IO Throughput", campaign)
    cells = {cell.published.row: cell for row in found.cells for cell in row if cell and cell.value is not None}
    expected = {"1 guest": 50.0, "3 guests, each": 400.0}
    assert {row: cell.value.estimate.value for row, cell in cells.items() if cell.value} == pytest.approx(expected)
    assert [cell.now.value for cell in cells.values() if cell.now] == pytest.approx([0.5, 0.5])


def test_figures_that_nothing_fills_say_why() -> None:
    assert filled("appel2008", "slide: Different behavior of benchmarks").reasons == {NOT_YET: 22}
    chart = filled("lemberger2010", "F4.1").chart
    assert chart is not None and chart.unavailable
