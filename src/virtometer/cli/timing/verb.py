"""`virtometer time`: what the user's own commands cost in other environments, without a plan."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from virtometer.cli.parts.verbs import Verb
from virtometer.cli.run import BESIDE_HELP, fresh


class Cache(StrEnum):
    """What the page cache holds of the files that a command reads."""

    WARM = "warm"
    COLD = "cold"


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
    image_packages: Annotated[
        str | None,
        typer.Option("--image-packages", metavar="NAMES", help="Packages of --image debian, such as python3,gcc."),
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
    setup: Annotated[
        str | None,
        typer.Option(
            "-s", "--setup", metavar="COMMAND", help="Run once before all runs, in each new guest; not timed."
        ),
    ] = None,
    cleanup: Annotated[
        str | None,
        typer.Option("-c", "--cleanup", metavar="COMMAND", help="Run once after all runs, in each guest; not timed."),
    ] = None,
    warmup: Annotated[
        int | None, typer.Option("-w", "--warmup", metavar="N", help="Runs before the timed ones in each guest; 1.")
    ] = None,
    exact_runs: Annotated[
        int | None,
        typer.Option("-r", "--runs", metavar="N", help="Exactly N timed runs in each environment; no --budget."),
    ] = None,
    min_runs: Annotated[
        int | None, typer.Option("-m", "--min-runs", metavar="N", help="At least N timed runs in each environment.")
    ] = None,
    max_runs: Annotated[
        int | None, typer.Option("-M", "--max-runs", metavar="N", help="At most N, as many as fit into the budget.")
    ] = None,
    show_output: Annotated[
        bool, typer.Option("--show-output", help="Print what the first run printed: natively, and where it differs.")
    ] = False,
    export_json: Annotated[
        str | None,
        typer.Option("--export-json", metavar="FILE", help="Write all times as hyperfine 1; - is standard output."),
    ] = None,
    export_json_2: Annotated[
        str | None, typer.Option("--export-json-2", metavar="FILE", help="Write all times in hyperfine 2's schema.")
    ] = None,
    export_csv: Annotated[
        str | None, typer.Option("--export-csv", metavar="FILE", help="Write statistics of the times, as hyperfine.")
    ] = None,
    export_markdown: Annotated[
        str | None, typer.Option("--export-markdown", metavar="FILE", help="Write a table, as hyperfine does.")
    ] = None,
    export_junit: Annotated[
        str | None, typer.Option("--export-junit", metavar="FILE", help="Write JUnit XML: a test for each comparison.")
    ] = None,
    export_bencher: Annotated[
        str | None, typer.Option("--export-bencher", metavar="FILE", help="Write Bencher's metric format, as JSON.")
    ] = None,
    ignore_failure: Annotated[
        bool, typer.Option("-i", "--ignore-failure", help="Any exit status, as long as it is the same everywhere.")
    ] = False,
    output_may_differ: Annotated[
        bool, typer.Option("--output-may-differ", help="A run may print something else than the others.")
    ] = False,
    value: Annotated[
        str | None,
        typer.Option("--value", metavar="REGEX", help="Its last match in the output is the result, not the time."),
    ] = None,
    unit: Annotated[str | None, typer.Option("--unit", metavar="UNIT", help="The unit of --value: MB/s.")] = None,
    better: Annotated[
        str | None,
        typer.Option("--better", metavar="higher|lower", help="Which values of --value are the better ones."),
    ] = None,
    check_file: Annotated[
        list[str] | None,
        typer.Option("--check-file", metavar="PATH", help="A file that must be the same after each run, everywhere."),
    ] = None,
    input_: Annotated[
        Path | None, typer.Option("--input", metavar="FILE", help="Standard input; nothing by default.")
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output", metavar="WHERE", help="pipe: what it prints is compared; null: it goes to /dev/null; ./FILE."
        ),
    ] = "pipe",
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
    relative_to_empty: Annotated[
        bool, typer.Option("--relative-to-empty", help="Report also efficiency without the start of an empty program.")
    ] = False,
    cold: Annotated[
        bool, typer.Option("--cold", help="A fresh guest for each run; report its start and the command in it.")
    ] = False,
    enter: Annotated[
        bool, typer.Option("--enter", help="Time also how long the host takes to enter a guest that lives.")
    ] = False,
    cache: Annotated[
        Cache,
        typer.Option("--cache", metavar="STATE", help="warm; cold: files that it reads leave the page cache before."),
    ] = Cache.WARM,
    profile: Annotated[
        bool, typer.Option("--profile", help="Count what each command does natively; say what explains its slowdown.")
    ] = False,
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
    volume: Annotated[
        list[str] | None,
        typer.Option("--volume", metavar="HOST:GUEST[:ro]", help="A directory or file that guests share for real."),
    ] = None,
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME|UID[:GID]", help="As whom commands run; as you by default.")
    ] = None,
    cpuset_cpus: Annotated[
        str | None, typer.Option("--cpuset-cpus", metavar="LIST", help="Processors that may be used: 0-2,4.")
    ] = None,
    ulimit: Annotated[
        list[str] | None,
        typer.Option("--ulimit", metavar="NAME=SOFT[:HARD]", help="A limit of commands: nofile=1024:2048; -1: none."),
    ] = None,
    security_opt: Annotated[
        list[str] | None,
        typer.Option("--security-opt", metavar="OPTION", help="no-new-privileges, or seccomp=unconfined: no filter."),
    ] = None,
    network: Annotated[
        str | None,
        typer.Option("--network", metavar="none|host|bridge", help="A loopback alone, the host's, or Docker's bridge."),
    ] = None,
    init: Annotated[
        bool, typer.Option("--init", help="As always: a command is no process 1, and all that ends is reaped.")
    ] = False,
    tty: Annotated[bool, typer.Option("--tty", help="Commands have a terminal, of 24 lines and 80 columns.")] = False,
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
    _ = init  # as always
    from virtometer.cli.parts.notice import notice

    with notice("loading the laboratory ..."):
        import yaml

        from virtometer.cli.plan.files import TIME, built_in
        from virtometer.cli.timing.checks import checks
        from virtometer.cli.timing.commands import beside as beside_runs
        from virtometer.cli.timing.commands import commands as expanded
        from virtometer.cli.timing.commands import parameters as values_of
        from virtometer.cli.timing.container_options import container_options
        from virtometer.cli.timing.evicted import evicted
        from virtometer.cli.timing.exclusions import refuse_excluded
        from virtometer.cli.timing.exports import exports
        from virtometer.cli.timing.given import (
            changed_fields,
            output_of,
            seconds_of,
            size_of,
            variables_of,
            warm_ups_of,
        )
        from virtometer.cli.timing.image_option import opened
        from virtometer.cli.timing.measure import Asked, measure
        from virtometer.cli.timing.profile import Profiling
        from virtometer.cli.timing.runs import runs
        from virtometer.errors import UsageError
        from virtometer.runner.campaign.pilot import refuse_missing
        from virtometer.runner.campaign.places import places
        from virtometer.store.files import refuse_foreign

    refuse_excluded(
        {
            "--cold": cold, "--value": value, "--cache cold": cache is Cache.COLD, "--runs": exact_runs,
            "--min-runs": min_runs, "--max-runs": max_runs, "--warmup": warmup, "--show-output": show_output,
            "--relative-to-empty": relative_to_empty, "--image": image, "--user": user, "--volume": volume,
            "--enter": enter, "--setup": setup, "--prepare": prepare, "--conclude": conclude, "--cleanup": cleanup,
            "--profile": profile, "--tty": tty, "--ulimit": ulimit, "--cpus": cpus, "--memory": memory,
            "--cpuset-cpus": cpuset_cpus, "--security-opt": security_opt,
        }
    )  # fmt: skip
    if shell and no_shell:
        raise UsageError("-N is without a shell, and -S names one", advice="give one of them")
    printed = output_of(output)
    elsewhere = printed.get("output") != "digest"
    if show_output and elsewhere:
        raise UsageError(f"--show-output has nothing to show with --output {output}", advice="give one of them")
    parts = [[one.split("\0") for one in some or ()] for some in (listed, scanned)]
    values = values_of(parts[0], parts[1], step)
    inside = opened(image, entrypoint, user, image_packages)
    own = inside.words(()) if inside is not None and not (commands or ctx.obj) else ()
    given = expanded(commands or (), ctx.obj or own, names=name or (), shell=shell, values=values)
    given_too = {"budget": budget is not None, "precision": precision is not None}
    wanted_runs = runs(exact_runs, min_runs, max_runs, **given_too, turns=cpus is None)
    files = exports(
        {
            "json": export_json, "json-2": export_json_2, "csv": export_csv, "markdown": export_markdown,
            "junit": export_junit, "bencher": export_bencher,
        }
    )  # fmt: skip
    directory = (out or fresh("time")).absolute() if workdir is not None else out or fresh("time")
    refuse_foreign(directory)
    boxed = container_options(
        volume=volume or (), user=user, cpuset_cpus=cpuset_cpus, ulimit=ulimit or (), security_opt=security_opt or (),
        network=network, tty=tty, inside=inside,
    )  # fmt: skip
    variables = variables_of([*boxed.variables, *(env or ())], None if inside is None else inside.variables)
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
    source = None if input_ is None else input_.resolve() if inside is None else Path(place) / input_
    each = {
        "env": variables,
        "workdir": place,
        "input": None if source is None else str(source),
        **printed,
        "prepare": beside_runs(prepare, shell),
        "conclude": beside_runs(conclude, shell),
        "setup": beside_runs(setup, shell),
        "cleanup": beside_runs(cleanup, shell),
        "warm_ups": warm_ups_of(warmup),
        "show_output": show_output or None,
        "timeout": seconds_of("--timeout", timeout),
        "ignore_failure": ignore_failure or None,
        "output_may_differ": output_may_differ or None,
        **boxed.parameters,
        **checks(value, unit, better, check_file or (), output if elsewhere else None),
        "relative_to_empty": relative_to_empty or None,
        "image_config": None if inside is None else False,  # the command has it already
    }
    plan = yaml.safe_load(built_in(TIME).read_text()) | changed_fields(margin, precision, budget)
    plan["enter"] = enter
    wanted = [kind for one in in_ or () for kind in one.split(",") if kind]
    settings: dict[str, Any] = {
        key: value for key, value in (("cpus", cpus), ("memory", size_of(memory))) if value is not None
    }
    around = {**settings, **boxed.settings, **({} if inside is None else {"root": inside.root})}
    plan["environments"], left_out = places(plan["environments"], wanted, around, boxed.of_kind)
    measure(
        Asked(
            commands=given,
            parameters={key: value for key, value in each.items() if value is not None},
            plan=plan,
            left_out=left_out,
            runs=wanted_runs,
            exports=files,
            there=there,
            directory=directory,
            line=shlex.join(["virtometer", "time", *sys.argv[2:]]),
            seed=seed,
            beside=beside,
            cold=cold,
            evicted=(lambda: evicted(given, variables, there, source, beside=beside)) if cache is Cache.COLD else tuple,
            profiling=Profiling(given, variables, there, source, elsewhere) if profile else None,
        )
    )
