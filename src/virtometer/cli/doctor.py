"""`virtometer doctor`: which environments work on this host, why not, and what to do."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from virtometer.cli.parts.encoding import put_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rich.table import Table
    from rich.text import Text

    from virtometer.runner.lab.doctor import KindCheck

_WIDE = 110
"""Columns of a terminal from which on a table holds what is missing beside what to do."""


def doctor(
    kinds: Annotated[
        list[str] | None, typer.Argument(metavar="KIND", help="Kinds of environments to check; all by default.")
    ] = None,
    noise: Annotated[
        bool,
        typer.Option(
            "--noise", help="Measure for half a minute how noisy this host is, and what can be found on it, instead."
        ),
    ] = False,
    capabilities: Annotated[
        bool, typer.Option("--capabilities", help="Show what guests of each kind can have, as a table.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print {host, environments} as JSON; with --noise {host, noise}.")
    ] = False,
) -> None:
    """Say for every kind of environment whether it works on this host, why not, and what to do."""
    if noise:
        _noise(kinds, as_json=as_json, capabilities=capabilities)
        return
    with _progress(quiet=as_json and not sys.stderr.isatty()) as begins:
        from virtometer.runner.lab.doctor import examine

        host, checks = examine(kinds or None, begins, lambda sentence: typer.echo(sentence, err=True))
    if as_json:
        put_document(json.dumps(machine(host, checks), indent=2, default=str))
        return
    if capabilities:
        _show_capabilities(checks)
        return
    _show(host, checks)


def _noise(kinds: list[str] | None, *, as_json: bool, capabilities: bool) -> None:
    from virtometer.cli.parts.notice import notice
    from virtometer.errors import UsageError

    if kinds:
        raise UsageError("--noise measures the host, not a kind", advice="give either kinds or --noise")
    if capabilities:
        raise UsageError("--noise measures the host, not a kind", advice="give either --capabilities or --noise")
    with notice("loading the laboratory ..."):
        from virtometer.cli import noise
        from virtometer.cli.parts.console import PlainConsole
        from virtometer.runner.watch.host import facts
    found = noise.measured(quiet=as_json and not sys.stderr.isatty())
    if as_json:
        put_document(json.dumps({"host": facts(), "noise": noise.machine(found)}, indent=2, default=str))
        return
    noise.show(found, PlainConsole())


def machine(host: Mapping[str, Any], checks: Sequence[KindCheck]) -> dict[str, Any]:
    """What `--json` prints."""
    return {
        "host": dict(host),
        "environments": [
            {
                "name": check.status.name,
                "works": check.status.works,
                "reason": check.status.reason,
                "advice": check.status.advice,
                "program": check.program,
                "version": check.version,
                "package": check.package,
                "capabilities": {**check.status.capabilities, **check.nature},
            }
            for check in checks
        ],
    }


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Say on standard error which kind is being checked: in one line that goes away on a terminal, else in a line each.

    No thread: guests die with the thread that started them, and the checks have time limits.
    """
    from rich.live import Live
    from rich.text import Text

    from virtometer.cli.parts.console import PlainConsole

    console = PlainConsole(stderr=True)
    if quiet or not console.is_terminal or console.is_dumb_terminal:
        yield lambda name, number, count: None if quiet else console.print(f"checking {name} ({number} of {count})")
        return
    with Live(Text("reading the host"), console=console, auto_refresh=False, transient=True) as live:
        live.refresh()
        yield lambda name, number, count: live.update(
            Text(f"checking {name} ({number} of {count}): starting a guest"), refresh=True
        )


def _show(host: Mapping[str, Any], checks: Sequence[KindCheck]) -> None:
    from rich.table import Table
    from rich.text import Text

    from virtometer.cli.parts.console import PlainConsole

    console = PlainConsole()
    facts = Table.grid(padding=(0, 2))
    for name, value in readable(host):
        facts.add_row(Text(name, style="dim"), Text(value))
    console.print(facts)
    console.print()
    console.print(kinds_table(checks, wide=console.width >= _WIDE))
    if any(check.status.capabilities.get("settings") for check in checks):
        console.print(Text("settings of each kind: virtometer plan reference KIND", style="dim"))


def kinds_table(checks: Sequence[KindCheck], *, wide: bool) -> Table:
    """A row for each kind; what to do has a column of its own where there is room."""
    from rich.text import Text

    from virtometer.report.parts.terminal_text import plain_table

    table = plain_table()
    table.add_column("kind", no_wrap=True)
    table.add_column("works", no_wrap=True)
    table.add_column("version", overflow="fold", max_width=24 if wide else 19)
    table.add_column("what is missing" if wide else "what is missing, what to do", ratio=1)
    if wide:
        table.add_column("what to do", ratio=1)
    for check in checks:
        status = check.status
        works = Text("yes", style="green") if status.works else Text("no", style="red")
        version = Text(f"{check.program} {check.version}" if check.version else "")
        lacks, advice = missing(check), status.advice
        if wide:
            table.add_row(Text(status.name), works, version, Text(lacks), Text(advice))
        else:
            both = [lacks, advice and f"to do: {advice}"]
            table.add_row(Text(status.name), works, version, Text("\n".join(part for part in both if part)))
    return table


def _show_capabilities(checks: Sequence[KindCheck]) -> None:
    from rich.text import Text

    from virtometer.cli.parts.console import PlainConsole

    console = PlainConsole()
    console.print(capabilities_table(checks))
    console.print(Text("settings", style="bold"))
    console.print(settings_list(checks))
    console.print(Text("what each setting means: virtometer plan reference KIND", style="dim"))


_COLUMNS = {
    "disk": "disk",
    "network": "network",
    "several_guests": "several guests",
    "several_agents": "several agents",
    "cpu_limit": "CPU limit",
    "memory_limit": "memory limit",
    "own_kernel": "own kernel",
}


def capabilities_table(checks: Sequence[KindCheck]) -> Table:
    """A row for each kind: what its guests can have. A question mark where nothing is known."""
    from virtometer.report.parts.terminal_text import plain_table

    table = plain_table()
    table.add_column("kind", no_wrap=True)
    table.add_column("works", no_wrap=True)
    for words in _COLUMNS.values():
        longest = max(map(len, words.split()))
        table.add_column(words, min_width=longest, max_width=longest)
    for check in checks:
        known = {**check.status.capabilities, **check.nature}
        cells = [_yes_or_no(check.status.works), *(_yes_or_no(known.get(name)) for name in _COLUMNS)]
        table.add_row(check.status.name, *cells)
    return table


def settings_list(checks: Sequence[KindCheck]) -> Table:
    """A row for each kind that has settings, with their names. They would not fit beside the capabilities."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column()
    for check in checks:
        if names := check.status.capabilities.get("settings"):
            table.add_row(check.status.name, Text(", ".join(names)))
    return table


def _yes_or_no(value: bool | None) -> Text:
    from rich.text import Text

    if value is None:
        return Text("?", style="dim")
    return Text("yes", style="green") if value else Text("no", style="red")


def missing(check: KindCheck) -> str:
    """Why a kind does not work here; of one that works, what its guests cannot have. Empty where nothing is missing."""
    if not check.status.works:
        return check.status.reason
    reasons = (check.status.capabilities.get(f"{name}_reason") for name in _COLUMNS)
    return "; ".join(dict.fromkeys(str(reason) for reason in reasons if reason))


def readable(host: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The facts of a host in words, with units for people. Exact values are in `--json`."""
    usable, count = host["cpus_allowed"], host["cpus"]
    processors = f"{count} CPU{'' if count == 1 else 's'}"
    if usable != count:
        processors += f", of which this process may use {usable}"
    swap = f"{_gib(host['swap_bytes'])} of swap" if host["swap_bytes"] else "no swap"
    pages = host["transparent_huge_pages"]
    chosen = pages.partition("[")[2].partition("]")[0] or pages
    facts = [
        ("host", f"{host['hostname']}, {host['os']}, Linux {host['kernel']}, {host['architecture']}"),
        ("processor", ", ".join(part for part in (host["cpu_model"], processors, host["cpu_features"]) if part)),
        ("memory", f"{_gib(host['memory_bytes'])}, {swap}"),
        ("clock source", host["clock_source"] or "not known"),
        ("frequency governor", host["governor"] or "none that is visible"),
        ("huge pages", chosen or "not known"),
        ("user", host["user"]),
    ]
    return [(name, str(value)) for name, value in facts]


def _gib(size: int) -> str:
    return f"{size / (1 << 30):.1f} GiB" if size >= 1 << 30 else f"{size / (1 << 20):.0f} MiB"
