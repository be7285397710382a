"""Are the numbers on the pages of the studies right? Three items of each study, recomputed from the raw samples.

    python -m bench.study_recomputed DIR...

DIR: results directories of campaigns, or folders of such, as `virtometer study run` makes them. What is recomputed
reads the tables of the ledgers alone and shares no code with the analysis: docs/methods/values.md says how samples
become a value, docs/methods/studies.md how values become a cell. Recomputed are times of Linpack and partdiff with the
expected times, means over sizes and within levels of caches, sums, means and spreads of guests, means of operations,
the CPU use and service demand of netperf, efficiencies by processors of the host, the spread between runs, and ranks.

Printed: the item, the cell, the number of the report, the recomputed number, and whether both have the same first four
digits, for the value and for the bounds of its interval. Cells without a new value are left out. The exit status is 1
where two numbers differ, where one of them is missing, or where nothing could be compared.
"""

from __future__ import annotations

import argparse
import csv
import math
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from bench.raw_campaigns import ALONE, Blocks, Of, Raw, Situation, bytes_of, measure_of, read, value_of
from virtometer.errors import VirtometerError

ROOT = Path(__file__).resolve().parents[1]

Cell = Mapping[str, Any]
"""A cell of a study: the columns of published/values.csv."""

SAME = 5e-5
"""Largest relative difference of numbers with the same first four digits, whatever these are."""

T_975 = {6: 2.570582, 7: 2.446912, 8: 2.364624, 9: 2.306004, 10: 2.262157, 11: 2.228139, 12: 2.200985}
"""The 97.5 % quantile of Student's t by the number of blocks, with one degree of freedom less."""


# What a cell is made of, by the documented rules.


def joined(raw: Raw, environment: str, cell: Cell, works: Iterable[Mapping[str, Any]], of: Of) -> Blocks:
    """The mean over the works of what the guests of a cell reached, as its member says, within each block."""
    situation, number = _asked(raw, environment, cell)
    each = []
    for wanted in works:
        by_guest = raw.blocks(environment, wanted, situation, of)
        chosen = [by_guest[number]] if number in by_guest else [] if number else list(by_guest.values())
        if not chosen:
            return {}
        each.append({block: _of_guests([one[block] for one in chosen], cell) for block in _shared(chosen)})
    return {block: statistics.fmean(one[block] for one in each) for block in _shared(each)}


def _of_guests(numbers: Sequence[float], cell: Cell) -> float:
    if cell["statistic"] == "sd" and "between" not in cell["options"]:
        return statistics.stdev(numbers)
    return math.fsum(numbers) if cell["member"] == "sum" else statistics.fmean(numbers)


def _shared(of: Sequence[Blocks]) -> list[int]:
    return sorted(set.intersection(*(set(one) for one in of)))


_ENDS = {"node6": ("dom0", 1), "node7": ("dom0", 1), "vm2": ("guest", 1), "vm3": ("guest", 1), "vm4": ("guest", 2)}


def _asked(raw: Raw, environment: str, cell: Cell) -> tuple[Situation, int | None]:
    """How guests must have been combined for a cell, and the number of the guest that it is about."""
    if cell["target"] in _ENDS:
        role, number = _ENDS[cell["target"]]
        target = environment if role == cell["role"] else next(iter(standing(raw, {**cell, "role": role})), "")
        return ("pair", target, number), _ENDS[cell["source"]][1]
    if cell["workload"] == "partdiff":
        count = cell["threads_or_processes"] or 1
        return (ALONE if count == 1 else ("instances", count)), None
    guests = cell["guests"] or 1
    member = str(cell["member"])
    return (ALONE if guests == 1 else ("together", guests)), int(member) if member.isdigit() else None


_CONTAINERS = ("lxc", "nspawn", "runc", "crun", "podman", "bubblewrap", "libvirt-lxc")
_GUESTS = ("kvm", "qemu", "libvirt", "gvisor", "uml", "lxc", "nspawn", "runc")
_OF_SIX_GUESTS = ("F5.10", "F5.11", "F5.12", "F5.13", "text 5.3.2")
_EMULATED = {"disk_device": "ide", "network_device": "e1000"}
_PARAVIRTUAL = {"disk_device": "virtio", "network_device": "virtio"}


def standing(raw: Raw, cell: Cell) -> Iterator[str]:
    """The environments that may stand for the system of a cell, the best first, as the studies' descriptions say."""
    study, bits = cell["study"], cell["bits"]
    # What nothing stands for: a second server, and a second state of AMD-V, which the asterisk of a column marks.
    marked = cell["options"].get("column_mark") == "asterisk" and (cell["tools"] == "off" or " - " in cell["item"])
    if cell["options"].get("pair") == "other-host" or (marked and cell["role"] == "guest"):
        return
    native = cell["role"] in ("native", "dom0") or not cell["role"]
    kinds: Sequence[str] = ("native",) if native else _GUESTS
    settings: Mapping[str, Any] = {}
    equal_bits, tuned = study in ("tsiouprou2010", "lemberger2010") and native and bits is not None, None
    if study == "tsiouprou2010" and not native:
        kinds, equal_bits = _CONTAINERS, cell["virtualizer"] == "openvz"
    elif study == "klein2008":
        kinds = kinds if native else (*_GUESTS, "crun", "podman", "bubblewrap")
        tuned = {"before": False, "after": True}.get(cell["options"].get("stage", ""))
    elif study == "zupka2008" and not native:
        kinds = ("kvm", "qemu") if cell["devices"] == "emulated" else ("kvm", "qemu", "libvirt")
        kinds = _GUESTS if cell["item"] in _OF_SIX_GUESTS else kinds
        settings = _EMULATED if cell["devices"] == "emulated" else _PARAVIRTUAL
    elif study == "lemberger2010" and not native:
        settings = _EMULATED if cell["tools"] == "off" else _PARAVIRTUAL
        kinds, equal_bits = (("kvm", "qemu"), True) if cell["tools"] == "off" else (kinds, False)
    for kind in kinds:
        for name, (its, given, its_bits, is_tuned) in sorted(
            raw.environments.items(), key=lambda one: one[1][2] != bits
        ):
            devices_fit = kind not in ("kvm", "qemu") or all(given.get(key) == level for key, level in settings.items())
            bits_fit = its_bits == bits or not equal_bits
            if its == kind and devices_fit and bits_fit and tuned in (None, is_tuned):
                yield name


def measured(raw: Raw, cell: Cell, works: Iterable[Mapping[str, Any]], of: Of = value_of) -> Blocks:
    """The blocks of the best environment that has any."""
    some = list(works)
    return next(filter(None, (joined(raw, name, cell, some, of) for name in standing(raw, cell))), {})


def linpack(raw: Raw, cell: Cell) -> Blocks:
    """Seconds: 2/3 n^3 + 2 n^2 operations, each system solved twice; a total has ten runs. Three guests from two."""
    if cell["statistic"] == "expected":
        two = linpack(raw, {**cell, "guests": 2, "statistic": "total"})
        return {block: seconds * cell["guests"] / 2 for block, seconds in two.items()}
    order = cell["array_order"] if cell["study"] == "tsiouprou2010" else 2000
    solutions = 2 * (cell["n"] if cell["statistic"] == "total" and cell["metric"] == "time" else 1)
    work = solutions * (2 / 3 * order**3 + 2 * order**2)
    wanted = [{"workload": "linpack", "op": "classic", "order": order, "threads": 1}]
    took = measured(raw, cell, wanted, lambda run: work / run.value)
    if cell["metric"] == "time":
        return took
    limit = cell["conditions"].get("time_limit_s", math.inf)  # how many of the printed runs end within it
    return {block: float(min(cell["n"] or 10, limit // seconds)) for block, seconds in took.items()}


_K = 1024
_LEVELS = {
    "L1": [_K << power for power in range(7)],
    "L2": [_K << power for power in range(7, 10)],
    "RAM": [_K << power for power in range(10, 16)],
}


def memory(raw: Raw, cell: Cell) -> Blocks:
    """The mean over the sizes of a level; or of arrays of 32 MB, in which average is that of the four operations."""
    kind, _, op = cell["operation"].rpartition("-")
    same = {"workload": "memory", "type": kind or "int", "threads": 2 if cell["study"] == "appel2008" else 1}
    if cell["level"]:
        sizes = _LEVELS[cell["level"]] if cell["study"] == "lemberger2010" else cell["block_bytes"]
        return measured(raw, cell, [{**same, "op": op, "size": size} for size in sizes])
    ops = ("copy", "scale", "add", "triad") if op == "average" else (op,)
    return measured(raw, cell, [{**same, "op": one, "size": 32 * _K * _K} for one in ops])


def disk(raw: Raw, cell: Cell) -> Blocks:
    """The mean over the sizes of blocks; random access counts requests."""
    way, order = cell["operation"].split("-")
    wanted = {"workload": "disk", "op": f"{order}-{way}", "threads": 1}
    works = [{**wanted, "size": size} for size in cell["block_bytes"]]
    return measured(raw, cell, works, bytes_of if order == "random" else value_of)


_BONNIE: Mapping[str, Mapping[str, Any]] = {
    "out-per-char": {"op": "char-write"},
    "out-block": {"op": "write", "size": 8 * _K},
    "rewrite": {"op": "read-rewrite", "size": 8 * _K},
    "in-per-char": {"op": "char-read"},
    "in-block": {"op": "read", "size": 8 * _K},
}


def bonnie(raw: Raw, cell: Cell) -> Blocks | None:
    """A rate, or the mean of the five; the processors of the host that worked; the quotient of both."""
    five = cell["operation"] == "mean-of-five"
    works = [{"workload": "disk", "threads": 1, **_BONNIE[one]} for one in (_BONNIE if five else [cell["operation"]])]
    if cell["metric"] == "throughput":
        blocks = measured(raw, cell, works)
        run = cell["options"].get("run")
        return blocks if run is None else dict(sorted(blocks.items())[run - 1 : run])
    if "between" in cell["options"]:
        return measured(raw, cell, works)
    if cell["metric"] == "efficiency" or (cell["metric"] == "cpu use" and cell["options"].get("end") == "host"):
        busy = measured(raw, cell, works, lambda run: run.busy)
        if cell["metric"] == "cpu use":
            return busy
        rates = measured(raw, cell, works)
        return {block: rates[block] / busy[block] for block in _shared([rates, busy])}
    return None


def netperf(raw: Raw, cell: Cell) -> Blocks | None:
    """Throughput; CPU use of an end as a share of its processors; service demand: CPU seconds for each byte."""
    wanted = [{"workload": "net", "op": "stream", "threads": 1}]
    end = cell["options"].get("end", "")
    if cell["metric"] == "throughput":
        return measured(raw, cell, wanted)
    used, allowed = measure_of(f"cpu-{end}"), measure_of(f"cpus-{end}")
    if cell["metric"] == "cpu use":
        return measured(raw, cell, wanted, lambda run: (used(run) or 0.0) / (allowed(run) or math.nan))
    if cell["metric"] == "service demand":
        return measured(raw, cell, wanted, measure_of(f"service-demand-{end}"))
    return None


def partdiff(raw: Raw, cell: Cell) -> Blocks:
    """8000 sweeps over (8 N + 7)^2 points, N = 100. More programs than processors share them without loss."""
    if cell["statistic"] == "expected":
        one = partdiff(raw, {**cell, "statistic": "one", "threads_or_processes": 1, "role": "dom0"})
        return {block: seconds * max(1.0, cell["threads_or_processes"] / raw.cpus) for block, seconds in one.items()}
    wanted = [{"workload": "pde", "op": "jacobi", "interlines": 100, "threads": 1}]
    return measured(raw, cell, wanted, lambda run: 8000 * 807**2 / run.value)


def iozone(raw: Raw, cell: Cell) -> Blocks:
    """Random reading of a file in records, through the page cache."""
    wanted = {"workload": "disk", "op": "random-read", "direct": False, "threads": 1}
    wanted |= {"span": cell["options"]["file_bytes"], "size": cell["block_bytes"][0]}
    return measured(raw, cell, [wanted], bytes_of)


def switches(raw: Raw, cell: Cell) -> Blocks | None:
    """The latency of a switch between processes in a ring, each with 4 KB."""
    if cell["metric"] != "latency":
        return None
    wanted = {"workload": "os", "op": "context-switch", "processes": cell["threads_or_processes"], "size": 4 * _K}
    return measured(raw, cell, [wanted])


ITEMS: Mapping[str, Mapping[str, Callable[[Raw, Cell], Blocks | None]]] = {
    "klein2008": {"text 3.5": partdiff, "A.1": netperf, "A.2": netperf, "surface vm3-hd random read": iozone},
    "tsiouprou2010": {"5.1": linpack, "5.7": memory, "5.15": memory, "6.14": memory, "6.15": memory},
    "lemberger2010": {
        "appendix: CPU angepasst": linpack,
        "appendix: CPU - Linpack Linux": linpack,
        "appendix: L1 Summe": memory,
        "appendix: L2 Summe": memory,
        "appendix: RAM Summe": memory,
        "appendix: 3-disk": disk,
    },
    "appel2008": {
        "slide: Full Memory Bandwidth": memory,
        "slide: Memory Bandwidth is Distributed fairly": memory,
        "slide: High Differences in IO Throughput": bonnie,
    },
    "zupka2008": {"F5.15/bonnie++": bonnie, "F5.15/lat_ctx": switches, "F5.11": switches},
}
"""How the cells of an item are recomputed: None for cells that are not."""

_LOWER, _HIGHER = -1, 1
_RINGS = [{"op": "context-switch", "processes": count, "size": 4 * _K} for count in (2, 4, 16, 32, 64, 128, 256)]
PURPOSES: Mapping[str, Sequence[tuple[int, Mapping[str, Any]]]] = {
    "processor": [(_LOWER, {"workload": "os", "op": "procedure"})],
    "memory": [(_HIGHER, {"workload": "memory", "op": "read-write", "size": _K, "threads": 1})],
    "network": [(_HIGHER, {"workload": "net", "op": "stream", "threads": 1})],
    "disk": [
        *((_HIGHER, {"workload": "disk", "threads": 1, **one}) for one in _BONNIE.values()),
        (_HIGHER, {"workload": "disk", "op": "write", "size": _K * _K, "threads": 1}),
    ],
    "operations of the system": [
        *((_LOWER, {"workload": "os", **one}) for one in _RINGS),
        *((_LOWER, {"workload": "os", "op": op}) for op in ("exec", "fork")),
        (_LOWER, {"workload": "os", "op": "page-fault", "mapping": "file"}),
        *((_HIGHER, {"workload": "os", "op": op}) for op in ("pipe-bandwidth", "file-reread")),
    ],
}
"""What the tools of zupka2008 are ranked by: the works of the tests, each with the sign of what is better."""


# The comparison.


@dataclass(frozen=True)
class Number:
    """A value with the bounds of its interval, None where there is none."""

    value: float
    low: float | None = None
    high: float | None = None

    def same(self, other: Number) -> bool:
        """Whether all three have the same first four digits."""
        pairs = ((self.value, other.value), (self.low, other.low), (self.high, other.high))
        return all(
            one is two is None or (one is not None and two is not None and math.isclose(one, two, rel_tol=SAME))
            for one, two in pairs
        )


def estimate(blocks: Blocks, cell: Cell, factor: float) -> Number:
    """The geometric mean over the blocks with its 95 % interval, in the printed unit; counts have an arithmetic one.

    factor: from the printed number to the value. How runs differ is their standard deviation by their mean.
    """
    numbers = list(blocks.values())
    if "between" in cell["options"]:
        return Number(statistics.stdev(numbers) / statistics.fmean(numbers) / factor)
    if cell["metric"] == "count" or min(numbers) <= 0:
        return Number(statistics.fmean(numbers) / factor)
    return _scaled(_of_logs([math.log(one) for one in numbers]), 1 / factor)


def _of_logs(logs: Sequence[float]) -> Number:
    middle, half = statistics.fmean(logs), math.nan
    if len(logs) < min(T_975):
        return Number(math.exp(middle))
    half = T_975[len(logs)] * statistics.stdev(logs) / math.sqrt(len(logs))
    return Number(math.exp(middle), math.exp(middle - half), math.exp(middle + half))


def _scaled(of: Number, factor: float) -> Number:
    low, high = (None if one is None else one * factor for one in (of.low, of.high))
    return Number(of.value * factor, low, high)


_FACTORS = {"MB/s": 2**20, "kB/s": 2**10, "%": 0.01, "us": 1e-6, "us/KB": 1e-6 / 2**10, "kB/(s*CPU%)": 2**10 * 100}


def recomputed(campaigns: Sequence[Raw], item: str, cell: Cell) -> tuple[bool, Number | None]:
    """Whether a cell is recomputed at all, and its number from the first campaign that has it; None: none has it.

    Campaigns of the item's own experiments come first.
    """
    for raw in _own_first(campaigns, cell["study"], item):
        blocks = ITEMS[cell["study"]][item](raw, cell)
        if blocks is None:
            return False, None
        if blocks:
            return True, estimate(blocks, cell, _FACTORS.get(cell["unit_printed"], 1.0))
    return True, None


def _own_first(campaigns: Sequence[Raw], study: str, item: str) -> list[Raw]:
    with (ROOT / "published" / "items.csv").open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["study"] == study]
    own = {f"{study} {one}" for row in rows if row["item"] == item for one in row["experiment"].split(";")}
    others = {f"{study} {one}" for row in rows for one in row["experiment"].split(";")} - own

    def foreign(raw: Raw) -> bool:
        return raw.name in others or not any(raw.name == one or raw.name.startswith(f"{one}-") for one in own)

    return sorted(campaigns, key=foreign)


def ranks(raw: Raw, purpose: str) -> dict[str, tuple[int, float]]:
    """The rank and the speed by that of the best, of all environments but the baseline that have all tests of any.

    A speed is by that of the baseline in the same block. Environments share a rank where their intervals overlap.
    """
    tests = []
    for sign, wanted in PURPOSES[purpose]:
        of = {name: raw.blocks(name, wanted, ALONE, value_of).get(1, {}) for name in raw.environments}
        bare, speeds = of.pop(raw.baseline), {}
        for name, blocks in of.items():
            if shared := sorted(blocks.keys() & (bare or blocks).keys()):
                logs = [sign * math.log(blocks[one] / (bare[one] if bare else 1.0)) for one in shared]
                speeds[name] = _of_logs(logs)
        if len(speeds) > 1:
            tests.append(speeds)
    tools = list(dict.fromkeys(name for speeds in tests for name in speeds))
    whole = [speeds for speeds in tests if len(speeds) == len(tools)]
    if not whole:
        return {}
    means = {tool: _geometric([speeds[tool] for speeds in whole]) for tool in tools}
    order = sorted(tools, key=lambda tool: -means[tool].value)
    found: dict[str, tuple[int, float]] = {}
    first = order[0]
    for place, tool in enumerate(order, 1):
        if not _overlap(means[first], means[tool]):
            first = tool
        found[tool] = (found[first][0] if tool != first else place, means[tool].value / means[order[0]].value)
    return found


def _geometric(of: Sequence[Number]) -> Number:
    ends = [(one.value, one.low, one.high) for one in of]
    value, low, high = (
        None if None in some else statistics.geometric_mean(one for one in some if one is not None)
        for some in zip(*ends, strict=True)
    )
    assert value is not None
    return Number(value, low, high)


def _overlap(one: Number, other: Number) -> bool:
    (low, high), (its_low, its_high) = (
        (of.value if of.low is None else of.low, of.value if of.high is None else of.high) for of in (one, other)
    )
    return low <= its_high and its_low <= high


def compared(directories: Sequence[Path]) -> Iterator[tuple[str, str, str, Number | None, Number | None]]:
    """Study, item, cell, the number of the report and the recomputed one, of all that has at least one of them.

    Raises VirtometerError for a directory without a campaign.
    """
    # The side that is compared: nothing of it is used to recompute.
    from virtometer.analysis.studies.ranking import RankingFound
    from virtometer.analysis.studies.results import results
    from virtometer.cli.study.experiments import campaigns_in
    from virtometer.cli.study.report import analysis_of
    from virtometer.studies.data import studies

    paths = [one for directory in directories for one in campaigns_in(directory)]
    analyses = [analysis_of(path) for path in paths]
    raws = [read(path) for path in paths]
    for study, items in ITEMS.items():
        at = [place for place, raw in enumerate(raws) if raw.name.startswith(f"{study} ")]
        if not at:
            continue
        made, own = results(studies()[study], [analyses[place] for place in at]), [raws[place] for place in at]
        for section in made.sections:
            for one in section.all_cells if section.item.item in items else ():
                cell, theirs = {of.name: getattr(one.published, of.name) for of in fields(one.published)}, None
                if one.value is not None:
                    of = one.value.estimate
                    theirs = Number(of.value, *((None, None) if "between" in cell["options"] else (of.low, of.high)))
                asked, mine = recomputed(own, section.item.item, cell)
                if asked and (mine is not None or theirs is not None):
                    yield study, section.item.item, f"{cell['row']}, {cell['column']}", theirs, mine
        for answer in made.answers:
            for of_purpose in answer.found.purposes if isinstance(answer.found, RankingFound) else ():
                if of_purpose.purpose in PURPOSES:
                    here = next(filter(None, (ranks(raw, of_purpose.purpose) for raw in own)), {})
                    reported = {one.tool: (one.rank, one.speed) for one in of_purpose.now}
                    for tool in dict.fromkeys([*reported, *here]):
                        for what, place in (("rank", 0), ("speed", 1)):
                            numbers = [Number(one[tool][place]) if tool in one else None for one in (reported, here)]
                            yield study, f"rank for {of_purpose.purpose}", f"{tool}, {what}", numbers[0], numbers[1]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.study_recomputed", description=(__doc__ or "").split("\n", 1)[0]
    )
    parser.add_argument("directories", metavar="DIR", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    counts: Counter[tuple[str, str, bool]] = Counter()
    try:
        for study, item, cell, theirs, mine in compared(options.directories):
            same = theirs is not None and mine is not None and theirs.same(mine)
            counts[study, item, same] += 1
            print(f"{study} {item}: {cell}: {_said(theirs)} {_said(mine)} {'same' if same else 'DIFFER'}")
    except VirtometerError as error:
        print(error.sentence, file=sys.stderr)
        return error.exit_status
    for study, item in dict.fromkeys(key[:2] for key in counts):
        alike, differ = counts[study, item, True], counts[study, item, False]
        print(f"{study} {item}: {alike} of {alike + differ} numbers are the same")
    if not counts:
        print(
            "nothing could be compared: neither the report nor the raw samples have any of these numbers",
            file=sys.stderr,
        )
    return 0 if counts and all(same for _, _, same in counts) else 1


def _said(of: Number | None) -> str:
    if of is None:
        return "nothing"
    return f"{of.value:.6g}" if of.low is None or of.high is None else f"{of.value:.6g} [{of.low:.6g}, {of.high:.6g}]"


if __name__ == "__main__":
    sys.exit(main())
