"""Users and limits of commands: what a plan may say, and what the agent is asked."""

from __future__ import annotations

import json
import resource
import subprocess

import pytest
from pydantic import ValidationError

from virtometer.runner.lab.agent import agent_path
from virtometer.workloads.command import CommandParameters
from virtometer.workloads.standing import LIMITS, asked_limits, limits_of


def ulimits(given: object) -> str | None:
    return CommandParameters.model_validate({"command": "true", "ulimits": given}).ulimits


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("nofile=1024", {"nofile": [1024, 1024]}),
        ({"nofile": 1024, "core": "0:-1"}, {"nofile": [1024, 1024], "core": [0, None]}),
        ({"nproc": [20, 30]}, {"nproc": [20, 30]}),
        (["stack=unlimited", "as=1:2"], {"stack": [None, None], "as": [1, 2]}),
    ],
)
def test_limits_are_a_mapping_a_list_or_a_text(given: object, expected: dict[str, list[int | None]]) -> None:
    text = ulimits(given)
    assert text is not None
    assert limits_of(text) == json.loads(asked_limits(text)) == expected


@pytest.mark.parametrize(
    "wrong",
    ["", "nofile", "nofile=", "nofile=x", "nofile=2:1", "nofile=-1:1", "nofile=1:2:3", "files=1", "nofile=1 nofile=2",
     "nofile=-2", "nofile=99999999999999999999", "nofile=9223372036854775808", {"nofile": None}, {}, [1], 1, "core=²"],
)  # fmt: skip
def test_what_is_no_limit_is_refused(wrong: object) -> None:
    with pytest.raises(ValidationError):
        ulimits(wrong)


@pytest.mark.parametrize("user", ["", "a b", "a:", ":b", "a:b:c", "a\0", 1])
def test_what_is_no_user_is_refused(user: object) -> None:
    with pytest.raises(ValidationError):
        CommandParameters.model_validate({"command": "true", "user": user})


def test_a_terminal_is_the_only_input_and_output() -> None:
    for more in ({"input": "/dev/null"}, {"output": "null"}):
        with pytest.raises(ValidationError):
            CommandParameters.model_validate({"command": "true", "tty": True, **more})


def test_the_agent_knows_each_limit_by_the_number_that_it_has() -> None:
    """Each limit in turn is lowered to a value of its own, which the command itself reads back."""
    assert sorted(LIMITS) == list(LIMITS)
    for number, name in enumerate(LIMITS):
        known = getattr(resource, f"RLIMIT_{name.upper()}", None)
        hard = resource.getrlimit(known)[1] if known is not None else 0
        if known is None or 0 <= hard < 2**40 + number or name in ("cpu",):
            continue
        limits = json.dumps({name: [2**40 + number, None if hard < 0 else hard]})
        script = f"import resource; assert resource.getrlimit({known}) == ({2**40 + number}, {hard})"
        words = [str(agent_path()), "measure", "command", "--op", "time", "--program", "python3", "--seconds", "0.001"]
        words += ["--arguments", json.dumps(["-c", script]), "--limits", limits]
        subprocess.run(words, check=True, capture_output=True)
