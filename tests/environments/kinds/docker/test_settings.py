"""Settings that are refused before anything is started."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from virtometer.environments.kinds.docker.settings import DockerSettings


@pytest.mark.parametrize(
    "wrong",
    [
        {"socket": "docker.sock"},
        {"socket": ""},
        {"socket": 3},
        {"socket": "/x\n"},
        {"socket": "/" + "x" * 500},
        {"runtime": "--privileged"},
        {"runtime": ""},
        {"runtime": "a b"},
        {"network": "container:other"},
        {"channel": "tcp"},
        {"capabilities": ["net_raw"]},
        {"capabilities": ["NET_RAW --privileged"]},
        {"capabilities": ["NET_RAW"] * 65},
        {"cpus": 1e9},
        {"cpus": 0},
        {"memory": "1K"},
        {"cpuset": []},
        {"seccomp": "maybe"},
    ],
)
def test_what_no_daemon_could_take_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        DockerSettings.model_validate(wrong)


def test_names_of_docker_are_taken() -> None:
    given = {"socket": "/run/user/1000/docker.sock", "runtime": "io.containerd.runc.v2", "capabilities": ["CAP_KILL"]}
    found = DockerSettings.model_validate(given)
    assert (found.socket, found.runtime, found.capabilities) == (*list(given.values())[:2], ("CAP_KILL",))
