"""`virtometer doctor`: which environments work on this host, why not, and what to do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from virtometer.model import EnvironmentStatus


def doctor(
    kinds: Annotated[
        list[str] | None, typer.Argument(metavar="KIND", help="Kinds of environments to check; all by default.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print {host, environments} as JSON.")] = False,
) -> None:
    """Say for every kind of environment whether it works on this host, why not, and what to do."""
    from virtometer.runner.doctor import examine

    host, statuses = examine(kinds or None)
    if as_json:
        typer.echo(json.dumps(machine(host, statuses), indent=2, default=str))
        return
    _show(host, statuses)


def machine(host: Mapping[str, Any], statuses: Sequence[EnvironmentStatus]) -> dict[str, Any]:
    """What `--json` prints."""
    return {
        "host": dict(host),
        "environments": [
            {
                "name": status.name,
                "works": status.works,
                "reason": status.reason,
                "advice": status.advice,
                "capabilities": dict(status.capabilities),
            }
            for status in statuses
        ],
    }


def _show(host: Mapping[str, Any], statuses: Sequence[EnvironmentStatus]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from virtometer.cli.console import PlainConsole

    console = PlainConsole()
    words = (f"{key.replace('_', ' ')} {value}" for key, value in host.items() if isinstance(value, str | int | float))
    console.print(Text(f"host: {', '.join(words)}"))
    for status in statuses:
        mark, style = ("works", "green") if status.works else ("does not work here", "red")
        console.print(Text.assemble((f"{status.name}: ", "bold"), (mark, style)))
        for line in (status.reason, status.advice and f"to do: {status.advice}", *_limits(status)):
            if line:
                console.print(Padding(Text(line), (0, 0, 0, 4)))


def _limits(status: EnvironmentStatus) -> list[str]:
    """What a kind that works cannot give, in words, and its settings."""
    if not status.works:
        return []
    capabilities = status.capabilities
    lines = [str(capabilities[key]) for key in ("disk_reason", "network_reason") if capabilities.get(key)]
    settings = capabilities.get("settings")
    return [*lines, *([f"settings: {', '.join(map(str, settings))}"] if settings else [])]
