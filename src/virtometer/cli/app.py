"""All verbs, and what `virtometer --help` says about exit statuses."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

import typer

from virtometer import __version__
from virtometer.cli.agent import agent_app
from virtometer.cli.analyse import analyse
from virtometer.cli.check_table import check_table
from virtometer.cli.compare import compare
from virtometer.cli.doctor import doctor
from virtometer.cli.image import image_app
from virtometer.cli.import_files import import_files
from virtometer.cli.parts.exit_statuses import epilog
from virtometer.cli.parts.verbs import add, application
from virtometer.cli.plan.verb import plan_app
from virtometer.cli.report import report
from virtometer.cli.resume import resume
from virtometer.cli.run import run
from virtometer.cli.study.verb import study_app
from virtometer.cli.time_server import time_server
from virtometer.cli.timing.verb import TimeVerb, time

app = application(
    "A laboratory for the efficiency of virtualization. What does work cost in a container, a sandbox, a virtual "
    "machine or an emulator, compared with running natively?",
    name="virtometer",
    epilog=epilog(),
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"virtometer {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error. VIRTOMETER_DEBUG=1 does the same.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Options of every command; `main` reads --debug itself, before anything can fail."""


add(app, "doctor", doctor)
add(app, "run", run)
add(app, "time", time, cls=TimeVerb)
add(app, "resume", resume)
add(app, "report", report)
add(app, "compare", compare)
add(app, "analyse", analyse)
add(app, "import", import_files)
add(app, "check-table", check_table)
add(app, "time-server", time_server)
app.add_typer(plan_app, name="plan")
app.add_typer(study_app, name="study")
app.add_typer(image_app, name="image")
app.add_typer(agent_app, name="agent")


@cache
def command() -> Any:  # noqa: ANN401 - typer's own Command is not public
    """What `main` calls. It is made once in a process: that takes as long as a short verb."""
    return typer.main.get_command(app)
