"""A command of the user's, run again and again: its time from the start to the end of the process."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from virtometer.agent_table import AgentParameter
from virtometer.errors import UsageError
from virtometer.model import Demand
from virtometer.workloads.base import Parameters, Place, Work, Workload, of_kernel

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


def _plain(value: object) -> object:
    """A value as the plan's text has it: YAML reads some words as something else."""
    return str(value).lower() if isinstance(value, bool) else value


Text = Annotated[str, Field(min_length=1)]
Variables = Annotated[str, BeforeValidator(_variables)]
User = Annotated[str, Field(pattern=r"^[0-9]{1,10}:[0-9]{1,10}(,[0-9]{1,10}){0,64}$")]


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
    user: User | None = Field(
        default=None, description="numbers of the user and of its groups, USER:GROUP[,GROUP...]. Without it, root"
    )
    input: Text | None = Field(default=None, description="file in the guest that the command reads as standard input")
    output: Literal["digest", "null"] = Field(
        default="digest", description="digest: read and compared in all runs and environments; null: discarded"
    )
    prepare: Text | None = Field(default=None, description="another command before each run, not timed")
    conclude: Text | None = Field(default=None, description="another command after each run, not timed")
    timeout: Annotated[float, Field(gt=0, le=600_000)] | None = Field(
        default=None, description="longest time of a run, seconds. Without it, as long as the plan's limits allow"
    )
    ignore_failure: bool = Field(default=False, description="accept a status other than 0")
    output_may_differ: bool = Field(default=False, description="accept another output in each run")


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
        longest_s = (parameters.timeout or 0.0) * sum(line is not None for line in lines)
        usual = super().work(op, parameters, threads, seconds)
        return replace(usual, demand=Demand(threads=1), processors=None, anew=True, longest_s=longest_s)

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
        program, *words = _words("command", given.command, shell=given.shell)
        beside = {
            name: json.dumps(_words(name, line, shell=given.shell))
            for name, line in (("prepare", given.prepare), ("conclude", given.conclude))
            if line is not None
        }
        texts = {"directory": given.workdir, "user": given.user, "input": given.input}
        return {
            "program": program,
            "arguments": json.dumps(words),
            "variables": json.dumps({**ENVIRONMENT, **_pairs(given.env or "")}),
            **{name: text for name, text in texts.items() if text is not None},
            "output": given.output,
            **beside,
            **({} if given.timeout is None else {"limit-ms": max(round(given.timeout * 1000), 1)}),
            "ignore-failure": given.ignore_failure,
            "output-may-differ": given.output_may_differ,
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
