"""Where a program spends its time, instruction by instruction, and the machine code around it.

The program is stopped again and again (ptrace, Linux on x86-64), and its disassembly is objdump's: both come from
outside of the program, and neither knows what its loops are meant to do.
"""

from __future__ import annotations

import bisect
import ctypes
import functools
import os
import platform
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_ATTACH, _DETACH, _GETREGS = 16, 17, 12  # requests of ptrace(2)
_REGISTERS, _RIP, _RSP = 27, 16, 19  # of struct user_regs_struct
_WALL = 0x40000000  # __WALL of waitpid(2)
_LINE = re.compile(r"^\s*([0-9a-f]+):\t(?:(?:rep|repz|lock|notrack|bnd) )*(\S+)\s*([^#<]*)")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One line of a disassembly, in Intel's notation. target: of a jump or call to a fixed place."""

    at: int
    name: str
    operands: str

    @property
    def target(self) -> int | None:
        """Where a jump or a call leads; None where that is not fixed."""
        return (
            int(self.operands, 16) if self.name[0] in "jc" and re.fullmatch("(0x)?[0-9a-f]+", self.operands) else None
        )

    @property
    def moves_vectors(self) -> bool:
        """Whether it names a vector register."""
        return re.search(r"\b[xyz]mm\d", self.operands) is not None

    @property
    def _parts(self) -> list[str]:
        return re.split(r",(?![^\[]*\])", self.operands)

    @property
    def reads(self) -> bool:
        """Whether it reads memory: a place in brackets that is not only written, and not only computed."""
        places = ["[" in part for part in self._parts]
        only_written = self.name.startswith(("mov", "vmov")) and places[0]
        return any(places) and not only_written and self.name not in ("lea", "nop") and "prefetch" not in self.name

    @property
    def writes(self) -> bool:
        """Whether a move writes memory."""
        return self.name.startswith(("mov", "vmov")) and "[" in self._parts[0]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a thread was found, and what its stack has on top: where it goes back to, if nothing else lies there.

    Both as addresses in the program's file.
    """

    at: int
    on_stack: int | None


def why_not() -> str:
    """Why nothing can be sampled or disassembled here; empty where both can."""
    if platform.machine() != "x86_64":
        return "the expected instructions are those of x86-64"
    return "" if shutil.which("objdump") else "no objdump is installed (Debian package binutils)"


@functools.cache
def disassembly(program: Path) -> Sequence[Instruction]:
    """All instructions of a program, by their addresses in its file."""
    argv = ["objdump", "-d", "-M", "intel", "--no-show-raw-insn", str(program)]
    found = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    lines = (match for line in found.splitlines() if (match := _LINE.match(line)))
    return [Instruction(int(line[1], 16), line[2], line[3].strip()) for line in lines]


def loop_around(code: Sequence[Instruction], address: int, longest: int = 4000) -> Sequence[Instruction]:
    """The smallest loop with this address: from the target of a jump backwards to the jump. Empty where there is none.

    longest: instructions of a loop.
    """
    at = bisect.bisect_right(code, address, key=lambda one: one.at) - 1
    smallest: Sequence[Instruction] = ()
    for end in range(at, min(at + longest, len(code))):
        target = code[end].target if code[end].name.startswith("j") else None
        if target is not None and code[max(end - longest, 0)].at <= target <= code[at].at:
            begin = bisect.bisect_left(code, target, key=lambda one: one.at)
            if not smallest or end - begin + 1 < len(smallest):
                smallest = code[begin : end + 1]
    return smallest


def loop_of(code: Sequence[Instruction], place: Place) -> Sequence[Instruction]:
    """The loop around a place. Around the call of it, where a procedure without a loop or a frame is called.

    A short procedure may take as much time as the loop that calls it: which of both has more samples is chance.
    """
    around = loop_around(code, place.at)
    if around or place.on_stack is None:
        return around
    after = bisect.bisect_left(code, place.on_stack, key=lambda one: one.at)
    returns = 0 < after < len(code) and code[after].at == place.on_stack and code[after - 1].name == "call"
    return loop_around(code, code[after - 1].at) if returns else ()


@contextmanager
def _stopped(thread: int) -> Iterator[ctypes.Array[ctypes.c_ulonglong] | None]:
    """Registers of a thread, which stands still meanwhile; None where it has ended.

    Raises PermissionError where this system lets nobody trace.
    """
    library = ctypes.CDLL(None, use_errno=True)
    call = library.ptrace
    call.argtypes, call.restype = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p], ctypes.c_long
    if call(_ATTACH, thread, None, None) != 0:
        if ctypes.get_errno() == 3:  # ESRCH
            yield None
            return
        raise PermissionError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    try:
        _, status = os.waitpid(thread, _WALL)
        registers = (ctypes.c_ulonglong * _REGISTERS)()
        there = os.WIFSTOPPED(status) and call(_GETREGS, thread, None, ctypes.cast(registers, ctypes.c_void_p)) == 0
        yield registers if there else None
    finally:
        call(_DETACH, thread, None, None)


def _busy(pid: int) -> list[int]:
    """Threads of a process that run or want to."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            state = (task / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if state == "R":
            found.append(int(task.name))
    return found


def _worked_s(pid: int) -> float:
    """Processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _base(pid: int, program: Path) -> int:
    """Where the first byte of the program lies in the memory of the process."""
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) == 6 and fields[5] == str(program) and int(fields[2], 16) == 0:
            return int(fields[0].split("-")[0], 16)
    raise ProcessLookupError(pid)


def _word(pid: int, address: int) -> int | None:
    """Eight bytes of the memory of a process; None where it has none there."""
    try:
        with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
            memory.seek(address)
            return int.from_bytes(memory.read(8), "little")
    except OSError:
        return None


def samples(program: Path, arguments: Sequence[str], count: int = 20, *, after_s: float) -> Counter[Place]:
    """Where the program's busy threads were found. after_s: processor time that it has then.

    Raises PermissionError where this system lets nobody trace.
    """
    found = Counter[Place]()
    with subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL) as process:
        try:
            while process.poll() is None and _worked_s(process.pid) < after_s:
                time.sleep(0.05)
            base = _base(process.pid, program)
            while found.total() < count and process.poll() is None:
                for thread in _busy(process.pid):
                    with _stopped(thread) as registers:
                        if registers is not None:
                            top = _word(process.pid, registers[_RSP])
                            found[Place(registers[_RIP] - base, None if top is None else top - base)] += 1
                time.sleep(0.005)
        finally:
            process.send_signal(signal.SIGKILL)
    return found


def hottest_loop(program: Path, arguments: Sequence[str], *, after_s: float, count: int = 20) -> Sequence[Instruction]:
    """The loop in which most of so many samples of a program lie."""
    code = disassembly(program)
    found = Counter[tuple[Instruction, ...]]()
    for place, times in samples(program, arguments, count, after_s=after_s).items():
        found[tuple(loop_of(code, place))] += times
    return found.most_common(1)[0][0] if found else ()
