"""A command of the user's, run again and again: its time from the start to the end of the process."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from virtometer.agent_table import AgentParameter
from virtometer.errors import UsageError
from virtometer.model import Demand
from virtometer.model.command_defaults import CommandDefaults
from virtometer.workloads.base import Operation, Parameters, Place, Reading, Work, Workload, of_kernel
from virtometer.workloads.printed_value import PrintedValue
from virtometer.workloads.standing import Ulimits, User, asked_limits, limits_of

ENVIRONMENT: Mapping[str, str] = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LANG": "C.UTF-8",
}
"""The variables that every command has, in all environments, unless a plan gives them other values."""

_SHELL = "/bin/sh"
_OF_SHELL = frozenset("|&;<>()$`*?[\n")  # have a meaning where they are not quoted,
_IN_QUOTES = frozenset("$`")  # within double quotes,
_ESCAPED = frozenset('$`"\\')  # lose a backslash within double quotes
_AT_BEGINNING = frozenset("~#")  # or at the beginning of a word
ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
"""How a word begins that sets a variable for a shell's command."""


def _variables(given: object) -> object:
    """A mapping or a list of variables as one text, which is a plain value as parameters are; else what was given."""
    if isinstance(given, Mapping):
        given = [f"{name}={_plain(value)}" for name, value in given.items()]
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        return shlex.join(given)
    return given


def _paths(given: object) -> object:
    """A list of paths as one text."""
    return shlex.join(given) if isinstance(given, list) and all(isinstance(one, str) for one in given) else given


def _plain(value: object) -> object:
    """A value as the plan's text has it: YAML reads some words as something else."""
    return str(value).lower() if isinstance(value, bool) else value


Text = Annotated[str, Field(min_length=1)]
Variables = Annotated[str, BeforeValidator(_variables)]
Paths = Annotated[str, Field(min_length=1), BeforeValidator(_paths)]


class CommandParameters(Parameters):
    """None leaves a parameter to the agent."""

    command: Text = Field(description="the command with its arguments, as a shell takes words and quotes")
    shell: bool = Field(default=False, description="give the command, and those beside it, to /bin/sh -c")
    env: Variables | None = Field(
        default=None,
        description="variables beside PATH, HOME and LANG, or instead of them: "
        "a mapping, a list or a text of NAME=VALUE",
    )
    workdir: Text | None = Field(default=None, description="directory in the guest in which the command runs")
    input: Text | None = Field(default=None, description="file in the guest that the command reads as standard input")
    output: Literal["digest", "null"] = Field(
        default="digest", description="digest: read and compared in all runs and environments; null: discarded"
    )
    output_file: Text | None = Field(
        default=None, description="file in the guest that gets the standard output of each run, and is compared"
    )
    prepare: Text | None = Field(default=None, description="another command before each run, not timed")
    conclude: Text | None = Field(default=None, description="another command after each run, not timed")
    setup: Text | None = Field(
        default=None, description="another command once in each guest of a block, before all its runs, not timed"
    )
    cleanup: Text | None = Field(
        default=None, description="another command once in each guest of a block, after all its runs, not timed"
    )
    warm_ups: Annotated[int, Field(ge=1, le=10_000)] | None = Field(
        default=None, description="runs before the timed ones in each guest of a block. Without it, one"
    )
    warm_each: bool = Field(
        default=False, description="one more run, not timed, right before each timed one: others have worked meanwhile"
    )
    show_output: bool = Field(default=False, description="keep the end of what the first run in each guest prints")
    timeout: Annotated[float, Field(gt=0, le=600_000)] | None = Field(
        default=None, description="longest time of a run, seconds. Without it, as long as the plan's limits allow"
    )
    ignore_failure: bool = Field(default=False, description="accept a status other than 0")
    output_may_differ: bool = Field(default=False, description="accept another output in each run")
    image_config: bool = Field(
        default=True,
        description="in an image of containers: with its entry point, and, where none are given here, its user, "
        "directory and variables; false: without them",
    )
    entrypoint: str | None = Field(
        default=None, description="words before the command, instead of the entry point of an image; empty: none"
    )
    user: User | None = Field(
        default=None, description="as whom it runs: NAME or UID of the guest, perhaps with :GROUP or :GID"
    )
    ulimits: Ulimits | None = Field(
        default=None,
        description="limits of its processes: a mapping, a list or a text of NAME=SOFT or NAME=SOFT:HARD; -1: no limit",
    )
    tty: bool = Field(default=False, description="its input, output and errors are a terminal")
    no_new_privileges: bool = Field(default=False, description="nothing that it executes gets more privileges")

    @model_validator(mode="after")
    def _one_input(self) -> Self:
        if self.tty and self.input is not None:
            raise ValueError("a command with tty reads from its terminal; leave input out")
        if self.tty and (self.output == "null" or self.output_file is not None):
            raise ValueError("a command with tty prints to its terminal; leave output out")
        if self.output == "null" and self.output_file is not None:
            raise ValueError("output_file needs the output, which 'output: null' discards")
        return self

    value: Text | None = Field(
        default=None,
        description="a regular expression: its last match in what the command prints is the result, not the time",
    )
    unit: Text | None = Field(default=None, description="unit of that value, such as MB/s")
    better: Literal["higher", "lower"] | None = Field(
        default=None, description="which values are the better ones. Without it, as of times"
    )
    check_files: Paths | None = Field(
        default=None, description="files whose contents must be the same after each run: a list, or a text as a shell's"
    )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        given = (self.value, self.unit, self.better)
        if None in given and given != (None, None, None):
            raise ValueError("value, unit and better need each other: give all of them, or none")
        if self.value is not None and self.output == "null":
            raise ValueError("value needs the output, which 'output: null' discards")
        if self.value is not None and self.output_file is not None:
            raise ValueError("value needs the output, which output_file takes")
        _ = self.printed
        return self

    @property
    def limits(self) -> dict[str, list[int | None]]:
        """Those of the command."""
        return {} if self.ulimits is None else limits_of(self.ulimits)

    @property
    def printed(self) -> PrintedValue | None:
        """What of the output is the result; None where the time is. ValueError for what cannot be that."""
        if self.value is None or self.unit is None or self.better is None:
            return None
        return PrintedValue(self.value, self.unit, self.better)

    relative_to_empty: bool = Field(
        default=False, description="report also the efficiency without the start of an empty program"
    )
    first_counts: bool = Field(
        default=False, description="no run before those that count: the first one of a guest is one of them"
    )
    evict: Paths | None = Field(
        default=None,
        description="files that leave the page cache before each run, as far as they can: a list, or a text of paths",
    )


class Command(Workload[CommandParameters]):
    """The agent starts the command, waits for its end, and ends what it has left behind."""

    name = "command"
    kernel = "command"
    meaning = "times a command of yours, run by run"
    operations = of_kernel("command", but={"run"})
    parameters = CommandParameters

    def work(self, op: str, parameters: CommandParameters, threads: int, seconds: float) -> Work:
        """One thread starts the command, which has as many processors as the guest. A run may last its time limit."""
        lines = (parameters.command, parameters.prepare, parameters.conclude)
        each = sum(line is not None for line in lines) * (2 if parameters.warm_each else 1)
        once = (parameters.setup is not None) + (parameters.cleanup is not None)
        longest_s = (parameters.timeout or 0.0) * (each * (parameters.warm_ups or 1) + once)
        usual = super().work(op, parameters, threads, seconds)
        usual = replace(usual, demand=Demand(threads=1), processors=None, anew=True, longest_s=longest_s)
        if parameters.printed is None:
            return usual
        return replace(usual, window_s=None, own_reason="each run has a value of its own, which the command prints")

    def operation(self, op: str, parameters: CommandParameters) -> Operation:
        """Of a command that prints its value: the unit of that."""
        usual, of = super().operation(op, parameters), parameters.printed
        return usual if of is None else Operation(of.unit, of.better, usual.work)

    def as_load(self, parameters: CommandParameters) -> CommandParameters:
        """Without a value: a load runs again and again."""
        return parameters.model_copy(update={"value": None, "unit": None, "better": None})

    def reading(self, op: str, parameters: CommandParameters, output: str) -> Reading | None:
        """The value that it printed, where that is the result."""
        return None if parameters.printed is None else parameters.printed.read(output)

    def takes(self, op: str) -> Mapping[str, AgentParameter]:
        """The agent has parameters of its own for what a plan says in a user's words."""
        return {}

    def defaults(self, op: str) -> Mapping[str, str | int | None]:
        """The operation has all parameters, with the defaults of their fields."""
        return dict.fromkeys(self.parameters.model_fields)

    def arguments(self, op: str, parameters: CommandParameters, place: Place) -> dict[str, Any]:
        """What the agent is asked. Raises UsageError for a command that cannot be split or needs a shell."""
        self.ensure_operation(op)
        given = parameters
        of_image = place.command_defaults(given.user) if given.image_config else None
        of_image = of_image or CommandDefaults((), given.user, "", {})
        before: Sequence[str] = (
            of_image.entrypoint if given.entrypoint is None else split("entrypoint", given.entrypoint)[0]
        )
        program, *words = (*before, *_words("command", given.command, shell=given.shell))
        beside = {
            name: json.dumps(_words(name, line, shell=given.shell))
            for name in ("prepare", "conclude", "setup", "cleanup")
            if (line := getattr(given, name)) is not None
        }
        limits = None if given.ulimits is None else asked_limits(given.ulimits)
        texts = {
            "directory": given.workdir or of_image.directory or None, "input": given.input,
            "output-file": given.output_file, "user": of_image.user, "limits": limits,
        }  # fmt: skip
        return {
            "program": program,
            "arguments": json.dumps(words),
            "variables": json.dumps({**ENVIRONMENT, **of_image.variables, **_pairs(given.env or "")}),
            **{name: text for name, text in texts.items() if text is not None},
            "output": given.output,
            **beside,
            **({} if given.warm_ups is None else {"warm-ups": given.warm_ups}),
            "warm-each": given.warm_each,
            "show-output": given.show_output,
            **({} if given.timeout is None else {"limit-ms": max(round(given.timeout * 1000), 1)}),
            "ignore-failure": given.ignore_failure,
            "output-may-differ": given.output_may_differ or given.value is not None,
            "terminal": given.tty,
            "no-new-privileges": given.no_new_privileges,
            **({} if given.value is None else {"keep-output": True}),
            **(
                {}
                if given.check_files is None
                else {"check-files": json.dumps(split("check_files", given.check_files)[0])}
            ),
            **({"first-counts": True} if given.first_counts else {}),
            **({} if given.evict is None else {"evict": json.dumps(split("evict", given.evict)[0])}),
        }


def _words(name: str, line: str, *, shell: bool) -> list[str]:
    """The words of a command: its program and the arguments. `name`: of the parameter."""
    if "\0" in line:
        raise UsageError(f"{name} has a zero byte")
    if shell:
        return [_SHELL, "-c", line]
    words, found = split(name, line)
    if found:
        shown = "a new line" if found == "\n" else f"'{found}'"
        raise UsageError(f"{name} has {shown}, which needs a shell; write 'shell: true', or quote it")
    if not words or not words[0]:
        raise UsageError(f"{name} has no program")
    if ASSIGNMENT.match(words[0]):
        raise UsageError(f"{name} begins with a variable, '{words[0]}'; write it in 'env', or write 'shell: true'")
    return words


def split(name: str, line: str) -> tuple[list[str], str]:
    """The words of a line, by the shell's rules, and the first character that a shell would act on; empty: none.

    Python's own `shlex` takes backslashes within double quotes otherwise. Raises UsageError, with the `name` of what
    has the line, where a quote or a backslash has no end.
    """
    words: list[str] = []
    word: str | None = None
    quote, found = "", ""
    characters = iter(line)
    for one in characters:
        if quote and one == quote:
            quote = ""
        elif quote == "'":
            word = (word or "") + one
        elif one == "\\":
            after = next(characters, None)
            if after is None:
                raise UsageError(f"{name} is {line!r}, where a backslash has nothing after it")
            if after != "\n":
                word = (word or "") + ("\\" if quote and after not in _ESCAPED else "") + after
        elif quote:
            found = found or (one if one in _IN_QUOTES else "")
            word = (word or "") + one
        elif one in "'\"":
            word, quote = word or "", one
        elif one in " \t":
            words += [] if word is None else [word]
            word = None
        else:
            found = found or (one if one in _OF_SHELL or (word is None and one in _AT_BEGINNING) else "")
            word = (word or "") + one
    if quote:
        raise UsageError(f"{name} is {line!r}, where a quote has no end")
    return words + ([] if word is None else [word]), found


def _pairs(text: str) -> dict[str, str]:
    """The variables of a text of NAME=VALUE. Raises UsageError for what is none."""
    found = {}
    for one in split("env", text)[0]:
        name, equals, value = one.partition("=")
        if not name or not equals or "\0" in one:
            raise UsageError(f"env has {one!r}, which is not of the form NAME=VALUE")
        found[name] = value
    return found
