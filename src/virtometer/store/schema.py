"""Tables of the ledger, and the number of their version.

`PRAGMA application_id` says that a file is a ledger, `PRAGMA user_version` which version of these tables it holds. A
ledger of a newer version is refused, as is one of the time before the first release. The tests hold a ledger of this
version.

JSON columns hold what is only ever read as a whole; what one may want to ask in SQL has a column of its own. Times in
`_ns` are integers in nanoseconds on the clock that the column names, `_s` are seconds.
"""

from __future__ import annotations

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

APPLICATION_ID = 0x5649524F  # "VIRO"
FORMER_ID = 0x5649524D  # "VIRM": of the time before the first release
SCHEMA_VERSION = 2


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
    Column("turns", Integer),  # trials with the same number take turns
    _text("scenario"),
)

placements = Table(
    "placements",
    METADATA,
    Column("trial", Integer, ForeignKey("planned.trial"), primary_key=True),
    _integer("placement", key=True),
    _text("environment"),
    _text("workload"),
    _text("role"),
    _integer("guest"),  # number among the guests of this environment in the trial
    _text("uses_json"),  # the placements with the role service that it uses
    _integer("instance"),  # number of the agent within the guest
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
    _text("marks_json"),  # [kind, text] of each
    Column("failure", Text),  # its kind
    Column("failure_placement", Integer),
    # A failed trial says why.
    CheckConstraint("status = 'done' OR reason <> ''"),
)

# One row a placement. Without a score where the trial failed, without a report where the run did not end.
runs = Table(
    "runs",
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
    # the agent's report, in guest time
    _number("agent_value", nullable=True),
    _number("agent_cpu_s", nullable=True),
    Column("check_json", Text),
    Column("measures_json", Text),
    Column("histograms_json", Text),
    Column("output", Text),
    # the score, and the clock that converts its times
    _number("value", nullable=True),
    Column("work", Integer),
    _number("guest_cpu_s", nullable=True),
    Column("window_start_host_ns", Integer),
    Column("window_end_host_ns", Integer),
    Column("clock_reference_guest_ns", Integer),
    Column("clock_reference_host_ns", Integer),
    _number("clock_rate", nullable=True),
    _number("clock_bound_ns", nullable=True),
    _number("clock_rate_bound", nullable=True),
    Column("clock_probes", Integer),
    # of the clock, where it is the reason of the failure
    Column("fault", Text),
    _number("fault_size_s", nullable=True),
    _number("fault_at_s", nullable=True),
    _number("fault_bound", nullable=True),
    Column("guest_use_json", Text),  # of the score: what guest_cpu_s was spent for, and the guest's traffic
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
    Column("excluded", Text),  # why it is not used: a value of Excluded
    _text("mark"),
    Column("slice", Integer),
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
    _text("kind"),
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

stages = Table(
    "stages",
    METADATA,
    Column("position", Integer, primary_key=True),
    _text("decided_at"),
    _integer("first_trial"),  # its first row in the table planned
    _integer("trials"),
    _text("blocks_json"),
    _text("beyond_json"),
    _text("bounded_by"),
    Column("follow_up_json", Text),  # of the second stage of a sequential design
)

# What happened to each tuning of the host, in the order of time.
tunings = Table(
    "tunings",
    METADATA,
    Column("position", Integer, primary_key=True),
    _text("at"),
    _text("tuning"),
    Column("state", Text, CheckConstraint("state IN ('in-force', 'undone', 'left')"), nullable=False),
    _text("what"),
)

# One row a transaction: see digests.py. `guests`, `commands`, `stages` and `tunings` are the last positions then.
entries = Table(
    "entries",
    METADATA,
    Column("entry", Integer, primary_key=True),
    Column("trial", Integer, ForeignKey("planned.trial")),
    _integer("guests"),
    _integer("commands"),
    _text("digest"),
    _integer("stages"),
    _integer("tunings"),
)

# The rows of a failed trial that was measured again.
superseded = Table(
    "superseded",
    METADATA,
    Column("entry", Integer, ForeignKey("entries.entry"), primary_key=True),
    _text("rows_json"),
)
