"""YAML text as plain data with the line of everything in it. PURE: no file is read here.

Only what JSON can also say is let in: mappings with text keys, lists, text, numbers, true, false, null. A plan comes
from anybody, so its size, depth and number of parts are bounded, aliases count at every use, and no tag constructs
anything.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from virtometer.design.plan.validation_messages import short
from virtometer.errors import PlanError
from virtometer.visible import visible

MAX_BYTES = 1 << 20
MAX_DEPTH = 32
MAX_PARTS = 50_000
MAX_MESSAGES = 20

Path = tuple[str | int, ...]

_INTEGER = re.compile(r"[-+]?[0-9]{1,40}")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_NO_NUMBER = re.compile(r"[-+]?\.inf|\.nan", re.IGNORECASE)
_CONSTANTS = {"true": True, "false": False, "null": None, "~": None, "": None}
_SURPRISES = {"yes", "no", "on", "off"}  # YAML 1.1 reads them as true and false, YAML 1.2 as text
_IMPLICIT_TAGS = {
    f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "timestamp", "merge", "value")
}
_TEXT_TAG = "tag:yaml.org,2002:str"
_FOR_PEOPLE = {"name", "baseline", "question"}  # texts that are only read: hidden characters in them become visible


Wrong = tuple[Path, str]
"""Where the plan is wrong, and a sentence."""


@dataclass(frozen=True, slots=True)
class Document:
    """`value`: the data. `lines`: where each part begins, by its path of keys and positions; lines count from 1.

    file: its name. wrong: lines and sentences of what was found wrong so far, in this document and in those that it was
    made of.
    """

    value: Any
    lines: Mapping[Path, int]
    file: str = ""
    wrong: list[tuple[int, str]] = field(default_factory=list)

    def line(self, path: Path) -> int:
        """Line of a part, or of the nearest one around it."""
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines.get(path, 0)

    def refuse(self, wrong: Iterable[Wrong]) -> None:
        """Keep what is wrong, each with its line, for `check`."""
        self.wrong.extend((self.line(path), sentence) for path, sentence in wrong)

    def check(self) -> None:
        """Raise one PlanError for all that was found wrong, in the order of the lines."""
        ordered = sorted(dict.fromkeys(self.wrong))
        if not ordered:
            return
        (line, first), *rest = ordered
        shown = visible(self.file)
        lines = [first, *(f"{shown}:{number}: {sentence}" for number, sentence in rest[: MAX_MESSAGES - 1])]
        if len(ordered) > MAX_MESSAGES:
            lines.append(f"{shown}: and {len(ordered) - MAX_MESSAGES} more")
        raise PlanError(self.file, line, "\n".join(lines))


def read_document(text: str | bytes, file: str) -> Document:
    """Read one YAML document. Raises PlanError with `file` and the line for everything that is not plain data."""
    return _Reader(file).read(_decode(text, file))


def _decode(text: str | bytes, file: str) -> str:
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise PlanError(file, 0, f"the plan has {size} bytes; at most {MAX_BYTES} are read")
    if isinstance(text, bytes):
        raw = text
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as cause:
            line = raw.count(b"\n", 0, cause.start) + 1
            raise PlanError(file, line, "this is not text in UTF-8; a plan is a YAML file") from cause
    strange = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if strange:
        line = text.count("\n", 0, strange.start()) + 1
        raise PlanError(
            file, line, f"the character U+{ord(strange.group()):04X} cannot stand in a plan; a plan is a YAML text file"
        )
    return text


class _Bounded(yaml.composer.Composer):
    """Composes nodes, but not endlessly many and not endlessly deep."""

    _file = ""
    _depth = 0
    _parts = 0

    def root(self, file: str) -> yaml.Node | None:
        """The node of the only document; None without any. file: for errors."""
        self._file = file
        node: yaml.Node | None = self.get_single_node()
        return node

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:  # noqa: ANN401 - as PyYAML has it
        self._depth += 1
        self._parts += 1
        line = self.peek_event().start_mark.line + 1  # type: ignore[attr-defined]
        if self._depth > MAX_DEPTH:
            raise PlanError(self._file, line, f"nested more than {MAX_DEPTH} deep")
        if self._parts > MAX_PARTS:
            raise PlanError(self._file, line, f"the plan has more than {MAX_PARTS} parts")
        try:
            node: yaml.Node | None = super().compose_node(parent, index)
            return node
        finally:
            self._depth -= 1


class _Exact(_Bounded, yaml.SafeLoader):
    """Parses in Python. Its errors say where and what."""


_Parser: Any = yaml.cyaml.CParser if yaml.__with_libyaml__ else object  # type: ignore[attr-defined]


class _Quick(_Bounded, _Parser, yaml.resolver.Resolver):  # type: ignore[misc]
    """Parses by libyaml, ten times as fast. What it refuses is parsed again by `_Exact`, which has the last word.

    Within brackets libyaml reads a `?` in the middle of a word as text, as YAML has it; `_Exact` refuses it.
    """

    def __init__(self, text: str) -> None:
        _Parser.__init__(self, text)
        yaml.composer.Composer.__init__(self)
        yaml.resolver.Resolver.__init__(self)


class _Reader:
    def __init__(self, file: str) -> None:
        self._file = file
        self._parts = 0
        self._lines: dict[Path, int] = {}

    def read(self, text: str) -> Document:
        try:
            node = self._composed(text)
        except yaml.MarkedYAMLError as cause:
            raise self._syntax(cause) from cause
        except yaml.YAMLError as cause:
            raise PlanError(self._file, 0, f"this is not YAML ({cause})") from cause
        if node is None:
            raise PlanError(self._file, 0, "the plan is empty")
        return Document(self._value(node, ()), self._lines, self._file)

    def _composed(self, text: str) -> yaml.Node | None:
        if yaml.__with_libyaml__ and "\t" not in text:  # libyaml lets more tabs in than YAML does
            with contextlib.suppress(yaml.YAMLError):
                return _Quick(text).root(self._file)
        return _Exact(text).root(self._file)

    def _syntax(self, cause: yaml.MarkedYAMLError) -> PlanError:
        mark = cause.problem_mark or cause.context_mark
        line = mark.line + 1 if mark else 0
        problem = cause.problem or cause.context or "this is not YAML"
        if "'\\t'" in problem:
            problem = "a tab stands where YAML wants spaces"
        elif "expected a single document" in (cause.context or ""):
            problem = "a plan is one YAML document; a second one begins here"
        elif problem.startswith("mapping values are not allowed"):
            problem = "a second ':' stands on this line; put the text in quotes"
        elif problem.startswith("could not find expected ':'"):
            problem = "a ':' is missing at or before this line"
        else:
            problem = f"this is not YAML: {problem}"
        return PlanError(self._file, line, problem)

    def _value(self, node: yaml.Node, path: Path) -> Any:  # noqa: ANN401 - plain data of any shape
        line = node.start_mark.line + 1
        self._lines.setdefault(path, line)
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise PlanError(self._file, line, f"the plan has more than {MAX_PARTS} parts, aliases written out")
        if len(path) > MAX_DEPTH:
            raise PlanError(self._file, line, f"nested more than {MAX_DEPTH} deep, aliases written out")
        if isinstance(node, yaml.MappingNode):
            self._plain(node, "tag:yaml.org,2002:map")
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            self._plain(node, "tag:yaml.org,2002:seq")
            return [self._value(item, (*path, number)) for number, item in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode):
            found = self._scalar(node)
            return self._text(found, path, line) if isinstance(found, str) else found
        raise PlanError(self._file, line, "this is not plain data")

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise PlanError(self._file, line, "the name of a field must be a word, not a list or a mapping")
            if key_node.tag == "tag:yaml.org,2002:merge":
                raise PlanError(self._file, line, "'<<' (merging) is not part of plans; write the fields out")
            key = self._text(str(key_node.value), (), line)
            if key in result:
                first = self._lines[(*path, key)]
                raise PlanError(self._file, line, f"the field '{key}' is here twice; the first is in line {first}")
            self._lines[(*path, key)] = line
            result[key] = self._value(value_node, (*path, key))
        return result

    def _scalar(self, node: yaml.ScalarNode) -> str | int | float | bool | None:
        line = node.start_mark.line + 1
        text = str(node.value)
        if node.style:  # in quotes, or a block of text
            self._plain(node, _TEXT_TAG)
            return text
        if node.tag not in _IMPLICIT_TAGS:
            self._plain(node, _TEXT_TAG)
        # As YAML 1.2's core schema reads it: no dates, no octal numbers, no 1:30 for 90.
        lower = text.lower()
        if lower in _CONSTANTS:
            return _CONSTANTS[lower]
        if lower in _SURPRISES:
            raise PlanError(self._file, line, f"write true or false, or '{text}' in quotes where it is a name")
        if _INTEGER.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text) and math.isfinite(float(text)):
            return float(text)
        if _FLOAT.fullmatch(text) or _NO_NUMBER.fullmatch(text):
            raise PlanError(self._file, line, f"{short(text)} is not a number that a plan can use")
        return text

    def _text(self, text: str, path: Path, line: int) -> str:
        """Text in quotes may name any character. What only people read is made visible, the rest has none of them."""
        shown = visible(text, keep="\n\t")
        for_people = len(path) in (1, 3) and path[-1] in _FOR_PEOPLE  # of the plan, or of an entry of a list
        if shown == text or (for_people and "\0" not in text):
            return shown
        strange = next(one for one in text if visible(one, keep="\n\t") != one)
        raise PlanError(self._file, line, f"the character U+{ord(strange):04X} cannot stand in a plan")

    def _plain(self, node: yaml.Node, tag: str) -> None:
        if node.tag != tag:
            line = node.start_mark.line + 1
            raise PlanError(self._file, line, f"the tag {node.tag} is not part of plans; write plain values")
