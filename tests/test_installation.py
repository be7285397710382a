"""Where files are in a checkout and in an installed package, and what is advised there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.house.tracked import ROOT
from tests.sentences import Said
from virtometer import installation
from virtometer.cli.plan.files import load
from virtometer.errors import PlanError


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that takes the place of the package, as pip would make it."""
    folder = tmp_path / "site-packages" / "virtometer"
    folder.mkdir(parents=True)
    monkeypatch.setattr("virtometer.__file__", str(folder / "__init__.py"))
    return folder


def test_the_tests_use_a_checkout() -> None:
    assert installation.checkout() == ROOT
    for name in installation.CARRIED:
        assert installation.carried(name) == ROOT / name
    assert installation.agent_folder("a-b-c") == ROOT / "target" / "a-b-c" / "release"


def test_an_installed_package_has_all_inside(package: Path) -> None:
    assert installation.checkout() is None
    assert installation.agent_folder("a-b-c") == package / "agents" / "a-b-c"
    (package / "plans").mkdir()
    assert installation.carried("plans") == package / "plans"


@pytest.mark.parametrize("missing", ["Makefile", "Cargo.toml"])
def test_sources_alone_are_no_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    folder = tmp_path / "src" / "virtometer"
    folder.mkdir(parents=True)
    monkeypatch.setattr("virtometer.__file__", str(folder / "__init__.py"))
    for name in ("Makefile", "Cargo.toml"):
        (tmp_path / name).touch()
    assert installation.checkout() == tmp_path
    (tmp_path / missing).unlink()
    assert installation.checkout() is None
    assert installation.carried("plans") == tmp_path / "plans", "as in an archive of the sources"


SENTENCES: list[Callable[[], str]] = [
    installation.no_agent,
    lambda: installation.no_agent("of 32 bits"),
    *(lambda target=target: installation.make(target) for target in ("setup", "targets", "gvisor")),
    lambda: installation.to_download("linux-image-cloud-amd64"),
]


def test_advice_is_for_a_checkout_or_for_an_installed_package(package: Path, said: Said) -> None:
    for sentence in SENTENCES:
        said(sentence())


def test_a_checkout_is_advised_by_targets_of_make(said: Said) -> None:
    targets = (ROOT / "Makefile").read_text()
    for sentence in SENTENCES:
        said(sentence())
    for target in ("setup", "targets", "gvisor"):
        assert f"\n{target}:" in targets
        assert installation.make(target) == f"run make {target}"


def test_a_built_in_plan_has_its_path_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in sorted((ROOT / "plans").rglob("*.yaml"))[::10]:
        assert load(path.relative_to(ROOT))[1] == path.read_text(encoding="utf-8")
    for name in ("plans/nothing.yaml", "plans/../plans/quick.yaml", "quick.yaml", "plans", "plans/studies"):
        with pytest.raises(PlanError):
            load(Path(name))


def test_a_file_of_the_user_wins_over_a_built_in_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plans").mkdir()
    text = (ROOT / "plans" / "noise.yaml").read_text(encoding="utf-8")
    (tmp_path / "plans" / "quick.yaml").write_text(f"# mine\n{text}", encoding="utf-8")
    assert load(Path("plans/quick.yaml"))[1] == f"# mine\n{text}"
    (tmp_path / "plans" / "quick.yaml").unlink()
    (tmp_path / "plans" / "quick.yaml").symlink_to("nowhere")
    with pytest.raises(PlanError):
        load(Path("plans/quick.yaml"))
