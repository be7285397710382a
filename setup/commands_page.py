"""Put the reference of all commands into docs/COMMANDS.md, as the command line itself describes them."""

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from setup.made_part import with_made
from virtometer.cli.app import app

DOCUMENT = Path(__file__).parents[1] / "docs" / "COMMANDS.md"


def page() -> str:
    """The page with a new reference."""
    return with_made(DOCUMENT, "\n".join(_command("virtometer", typer.main.get_command(app))))


def _command(name: str, command: Any) -> Iterator[str]:  # noqa: ANN401 - typer has a click of its own
    """The lines of a command and of all below it."""
    context = typer.Context(command, info_name=name)
    yield f"## {name}" if name.count(" ") == 0 else f"### {name}"
    yield ""
    yield from _paragraphs(command.help or "")
    if hasattr(command, "commands"):
        rows = [(f"`{name} {verb}`", one.get_short_help_str(1_000)) for verb, one in command.commands.items()]
    else:
        yield f"    {name} {' '.join(command.collect_usage_pieces(context))}".rstrip()
        yield ""
        rows = []
    rows += [row for one in command.params if (row := _row(one, context)) is not None]
    if rows:
        yield "| argument or option | meaning |"
        yield "|---|---|"
        yield from (f"| {what} | {meaning} |" for what, meaning in rows)
        yield ""
    for verb, one in getattr(command, "commands", {}).items():
        yield from _command(f"{name} {verb}", one)


def _paragraphs(text: str) -> Iterator[str]:
    """Help as prose: paragraphs in lines of 120 characters; what the command line keeps line by line is code."""
    for paragraph in text.strip().split("\n\n"):
        kept = paragraph.startswith("\b\n")
        lines = paragraph.removeprefix("\b\n").splitlines()
        if kept:
            yield from (f"    {line}" for line in lines)
        else:
            yield from textwrap.wrap(" ".join(" ".join(lines).split()), 120)
        yield ""


def _row(one: Any, context: typer.Context) -> tuple[str, str] | None:  # noqa: ANN401
    """An argument or option with its meaning; None of what every command has."""
    record = one.get_help_record(context)
    if record is None or "--help" in one.opts:
        return None
    what, meaning = (" ".join(part.split()).replace("|", "\\|") for part in record)
    return f"`{what}`", meaning


if __name__ == "__main__":
    DOCUMENT.write_text(page(), encoding="utf-8")
