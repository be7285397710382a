"""`virtometer study report`: a published study beside the campaigns of its experiments."""

from __future__ import annotations

import shutil
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from virtometer.cli.parts.encoding import put_document, say
from virtometer.visible import visible

if TYPE_CHECKING:
    from virtometer.analysis import Analysis
    from virtometer.analysis.studies.results import StudyResults
    from virtometer.errors import LedgerError
    from virtometer.report.studies.answers import AnswerBlock, AnswerTable
    from virtometer.studies.data import Study


class Format(StrEnum):
    """What `--format` takes."""

    TERMINAL = "terminal"
    HTML = "html"
    LATEX = "latex"


_LEAST_FIRST = 22
"""Characters of the first column of a table of answers."""

_ENDINGS = {".html": Format.HTML, ".htm": Format.HTML, ".tex": Format.LATEX}


def report(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="A study of the list, such as klein2008.")],
    directories: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="DIR",
            help="Results directories of campaigns, or folders of such; without any, published values alone.",
        ),
    ] = None,
    kind: Annotated[
        Format | None,
        typer.Option(
            "--format",
            help="html is written to STUDY.html, latex to STUDY.tex; by default as FILE ends.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write to this file instead; - is standard output.")
    ] = None,
) -> None:
    """Show what a study printed and what campaigns measured beside it: one section for each table and figure."""
    from virtometer.cli.study.names import study_named

    found = study_named(study)
    form = kind or (_ENDINGS.get(out.suffix.lower()) if out is not None else None) or Format.TERMINAL
    analyses, unreadable = analyses_in(directories or ())
    show(found, analyses, unreadable, form, out)


def show(
    found: Study, analyses: Sequence[Analysis], unreadable: Mapping[Path, LedgerError], form: Format, out: Path | None
) -> None:
    """Write a study beside campaigns, and the names of those that are `unreadable`.

    out: None for the file that the format has by default. Raises StorageError.
    """
    from virtometer.analysis.studies.results import results
    from virtometer.cli.study.experiments import progress, with_unreadable

    made = _with_what_does_not_follow(results(found, analyses))
    experiments = progress(found.study, [one.campaign for one in analyses], made.sections)
    made = replace(made, experiments=with_unreadable(experiments, unreadable))
    if form is Format.TERMINAL:
        _put(_terminal(made, shutil.get_terminal_size().columns), out)
    elif form is Format.HTML:
        from virtometer.report.studies.page import page

        _put(page(made), out or Path(f"{found.study}.html"))
    else:
        _put_latex(made, out or Path(f"{found.study}.tex"))


def analyses_in(
    directories: Iterable[Path], told: Container[str] = ()
) -> tuple[list[Analysis], dict[Path, LedgerError]]:
    """The analyses of campaigns in directories, or in the folders of directories.

    Campaigns in folders that cannot be read are returned by their directories, and named on standard error, but for
    the folders of `told`. Raises LedgerError for a campaign that was named itself, or where no campaign can be read.
    """
    from virtometer.cli.study.experiments import campaigns_in
    from virtometer.errors import LedgerError

    found: list[Analysis] = []
    unreadable: dict[Path, LedgerError] = {}
    for directory in directories:
        for one in campaigns_in(directory):
            try:
                found.append(analysis_of(one))
            except LedgerError as error:
                if one == directory:
                    raise
                unreadable[one] = error
                if one.name not in told:
                    typer.echo(f"virtometer: left out: {visible(error.sentence)}", err=True)
    if unreadable and not found:
        raise next(iter(unreadable.values()))
    return found, unreadable


def analysis_of(directory: Path) -> Analysis:
    """The analysis of the campaign in a results directory. Raises LedgerError where none can be read."""
    from virtometer.analysis import analyse
    from virtometer.store.ledger import Ledger

    with Ledger.open(directory) as ledger:
        return analyse(ledger.read())


def _with_what_does_not_follow(made: StudyResults) -> StudyResults:
    """The same with the printed numbers that do not follow from others, among the remarks on their items."""
    from virtometer.cli.study.plausibility import checked
    from virtometer.report.parts.implausible import expected_words, reason_words

    checks = checked([one.item for one in made.sections], drawn=False)
    remarks = dict(made.remarks)
    for name, of in checks.items():
        said = (
            f"Does not follow: {', '.join(filter(None, (one.row, one.column)))}"
            f"{one.printed and f', printed {one.printed}'}"
            f"{(words := expected_words(one)) and f', expected {words}'} ({one.rule}: {reason_words(one)})."
            for one in of.found
        )
        remarks[name] = (*remarks[name], *said)
    return replace(made, remarks=remarks)


def _put(text: str, path: Path | None) -> None:
    """Write to the file, and say its name; without a file, or to `-`, to standard output."""
    from virtometer.store.output import write_named

    if path is None or str(path) == "-":
        put_document(text)
        return
    write_named(path, text)
    say(str(path))


def _put_latex(made: StudyResults, path: Path) -> None:
    """The document, and its figures in a folder beside it. Standard output has tables alone."""
    from virtometer.report.studies import latex

    if str(path) == "-":
        put_document(latex.document(made, ""))
        return
    folder = path.with_name(f"{path.stem}-figures")
    _put_figures(latex.figures(made), folder)
    _put(latex.document(made, folder.name), path)


def _put_figures(pictures: Mapping[str, str], folder: Path) -> None:
    import vl_convert

    from virtometer.errors import StorageError
    from virtometer.store.output import write_named

    try:
        folder.mkdir(exist_ok=True)
    except OSError as cause:
        raise StorageError(f"{folder} cannot be made: {cause.strerror}") from cause
    for name, svg in pictures.items():
        write_named(folder / f"{name}.pdf", vl_convert.svg_to_pdf(svg))


def _terminal(made: StudyResults, width: int) -> str:
    from virtometer.cli.study.layout import filled, folded, listed
    from virtometer.report.studies import terminal
    from virtometer.report.studies.answers import blocks
    from virtometer.report.studies.groups import groups_table

    lines = [line for text in terminal.head(made) for line in filled(text, width, "  ")]
    for block in blocks(made):
        lines += ["", *_answer(block, width)]
    if made.experiments:
        lines += ["", *listed(("experiment", "state"), made.experiments, width, (_LEAST_FIRST, None))]
    for one in made.sections:
        lines += ["", *filled(f"{one.item.study} {one.item.item}: {one.item.title}", width, "  ")]
        grid = terminal.grid(one)
        if grid is not None:
            lines += ["", *folded(grid.corner, grid.rows, grid.columns, grid.cells, width)]
        groups = groups_table(one, campaigns=bool(made.campaigns))
        lines += [] if groups is None else ["", *_table(groups, width)]
        for text in terminal.notes(one, made):
            lines += filled(text, width, "  ")
    return "\n".join([*lines, ""])


def _answer(block: AnswerBlock, width: int) -> list[str]:
    """The question with its answers, and its tables."""
    from virtometer.cli.study.layout import filled

    lines = filled(block.question, width, "  ") if block.question else []
    lines += filled(f"The study: {block.published}", width, "  ") if block.published else []
    for sentence in block.sentences:
        lines += filled(sentence, width, "  ")
    for table in block.tables:
        lines += ["", *_table(table, width)]
    return lines


def _table(table: AnswerTable, width: int) -> list[str]:
    """A table with the first column as wide as it may be, and its caption below."""
    from virtometer.cli.study.layout import filled, listed

    wanted = [max(map(len, column)) for column in zip(table.heads, *table.rows, strict=True)][1:]
    lines = listed(table.heads, table.rows, width, (None, *_shared(wanted, width - _LEAST_FIRST)))
    return [*lines, *filled(table.caption, width, "  ")]


def _shared(wanted: Sequence[int], room: int) -> list[int]:
    """The width of each column: what it wants, or an equal share of what columns that want less leave over."""
    given = [0] * len(wanted)
    left = room - 2 * len(wanted)
    for place, at in enumerate(sorted(range(len(wanted)), key=lambda at: wanted[at])):
        given[at] = min(wanted[at], max(1, left // (len(wanted) - place)))
        left -= given[at]
    return given
