"""What kinds that make containers with the host's own kernel have in common."""

from __future__ import annotations

import pytest

from virtometer.environments.base import LabContext
from virtometer.environments.parts.container import Container
from virtometer.environments.parts.limits import no_limits
from virtometer.environments.registry import KINDS
from virtometer.errors import EnvironmentFailed

CONTAINERS = [kind for kind in KINDS.values() if issubclass(kind, Container)]


def test_there_are_such_kinds() -> None:
    assert len(CONTAINERS) >= 5


@pytest.mark.parametrize("kind", CONTAINERS)
def test_what_this_host_cannot_have_is_refused_before_anything_is_measured(
    lab: LabContext, kind: type[Container]
) -> None:
    for settings, reason in (({"cpuset": [4000]}, "no processor 4000"), ({"bits": 32}, "32 bits is not built")):
        with pytest.raises(EnvironmentFailed, match=reason):
            kind(lab).prepare(kind.settings_type.model_validate(settings))


@pytest.mark.parametrize("kind", CONTAINERS)
def test_it_lacks_limits_alone(lab: LabContext, kind: type[Container]) -> None:
    lacks = kind(lab).lacks()
    assert not (lacks.disk or lacks.network)
    assert lacks.cpu_limit == lacks.memory_limit == no_limits()
