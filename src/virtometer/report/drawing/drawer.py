"""The drawer of a process: one program that draws all still pictures of all its reports."""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from threading import RLock
from typing import IO, Any

from virtometer.errors import VirtometerError

PROGRAM = Path(__file__).with_name("program.py")


class _Ended(Exception):
    """The program ended in the middle. The text has its status, and what it said last."""


class Drawer:
    """Draws by a program that it starts when it is asked to, and again where this has ended."""

    def __init__(self, program: Path = PROGRAM) -> None:
        """program: what is run. Nothing is started yet."""
        self._file = program
        self._program: subprocess.Popen[str] | None = None
        self._said: IO[str] | None = None
        self._one_at_a_time = RLock()

    def start(self) -> None:
        """Start the program, so that it is ready when the first plot comes. Returns at once."""
        with self._one_at_a_time:
            if self._program is not None and self._program.poll() is None:
                return
            self.close()
            self._said = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - closed by `close`
            # Ctrl-C goes to the laboratory alone, which ends the program.
            self._program = subprocess.Popen(
                [sys.executable, "-P", str(self._file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=self._said, text=True, encoding="utf-8", start_new_session=True,
            )  # fmt: skip

    def svg(self, spec: Mapping[str, Any]) -> str:
        """A plot in Vega-Lite as SVG. Raises ValueError for what is none."""
        return self._answer(spec)

    def scripts(self) -> str:
        """Vega, Vega-Lite and Vega-Embed as one script."""
        return self._answer(None)

    def close(self) -> None:
        """End the program and wait for it. The next plot starts another one."""
        with self._one_at_a_time:
            program, self._program = self._program, None
            said, self._said = self._said, None
            if program is not None:
                program.kill()
                program.communicate()
            if said is not None:
                said.close()

    def _answer(self, asked: Mapping[str, Any] | None) -> str:
        line = json.dumps(asked, ensure_ascii=True) + "\n"
        with self._one_at_a_time:
            try:
                answer = json.loads(self._line(line))
            except _Ended:
                # Somebody else may have ended it. A second end has a reason of its own.
                try:
                    answer = json.loads(self._line(line))
                except _Ended as cause:
                    raise VirtometerError(f"the program that draws the plots {cause}") from cause
        if not isinstance(answer, str):
            raise ValueError(answer["error"])
        return answer

    def _line(self, asked: str) -> str:
        """The answer to a line. Raises _Ended."""
        self.start()
        program, said = self._program, self._said
        assert program is not None and program.stdin is not None and program.stdout is not None and said is not None
        try:
            program.stdin.write(asked)
            program.stdin.flush()
            answer = program.stdout.readline()
        except OSError:
            answer = ""
        except BaseException:
            # Of a line that was half written or half read the rest would be taken for a part of the next one.
            self.close()
            raise
        if answer.endswith("\n"):
            return answer
        status = program.wait()
        said.seek(0)
        last = said.read().strip().rpartition("\n")[2]
        self.close()
        raise _Ended(f"ended with status {status}" + (f": {last}" if last else ""))


DRAWER = Drawer()
"""That of this process."""
atexit.register(DRAWER.close)
