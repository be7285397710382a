"""What the workload net asks of the agent, and which parameters it refuses."""

from __future__ import annotations

import itertools
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.sentences import Said
from virtometer.errors import UsageError
from virtometer.workloads.base import Endpoint, Place
from virtometer.workloads.registry import WORKLOADS

NET = WORKLOADS["net"]
HERE = Place((Endpoint("peer", "net", "10.0.0.1:5001"),))


def asked(op: str, **parameters: Any) -> dict[str, Any]:
    return NET.arguments(op, NET.parameters.model_validate(parameters), HERE)


def test_what_is_not_given_is_left_to_the_agent() -> None:
    for op in NET.operations:
        assert asked(op) == {"peer": "10.0.0.1:5001"}


def test_what_is_given_is_passed_on_under_the_agent_s_names() -> None:
    told = asked(
        "stream",
        size="1M",
        direction="both",
        zero_copy=True,
        nodelay=False,
        send_buffer="16K",
        receive_low_water="256K",
        connections=4,
    )
    assert told == {
        "peer": "10.0.0.1:5001",
        "size": 1 << 20,
        "direction": "both",
        "zero-copy": True,
        "nodelay": False,
        "send-buffer": 16_384,
        "receive-low-water": 262_144,
        "connections": 4,
    }
    assert asked("open-loop", rate=5000, arrivals="poisson", seed=7, request=100, response="4K")["response"] == 4096
    assert asked("udp-stream", rate="10M", size=1472)["rate"] == 10 << 20


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": 0},
        {"size": "65M"},
        {"direction": "up"},
        {"connections": 0},
        {"connections": 1001},
        {"send_buffer": -1},
        {"receive_low_water": -1},
        {"rate": -1},
        {"arrivals": "uniform"},
        {"peer": "10.0.0.1:1"},
    ],
)
def test_what_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        NET.parameters.model_validate(wrong)


def test_a_parameter_of_another_operation_is_refused_in_words(said: Said) -> None:
    with pytest.raises(UsageError, match="net connect has no parameter connections") as caught:
        asked("connect", connections=3)
    said(caught.value.sentence)
    with pytest.raises(UsageError, match="net open-loop: rate is 0, but must be 1 to 10000000"):
        asked("open-loop", rate=0)
    with pytest.raises(UsageError, match="net has no operation download"):
        asked("download")
    with pytest.raises(UsageError, match="offers no peer"):
        NET.arguments("stream", NET.parameters(), Place())


@pytest.mark.parametrize("threads", [1, 3])
def test_every_operation_measures_against_a_peer(agent: Path, threads: int) -> None:
    serving = subprocess.Popen([agent, "serve", "net", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
    try:
        assert serving.stderr is not None
        peer = serving.stderr.readline().split()[2]
        for op, operation in NET.operations.items():
            words = [str(agent), "measure", "net", "--op", op, "--peer", peer, "--seconds", "0.1", "--json"]
            words += ["--threads", str(threads)]
            found = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
            assert found["unit"] == operation.unit
            assert found["check"]["passed"]
            samples = found["samples"]
            for before, after in itertools.pairwise(samples):
                assert before["end_ns"] <= after["start_ns"], op
            assert {"service-demand-local", "service-demand-remote"} <= found["measures"].keys(), op
    finally:
        serving.terminate()
        serving.wait()
