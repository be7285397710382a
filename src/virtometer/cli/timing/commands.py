"""The commands of `virtometer time`: those that were given, with every value of every parameter. PURE."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from virtometer.errors import UsageError
from virtometer.workloads.command import ASSIGNMENT, split

MOST = 64
"""Commands of one call."""

_LONGEST_NAME = 60  # as a plan takes it


@dataclass(frozen=True, slots=True)
class Command:
    """A command under its name in tables. words: the program and its arguments. values: those of parameters in it."""

    name: str
    words: tuple[str, ...]
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """The words as a shell would take them."""
        return shlex.join(self.words)


def commands(
    texts: Sequence[str],
    words_after: Sequence[str],
    *,
    names: Sequence[str] = (),
    shell: str = "",
    values: Sequence[tuple[str, Sequence[str]]] = (),
) -> tuple[Command, ...]:
    """The commands to be timed, in their order.

    texts: each is one command. words_after: of one command more, taken as they are. names: for tables, in the order of
    the commands. shell: the program that is to understand each text, with its options. Empty or none: there is no
    shell, and what only a shell understands is refused. values: of each parameter, whose name in braces stands for them
    in the commands.
    Raises UsageError for what is no command, for too many, and for names that do not fit.
    """
    made = [*_of_texts(texts, _words_of(shell), values), *_of_words(words_after, values)]
    if unwritable := [word for _, words, _ in made for word in words if not _writable(word)]:
        raise UsageError(f"{unwritable[0]!r} is no text of UTF-8, as which plans and reports have it")
    if not made:
        raise UsageError("no command was given", advice="for example: virtometer time 'python3 --version'")
    if len(made) > MOST:
        raise UsageError(f"{len(made)} commands are more than the {MOST} that one call may have")
    if len(names) > len(made):
        raise UsageError(f"{len(names)} names are more than the {len(made)} commands")
    shown = [*names, *(text for text, _, _ in made[len(names) :])]
    return tuple(Command(name, words, of) for name, (_, words, of) in zip(_apart(shown), made, strict=True))


def parameters(
    listed: Sequence[Sequence[str]], scanned: Sequence[Sequence[str]], step: str | None
) -> list[tuple[str, Sequence[str]]]:
    """Each parameter with its values. listed: name, and values between commas. scanned: name, first and last number.

    step: of all that are scanned. Raises UsageError for what has no value or too many, and for a step without a scan.
    """
    if step is not None and not scanned:
        raise UsageError("-D is the step of -P, which is not given")
    for option, count, of in (("-L", 2, listed), ("-P", 3, scanned)):
        if any(len(one) != count for one in of):
            raise UsageError(f"{option} takes {count} words, with blanks between them", advice="virtometer time --help")
    lists = [_listed(name, text) for name, text in listed]
    return [*lists, *(_scanned(name, low, high, step) for name, low, high in scanned)]


def beside(line: str | None, shell: str) -> str | None:
    """The command that runs before or after another one, for a shell where there is one. UsageError as of others."""
    if line is None:
        return None
    words = _words_of(shell)
    return shlex.join((*words, "-c", line) if words else _split(line))


def _words_of(shell: str) -> tuple[str, ...]:
    """The program and the options of a shell; empty without one. `default` is the shell that every system has."""
    return () if shell in ("", "none") else ("/bin/sh",) if shell == "default" else _split(shell)


def _writable(word: str) -> bool:
    """Whether a word of the command line is text: bytes that are none came as surrogates."""
    return not any("\ud800" <= one <= "\udfff" for one in word)


def _listed(name: str, text: str) -> tuple[str, Sequence[str]]:
    values = text.split(",")
    if not name or not any(values):
        raise UsageError(f"-L {name} {text!r} has no value", advice="for example: -L size 10,100,1000")
    return name, values


def _scanned(name: str, low: str, high: str, step: str | None) -> tuple[str, Sequence[str]]:
    """The numbers from `low` to `high`, both included, by `step` (1)."""
    try:
        first, last, by = Decimal(low), Decimal(high), Decimal(step or "1")
        if not all(one.is_finite() for one in (first, last, by)) or by <= 0 or last < first:
            raise InvalidOperation
    except InvalidOperation as cause:
        given = f"-P {name} {low} {high}" + (f" with -D {step}" if step else "")
        raise UsageError(
            f"{given} are no numbers from a lower to a higher one by a step above 0", advice="for example: -P n 1 8"
        ) from cause
    if (last - first) / by >= MOST:
        raise UsageError(f"-P {name} {low} {high} has more than {MOST} values")
    return name, [str(first + by * number) for number in range(int((last - first) / by) + 1)]


def _of_texts(
    texts: Sequence[str], shell: Sequence[str], values: Sequence[tuple[str, Sequence[str]]]
) -> Iterator[tuple[str, tuple[str, ...], Mapping[str, str]]]:
    for text, chosen in itertools.product(texts, _combinations(values)):
        filled = _filled(text, chosen)
        yield filled, (*shell, "-c", filled) if shell else _split(filled), chosen


def _of_words(
    words: Sequence[str], values: Sequence[tuple[str, Sequence[str]]]
) -> Iterator[tuple[str, tuple[str, ...], Mapping[str, str]]]:
    for chosen in _combinations(values) if words else ():
        filled = tuple(_filled(word, chosen) for word in words)
        yield shlex.join(filled), filled, chosen


def _combinations(values: Sequence[tuple[str, Sequence[str]]]) -> Iterator[Mapping[str, str]]:
    names = [name for name, _ in values]
    for chosen in itertools.product(*(of for _, of in values)):
        yield dict(zip(names, chosen, strict=True))


def _filled(text: str, chosen: Mapping[str, str]) -> str:
    for name, value in chosen.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _split(text: str) -> tuple[str, ...]:
    """The words of a command, as a shell splits them. Raises UsageError for what needs one."""
    words, found = split("a command", text)
    if not words or not words[0]:
        raise UsageError("a command is empty")
    if ASSIGNMENT.match(words[0]):
        raise UsageError(
            f"the command begins with a variable, {words[0]!r}", advice=f"write --env {shlex.quote(words[0])}"
        )
    if found:
        raise UsageError(
            f"the command {text!r} has {found!r}, which only a shell understands",
            advice="give it to a shell with -S sh, or put it between quotation marks",
        )
    return tuple(words)


def _apart(names: Sequence[str]) -> Iterator[str]:
    """Names as a plan takes them: on one line, not too long, and no two alike."""
    seen: set[str] = set()
    for name in names:
        line = " ".join(name.split()) or "command"
        number = 1
        while True:
            mark = "" if number == 1 else f" #{number}"
            room = _LONGEST_NAME - len(mark)
            short = (line if len(line) <= room else f"{line[: room - 1]}…") + mark
            if short not in seen:
                break
            number += 1
        seen.add(short)
        yield short
