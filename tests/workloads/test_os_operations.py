"""The workload `os` and the agent's table must say the same."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from pydantic import ValidationError

from virtometer.errors import UsageError
from virtometer.workloads.base import Place
from virtometer.workloads.os_operations import OsOperations, OsParameters

NOWHERE = Place()


def test_only_what_is_given_is_sent() -> None:
    work = OsOperations()
    assert work.arguments("fork", OsParameters(), NOWHERE) == {}
    asked = OsParameters.model_validate({"pin": "apart", "processes": 16, "size": "64K"})
    assert work.arguments("context-switch", asked, NOWHERE) == {"pin": "apart", "processes": 16, "size": 65536}


def test_a_parameter_of_another_operation_is_refused() -> None:
    with pytest.raises(UsageError, match="os fork has no parameter size; it has pin"):
        OsOperations().arguments("fork", OsParameters(size=1), NOWHERE)
    with pytest.raises(UsageError, match="no operation nap"):
        OsOperations().arguments("nap", OsParameters(), NOWHERE)


@pytest.mark.parametrize(
    "wrong",
    [{"processes": 1}, {"size": -1}, {"pin": "two"}, {"call": "fork"}, {"descriptors": 1001}, {"file": ""}, {"of": 1}],
)
def test_what_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        OsParameters.model_validate(wrong)


def test_operations_units_and_parameters_are_the_agents(agent: Path) -> None:
    said = subprocess.run([agent, "--help"], capture_output=True, text=True, check=True).stdout
    section = said.split("\nos: ")[1].split("\n\n")[0]
    ours = [(name, operation.unit) for name, operation in OsOperations.operations.items()]
    assert sorted(re.findall(r"--op (\S+) +(\S+)", section)) == sorted(ours)
    for op in OsOperations.operations:
        words = [str(agent), "measure", "os", "--op", op, "--quantum", "1"]
        said = subprocess.run(words, capture_output=True, text=True, check=False).stderr
        takes = said.split("; it has ")[1].strip().split(", ")
        with pytest.raises(UsageError) as caught:
            OsOperations().arguments(op, OsParameters(size=1, processes=2, block=8, call="null", of="tcp"), NOWHERE)
        assert str(caught.value).split("; it has ")[1].split(", ") == sorted(takes)
