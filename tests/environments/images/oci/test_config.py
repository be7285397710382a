"""What images say of commands: words, variables and users."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.sentences import Said
from virtometer.environments.images.oci.config import ImageConfig, Person, config_of, person
from virtometer.errors import EnvironmentFailed


@pytest.mark.parametrize(
    ("entrypoint", "command", "given", "other", "made"),
    [
        ((), ("a", "b"), (), None, ("a", "b")),
        (("e",), ("a", "b"), (), None, ("e", "a", "b")),
        (("e", "-x"), ("a", "b"), ("c",), None, ("e", "-x", "c")),
        ((), ("a",), ("c", "d"), None, ("c", "d")),
        (("e",), ("a",), (), ("o",), ("o",)),
        (("e",), ("a",), ("c",), ("o",), ("o", "c")),
        (("e",), ("a",), ("c",), (), ("c",)),
    ],
)
def test_words_take_the_places_that_docker_gives_them(
    entrypoint: tuple[str, ...],
    command: tuple[str, ...],
    given: tuple[str, ...],
    other: tuple[str, ...] | None,
    made: tuple[str, ...],
) -> None:
    assert ImageConfig(entrypoint, command).words(given, other) == made


def test_a_configuration_is_read_as_others_write_it() -> None:
    document = {
        "config": {"Env": ["A=b=c", "B", "=x", "E="], "Entrypoint": None, "Cmd": ["x"], "WorkingDir": "/w", "User": "u"}
    }
    assert config_of(document) == ImageConfig((), ("x",), {"A": "b=c", "E": ""}, "/w", "u")
    assert config_of({}) == config_of({"config": None}) == ImageConfig()


@pytest.mark.parametrize(
    "wrong", [[], {"Env": "A=b"}, {"Cmd": [1]}, {"Cmd": ["\0"]}, {"User": 7}, {"WorkingDir": ["/"]}, {"User": "a\0"}]
)
def test_a_wrong_configuration_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        config_of({"config": wrong or 7})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/passwd").write_text(
        "root:x:0:0:r:/root:/bin/sh\napp:x:10:20::/srv/app:\nbad:x:-1:z::/:\nodd:x:11:z::/:\nshort:x\n"
    )
    (tmp_path / "etc/group").write_text("root:x:0:app\napp:x:20:app\nstaff:x:50:other,app\nodd:x:y:app\n")
    return tmp_path


def test_users_are_found_as_docker_finds_them(root: Path, tmp_path: Path) -> None:
    for user, numbers in (
        ("", Person(0, 0, (), "/root", "0")),
        ("0", Person(0, 0, (), "/root", "0")),
        ("app", Person(10, 20, (0, 50), "/srv/app", "app")),
        ("10", Person(10, 20, (0, 50), "/srv/app", "10")),
        ("app:", Person(10, 20, (0, 50), "/srv/app", "app")),
        ("app:staff", Person(10, 50, (), "/srv/app", "app:staff")),
        ("odd", Person(11, 0, (), "/", "odd:0")),
        (":staff", Person(0, 50, (), "/root", "0:staff")),
        ("77", Person(77, 0, (), "/", "77:0")),
        ("77:88", Person(77, 88, (), "/", "77:88")),
    ):
        assert person(root, user) == numbers, user
    assert person(tmp_path / "nothing", "") == Person(0, 0, (), "/", "0:0")
    plain = {user: person(root, user).is_plain_root for user in ("", "root", "root:root", "0:staff", "app", "app:root")}
    assert [user for user, is_plain in plain.items() if is_plain] == ["", "root", "root:root"]


@pytest.mark.parametrize("user", ["nobody", "app:nobody", "bad", "-1", "99999999999", "4294967295"])
def test_a_user_that_the_image_does_not_have_is_refused(root: Path, user: str, said: Said) -> None:
    with pytest.raises(EnvironmentFailed) as refused:
        person(root, user)
    said(refused.value.sentence)


def test_a_list_of_users_that_leads_out_of_the_image_is_not_read(root: Path, tmp_path: Path) -> None:
    (root / "etc/passwd").unlink()
    (root / "etc/passwd").symlink_to("/etc/passwd")
    assert person(root, "0").home == "/"
