"""What may stand in no file: places of one machine, names of registries, rooms without a purpose, endless files."""

import re
from pathlib import Path

import pytest

from tests.house.tracked import ROOT, texts, tracked

FORBIDDEN = {
    "a path of one machine": re.compile(r"(?<![\w.$}])/(?:work|farm|home|Users)/\w"),
    "a registry's host name": re.compile(
        r"pypi\.org|pythonhosted|crates\.io/|static\.rust-lang|deb\.debian|security\.debian|proxy\.golang"
        r"|registry\.npmjs|repo1?\.maven|docker\.io/"
    ),
    "a tracker's number": re.compile(r"\b[Ii]ssues? #?\d|\bPR #\d"),
}
ROOMS_WITHOUT_PURPOSE = {"util", "utils", "helper", "helpers", "common", "misc"}
LONGEST = 600
EXCUSE = "This file is long because"


def faults(text: str) -> list[str]:
    lines = text.split("\n")
    return [
        f"line {number + 1}: {what}: {lines[number].strip()[:100]}"
        for what, pattern in FORBIDDEN.items()
        for number in sorted({text.count("\n", 0, found.start()) for found in pattern.finditer(text)})
    ]


def test_files_speak_of_the_project_alone() -> None:
    # This file itself names what is forbidden.
    others = [file for file in texts() if file != Path(__file__)]
    assert len(others) > 500
    assert not [f"{file.relative_to(ROOT)}: {fault}" for file in others for fault in faults(file.read_text())]


@pytest.mark.parametrize(
    "line",
    ["cd /work" + "/main", "index: https://pypi" + ".org/simple", "mirror deb" + ".debian.org", "see issue" + " 12"],
)
def test_a_fault_is_found(line: str) -> None:
    assert faults("first\n" + line) and faults("first\n" + line)[0].startswith("line 2")


def test_a_web_address_or_a_relative_path_is_no_fault() -> None:
    assert not faults("https://example.net/home/page\nsrc/root/main\n$HOME/home/x\n/proc/self/mounts")


def test_no_room_without_a_purpose() -> None:
    names = {part.split(".")[0] for file in tracked() for part in file.relative_to(ROOT).parts}
    assert not names & ROOMS_WITHOUT_PURPOSE


def test_no_file_is_endless() -> None:
    long = [
        f"{file.relative_to(ROOT)}: {len(lines)} lines"
        for file in texts()
        if file.suffix in {".py", ".rs", ".sh"}
        and len(lines := file.read_text().splitlines()) > LONGEST
        and EXCUSE not in "\n".join(lines[:15])
    ]
    assert not long
