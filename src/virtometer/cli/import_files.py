"""`virtometer import`: files of other tools become a table for `virtometer analyse`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from virtometer.cli.parts.encoding import put_document

if TYPE_CHECKING:
    from virtometer.imports.reading import Imported
    from virtometer.imports.table import Block

_MOST_TABLE_BYTES = 64 << 20  # what analyse reads


def import_files(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ENVIRONMENT=FILE",
            help="Files, each with the environment that it was measured in; - is standard input. A file that names "
            "its environments needs no name.",
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option("--format", metavar="NAME", help="The format of all files; else by content."),
    ] = None,
    block: Annotated[
        str | None,
        typer.Option(
            "--block",
            metavar="file|repetition",
            help="What one block is: the n-th file of each environment, or the n-th repetition within files. By "
            "default files, where an environment has several.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="TABLE.csv", help="Write to this file; - is standard output."),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Print all formats, and how to get them.")] = False,
) -> None:
    """Read results of other tools into a table for `virtometer analyse`.

    The single values are kept: of each run, each repetition. Times are in s, data in B, rates in 1/s and B/s.

    Several files of one environment are its blocks, in the order of the command line.
    """
    from virtometer.cli.parts.collector import without_collector
    from virtometer.cli.parts.notice import notice
    from virtometer.errors import UsageError
    from virtometer.imports.notes import left_out, notes, summary
    from virtometer.imports.table import csv_text, rows, usual_block
    from virtometer.store.output import write_named

    if listed:
        _list()
        return
    if not files:
        raise UsageError("there is no file", advice="virtometer import before=a.json after=b.json")
    wanted = _block(block)
    with notice("reading the files ..."), without_collector():
        read = _read(files, kind)
        chosen = wanted or usual_block(read)
        table = rows(read, chosen)
        text = csv_text(table)
    if len(text) > _MOST_TABLE_BYTES:
        raise UsageError(
            f"the table has more than {_MOST_TABLE_BYTES >> 20} MiB, which analyse does not read",
            advice="import fewer files",
        )
    if out is None or str(out) == "-":
        put_document(text)
    else:
        write_named(out, text)
    typer.echo(summary(table), err=True)
    for sentence in (*left_out(read), *notes(table, chosen)):
        typer.echo(sentence, err=True)


def _read(files: list[str], kind: str | None) -> list[Imported]:
    """All files, each read before the next one: no two of them are in memory as text."""
    from virtometer.cli.parts.table_file import table_bytes
    from virtometer.errors import UsageError
    from virtometer.imports.content import MOST_BYTES
    from virtometer.imports.reading import named, read

    wanted = None if kind is None else named(kind)
    pairs = [_pair(word) for word in files]
    if [path for _, path in pairs].count("-") > 1:
        raise UsageError("standard input can be one file alone; - is there twice")
    found = []
    for environment, path in pairs:
        if not path:
            raise UsageError(f"{environment}= has no file")
        raw = table_bytes(Path(path), MOST_BYTES, "file")
        found.append(read(raw, Path(path), environment, wanted))
        del raw
    return found


def _pair(word: str) -> tuple[str, str]:
    """Environment and path; a path that has = in a directory needs no name before it."""
    name, sign, path = word.partition("=")
    return (name, path) if sign and "/" not in name else ("", word)


def _block(text: str | None) -> Block | None:
    from virtometer.errors import UsageError
    from virtometer.imports.table import Block

    if text is None:
        return None
    try:
        return Block(text)
    except ValueError as cause:
        raise UsageError(f"--block is {text}, but must be {' or '.join(Block)}") from cause


def _list() -> None:
    from virtometer.imports.registry import FORMATS

    width = max(len(one.name) for one in FORMATS)
    put_document("".join(f"{one.name:{width}}  {one.made_by}\n" for one in FORMATS))
