"""How verbs are added to the command line: their usage lines and their sentences in lists of verbs.

Help is plain text: what typer draws with rich takes longer to import than everything else of `virtometer --help`.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import typer
from typer import core

from virtometer.errors import UsageError


class Verb(core.TyperCommand):
    """A command whose usage line names what must be given as PLAN, and what may be given as [PLAN].

    Wrong values of options are reported in the words of wrong plans.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """As typer does. Raises UsageError for a value of an option that is no number, out of range or no choice."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as refused:
            sentence = _sentence(refused)
            if not sentence:
                raise
            raise UsageError(sentence) from refused

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - typer's own Context is not public
        """The words of the usage line; typer has {PLAN} for PLAN."""
        pieces = super().collect_usage_pieces(ctx)
        return [piece.replace("{", "").replace("}", "") for piece in pieces]


def _sentence(refused: typer.BadParameter) -> str:
    """What is wrong with the value of an option; empty where typer's own words are to stand."""
    from pydantic import BaseModel, ValidationError

    from virtometer.design.plan import validation_messages

    if not isinstance(refused.__cause__, ValidationError) or refused.param is None or not refused.param.opts:
        return ""
    error = refused.__cause__.errors()[0]
    given = error["input"]
    wanted = refused.param.type_descriptor.annotation if isinstance(refused.param, core.TyperOption) else None
    if isinstance(wanted, type) and issubclass(wanted, StrEnum):
        error["type"], error["ctx"] = "enum", {"expected": ", ".join(wanted)}
    elif error["type"] not in validation_messages.OF_NUMBERS:
        return ""
    with contextlib.suppress(TypeError, ValueError):
        given = int(given)  # words of the command line are all text
    error["loc"] = (refused.param.opts[0],)
    return validation_messages.sentence(error, BaseModel, "option", given)


def application(words: str, **more: Any) -> typer.Typer:  # noqa: ANN401 - what typer.Typer takes
    """A command with verbs below it; `words` are its help."""
    return typer.Typer(help=words, no_args_is_help=True, rich_markup_mode=None, **more)


def add(app: typer.Typer, name: str, verb: Callable[..., None], **more: Any) -> None:  # noqa: ANN401
    """Add a verb. The first paragraph of its docstring stands in the list of verbs, uncut."""
    paragraph = inspect.cleandoc(verb.__doc__ or "").partition("\n\n")[0]
    app.command(name, **{"cls": Verb, **more}, short_help=" ".join(paragraph.split()))(verb)
