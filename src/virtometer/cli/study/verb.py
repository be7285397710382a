"""`virtometer study`: the published results of five studies, and what campaigns measured beside them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Annotated

import typer

from virtometer.cli.parts.encoding import put_document, say
from virtometer.cli.parts.verbs import add, application
from virtometer.cli.study.report import analyses_in, report
from virtometer.cli.study.run import run

study_app = application("The results of five published studies.")

Name = Annotated[str, typer.Argument(metavar="STUDY", help="A study of the list, such as klein2008.")]


def list_(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="List the items of this study.")] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print {studies} as JSON; of one study {study, items}.")
    ] = False,
) -> None:
    """List the studies with their citations, or the tables, figures and texts of one study."""
    from virtometer.cli.study import machine, names, text
    from virtometer.studies import data

    if not study:
        if as_json:
            _put({"studies": [machine.study_object(one) for one in data.studies().values()]})
        else:
            say("\n".join(text.studies_lines(_width())))
        return
    found = names.study_named(study)
    some = data.items(found.study).values()
    if as_json:
        _put({"study": machine.study_object(found), "items": [machine.item_object(item) for item in some]})
    else:
        say("\n".join(text.items_lines(found, some, _width())))


def show(
    study: Name,
    item: Annotated[
        str, typer.Argument(metavar="ITEM", help="An item of the study, such as 5.1; all items by default.")
    ] = "",
    check: Annotated[
        bool, typer.Option("--check", help="List numbers that do not follow from others; the exit status is then 20.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print {study, items, claims} as JSON.")] = False,
) -> None:
    """Show tables of a study as they were printed, and the claims that belong to them. Nothing is measured."""
    from virtometer.cli.parts.exit_statuses import FOUND
    from virtometer.cli.study import machine, names, plausibility, text
    from virtometer.studies import data

    found = names.study_named(study)
    some = names.items_named(found, item) if item else tuple(data.items(found.study).values())
    belonging = {claim for one in some for claim in data.claims_about(one)}
    claims = [claim for claim in data.claims(found.study) if claim in belonging or not item]
    checks = plausibility.checked(some, drawn=bool(item)) if check else {}
    if as_json:
        objects = [machine.printed_object(one) for one in some]
        if check:
            objects = [{**one, "does_not_follow": checks[one["item"]].objects} for one in objects]
        _put({"study": machine.study_object(found), "items": objects, "claims": machine.claim_objects(claims)})
    else:
        width = _width()
        lines = [] if item else [*text.study_lines(found, width), ""]
        for one in some:
            lines += [*text.item_lines(one, width, alone=bool(item)), ""]
            if check:
                lines += checks[one.item].lines(width)
        if check:
            lines += [*plausibility.summary(checks.values(), width), ""]
        say("\n".join([*lines, *text.claims_lines(claims, width)]))
    if any(one.found for one in checks.values()):
        raise typer.Exit(FOUND)


def claims_(
    study: Name,
    claim: Annotated[
        str, typer.Argument(metavar="CLAIM", help="A claim, such as c030: show the cells that were compared.")
    ] = "",
    directories: Annotated[
        list[Path] | None,
        typer.Option(
            "--in",
            metavar="DIR",
            help="Judge by the campaign in here too, or by those in its folders. May be repeated.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print {study, counts, claims, shared} as JSON.")] = False,
) -> None:
    """Say which claims of a study its own printed cells agree with, and which new cells of campaigns do."""
    from virtometer.cli.study import agreement, names
    from virtometer.studies.agreement import claims_table

    found = names.study_named(study)
    if directories:
        from virtometer.analysis.studies.results import judged

        rows = judged(found, analyses_in(directories)[0])
    else:
        rows = claims_table(found.study)
    if claim:
        rows = names.claims_named(found, rows, claim)
    if as_json:
        _put(agreement.agreement_object(found, rows))
    elif claim:
        say("\n".join(agreement.claim_lines(rows[0], _width())))
    else:
        say("\n".join(agreement.agreement_lines(found, rows, _width())))


def _put(document: object) -> None:
    put_document(json.dumps(document, indent=2, ensure_ascii=False))


def _width() -> int:
    return shutil.get_terminal_size().columns


add(study_app, "list", list_)
add(study_app, "show", show)
add(study_app, "claims", claims_)
add(study_app, "run", run)
add(study_app, "report", report)
