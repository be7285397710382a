"""The text with the licences of the agent's parts, against cargo's tree and against the agent itself."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from setup import crate_licences
from setup.crate_licences import LicencesMissing, Part, licences, page, part_of, with_standard_texts
from tests.house.tracked import ROOT
from virtometer.runner.lab.agent import agent_path

TARGET = agent_path().parts[-3]
APACHE = (ROOT / "LICENSE").read_text()
MIT = (
    "MIT\n\nCopyright (c) 2020 Somebody\n\nPermission is hereby granted to all\n\n"
    f"{'and so on ' * 20}\n\nTHE SOFTWARE IS PROVIDED as it is\n"
)


@pytest.fixture(scope="module")
def text() -> str:
    if cargo() is None:
        pytest.skip("needs cargo: make setup brings it")
    return licences([TARGET])


def cargo() -> str | None:
    places = [str(ROOT / ".build/rust/bin"), os.environ["PATH"], str(Path.home() / ".cargo/bin")]
    return shutil.which("cargo", path=os.pathsep.join(places))


def entries(text: str) -> dict[str, str]:
    """The entries above the texts, by name and version."""
    blocks = text.partition("=" * 80)[0].strip().split("\n\n")[1:]
    return {name: rest for name, _, rest in (block.partition("\n") for block in blocks)}


def crates_of_tree() -> dict[str, str]:
    """Licences by `name version`, as cargo's tree has them."""
    argv = [str(cargo()), "tree", "--locked", "--package", "virtometer-agent", "--edges", "normal", "--target", TARGET]
    argv += ["--prefix", "none", "--format", "{p};{l}"]
    printed = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = (line.removesuffix(" (*)").split(";") for line in printed.splitlines() if line)
    return {" ".join(package.split(" ")[:2]).replace(" v", " "): licence for package, licence in found}


def test_every_crate_of_the_agent_has_an_entry_with_its_licence(text: str) -> None:
    wanted = crates_of_tree()
    assert len(wanted) > 20
    found = entries(text)
    assert wanted.keys() <= found.keys()
    beside = {name for name in found if name not in wanted}
    assert beside <= {"Rust standard library", "musl", "glibc"}
    assert "Rust standard library" in beside
    for name, licence in wanted.items():
        assert f"licence: {licence.replace('/', ' OR ')}\n" in f"{found[name]}\n"


def test_crates_whose_sources_the_agent_names_have_an_entry(text: str) -> None:
    """Panics have the place of the source; this is of the binary, and not of cargo."""
    places = re.findall(rb"/registry/src/[^/]+/([a-z0-9_-]+)-([0-9.]+)/", agent_path().read_bytes())
    named = {f"{name.decode()} {version.decode()}" for name, version in places}
    assert named
    assert named <= entries(text).keys()


def test_every_entry_has_texts_and_each_text_stands_once(text: str) -> None:
    below = re.findall(r"^text (\d+), of ", text, re.MULTILINE)
    assert below == [str(number) for number in range(1, len(below) + 1)]
    assert {number for rest in entries(text).values() for number in re.findall(r"text (\d+): ", rest)} == set(below)
    assert [name for name, rest in entries(text).items() if "text " not in rest and name != "glibc"] == []
    bodies = re.split(r"={80}\ntext .*\n={80}\n", text)[1:]
    assert len(bodies) == len(below) == len(set(bodies))
    whole = {str(number) for number, body in enumerate(bodies, 1) if len(body.split()) > 100}
    for name, rest in entries(text).items():
        assert whole & set(re.findall(r"text (\d+): ", rest)) or name == "glibc", name


def test_it_is_the_same_twice(text: str) -> None:
    assert licences([TARGET]) == text


def crate(folder: Path, licence: str, *authors: str, **files: str) -> dict[str, Any]:
    """A package in a registry, with these files."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_text(content)
    manifest = str(folder / "Cargo.toml")
    described = {"name": folder.name, "version": "1.2.3", "license": licence, "authors": list(authors)}
    return described | {"source": "registry", "manifest_path": manifest, "repository": None, "license_file": None}


def test_a_crate_without_a_file_has_the_standard_text_with_its_authors(tmp_path: Path) -> None:
    crates = [
        crate(tmp_path / "whole", "MIT", LICENSE_MIT=MIT, README="no licence"),
        crate(tmp_path / "bare", "MIT", "Ann <ann@example.org>", "Bob"),
        crate(tmp_path / "nobody", "BSL-1.0 OR MIT"),
        crate(tmp_path / "both", "MIT/Apache-2.0", "Cy", LICENSE="MIT or Apache-2.0"),
    ]
    parts = [part_of(one, ROOT) for one in crates]
    assert [list(one.texts) for one in parts] == [["LICENSE_MIT"], [], [], ["LICENSE"]]
    whole, bare, nobody, both = with_standard_texts(parts, APACHE)
    assert whole == parts[0]
    named = bare.texts["text of MIT"].replace("Ann <ann@example.org>, Bob", "2020 Somebody")
    assert named.split()[2:] == MIT.split()[1:]
    assert "Somebody" not in bare.texts["text of MIT"] + nobody.texts["text of MIT"]
    assert "nobody" in nobody.texts["text of MIT"]
    assert list(both.texts) == ["LICENSE", "text of Apache-2.0"]
    assert both.texts["text of Apache-2.0"].split() == APACHE.split()
    assert "authors: Cy\n" in page([both], ["x"])


@pytest.mark.parametrize("licence", ["BSL-1.0", "MIT AND BSL-1.0", "", "MIT"])
def test_a_licence_without_a_text_is_refused(tmp_path: Path, licence: str) -> None:
    part = part_of(crate(tmp_path / "odd", licence), ROOT)
    with pytest.raises(LicencesMissing, match=r"odd 1\.2\.3"):
        with_standard_texts([part], APACHE)


def test_the_file_that_a_manifest_names_counts(tmp_path: Path) -> None:
    one = crate(tmp_path / "own", "", TERMS="what may be done\r\nwith it  \r\n")
    assert part_of({**one, "license": None, "license_file": "TERMS"}, ROOT).texts == {
        "TERMS": "what may be done\nwith it\n"
    }


def test_equal_texts_stand_once_under_all_their_names() -> None:
    same = [Part(name, "1", "MIT", texts={"LICENSE": MIT}) for name in ("a", "b")]
    assert page(same, ["x"]).count("THE SOFTWARE IS") == 1
    assert "text 1, of a 1, b 1\n" in page(same, ["x"])


def test_a_missing_or_failing_cargo_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crate_licences, "ROOT", tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LicencesMissing, match="make setup"):
        licences([TARGET])
    (tmp_path / "cargo").write_text("#!/bin/sh\necho first >&2\necho the reason >&2\nexit 101\n")
    (tmp_path / "cargo").chmod(0o755)
    with pytest.raises(LicencesMissing, match="the reason"):
        licences([TARGET])
    with pytest.raises(SystemExit, match="the reason"):
        crate_licences.main([str(tmp_path / "out"), TARGET])
    assert not (tmp_path / "out").exists()
