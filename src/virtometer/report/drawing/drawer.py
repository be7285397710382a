"""The drawer of a process: one program that draws all still pictures of all its reports."""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from virtometer.deferred_signals import deferred_signals
from virtometer.errors import VirtometerError

_PROGRAM = Path(__file__).with_name("program.py")


class Drawer:
    """Draws by a program that it starts when it is asked to, and again where this has ended."""

    def __init__(self) -> None:
        self._program: subprocess.Popen[str] | None = None
        self._one_at_a_time = Lock()

    def start(self) -> None:
        """Start the program, so that it is ready when the first plot comes. Returns at once."""
        if self._program is not None and self._program.poll() is None:
            return
        self.close()
        # Ctrl-C goes to the laboratory alone, which ends the program by the end of its input.
        self._program = subprocess.Popen(
            [sys.executable, "-P", str(_PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, encoding="utf-8", start_new_session=True,
        )  # fmt: skip

    def svg(self, spec: Mapping[str, Any]) -> str:
        """A plot in Vega-Lite as SVG. Raises ValueError for what is none."""
        return self._answer(spec)

    def scripts(self) -> str:
        """Vega, Vega-Lite and Vega-Embed as one script."""
        return self._answer(None)

    def close(self) -> None:
        """End the program and wait for it. The next plot starts another one."""
        program, self._program = self._program, None
        if program is not None:
            program.kill()
            program.communicate()

    def _answer(self, asked: Mapping[str, Any] | None) -> str:
        line = ""
        # A line that was half written or half read would be taken for a part of the next one.
        with self._one_at_a_time, deferred_signals():
            self.start()
            program = self._program
            assert program is not None and program.stdin is not None and program.stdout is not None
            try:
                program.stdin.write(json.dumps(asked, ensure_ascii=True) + "\n")
                program.stdin.flush()
                line = program.stdout.readline()
            except OSError:
                pass
            if not line.endswith("\n"):
                self.close()
                raise VirtometerError(
                    f"the program that draws the plots ended with status {program.returncode}",
                    advice="is there memory for it? It needs about 200 MB",
                )
        answer = json.loads(line)
        if not isinstance(answer, str):
            raise ValueError(answer["error"])
        return answer


DRAWER = Drawer()
"""That of this process."""
atexit.register(DRAWER.close)
