"""How verbs are added to the command line: their usage lines and their sentences in lists of verbs.

Help is plain text: what typer draws with rich takes longer to import than everything else of `virtometer --help`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import typer
from typer import core


class Verb(core.TyperCommand):
    """A command whose usage line names what must be given as PLAN, and what may be given as [PLAN]."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - typer's own Context is not public
        """The words of the usage line; typer has {PLAN} for PLAN."""
        pieces = super().collect_usage_pieces(ctx)
        return [piece.replace("{", "").replace("}", "") for piece in pieces]


def application(words: str, **more: Any) -> typer.Typer:  # noqa: ANN401 - what typer.Typer takes
    """A command with verbs below it; `words` are its help."""
    return typer.Typer(help=words, no_args_is_help=True, rich_markup_mode=None, **more)


def add(app: typer.Typer, name: str, verb: Callable[..., None], **more: Any) -> None:  # noqa: ANN401
    """Add a verb. The first paragraph of its docstring stands in the list of verbs, uncut."""
    paragraph = inspect.cleandoc(verb.__doc__ or "").partition("\n\n")[0]
    app.command(name, cls=Verb, short_help=" ".join(paragraph.split()), **more)(verb)
