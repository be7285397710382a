"""`virtometer run`: execute a plan, from the checks to the report."""

from __future__ import annotations

import datetime
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from virtometer.cli.parts.choosing import In, Only, ShortForm
from virtometer.visible import visible

if TYPE_CHECKING:
    from virtometer.design.plan.resolved import ResolvedPlan

BESIDE_HELP = (
    "Measure also where another laboratory measures on this host; trials are marked while it does. "
    "Not where one of them tunes the host."
)


def run(
    plan: Annotated[
        Path | None, typer.Argument(metavar="PLAN", help="A plan file; plans/default.yaml by default.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="The built-in plan, of about five minutes.")] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Results directory, new or empty; results/TIME-NAME by default."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, max=2**63 - 1, help="Seed of the random order; the plan's, or a fresh one."),
    ] = None,
    blocks: Annotated[
        int | None, typer.Option("--blocks", min=1, max=10_000, help="Number of blocks, instead of the plan's.")
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option("--precision", metavar="SHARE", help="Measure further blocks until intervals are ± this: 2%."),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            metavar="TIME",
            help="Six blocks, then as many of what is undecided as fit into 5m or 1h30m in all.",
        ),
    ] = None,
    margin: Annotated[
        str | None,
        typer.Option(
            "--margin", metavar="SHARE", help="Difference that is small enough to be equivalent, instead of the plan's."
        ),
    ] = None,
    short: ShortForm = False,
    only: Only = None,
    in_: In = None,
    beside: Annotated[bool, typer.Option("--beside", help=BESIDE_HELP)] = False,
) -> None:
    """Measure natively and in every environment of a plan, and report what each of them costs.

    The table goes to standard output, progress to standard error. Ctrl-C keeps everything measured so far.
    """
    from virtometer.cli.parts.notice import notice

    with notice("loading the laboratory ..."):
        from virtometer.cli import campaign
        from virtometer.cli.parts.shares import share_option
        from virtometer.cli.parts.times import seconds_option
        from virtometer.cli.plan.files import DEFAULT, QUICK, built_in, load_for_here, seed_of, selection
        from virtometer.design.plan.selection import words
        from virtometer.errors import UsageError
        from virtometer.model import MIN_BLOCKS
        from virtometer.runner.campaign.execute import begin
        from virtometer.store.files import refuse_foreign

    if quick and plan is not None:
        raise UsageError("--quick is a plan of its own", advice="give either a plan or --quick")
    file = plan or built_in(QUICK if quick else DEFAULT)
    selected = selection(only, in_)
    resolved, text, skipped = load_for_here(file, out or Path("results"), selected, short=short)
    for sentence in [*skipped, *(f"shortened: {one}" for one in resolved.plan.shortened)]:
        typer.echo(f"virtometer: {visible(sentence)}", err=True)
    changed: dict[str, object] = {}
    if blocks is not None:
        changed["blocks"] = blocks
        text = f"# Run with --blocks {blocks}, which replaces the number of blocks below.\n{text}"
    elif precision is not None or budget is not None:
        changed["blocks"] = min(resolved.plan.blocks, MIN_BLOCKS)
    if precision is not None:
        changed["precision"] = share_option("--precision", precision)
        text = f"# Run with --precision {precision}.\n{text}"
    if budget is not None:
        changed["budget_s"] = seconds_option("--budget", budget)
        text = f"# Run with --budget {budget}.\n{text}"
    if margin is not None:
        changed["margin"] = share_option("--margin", margin)
        text = f"# Run with --margin {margin}.\n{text}"
    loaded = resolved.plan.model_copy(update=changed)
    resolved = replace(resolved, plan=loaded)
    if short:
        text = f"# Run with --short.\n{text}"
    if left := words(selected, loaded):
        text = f"# Run with --only or --in: {left}.\n{text}"
    directory = out or fresh(loaded.name)
    refuse_foreign(directory)
    number = seed_of(loaded, seed)
    if budget is not None and (sentence := _beyond_budget(resolved, directory)):
        typer.echo(f"virtometer: {sentence}", err=True)
    campaign.execute(directory, lambda progress: begin(resolved, text, directory, number, progress, beside=beside))


def _beyond_budget(resolved: ResolvedPlan, results: Path) -> str:
    """That the first blocks alone take longer than the budget, in a sentence; empty where they do not."""
    from virtometer.cli.parts.times import time_words
    from virtometer.runner.campaign.here import seconds_here

    plan, seconds = resolved.plan, seconds_here(resolved, results)
    if plan.budget_s is None or seconds <= plan.budget_s:
        return ""
    return (
        f"the first {plan.first_blocks} blocks take about {time_words(seconds)} where every environment works. That is "
        f"more than the budget of {time_words(plan.budget_s)}, but a verdict takes these blocks, so they are measured"
    )


def fresh(name: str) -> Path:
    """results/TIME-NAME, TIME in UTC, in the current directory."""
    at = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
    word = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:40] or "campaign"
    directory = Path("results") / f"{at}-{word}"
    number = 2
    while directory.exists():
        directory = directory.with_name(f"{at}-{word}-{number}")
        number += 1
    return directory
