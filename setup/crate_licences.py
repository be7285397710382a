"""The licences of what the agents are made of, as one text: python setup/crate_licences.py FILE RUST_TARGET...

Each crate that the agent depends on has its licence expression, its authors, its place and the licence texts of its
package. The wheel brings the text, because these licences ask for it. Only the standard library of Python is used: the
place where wheels are built has no other packages.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
AGENT = "virtometer-agent"

_CRATE = re.compile(r"(\S+) v(\S+)")
_FILES = re.compile(r"(licen[cs]e|unlicense|copying|copyright|notice|authors)", re.IGNORECASE)
_PERMISSION = "Permission is hereby granted"
_LEAST_WORDS = 60
_RULE = "=" * 80


class LicencesMissing(Exception):
    """What is wrong, in a sentence: cargo is missing or fails, or the text of a licence cannot be found."""


@dataclass(frozen=True)
class Part:
    """Something that the agent is built from. expression: in SPDX. texts: of its licences, by the names of files."""

    name: str
    version: str
    expression: str
    authors: tuple[str, ...] = ()
    place: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)


def licences(targets: Sequence[str]) -> str:
    """The whole text for agents of these Rust targets. Raises LicencesMissing."""
    crates = {(one["name"], one["version"]): one for target in targets for one in crates_of(target)}
    parts = [part_of(crates[key], ROOT) for key in sorted(crates)]
    return page(with_standard_texts([*parts, *_beside_crates(targets)], (ROOT / "LICENSE").read_text()), targets)


def crates_of(target: str) -> list[dict[str, Any]]:
    """What cargo knows of the agent's crate and of all that it is built from for a Rust target, without those of tests.

    Raises LicencesMissing.
    """
    tree = _cargo(
        *("tree", "--locked", "--package", AGENT, "--edges", "normal", "--target", target),
        *("--prefix", "none", "--format", "{p}"),
    )
    reached = {found.groups() for line in tree.splitlines() if (found := _CRATE.match(line))}
    # Cargo's tree has the features of the agent alone, and its metadata where the packages are.
    known = json.loads(_cargo("metadata", "--locked", "--format-version", "1", "--filter-platform", target))
    return [one for one in known["packages"] if (one["name"], one["version"]) in reached]


def _cargo(*words: str) -> str:
    path = os.pathsep.join([str(ROOT / ".build/rust/bin"), os.environ.get("PATH", ""), str(Path.home() / ".cargo/bin")])
    cargo = shutil.which("cargo", path=path)
    if cargo is None:
        raise LicencesMissing("the licences of the agent's crates need cargo, which is missing: run make setup")
    environment = {**os.environ, "PATH": path}
    ended = subprocess.run([cargo, *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode:
        last = ended.stderr.strip().rpartition("\n")[2].strip()
        raise LicencesMissing(f"the licences of the agent's crates cannot be read: cargo {words[0]} says: {last}")
    return ended.stdout


def part_of(crate: Mapping[str, Any], root: Path) -> Part:
    """A package of cargo's with the texts in its folder. Those of the repository itself have the one at its root."""
    folder = Path(crate["manifest_path"]).parent
    if folder.is_relative_to(root) and crate.get("source") is None:
        files = [root / "LICENSE"]
    else:
        files = sorted(file for file in folder.iterdir() if file.is_file() and _FILES.match(file.name))
        named = folder / (crate.get("license_file") or "")
        files += [named] if named.is_file() and named not in files else []
    return Part(
        crate["name"],
        crate["version"],
        (crate["license"] or "").replace("/", " OR "),  # `/` is an older way to write OR
        tuple(crate["authors"]),
        crate.get("repository") or "",
        {file.name: _plain(file.read_text(encoding="utf-8", errors="replace")) for file in files},
    )


def _beside_crates(targets: Iterable[str]) -> Iterator[Part]:
    """What a Rust program has from elsewhere."""
    yield Part(
        *("Rust standard library", "", "MIT OR Apache-2.0", ("The Rust Project Contributors",)),
        "https://github.com/rust-lang/rust",
    )
    if any(target.endswith("musl") for target in targets):
        yield Part("musl", "", "MIT", ("2005-2020 Rich Felker, et al.",), "https://musl.libc.org")
    if any(target.endswith("gnu") for target in targets):
        text = Path("/usr/share/common-licenses/LGPL-2.1")  # of every Debian, where this target is built
        texts = {text.name: _plain(text.read_text())} if text.is_file() else {}
        place = "https://sourceware.org/glibc"
        yield Part("glibc", "", "LGPL-2.1-or-later", ("Free Software Foundation",), place, texts)


def with_standard_texts(parts: Sequence[Part], apache: str) -> list[Part]:
    """Parts whose files have no licence get the standard text of theirs, with their authors, beside these files.

    apache: the text of Apache-2.0. The one of MIT is that of another part. Raises LicencesMissing for other licences.
    """
    permission = next(filter(None, (_permission(text) for one in parts for text in one.texts.values())), "")
    return [one if _has_licence(one) else _with_standard_text(one, _plain(apache), permission) for one in parts]


def _has_licence(part: Part) -> bool:
    """Whether a text of it is more than a word about its licence or its authors."""
    return any(len(text.split()) >= _LEAST_WORDS for text in part.texts.values())


def _with_standard_text(part: Part, apache: str, permission: str) -> Part:
    choices = part.expression.split(" OR ")
    holders = ", ".join(part.authors) or f"the authors of {part.name}"
    if "Apache-2.0" in choices:
        texts = {"text of Apache-2.0": apache}
    elif "MIT" in choices and permission:
        texts = {"text of MIT": f"MIT License\n\nCopyright (c) {holders}\n\n{permission}"}
    else:
        what = f"{part.name} {part.version}".strip()
        raise LicencesMissing(f"{what} has no file with its licence, and {part.expression or 'none'} has no text here")
    return Part(part.name, part.version, part.expression, part.authors, part.place, {**part.texts, **texts})


def _permission(text: str) -> str:
    """The part of an MIT licence that is the same everywhere; empty for other texts."""
    found = text.find(_PERMISSION)
    is_mit = found >= 0 and "THE SOFTWARE IS PROVIDED" in text and "Apache" not in text
    return text[found:] if is_mit else ""


def page(parts: Sequence[Part], targets: Sequence[str]) -> str:
    """All parts, and below them each text once."""
    numbers: dict[str, int] = {}
    users: dict[str, list[str]] = {}
    lines = [f"The agents for {' and '.join(targets)} are built from these parts.", ""]
    for one in parts:
        what = f"{one.name} {one.version}".strip()
        lines += [what, f"  licence: {one.expression}"]
        lines += [f"  authors: {', '.join(one.authors)}"] if one.authors else []
        lines += [f"  source: {one.place}"] if one.place else []
        for name, text in one.texts.items():
            number = numbers.setdefault(text, len(numbers) + 1)
            users.setdefault(text, []).append(what)
            lines.append(f"  text {number}: {name}")
        lines.append("")
    for text, number in numbers.items():
        lines += [_RULE, f"text {number}, of {', '.join(users[text])}", _RULE, "", text.rstrip("\n"), ""]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Without what differs between copies of the same text: ends of lines and blanks before them."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


def main(words: Sequence[str]) -> None:
    """Write the file, or say in a sentence why not."""
    try:
        text = licences(words[1:])
    except LicencesMissing as missing:
        sys.exit(str(missing))
    Path(words[0]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
