"""From the tables of each older version of the ledger to those of the next. Version 1 is the first.

A step is SQL, or a function of the database. SQLite changes neither keys nor the order of columns: such a table is made
anew. What older versions said in sentences alone is read from the sentences here, once.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from virtometer.store import kinds
from virtometer.store.older_plans import (
    with_all_processors,
    with_former_rules,
    with_levels,
    without_control,
    without_scenario,
)

Step = str | Callable[[sqlite3.Connection], None]

FORMER: Mapping[str, frozenset[str]] = {
    table: frozenset(columns.split())
    for table, columns in {
        "results": """trial placement guest kernel op parameters_json threads unit better value agent_value
            clock_reference_guest_ns clock_reference_host_ns clock_rate clock_bound_ns clock_rate_bound clock_probes
            window_start_host_ns window_end_host_ns work guest_cpu_s agent_cpu_s check_json conditions_json
            measures_json histograms_json""",
        "evidence": """trial placement guest kernel op parameters_json threads unit better conditions_json said_json
            fault fault_size_s fault_at_s fault_bound""",
        "samples": "used",
    }.items()
}
"""Columns, by table, that only ledgers of older versions have."""


def _remade(table: str, columns: str, values: str = "*") -> tuple[str, ...]:
    """Statements that give a table other columns or keys; `values` says what of the old rows they hold."""
    return (
        f"CREATE TABLE {table}_remade ({columns}, PRIMARY KEY (trial, placement, position), "
        "FOREIGN KEY (trial, placement) REFERENCES placements (trial, placement)) WITHOUT ROWID",
        f"INSERT INTO {table}_remade SELECT {values} FROM {table}",
        f"DROP TABLE {table}",
        f"ALTER TABLE {table}_remade RENAME TO {table}",
    )


def _levels_of_plans(raw: sqlite3.Connection) -> None:
    _change_plans(raw, with_levels)


def _what_nobody_could_say(raw: sqlite3.Connection) -> None:
    _change_plans(raw, with_all_processors)
    _change_plans(raw, without_control)
    _change_plans(raw, with_former_rules)


def _scenarios_of_plans(raw: sqlite3.Connection) -> None:
    _change_plans(raw, without_scenario)


def _change_plans(raw: sqlite3.Connection, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    for (text,) in raw.execute("SELECT plan_json FROM campaign").fetchall():
        raw.execute("UPDATE campaign SET plan_json = ?", (_json(change(json.loads(text))),))


def _kinds_of_marks(raw: sqlite3.Connection) -> None:
    for trial, text in raw.execute("SELECT trial, marks_json FROM trials WHERE marks_json <> '[]'").fetchall():
        found = _json([_mark(mark) for mark in json.loads(text)])
        raw.execute("UPDATE trials SET marks_json = ? WHERE trial = ?", (found, trial))


_MARKS = ("steal", "swap", "memory", "observation", "stall", "beside", "again", "clock")


def _mark(text: str) -> tuple[str, str]:
    kind, colon, rest = text.partition(": ")
    return (kind, rest) if colon and kind in _MARKS else ("unknown", text)


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


_ENVIRONMENT = "(SELECT environment FROM placements WHERE placements.trial = trials.trial AND placement = 0)"
_UNAVAILABLE = "not available here: "
_TOOL_VALUE = """json_extract(said_json, '$.measures."tool-says".value')"""
_RUN_COLUMNS = (
    "trial, placement, guest, kernel, op, parameters_json, threads, unit, better, conditions_json, agent_value, "
    "agent_cpu_s, check_json, measures_json, histograms_json"
)

MIGRATIONS: Mapping[int, tuple[Step, ...]] = {
    1: tuple(
        f"ALTER TABLE results ADD COLUMN {name} TEXT NOT NULL DEFAULT '{{}}'"
        for name in ("measures_json", "histograms_json")
    ),
    # Samples and probes belong to any placement, not only to one with a result.
    2: (
        *_remade(
            "samples",
            "trial INTEGER NOT NULL, placement INTEGER NOT NULL, position INTEGER NOT NULL, start_ns INTEGER NOT NULL, "
            "end_ns INTEGER NOT NULL, work INTEGER NOT NULL, check_value TEXT NOT NULL, used BOOLEAN NOT NULL, "
            "mark TEXT NOT NULL",
        ),
        *_remade(
            "probes",
            "trial INTEGER NOT NULL, placement INTEGER NOT NULL, position INTEGER NOT NULL, "
            "sent_host_ns INTEGER NOT NULL, received_guest_ns INTEGER NOT NULL, sent_guest_ns INTEGER NOT NULL, "
            "received_host_ns INTEGER NOT NULL",
        ),
        "CREATE TABLE evidence (trial INTEGER NOT NULL REFERENCES trials (trial), placement INTEGER NOT NULL, "
        "guest TEXT NOT NULL REFERENCES guests (guest), kernel TEXT NOT NULL, op TEXT NOT NULL, "
        "parameters_json TEXT NOT NULL, threads INTEGER NOT NULL, unit TEXT NOT NULL, better TEXT NOT NULL, "
        "conditions_json TEXT NOT NULL, said_json TEXT, fault TEXT, fault_size_s FLOAT, fault_at_s FLOAT, "
        "fault_bound FLOAT, PRIMARY KEY (trial, placement), "
        "FOREIGN KEY (trial, placement) REFERENCES placements (trial, placement)) WITHOUT ROWID",
    ),
    # What older versions recorded gets its digests now (digests.seal_again).
    3: (
        "CREATE TABLE entries (entry INTEGER NOT NULL PRIMARY KEY, trial INTEGER REFERENCES planned (trial), "
        "guests INTEGER NOT NULL, commands INTEGER NOT NULL, digest TEXT NOT NULL)",
        "CREATE TABLE superseded (entry INTEGER NOT NULL PRIMARY KEY REFERENCES entries (entry), "
        "rows_json TEXT NOT NULL)",
    ),
    # Results and what failed runs left become one table; kinds stand beside sentences; treatments have levels.
    4: (
        "ALTER TABLE probes ADD COLUMN kind TEXT NOT NULL DEFAULT ''",
        kinds.record,
        _levels_of_plans,
        "ALTER TABLE placements ADD COLUMN guest INTEGER NOT NULL DEFAULT 1",
        "ALTER TABLE placements ADD COLUMN peer INTEGER",
        _kinds_of_marks,
        "ALTER TABLE trials ADD COLUMN failure TEXT",
        "ALTER TABLE trials ADD COLUMN failure_placement INTEGER",
        f"UPDATE trials SET failure_placement = 0, reason = substr(reason, length({_ENVIRONMENT}) + 3) "
        f"WHERE status = 'failed' AND substr(reason, 1, length({_ENVIRONMENT}) + 2) = {_ENVIRONMENT} || ': ' "
        f"AND length(reason) > length({_ENVIRONMENT}) + 2",
        "UPDATE trials SET failure = CASE WHEN EXISTS "
        "(SELECT 1 FROM evidence WHERE evidence.trial = trials.trial AND fault IS NOT NULL) "
        "THEN 'clock' ELSE 'unknown' END WHERE status = 'failed'",
        f"UPDATE trials SET failure = 'unavailable', reason = substr(reason, {len(_UNAVAILABLE) + 1}) "
        f"WHERE status = 'failed' AND reason LIKE '{_UNAVAILABLE}_%'",
        "CREATE TABLE runs (trial INTEGER NOT NULL REFERENCES trials (trial), placement INTEGER NOT NULL, "
        "guest TEXT NOT NULL REFERENCES guests (guest), kernel TEXT NOT NULL, op TEXT NOT NULL, "
        "parameters_json TEXT NOT NULL, threads INTEGER NOT NULL, unit TEXT NOT NULL, better TEXT NOT NULL, "
        "conditions_json TEXT NOT NULL, agent_value FLOAT, agent_cpu_s FLOAT, check_json TEXT, measures_json TEXT, "
        "histograms_json TEXT, output TEXT, value FLOAT, work INTEGER, guest_cpu_s FLOAT, "
        "window_start_host_ns INTEGER, window_end_host_ns INTEGER, clock_reference_guest_ns INTEGER, "
        "clock_reference_host_ns INTEGER, clock_rate FLOAT, clock_bound_ns FLOAT, clock_rate_bound FLOAT, "
        "clock_probes INTEGER, fault TEXT, fault_size_s FLOAT, fault_at_s FLOAT, fault_bound FLOAT, "
        "PRIMARY KEY (trial, placement), "
        "FOREIGN KEY (trial, placement) REFERENCES placements (trial, placement)) WITHOUT ROWID",
        f"INSERT INTO runs ({_RUN_COLUMNS}, value, work, guest_cpu_s, window_start_host_ns, window_end_host_ns, "
        "clock_reference_guest_ns, clock_reference_host_ns, clock_rate, clock_bound_ns, clock_rate_bound, "
        f"clock_probes) SELECT {_RUN_COLUMNS}, value, work, guest_cpu_s, window_start_host_ns, window_end_host_ns, "
        "clock_reference_guest_ns, clock_reference_host_ns, clock_rate, clock_bound_ns, clock_rate_bound, "
        "clock_probes FROM results",
        f"INSERT INTO runs ({_RUN_COLUMNS}, output, fault, fault_size_s, fault_at_s, fault_bound) "
        "SELECT trial, placement, guest, kernel, op, parameters_json, threads, unit, better, conditions_json, "
        f"coalesce({_TOOL_VALUE}, json_extract(said_json, '$.value')), "
        "(json_extract(said_json, '$.cpu.user_ns') + json_extract(said_json, '$.cpu.system_ns')) * 1e-9, "
        "json_extract(said_json, '$.check'), json_extract(said_json, '$.measures'), "
        "json_extract(said_json, '$.histograms'), json_extract(said_json, '$.output'), fault, fault_size_s, "
        "fault_at_s, fault_bound FROM evidence",
        "DROP TABLE results",
        "DROP TABLE evidence",
        *_remade(
            "samples",
            "trial INTEGER NOT NULL, placement INTEGER NOT NULL, position INTEGER NOT NULL, start_ns INTEGER NOT NULL, "
            "end_ns INTEGER NOT NULL, work INTEGER NOT NULL, check_value TEXT NOT NULL, set_aside TEXT, "
            "mark TEXT NOT NULL",
            "trial, placement, position, start_ns, end_ns, work, check_value, CASE WHEN used THEN NULL "
            "WHEN EXISTS (SELECT 1 FROM trials WHERE trials.trial = samples.trial AND status = 'failed') "
            "THEN 'failed-trial' WHEN mark LIKE 'clock error%' THEN 'clock-error' "
            "WHEN mark LIKE 'outside the stretch%' THEN 'outside' ELSE 'unknown' END, mark",
        ),
    ),
    # Guests may take turns in slices.
    5: ("ALTER TABLE planned ADD COLUMN turns INTEGER", "ALTER TABLE samples ADD COLUMN slice INTEGER"),
    # Campaigns get further stages, guests may be bound to processors, and other programs are watched; before, the
    # baseline was measured once in a block.
    6: (
        "CREATE TABLE stages (position INTEGER NOT NULL PRIMARY KEY, decided_at TEXT NOT NULL, "
        "first_trial INTEGER NOT NULL, trials INTEGER NOT NULL, blocks_json TEXT NOT NULL, "
        "beyond_json TEXT NOT NULL, bounded_by TEXT NOT NULL)",
        "ALTER TABLE entries ADD COLUMN stages INTEGER NOT NULL DEFAULT '0'",
        _what_nobody_could_say,
    ),
    # Several guests work in one trial.
    7: (
        "ALTER TABLE planned ADD COLUMN scenario TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE placements ADD COLUMN instance INTEGER NOT NULL DEFAULT '1'",
        "ALTER TABLE runs ADD COLUMN guest_use_json TEXT",
        _scenarios_of_plans,
    ),
    # Sequential designs have a second stage with cells of its own.
    8: ("ALTER TABLE stages ADD COLUMN follow_up_json TEXT",),
    # What happened to tunings of the host is recorded.
    9: (
        "CREATE TABLE tunings (position INTEGER NOT NULL PRIMARY KEY, at TEXT NOT NULL, tuning TEXT NOT NULL, "
        "state TEXT NOT NULL CHECK (state IN ('in-force', 'undone', 'left')), what TEXT NOT NULL)",
        "ALTER TABLE entries ADD COLUMN tunings INTEGER NOT NULL DEFAULT '0'",
    ),
}
