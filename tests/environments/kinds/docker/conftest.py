"""A daemon of the tests' own, at which guests are made."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.environments import own_dockerd
from tests.environments.own_dockerd import OwnDockerd


@pytest.fixture(scope="package")
def dockerd() -> Iterator[OwnDockerd]:
    if not own_dockerd.installed():
        pytest.skip("starting dockerd needs root and the Debian package docker.io")
    with OwnDockerd() as one:
        yield one


@pytest.fixture
def daemon(dockerd: OwnDockerd, monkeypatch: pytest.MonkeyPatch) -> OwnDockerd:
    """The same, where the product looks for one."""
    monkeypatch.setenv("DOCKER_HOST", dockerd.address)
    return dockerd
