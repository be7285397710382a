"""The laboratory's half of QEMU's machine protocol, as much of it as is needed.

Source: QEMU docs/interop/qmp-spec.rst.
"""

from __future__ import annotations

import json
import time
from typing import Any

from virtometer.errors import EnvironmentFailed, LinkError
from virtometer.link.channel import Channel


class Qmp:
    """A conversation over a channel whose other end is QEMU's monitor in mode control."""

    def __init__(self, channel: Channel) -> None:
        """Takes the channel over; `close` closes it."""
        self.channel = channel
        self.version = ""

    def greet(self, limit_s: float) -> None:
        """Wait until QEMU has made the machine and answers. Raises EnvironmentFailed when it does not or has ended."""
        greeting = self._read(time.monotonic() + limit_s)
        try:
            version = greeting["QMP"]["version"]["qemu"]
            self.version = "{major}.{minor}.{micro}".format(**version)
        except (KeyError, TypeError) as cause:
            raise EnvironmentFailed("QEMU's monitor greets in a way that is not understood") from cause
        self.execute("qmp_capabilities", limit_s)

    def execute(self, command: str, limit_s: float, **arguments: str) -> Any:  # noqa: ANN401 - any JSON
        """Run a command and return its result. Raises EnvironmentFailed when QEMU refuses or does not answer."""
        deadline = time.monotonic() + limit_s
        line = json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n"
        try:
            self.channel.send(line, limit_s)
        except LinkError as cause:
            raise EnvironmentFailed(f"QEMU does not take the command {command} ({cause.sentence})") from cause
        while True:
            answer = self._read(deadline)
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise EnvironmentFailed(f"QEMU refuses {command}: {answer['error'].get('desc', 'without a word')}")

    def _read(self, deadline: float) -> dict[str, Any]:
        try:
            line = self.channel.receive(max(deadline - time.monotonic(), 0.0))
            answer = json.loads(line.data) if line is not None else None
        except LinkError as cause:
            raise EnvironmentFailed("QEMU ended at once") from cause
        except ValueError as cause:
            raise EnvironmentFailed("QEMU's monitor says something that is not JSON") from cause
        if not isinstance(answer, dict):
            raise EnvironmentFailed("QEMU's monitor does not answer")
        return answer

    def close(self) -> None:
        """Close the channel. Idempotent."""
        self.channel.close()
