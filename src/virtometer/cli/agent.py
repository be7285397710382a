"""`virtometer agent path`: where the agent's binary is."""

from __future__ import annotations

from typing import Annotated

import typer

from virtometer.cli.parts.encoding import say
from virtometer.cli.parts.verbs import add, application

agent_app = application("The agent: the program that measures inside environments.")


@agent_app.callback()
def agent() -> None:
    """The agent: the program that measures inside environments."""


def path(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="TARGET",
            help="For example aarch64 (Linux), i686-windows or a Rust target; this host by default.",
        ),
    ] = None,
) -> None:
    """Print the path of the agent's binary."""
    from virtometer.runner.lab.agent import agent_path

    say(str(agent_path(target)))


add(agent_app, "path", path)
