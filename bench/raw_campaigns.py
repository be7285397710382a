"""What guests did in a campaign, read from the tables of its ledger by code of its own: no part of the laboratory.

docs/methods/values.md says how the samples of a trial become its value.
"""

from __future__ import annotations

import json
import sqlite3
import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_TABLE = Path(__file__).resolve().parents[1] / "contract" / "kernels.json"

Blocks = dict[int, float]
"""Values by block."""
Situation = tuple[Any, ...]
"""How guests are combined: alone; `together` or `instances`, how many; `pair`, environment and number of the target."""


@dataclass(frozen=True)
class Run:
    """What one guest did in one trial. own: in a scenario `alone`. value: in its unit, in host time.

    busy: processors of the host that worked, without programs that are neither a guest nor the laboratory.
    """

    environment: str
    facts: Mapping[str, Any]
    situation: Situation
    number: int
    block: int
    own: bool
    value: float
    measures: Mapping[str, float]
    busy: float | None


@dataclass
class Raw:
    """A campaign as its ledger has it. environments: kind, settings, bits and whether tuned, in the plan's order."""

    name: str
    baseline: str
    cpus: int
    environments: dict[str, tuple[str, Mapping[str, Any], int, bool]]
    runs: list[Run] = field(default_factory=list)

    def blocks(self, environment: str, wanted: Mapping[str, Any], situation: Situation, of: Of) -> dict[int, Blocks]:
        """A number of each run of a work, by guest and block. Several trials in a block: their geometric mean.

        Guests alone are those of a scenario `alone` where there are some, and one guest, whatever their numbers are.
        Of works that fit alike the first of the plan counts.
        """
        some = [
            run
            for run in self.runs
            if run.environment == environment
            and run.situation == situation
            and all(run.facts.get(name) == level for name, level in wanted.items())
        ]
        first = min((run.facts["place"] for run in some), default=0)
        some = [run for run in some if run.facts["place"] == first]
        some = [run for run in some if run.own] or some
        found: dict[int, dict[int, list[float]]] = {}
        for run in some:
            if (number := of(run)) is not None:
                guest = 1 if situation == ALONE else run.number
                found.setdefault(guest, {}).setdefault(run.block, []).append(number)
        return {
            guest: {block: _mean(numbers) for block, numbers in sorted(by_block.items())}
            for guest, by_block in found.items()
        }


Of = Callable[[Run], float | None]
ALONE: Situation = ("alone",)


def _mean(of: Sequence[float]) -> float:
    return statistics.geometric_mean(of) if min(of) > 0 else statistics.fmean(of)


def value_of(run: Run) -> float | None:
    """As it was measured."""
    return run.value


def bytes_of(run: Run) -> float | None:
    """Requests per second by their size."""
    return run.value * float(run.facts["size"])


def measure_of(name: str) -> Of:
    """A further measure."""
    return lambda run: run.measures.get(name)


def read(directory: Path) -> Raw:
    """The runs of a ledger. Raises sqlite3.Error where there is none."""
    with closing(sqlite3.connect(f"file:{directory / 'ledger.sqlite'}?mode=ro", uri=True)) as ledger:
        plan_json, host_json = ledger.execute("SELECT plan_json, host_json FROM campaign").fetchone()
        plan, host = json.loads(plan_json), json.loads(host_json)
        raw = Raw(plan["name"], plan["baseline"], int(host["cpus"]), _environments(plan))
        works = {work["name"]: place for place, work in enumerate(plan["workloads"])}
        kinds = {one["name"]: one["type"] for one in plan["scenarios"]}
        sums = {
            (trial, placement): (work, lasted_ns)
            for trial, placement, work, lasted_ns in ledger.execute(
                "SELECT trial, placement, sum(work), sum(end_ns - start_ns) FROM samples"
                " WHERE excluded IS NULL GROUP BY trial, placement"
            )
        }
        timed_by = _clocks_of_measures()
        timed_by_host = set(ledger.execute("SELECT DISTINCT trial, placement FROM probes WHERE kind = 'work'"))
        uses = {
            trial: json.loads(use)
            for trial, use in ledger.execute("SELECT trial, host_json FROM trials WHERE status = 'done'")
            if use
        }
        together = _by_trial(ledger)
        for (
            trial,
            placement,
            environment,
            workload,
            guest,
            copy,
            kernel,
            op,
            asked,
            threads,
            unit,
            rate,
            said,
        ) in ledger.execute(
            "SELECT trial, placement, environment, workload, p.guest, instance, kernel, op, parameters_json,"
            " threads, unit, clock_rate, measures_json FROM runs JOIN placements p USING (trial, placement)"
            " JOIN trials USING (trial) WHERE status = 'done' AND role = 'measured' AND value IS NOT NULL"
        ).fetchall():
            block, scenario = ledger.execute("SELECT block, scenario FROM planned WHERE trial = ?", [trial]).fetchone()
            situation = _situation(together[trial], placement, kinds.get(scenario, "alone"))
            work, lasted_ns = sums.get((trial, placement), (0, 0))
            # Work that the laboratory timed itself, and tools, have no samples whose times the guest's clock has.
            if situation is None or not work or not lasted_ns or (trial, placement) in timed_by_host:
                continue
            seconds = lasted_ns * 1e-9 * rate
            facts = {name.replace("-", "_"): level for name, level in json.loads(asked).items()}
            if kernel == "linpack":
                facts["order"] = facts["size"] // 2 if facts["convention"] == "published" else facts["size"]
            raw.runs.append(
                Run(
                    environment,
                    {**facts, "workload": kernel, "op": op, "threads": threads, "place": works[workload]},
                    situation,
                    copy if situation[0] == "instances" else guest,
                    block,
                    kinds.get(scenario, "alone") == "alone",
                    seconds / work if unit == "s" else work / seconds,
                    {
                        name: one["value"] * _in_host_time(timed_by.get((kernel, op, name), ""), one["unit"], rate)
                        for name, one in json.loads(said or "{}").items()
                    },
                    _busy(uses.get(trial)),
                )
            )
    return raw


def _clocks_of_measures() -> dict[tuple[str, str, str], str]:
    """By kernel, operation and measure: the clock that its time is by."""
    table = json.loads(_TABLE.read_text(encoding="utf-8"))
    return {
        (kernel["name"], operation["name"], measure["name"]): measure["timed_by"]
        for kernel in table["kernels"]
        for operation in kernel["operations"]
        for measure in operation["measures"]
    }


def _in_host_time(clock: str, unit: str, rate: float) -> float:
    """What turns a measure into one of the host's time. rate: seconds of the host for one of the guest's clock."""
    if clock not in ("guest", "guest-at-work", "host-by-guest"):
        return 1.0
    return 1 / rate if clock == "host-by-guest" or unit.endswith("/s") else rate


def _environments(plan: Mapping[str, Any]) -> dict[str, tuple[str, Mapping[str, Any], int, bool]]:
    return {
        one["name"]: (
            one["kind"],
            one["settings"],
            int(one["settings"].get("bits", 64)),
            bool(plan.get("tuning") or one["settings"].get("tuning")),
        )
        for one in plan["environments"]
    }


def _by_trial(ledger: sqlite3.Connection) -> dict[int, dict[int, tuple[Any, ...]]]:
    """Role, environment, workload, guest, copy and the placements that it uses, of each placement of each trial."""
    found: dict[int, dict[int, tuple[Any, ...]]] = {}
    for trial, placement, *rest, uses in ledger.execute(
        "SELECT trial, placement, role, environment, workload, guest, instance, uses_json FROM placements"
    ):
        found.setdefault(trial, {})[placement] = (*rest, json.loads(uses))
    return found


def _situation(of: Mapping[int, tuple[Any, ...]], placement: int, kind: str) -> Situation | None:
    """How the guest of a placement was combined with others. None for loads and several works in a guest."""
    uses = of[placement][5]
    if uses:
        _, environment, _, guest, _, _ = of[uses[0]]
        return "pair", environment, guest
    some = [one for one in of.values() if one[0] != "service"]
    if len(some) == 1:
        return ALONE
    if any(one[0] == "load" for one in some) or len({one[2] for one in some}) > 1:
        return None
    return ("instances" if kind == "instances" else "together"), len(some)


def _busy(use: Mapping[str, Any] | None) -> float | None:
    """Processors of the host that worked, without programs that are neither a guest nor the laboratory."""
    if use is None or use["wall_s"] <= 0:
        return None
    worked = sum(use[state] for state in ("user", "nice", "system", "irq", "softirq"))
    return float(max(worked - (use["foreign"] or 0.0), 0.0)) / float(use["wall_s"])
