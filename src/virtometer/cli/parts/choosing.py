"""The options --only and --in, which choose a part of a plan, for every verb that has them."""

from __future__ import annotations

from typing import Annotated

import typer

Only = Annotated[
    list[str] | None,
    typer.Option(
        "--only", metavar="WORKLOAD,...", help="Only these workloads of the plan; the option may be given repeatedly."
    ),
]
In = Annotated[
    list[str] | None,
    typer.Option(
        "--in",
        metavar="ENVIRONMENT,...",
        help="Only these environments of the plan, and always its baseline; the option may be given repeatedly.",
    ),
]

ShortForm = Annotated[
    bool, typer.Option("--short", help="The short form of the plan: the same comparisons with less work.")
]
