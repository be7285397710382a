"""No circles between the modules of the kernels: of two modules at most one uses the other, parents included."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.house.tracked import ROOT, tracked

Module = tuple[str, ...]
Graph = dict[Module, set[Module]]

CRATES = ("kernels",)

# Comments, texts and characters: nothing in them is a path.
SILENT = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | r(\#*)".*?"\1 | b?"(?:\\.|[^"\\])*" | '(?:\\[^']+|[^'\\\n])'""", re.DOTALL | re.VERBOSE
)
TEST_ONLY = re.compile(r"#\[cfg\((?:all\()?test\b[^\]]*\]")
USE = re.compile(r"\buse\s+([^;]+);")
PATH = re.compile(r"\b(?:\w+::)+\w+")


def sources(crate: str) -> dict[Module, str]:
    """The modules of a crate, from their paths to their texts, without those that are only for tests."""
    folder = ROOT / "agent" / crate / "src"
    files = [file for file in tracked() if folder in file.parents and file.suffix == ".rs"]
    return {
        module: file.read_text()
        for file in files
        if "tests" not in (module := module_of(file.relative_to(folder).with_suffix("")))
    }


def module_of(file: Path) -> Module:
    return () if file.name in {"lib", "main"} else file.parts


def without_tests(source: str) -> str:
    """A source without comments, texts and what only tests have."""
    source = SILENT.sub(" ", source)
    while found := TEST_ONLY.search(source):
        source = source[: found.start()] + source[end_of_item(source, found.end()) :]
    return source


def end_of_item(source: str, start: int) -> int:
    """Where the item that begins at `start` ends: at a semicolon or a closing brace outside of all others."""
    depth = 0
    for at in range(start, len(source)):
        depth += (source[at] in "{([") - (source[at] in "})]")
        if depth == 0 and source[at] in ";}":
            return at + 1
    return len(source)


def leaves(tree: str) -> Iterator[tuple[list[str], str]]:
    """Each path of a tree of imports, with the name that it gets."""
    before, brace, inner = tree.partition("{")
    if not brace:
        path, _, name = (part.strip() for part in tree.partition(" as "))
        segments = path.split("::")
        if segments[-1] == "self":
            segments.pop()
        yield segments, name or "".join(segments[-1:])
        return
    start = [segment.strip() for segment in before.split("::") if segment.strip()]
    depth, part = 0, ""
    for letter in inner.rpartition("}")[0] + ",":
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            for below, leaf in leaves(part.strip()) if part.strip() else ():
                yield start + below, leaf or start[-1]
            part = ""
        else:
            part += letter


def uses(texts: dict[Module, str]) -> Graph:
    """Which modules each module uses, where an imported name counts as a use of the module that defines it."""
    cleaned = {module: without_tests(text) for module, text in texts.items()}
    # A name may be imported from one module for one system and from another for another.
    imports: dict[Module, dict[str, list[list[str]]]] = {module: {} for module in cleaned}
    for module, text in cleaned.items():
        for tree in USE.findall(text):
            for path, name in leaves(" ".join(tree.split())):
                imports[module].setdefault(name, []).append(path)

    def targets(path: list[str], inside: Module, seen: frozenset[tuple[Module, str]] = frozenset()) -> set[Module]:
        """The modules that define what a path means inside a module; none where it leads to another crate."""
        first, rest = path[0], path[1:]
        if first == "crate":
            here: Module = ()
        elif first == "self":
            here = inside
        elif first == "super":
            here = inside[:-1]
        elif (*inside, first) in cleaned or first in imports[inside]:
            here, rest = inside, path
        else:
            return set()
        while rest:
            name, rest = rest[0], rest[1:]
            if name == "super":
                here = here[:-1]
            elif (*here, name) in cleaned:
                here = (*here, name)
            elif name in imports[here] and (here, name) not in seen:
                known = seen | {(here, name)}
                return {one for path in imports[here][name] for one in targets(path + rest, here, known)}
            else:
                break
        return {here}

    graph: Graph = {}
    for module, text in cleaned.items():
        written = [path.split("::") for path in PATH.findall(USE.sub(" ", text))]
        paths = [*written, *(path for named in imports[module].values() for path in named)]
        graph[module] = {other for path in paths for other in targets(path, module)} - {module}
    return graph


def circles(graph: Graph) -> list[list[str]]:
    """The groups of modules of which each uses all others of the group, directly or by way of others."""
    reached = {module: reach(graph, graph[module]) for module in graph}
    groups = {frozenset(other for other in reached[one] if one in reached[other]) for one in graph}
    return sorted(sorted("::".join(("crate", *module)) for module in group) for group in groups if len(group) > 1)


def reach(graph: Graph, start: Iterable[Module]) -> set[Module]:
    found, ahead = set(), list(start)
    while ahead:
        module = ahead.pop()
        if module not in found:
            found.add(module)
            ahead.extend(graph[module])
    return found


@pytest.mark.parametrize("crate", CRATES)
def test_no_modules_of_a_crate_use_each_other(crate: str) -> None:
    graph = uses(sources(crate))
    assert len(graph) > 3
    assert circles(graph) == []


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({"a": "use crate::b::f;", "b": "use super::a::g;"}, [["crate::a", "crate::b"]]),
        ({"a": "use crate::b::f;", "b": "fn f() { crate::a::g() }"}, [["crate::a", "crate::b"]]),
        ({"a": "use crate::b;", "b": "use crate::c::{d as e, f::{self, h}};", "c": "", "c/f": ""}, []),
        ({"": "mod a; use a::f;", "a": "use crate::LIMIT;"}, [["crate", "crate::a"]]),
        ({"": "mod a; mod b; pub use b::LIMIT;", "a": "use crate::LIMIT;", "b": ""}, []),
        ({"": "mod a; fn f() { a::g(); }", "a": "use super::*;"}, [["crate", "crate::a"]]),
        ({"a": "use crate::b::f;", "b": "#[cfg(test)]\nmod tests { use crate::a::g; }"}, []),
        ({"a": "use crate::b::f;", "b": "#[cfg(all(test, unix))]\nmod tests { use crate::a::g; }"}, []),
        ({"a": "use crate::b::f;", "b": '// crate::a::g\nconst B: &str = "crate::a::g";'}, []),
        (
            {"a": "use crate::b::f;", "b": "use crate::c::f;", "c": "use crate::a::f;"},
            [["crate::a", "crate::b", "crate::c"]],
        ),
    ],
)
def test_every_form_of_circle_is_seen(texts: dict[str, str], expected: list[list[str]]) -> None:
    modules = {tuple(name.split("/")) if name else (): text for name, text in {"": "", **texts}.items()}
    assert circles(uses(modules)) == expected
