"""What an image says of the commands that run in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from virtometer.environments.images.oci.config import ImageConfig, Person
from virtometer.environments.images.oci.image import OciImage
from virtometer.errors import CommandNotFound, NotExecutable, UsageError
from virtometer.runner.campaign.in_image import DEBIAN, InImage, in_image


def inside(directory: Path, config: ImageConfig, entrypoint: tuple[str, ...] | None = None, user: int = 0) -> InImage:
    image = OciImage(directory, "sha256:1", "/image", config, "sha256:2")
    return InImage(image, "/image:v1", Person(user, user, (), "/root", f"{user}:{user}"), entrypoint)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "root/opt").mkdir(parents=True)
    (tmp_path / "root/opt/tool").touch(0o755)
    (tmp_path / "root/opt/text").touch(0o644)
    return tmp_path


def test_variables_are_those_of_the_image(place: Path) -> None:
    one = inside(place, ImageConfig(variables={"A": "1"}), user=7)
    assert (one.variables["A"], one.variables["HOME"], "/usr/bin" in one.variables["PATH"]) == ("1", "/root", True)
    assert inside(place, ImageConfig(variables={"HOME": "/h", "PATH": "/opt"})).variables == {
        "HOME": "/h",
        "PATH": "/opt",
    }
    assert (one.user, inside(place, ImageConfig()).user, one.root) == ("7:7", None, "oci:/image:v1")


def test_words_and_directories(place: Path) -> None:
    one = inside(place, ImageConfig(("e",), ("c",), directory="/opt"))
    assert (one.words(()), one.words(("x",))) == (("e", "c"), ("e", "x"))
    assert inside(place, one.image.config, ()).words(("x",)) == ("x",)
    assert (one.directory(None), one.directory("/"), one.directory("opt")) == ("/opt", "/", "/opt")
    with pytest.raises(UsageError):
        one.directory("/nowhere")
    with pytest.raises(UsageError):
        inside(place, ImageConfig()).words(())


def test_programs_are_looked_up_in_the_image(place: Path) -> None:
    one = inside(place, ImageConfig())
    for words, directory in ((["tool"], "/"), (["/opt/tool"], "/"), (["./tool"], "/opt")):
        one.refuse_missing(words, {"PATH": "/bin:/opt"}, directory)
    for words, wrong in ((["text"], CommandNotFound), (["/opt/x"], CommandNotFound), (["/opt/text"], NotExecutable)):
        with pytest.raises(wrong):
            one.refuse_missing(words, {"PATH": "/opt"}, "/")


@pytest.mark.parametrize(
    ("reference", "packages"), [("/image:v1", ["gcc"]), (DEBIAN, ["no package"]), (DEBIAN, ["-o"])]
)
def test_packages_are_those_of_debian(reference: str, packages: list[str]) -> None:
    with pytest.raises(UsageError):
        in_image(reference, packages=packages)
