"""Tables of the ledger, and the number of their version.

`PRAGMA application_id` says that a file is a ledger, `PRAGMA user_version` which version of these tables it holds. An
older ledger is brought up to date by `MIGRATIONS`: in place when it is opened for writing, in a private copy when it
is only read. A ledger of a newer version is refused. The tests hold one ledger of every version.

JSON columns hold what is only ever read as a whole; what one may want to ask in SQL has a column of its own. Times in
`_ns` are integers in nanoseconds on the clock that the column names, `_s` are seconds.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    Table,
    Text,
)

APPLICATION_ID = 0x5649524D  # "VIRM"
SCHEMA_VERSION = 4


def _remade(table: str, columns: str) -> tuple[str, ...]:
    """Statements that give a table other keys and leave its rows as they are."""
    return (
        f"CREATE TABLE {table}_remade ({columns}, PRIMARY KEY (trial, placement, position), "
        "FOREIGN KEY (trial, placement) REFERENCES placements (trial, placement)) WITHOUT ROWID",
        f"INSERT INTO {table}_remade SELECT * FROM {table}",
        f"DROP TABLE {table}",
        f"ALTER TABLE {table}_remade RENAME TO {table}",
    )


# For each older version, the statements that lead to the next one. Version 1 is the first.
MIGRATIONS: Mapping[int, tuple[str, ...]] = {
    1: tuple(
        f"ALTER TABLE results ADD COLUMN {name} TEXT NOT NULL DEFAULT '{{}}'"
        for name in ("measures_json", "histograms_json")
    ),
    # Samples and probes belong to any placement now, not only to one with a result: SQLite changes no foreign key of a
    # table, so that each is made anew.
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
}

METADATA = MetaData()


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


def _integer(name: str, *, key: bool = False) -> Column[int]:
    return Column(name, Integer, nullable=False, primary_key=key)


def _number(name: str, *, nullable: bool = False) -> Column[float]:
    return Column(name, Float, nullable=nullable)


campaign = Table(
    "campaign",
    METADATA,
    Column("id", Integer, CheckConstraint("id = 1"), primary_key=True),
    _text("plan_text"),  # the file as it was given
    _text("plan_json"),  # the plan as it is executed
    _integer("seed"),
    _text("created_at"),
    _text("host_json"),
    _text("versions_json"),
)

environments = Table(
    "environments",
    METADATA,
    _integer("position", key=True),
    _text("name"),
    _text("kind"),
    Column("works", Boolean, nullable=False),
    _text("reason"),
    _text("advice"),
    _text("capabilities_json"),
)

planned = Table(
    "planned",
    METADATA,
    Column("trial", Integer, primary_key=True, autoincrement=False),
    _integer("block"),
    _integer("position"),
    _integer("start_group"),
)

placements = Table(
    "placements",
    METADATA,
    Column("trial", Integer, ForeignKey("planned.trial"), primary_key=True),
    _integer("placement", key=True),
    _text("environment"),
    _text("workload"),
    _text("role"),
    sqlite_with_rowid=False,
)

guests = Table(
    "guests",
    METADATA,
    Column("position", Integer, primary_key=True),  # order of recording
    Column("guest", Text, nullable=False, unique=True),
    _text("environment"),
    _text("kind"),
    _text("asked_json"),
    _text("given_json"),
    _number("provision_s"),
    _text("started_at"),
)

trials = Table(
    "trials",
    METADATA,
    Column("trial", Integer, ForeignKey("planned.trial"), primary_key=True, autoincrement=False),
    Column("status", Text, CheckConstraint("status IN ('done', 'failed')"), nullable=False),
    _text("reason"),
    _text("started_at"),
    _number("wall_s"),
    _integer("start_skew_ns"),
    Column("host_json", Text),
    _text("marks_json"),
    # A failed trial says why.
    CheckConstraint("status = 'done' OR reason <> ''"),
)

results = Table(
    "results",
    METADATA,
    Column("trial", Integer, ForeignKey("trials.trial"), primary_key=True),
    _integer("placement", key=True),
    Column("guest", Text, ForeignKey("guests.guest"), nullable=False),
    _text("kernel"),
    _text("op"),
    _text("parameters_json"),
    _integer("threads"),
    _text("unit"),
    _text("better"),
    _number("value"),
    _number("agent_value"),
    _integer("clock_reference_guest_ns"),
    _integer("clock_reference_host_ns"),
    _number("clock_rate"),
    _number("clock_bound_ns"),
    _number("clock_rate_bound"),
    _integer("clock_probes"),
    _integer("window_start_host_ns"),
    _integer("window_end_host_ns"),
    _integer("work"),
    _number("guest_cpu_s", nullable=True),
    _number("agent_cpu_s"),
    _text("check_json"),
    _text("conditions_json"),
    _text("measures_json"),
    _text("histograms_json"),
    ForeignKeyConstraint(["trial", "placement"], ["placements.trial", "placements.placement"]),
    sqlite_with_rowid=False,
)

# What placements of failed trials left: no value, but samples and probes as those of results.
evidence = Table(
    "evidence",
    METADATA,
    Column("trial", Integer, ForeignKey("trials.trial"), primary_key=True),
    _integer("placement", key=True),
    Column("guest", Text, ForeignKey("guests.guest"), nullable=False),
    _text("kernel"),
    _text("op"),
    _text("parameters_json"),
    _integer("threads"),
    _text("unit"),
    _text("better"),
    _text("conditions_json"),
    Column("said_json", Text),  # the agent's `done`, where there was one
    Column("fault", Text),  # the clock's, where it is the reason
    _number("fault_size_s", nullable=True),
    _number("fault_at_s", nullable=True),
    _number("fault_bound", nullable=True),
    ForeignKeyConstraint(["trial", "placement"], ["placements.trial", "placements.placement"]),
    sqlite_with_rowid=False,
)

samples = Table(
    "samples",
    METADATA,
    _integer("trial", key=True),
    _integer("placement", key=True),
    _integer("position", key=True),
    _integer("start_ns"),
    _integer("end_ns"),
    _integer("work"),
    _text("check_value"),
    Column("used", Boolean, nullable=False),
    _text("mark"),
    ForeignKeyConstraint(["trial", "placement"], ["placements.trial", "placements.placement"]),
    sqlite_with_rowid=False,
)

probes = Table(
    "probes",
    METADATA,
    _integer("trial", key=True),
    _integer("placement", key=True),
    _integer("position", key=True),
    _integer("sent_host_ns"),
    _integer("received_guest_ns"),
    _integer("sent_guest_ns"),
    _integer("received_host_ns"),
    ForeignKeyConstraint(["trial", "placement"], ["placements.trial", "placements.placement"]),
    sqlite_with_rowid=False,
)

commands = Table(
    "commands",
    METADATA,
    Column("position", Integer, primary_key=True),  # order of recording
    _text("at"),
    _text("purpose"),
    _text("argv_json"),
    Column("status", Integer),
)

# One row a transaction: see digests.py. `guests` and `commands` are the last positions then.
entries = Table(
    "entries",
    METADATA,
    Column("entry", Integer, primary_key=True),
    Column("trial", Integer, ForeignKey("planned.trial")),
    _integer("guests"),
    _integer("commands"),
    _text("digest"),
)

# The rows of a failed trial that was measured again.
superseded = Table(
    "superseded",
    METADATA,
    Column("entry", Integer, ForeignKey("entries.entry"), primary_key=True),
    _text("rows_json"),
)
