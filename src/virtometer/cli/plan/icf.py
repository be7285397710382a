"""`virtometer plan icf`: the disk workloads of a plan as a configuration of Iometer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from virtometer.cli.parts.choosing import Only, ShortForm


def icf(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="A plan file.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE.icf", help="Write to this file; - is standard output."),
    ] = None,
    target: Annotated[
        str,
        typer.Option(
            "--target",
            metavar="DISK",
            help="The disk, as Iometer names it, such as E: or PHYSICALDRIVE:1. Without it, choose one in Iometer.",
        ),
    ] = "",
    short: ShortForm = False,
    only: Only = None,
) -> None:
    """Print the disk workloads of a plan as a configuration file of Iometer (.icf).

    Iometer runs them elsewhere, such as in a guest with Windows, and `virtometer import` reads its results.

    Workloads that Iometer does not have are left out, each with a sentence. Status 2: it has none of them.
    """
    from virtometer.cli.parts.encoding import put_document
    from virtometer.cli.plan.access_specifications import translated
    from virtometer.cli.plan.files import load, selection
    from virtometer.cli.plan.iometer_file import icf_text, run_time_s
    from virtometer.counted import counted
    from virtometer.errors import UsageError
    from virtometer.store.output import write_named

    _check(target)
    loaded = load(plan, selection(only, None), short=short)[0].plan
    found = translated(loaded)
    for name, reason in found.left_out.items():
        typer.echo(f"left out: {name}: {reason}", err=True)
    if not found.specifications:
        raise UsageError(
            f"'{loaded.name}' has no workload that Iometer has",
            advice="take a plan with single requests to a disk, such as plans/iometer-disk.yaml",
        )
    for name, parameters in found.unsaid.items():
        typer.echo(f"written: {name}: without {', '.join(parameters)}: Iometer has none", err=True)
    text = icf_text(loaded.name, found.specifications, target)
    if out is None or str(out) == "-":
        put_document(text)
    else:
        write_named(out, text)
    seconds = run_time_s(found.specifications)
    wanted = {one.seconds for one in found.specifications}
    why = "" if wanted == {float(seconds)} else ": whole seconds, and one time for all"
    typer.echo(f"{counted(len(found.specifications), 'access specification')} of {seconds} s{why}", err=True)


def _check(target: str) -> None:
    """Raise UsageError for a target that no line of the file can hold."""
    from virtometer.cli.plan.iometer_file import LONGEST_TARGET
    from virtometer.errors import UsageError
    from virtometer.visible import visible

    if target and (not target.isascii() or not target.isprintable() or target != target.strip()):
        raise UsageError(f"--target is {visible(target)!r}, but must be printable ASCII without blanks around it")
    if len(target) > LONGEST_TARGET:
        raise UsageError(f"--target has {len(target)} characters, but disks in Iometer have at most {LONGEST_TARGET}")
