"""Packages of another architecture, without telling the host's apt."""

from __future__ import annotations

from pathlib import Path

import pytest

from virtometer.environments.images.apt import foreign
from virtometer.environments.images.machines import resolve_kernel
from virtometer.errors import EnvironmentFailed, MissingProgram
from virtometer.programs import Programs


def require_apt() -> None:
    try:
        Programs().find("apt-get", "apt")
    except MissingProgram as cause:
        pytest.skip(cause.sentence)


def test_without_archives_there_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_apt()
    nowhere = tmp_path / "apt.conf"
    nowhere.write_text('Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "/dev/null";\n')
    monkeypatch.setenv("APT_CONFIG", str(nowhere))
    with pytest.raises(EnvironmentFailed, match="apt finds no packages for i386"):
        foreign("i386", tmp_path / "own", Programs())


@pytest.mark.slow
def test_the_kernel_of_32_bits_is_found_and_the_host_knows_no_more_architectures(tmp_path: Path) -> None:
    require_apt()
    programs = Programs()
    before = programs.run(["dpkg", "--print-foreign-architectures"], purpose="look").stdout
    try:
        options = foreign("i386", tmp_path / "own", programs)
    except EnvironmentFailed as cause:
        pytest.skip(f"{cause} ({cause.advice})")
    package, version = resolve_kernel(programs, "686", options)
    assert package.endswith("-686-pae")
    assert version
    assert programs.run(["dpkg", "--print-foreign-architectures"], purpose="look").stdout == before
