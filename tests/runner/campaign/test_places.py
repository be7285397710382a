"""Where commands run: names, kinds, settings."""

from __future__ import annotations

from typing import Any

import pytest

from virtometer.errors import UsageError
from virtometer.model import Kind
from virtometer.runner.campaign.places import places

KNOWN: list[dict[str, Any]] = [
    {"name": "native", "kind": "native"},
    {"name": "runc", "kind": "runc", "settings": {"root": "host"}},
    {"name": "user-mode Linux", "kind": "uml", "settings": {"root": "host"}},
]


def names(*wanted: str) -> list[str]:
    return [one["name"] for one in places(KNOWN, wanted, {})[0]]


def test_without_names_all_are_taken_and_the_baseline_always_is() -> None:
    assert names() == ["native", "runc", "user-mode Linux"]
    assert names("uml") == names("User-Mode Linux") == ["native", "user-mode Linux"]
    assert names("native") == ["native"]
    assert names("runc", "runc") == ["native", "runc"]


def test_other_kinds_have_the_files_of_the_host_where_they_can() -> None:
    (_, lxc), _ = places(KNOWN, ["lxc"], {})
    assert (lxc["kind"], lxc["settings"]) == ("lxc", {"root": "host"})


def test_settings_are_for_the_kinds_that_have_them() -> None:
    (native, runc, uml), left_out = places(KNOWN, [], {"cpus": 1, "memory": "64M"})
    assert native["settings"] == {"cpus": 1, "memory": "64M"}
    assert runc["settings"] == uml["settings"] == {"root": "host", "cpus": 1, "memory": "64M"}
    assert (KNOWN[1]["settings"], left_out) == ({"root": "host"}, [])


def test_what_cannot_have_the_settings_is_left_out_unless_it_was_asked_for() -> None:
    made, left_out = places(KNOWN, [], {"cpus": 0.5})
    assert [one["name"] for one in made] == ["native", "runc"]
    (sentence,) = left_out
    assert "user-mode Linux" in sentence
    made, left_out = places(KNOWN, ["uml"], {"cpus": 0.5})
    assert ([one["name"] for one in made], left_out) == (["native", "user-mode Linux"], [])


@pytest.mark.parametrize("name", ["no such kind", ""])
def test_what_is_no_environment_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        names(name)


def test_a_kind_has_settings_of_its_own_or_a_reason_why_not() -> None:
    def of_kind(kind: type[Kind]) -> dict[str, object] | str:
        return "no such thing" if kind.kind == "uml" else {"cpus": 1} if kind.kind == "runc" else {}

    (native, runc), (sentence,) = places(KNOWN, [], {"memory": "64M"}, of_kind)
    assert (native["settings"], runc["settings"]["cpus"]) == ({"memory": "64M"}, 1)
    assert "user-mode Linux" in sentence and sentence.endswith("no such thing")
    with pytest.raises(UsageError, match="no such thing"):
        places(KNOWN, ["uml"], {}, of_kind)
    with pytest.raises(UsageError, match="no such thing"):
        places(KNOWN, [], {}, lambda _: "no such thing")
