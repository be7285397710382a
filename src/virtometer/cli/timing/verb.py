"""`virtometer time`: what the user's own commands cost in other environments, without a plan."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from virtometer.cli.parts.verbs import Verb
from virtometer.cli.run import BESIDE_HELP, fresh

if TYPE_CHECKING:
    from virtometer.runner.campaign.in_image import InImage

_TAKEN = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM")
"""Variables of the caller that commands have everywhere. No other one: reports would show what is secret."""


class Output(StrEnum):
    """What becomes of what a command prints."""

    DIGEST = "digest"
    NULL = "null"


_PARTS = {"-L": 2, "--parameter-list": 2, "-P": 3, "--parameter-scan": 3}
"""Options that take several words, which typer cannot repeat; no word has a zero byte."""


class TimeVerb(Verb):
    """Words after `--` are one command with its arguments, each as it is. Some options take several words."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """As every verb, without what stands after `--`. Raises UsageError too where an option lacks words."""
        from virtometer.errors import UsageError

        own = args[: args.index("--")] if "--" in args else args
        ctx.obj = tuple(args[len(own) + 1 :])
        words, rest = list[str](), list(own)
        while rest:
            word = rest.pop(0)
            words.append(word)
            count = _PARTS.get(word, 0)
            if len(rest) < count:
                raise UsageError(f"{word} takes {count} words", advice="virtometer time --help")
            if count:
                words.append("\0".join(rest[:count]))
                del rest[:count]
        return super().parse_args(ctx, words)


def time(
    ctx: typer.Context,
    commands: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="COMMAND", help="A command with its arguments, between quotation marks; several are timed."
        ),
    ] = None,
    in_: Annotated[
        list[str] | None,
        typer.Option(
            "--in",
            metavar="KIND,...",
            help="Kinds of environments beside the host itself; those that work here and start fast by default.",
        ),
    ] = None,
    image: Annotated[
        str | None,
        typer.Option(
            "--image",
            metavar="IMAGE",
            help="An image of containers instead of the host's files: PATH, PATH:TAG, docker:NAME, docker://HOST/NAME.",
        ),
    ] = None,
    entrypoint: Annotated[
        str | None, typer.Option("--entrypoint", metavar="PROGRAM", help="Instead of the entry point of the image.")
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option("-n", "--command-name", metavar="NAME", help="Names for tables, in order.")
    ] = None,
    shell: Annotated[
        str, typer.Option("-S", "--shell", metavar="SHELL", help="The shell that takes each command; none by default.")
    ] = "",
    no_shell: Annotated[bool, typer.Option("-N", help="Without a shell, as by default.")] = False,
    listed: Annotated[
        list[str] | None,
        typer.Option(
            "-L", "--parameter-list", metavar="NAME VALUES", help="Each of these values, for {NAME} in commands: a,b,c."
        ),
    ] = None,
    scanned: Annotated[
        list[str] | None,
        typer.Option("-P", "--parameter-scan", metavar="NAME FROM TO", help="Each of these numbers, for {NAME}."),
    ] = None,
    step: Annotated[
        str | None, typer.Option("-D", "--parameter-step-size", metavar="STEP", help="The step of -P; 1 by default.")
    ] = None,
    prepare: Annotated[
        str | None, typer.Option("-p", "--prepare", metavar="COMMAND", help="Run before each run; it is not timed.")
    ] = None,
    conclude: Annotated[
        str | None, typer.Option("-C", "--conclude", metavar="COMMAND", help="Run after each run; it is not timed.")
    ] = None,
    ignore_failure: Annotated[
        bool, typer.Option("-i", "--ignore-failure", help="Any exit status, as long as it is the same everywhere.")
    ] = False,
    output_may_differ: Annotated[
        bool, typer.Option("--output-may-differ", help="A run may print something else than the others.")
    ] = False,
    input_: Annotated[
        Path | None, typer.Option("--input", metavar="FILE", help="Standard input; nothing by default.")
    ] = None,
    output: Annotated[
        Output,
        typer.Option(
            "--output", metavar="WHERE", help="digest: what it prints is compared; null: it goes to /dev/null."
        ),
    ] = Output.DIGEST,
    env: Annotated[
        list[str] | None,
        typer.Option("--env", metavar="NAME=VALUE", help="A variable, which reports show; NAME alone takes yours."),
    ] = None,
    workdir: Annotated[
        Path | None, typer.Option("--workdir", metavar="DIR", help="Directory to run in; the current one by default.")
    ] = None,
    timeout: Annotated[
        str | None, typer.Option("--timeout", metavar="TIME", help="End a run that takes longer: 10s, 5m.")
    ] = None,
    cpus: Annotated[
        float | None, typer.Option("--cpus", metavar="NUMBER", help="Limit of processor time, in processors.")
    ] = None,
    memory: Annotated[str | None, typer.Option("--memory", metavar="SIZE", help="Limit of memory: 512M.")] = None,
    margin: Annotated[
        str | None,
        typer.Option("--margin", metavar="SHARE", help="Difference that is small enough to be equivalent; 5%."),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option("--precision", metavar="SHARE", help="Measure until intervals are ± this: 1%."),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option("--budget", metavar="TIME", help="What it may take; 60s by default, six blocks at least."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Results directory, new or empty; results/TIME-time by default."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, max=2**63 - 1, help="Seed of the random order; a fresh one.")
    ] = None,
    beside: Annotated[bool, typer.Option("--beside", help=BESIDE_HELP)] = False,
) -> None:
    """Time commands natively and in other environments, and report what each of them costs.

    Guests live side by side, and runs of a command take turns in random order. Containers see the host's files under a
    layer that is thrown away; natively a command changes the files themselves. Words after `--` are one command more.
    """
    from virtometer.cli.parts.notice import notice

    with notice("loading the laboratory ..."):
        import yaml

        from virtometer.cli import campaign
        from virtometer.cli.parts.times import time_words
        from virtometer.cli.plan.files import TIME, built_in, load_text_for_here, seed_of
        from virtometer.cli.timing.commands import beside as beside_runs
        from virtometer.cli.timing.commands import commands as expanded
        from virtometer.cli.timing.commands import parameters as values_of
        from virtometer.cli.timing.plan import document, least_s, text_of
        from virtometer.errors import UsageError
        from virtometer.runner.campaign.pilot import native_lengths_s, refuse_missing
        from virtometer.runner.campaign.places import places
        from virtometer.runner.campaign.whole import begin
        from virtometer.store.files import refuse_foreign

    if shell and no_shell:
        raise UsageError("-N is without a shell, and -S names one", advice="give one of them")
    parts = [[one.split("\0") for one in some or ()] for some in (listed, scanned)]
    values = values_of(parts[0], parts[1], step)
    inside = _opened(image, entrypoint)
    own = inside.words(()) if inside is not None and not (commands or ctx.obj) else ()
    given = expanded(commands or (), ctx.obj or own, names=name or (), shell=shell, values=values)
    directory = (out or fresh("time")).absolute() if workdir is not None else out or fresh("time")
    refuse_foreign(directory)
    variables = _variables(env or (), None if inside is None else inside.variables)
    there = Path()
    if inside is not None:
        given = given if own else tuple(replace(one, words=inside.words(one.words)) for one in given)
        place = inside.directory(None if workdir is None else str(workdir))
        for one in given:
            inside.refuse_missing(one.words, variables, place)
    else:
        there = (workdir or Path()).resolve()
        if not there.is_dir():
            raise UsageError(f"--workdir is {workdir}, which is no directory")
        for one in given:
            refuse_missing(one.words, variables, there)
        place = str(there)
    each = {
        "env": variables,
        "workdir": place,
        "user": None if inside is None else inside.user,
        "input": None if input_ is None else str(input_.resolve() if inside is None else Path(place) / input_),
        "output": output.value,
        "prepare": beside_runs(prepare, shell),
        "conclude": beside_runs(conclude, shell),
        "timeout": _seconds("--timeout", timeout),
        "ignore_failure": ignore_failure or None,
        "output_may_differ": output_may_differ or None,
    }
    parameters = {key: value for key, value in each.items() if value is not None}
    plan = yaml.safe_load(built_in(TIME).read_text()) | _changed(margin, precision, budget)
    wanted = [kind for one in in_ or () for kind in one.split(",") if kind]
    settings: dict[str, Any] = {
        key: value for key, value in (("cpus", cpus), ("memory", _size(memory))) if value is not None
    }
    if inside is not None:
        settings["root"] = inside.root
    plan["environments"], left_out = places(plan["environments"], wanted, settings)
    line = shlex.join(["virtometer", "time", *sys.argv[2:]])
    first, _ = load_text_for_here(text_of(document(plan, given, parameters), line), TIME, directory)
    os.chdir(there)  # guests of an ordinary user can write in the current directory alone
    with notice("running each command natively ..."):
        lengths_s = native_lengths_s(first, beside=beside, tell=lambda sentence: typer.echo(sentence, err=True))
    if (longer_s := least_s(plan, lengths_s)) > plan["budget_s"]:
        sentence = f"{plan['blocks']} blocks take {time_words(longer_s)} at least, which is more than the budget"
        typer.echo(f"virtometer: {sentence}", err=True)
    text = text_of(document(plan, given, parameters, lengths_s), line)
    resolved, skipped = load_text_for_here(text, TIME, directory)
    for sentence in [*left_out, *skipped]:
        typer.echo(f"virtometer: {sentence}", err=True)
    number = seed_of(resolved.plan, seed)
    campaign.execute(directory, lambda progress: begin(resolved, text, directory, number, progress, beside=beside))


def _changed(margin: str | None, precision: str | None, budget: str | None) -> dict[str, float]:
    """Fields of the plan that options replace."""
    from virtometer.cli.parts.shares import share_option

    shares = (("margin", margin), ("precision", precision))
    made = {name: share_option(f"--{name}", text) for name, text in shares if text is not None}
    seconds = _seconds("--budget", budget)
    return made if seconds is None else {**made, "budget_s": seconds}


def _size(text: str | None) -> str | None:
    """A size as a plan takes it. Raises UsageError for what is none."""
    from virtometer.errors import UsageError
    from virtometer.model import parse_size

    try:
        parse_size(text)
    except ValueError as cause:
        raise UsageError(f"--memory is {text}, but {cause}") from cause
    return text


def _seconds(option: str, text: str | None) -> float | None:
    from virtometer.cli.parts.times import seconds_option

    return None if text is None else seconds_option(option, text)


def _opened(reference: str | None, entrypoint: str | None) -> InImage | None:
    """The image of --image, unpacked. Raises UsageError for an entry point without an image."""
    from virtometer.cli.parts.notice import notice
    from virtometer.errors import UsageError
    from virtometer.runner.campaign.in_image import in_image

    if reference is None:
        if entrypoint is not None:
            raise UsageError("--entrypoint is about an image, and there is no --image")
        return None
    with notice("looking for the image ..."):
        return in_image(reference, None if entrypoint is None else [one for one in (entrypoint,) if one])


def _variables(given: Sequence[str], of_image: Mapping[str, str] | None) -> Mapping[str, str]:
    """The environment of commands: some of the caller's variables or those of an image, and those that --env gives."""
    from virtometer.errors import UsageError
    from virtometer.workloads.command import ENVIRONMENT

    made = {"PATH": ENVIRONMENT["PATH"], "HOME": str(Path("~").expanduser())}
    made |= {name: os.environ[name] for name in _TAKEN if name in os.environ}
    made = made if of_image is None else dict(of_image)
    for one in given:
        name, equals, value = one.partition("=")
        if not name:
            raise UsageError(f"--env {one!r} has no name", advice="for example: --env OMP_NUM_THREADS=2")
        if equals:
            made[name] = value
        elif name in os.environ:
            made[name] = os.environ[name]
        else:
            raise UsageError(f"--env {name} takes your variable {name}, and you have none")
    return made
