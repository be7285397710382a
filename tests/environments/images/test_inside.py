"""Paths in a root directory of anybody's: as a process resolves them there, and never out of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from virtometer.environments.images.inside import find_program, inside, is_directory, is_program, mode_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "bin").mkdir(parents=True)
    (root / "bin" / "tool").write_bytes(b"")
    (root / "bin" / "tool").chmod(0o755)
    (root / "bin" / "text").write_bytes(b"")
    for name, to in (
        ("absolute", "/bin/tool"), ("up", "../../../../etc"), ("round", "/round"), ("out", str(tmp_path)),
        ("usr", "bin"), ("bin/up", "../bin/tool"),
    ):  # fmt: skip
        (root / name).symlink_to(to)
    return root


def test_links_are_followed_inside_and_nothing_leads_out(root: Path, tmp_path: Path) -> None:
    for path, lies in (
        ("/absolute", "bin/tool"), ("/usr/tool", "bin/tool"), ("usr/up", "bin/tool"), ("/up", "etc"),
        ("/up/passwd", "etc/passwd"), ("/../../x", "x"), ("/", "."), ("/bin/./../bin", "bin"),
        ("/out", str(tmp_path).lstrip("/")),
    ):  # fmt: skip
        assert inside(root, path) == root / lies, path
    assert inside(root, "/round") is None


def test_programs_and_directories_are_told_apart(root: Path) -> None:
    assert is_program(root, "/absolute")
    assert not any(is_program(root, path) for path in ("/bin/text", "/bin", "/up", "/round", "/nowhere", "/bin/tool/x"))
    assert is_directory(root, "/usr")
    assert not is_directory(root, "/bin/tool")
    assert mode_of(root, "/round") is None is mode_of(root, "/nowhere")
    assert find_program(root, "tool", ["/sbin", "", "/usr"]) == "/usr/tool"
    assert find_program(root, "/absolute", []) == "/absolute"
    assert find_program(root, "text", ["/bin"]) is None
