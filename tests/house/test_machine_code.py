"""The loops in which the agent measures, as machine code: are they made of the work that the operation is named for?

Names of operations and counts of work come from the agent itself, and so do most of its checks. The instructions at
which a running agent is found, and what objdump makes of them, come from elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.house.machine_code import Instruction, Place, hottest_loop, loop_around, loop_of, why_not

Loop = Sequence[Instruction]

# Kernel, operation, further arguments, and what the loop has to be.
Row = tuple[str, Callable[[Loop], bool]]

CALLS = {"null": 110, "read": 0, "write": 1, "stat": 262, "fstat": 5}  # by their numbers on x86-64


def named(loop: Loop, pattern: str) -> int:
    """How many instructions have such a name."""
    return sum(re.fullmatch(pattern, one.name) is not None for one in loop)


def reads(loop: Loop) -> int:
    return sum(one.reads for one in loop)


def writes(loop: Loop) -> int:
    return sum(one.writes for one in loop)


def by_vectors(loop: Loop, register: str = "[xyz]") -> bool:
    """Whether all that touches memory does so by vectors, of registers with such a first letter."""
    touching = [one for one in loop if one.reads or one.writes]
    return bool(touching) and all(re.search(rf"\b{register}mm\d", one.operands) for one in touching)


def streams(loop: Loop, read: int, written: int, *, adds: bool, multiplies: bool) -> bool:
    """Whether for each vector there are so many reads and writes, and these operations on doubles."""
    turns = max(writes(loop), reads(loop)) / max(read, written)
    fused = named(loop, "vfn?madd.*pd") > 0
    return (
        turns >= 4
        and by_vectors(loop)
        and (reads(loop), writes(loop)) == (read * turns, written * turns)
        and (fused or named(loop, "v?addpd") > 0) is adds
        and (fused or named(loop, "v?mulpd") > 0) is multiplies
        and named(loop, "call|syscall") == 0
    )


def chases(loop: Loop) -> bool:
    """Whether each load's address is the value of the load before, and nothing else touches memory."""
    own = Counter(match[1] for one in loop if (match := re.fullmatch(r"(\w+),QWORD PTR \[\1\]", one.operands)))
    return len(own) == 1 and own.total() == reads(loop) >= len(loop) - 2 and writes(loop) == 0


def calls_of_the_system(loop: Loop) -> list[int | None]:
    """Numbers of the system calls in a loop; None where one is not a constant."""
    found: list[int | None] = []
    number: int | None = None
    for one in loop:
        if match := re.fullmatch(r"[er]ax,(0x[0-9a-f]+)", one.operands):
            number = int(match[1], 16) if one.name == "mov" else None
        elif one.name == "xor" and one.operands in ("eax,eax", "rax,rax"):
            number = 0
        elif one.name == "syscall":
            found.append(number)
            number = None
    return found


def makes(*numbers: int) -> Callable[[Loop], bool]:
    """Whether a loop makes these system calls and hardly anything else."""
    return lambda loop: (
        calls_of_the_system(loop) == list(numbers)
        and named(loop, "call") == 0
        and len(loop) <= 16 * len(numbers)
        and reads(loop) + writes(loop) <= 2 * len(numbers)
    )


def opens(loop: Loop) -> bool:
    """Whether a file is opened, and closed by a function of the C library."""
    return calls_of_the_system(loop) == [257] and named(loop, "call") == 1


def touches(loop: Loop) -> bool:
    """Whether one byte in a turn is read or written, and nothing else."""
    return reads(loop) + writes(loop) == 1 and len(loop) <= 8 and named(loop, "call|syscall") == 0


MEMORY = "measure memory --size 16K --op "
PDE = "measure pde --interlines 20 --op "
ROWS: list[Row] = [
    (MEMORY + "copy", lambda loop: streams(loop, 1, 1, adds=False, multiplies=False)),
    (MEMORY + "scale", lambda loop: streams(loop, 1, 1, adds=False, multiplies=True)),
    (MEMORY + "add", lambda loop: streams(loop, 2, 1, adds=True, multiplies=False)),
    (MEMORY + "triad", lambda loop: streams(loop, 2, 1, adds=True, multiplies=True)),
    (MEMORY + "read", lambda loop: streams(loop, 1, 0, adds=True, multiplies=False)),
    (MEMORY + "write", lambda loop: streams(loop, 0, 1, adds=False, multiplies=False)),
    (MEMORY + "read-write", lambda loop: streams(loop, 1, 1, adds=True, multiplies=False)),
    (MEMORY + "copy --simd avx", lambda loop: by_vectors(loop, "y")),
    (MEMORY + "copy --simd sse", lambda loop: by_vectors(loop, "x")),
    (MEMORY + "copy --simd scalar --type int", lambda loop: reads(loop) == writes(loop) > 0 and not by_vectors(loop)),
    (MEMORY + "copy --store non-temporal", lambda loop: named(loop, "v?movnt.*") == writes(loop) == reads(loop) > 0),
    ("measure memory --size 1M --op latency", chases),
    ("measure linpack --op classic", lambda loop: named(loop, "vfmadd.*pd") == writes(loop) > 0),
    # Several columns at once: more is computed than written.
    ("measure linpack --op left-looking", lambda loop: named(loop, "vfmadd.*pd") >= 3 * writes(loop) > 0),
    ("measure linpack --op blocked", lambda loop: named(loop, "vfmadd.*pd") > reads(loop) > 0 == writes(loop)),
    (PDE + "jacobi", lambda loop: named(loop, "vaddpd") >= 3 * writes(loop) > 0 == named(loop, "v?div.*")),
    (PDE + "gauss-seidel", lambda loop: named(loop, "vaddpd") > 0 == named(loop, "v?div.*")),
    # Each point needs the one before it.
    (PDE + "gauss-seidel --variant naive", lambda loop: named(loop, "addsd") >= 3 * writes(loop) > 0),
    *((f"measure os --op system-call --call {call}", makes(number)) for call, number in CALLS.items()),
    ("measure os --op system-call --call open", opens),
    ("measure os --op procedure", lambda loop: named(loop, "call") == 1 and len(loop) <= 8 and not reads(loop)),
    ("measure os --op page-fault", touches),
    ("measure os --op mmap", touches),
    ("measure os --op file-reread --way mmap", lambda loop: streams_words(loop)),
]  # fmt: skip


def streams_words(loop: Loop) -> bool:
    """Whether words are added up by vectors, each read once and at a place of its own."""
    places = [one.operands.partition("[")[2] for one in loop if one.reads]
    return by_vectors(loop) and len(set(places)) == len(places) == named(loop, "vpaddq") >= 4 and writes(loop) == 0


@pytest.mark.parametrize(("arguments", "is_right"), ROWS, ids=[re.sub(r"\W+", "-", row[0]) for row in ROWS])
def test_the_loop_is_made_of_the_work_that_it_is_named_for(
    agent: Path, arguments: str, is_right: Callable[[Loop], bool]
) -> None:
    if reason := why_not():
        pytest.skip(reason)
    try:
        # The kernel pde computes first what its check needs, by other loops.
        after_s = 1.5 if "pde" in arguments else 0.5
        call = [*arguments.split(), "--seconds", "60"]
        loop = hottest_loop(agent, call, after_s=after_s)
        if not is_right(loop):  # few samples may lie in what stands around the work, on a busy host above all
            loop = hottest_loop(agent, call, after_s=after_s, count=100)
    except PermissionError:
        pytest.skip("this system lets nobody trace")
    assert loop, "no loop"
    assert is_right(loop), "\n".join(f"{one.at:x} {one.name} {one.operands}" for one in loop)


def code(*lines: str) -> list[Instruction]:
    """Instructions at 0, 1, 2 and so on."""
    return [Instruction(at, *(line.split(" ", 1) if " " in line else (line, ""))) for at, line in enumerate(lines)]


def test_the_smallest_loop_counts() -> None:
    of = code("nop", "mov rax,QWORD PTR [rax]", "dec rdx", "jne 1", "inc rcx", "jne 0x0", "ret")
    assert [one.at for one in loop_around(of, 2)] == [1, 2, 3]
    assert [one.at for one in loop_around(of, 4)] == [0, 1, 2, 3, 4, 5]
    assert loop_around(of, 6) == ()


def test_a_procedure_belongs_to_the_loop_that_calls_it() -> None:
    of = code("mov rdi,rax", "call r12", "dec r15", "jne 0", "ret", "lea rax,[rdi+0x1]", "ret")
    for at in (5, 6):
        assert [one.at for one in loop_of(of, Place(at, 2))] == [0, 1, 2, 3]
        for no_return in (None, -1, 0, 1, 3, 5, 7, 2**63):
            assert loop_of(of, Place(at, no_return)) == ()
    # What lies on the stack does not matter where there is a loop.
    assert [one.at for one in loop_of(of, Place(2, 6))] == [0, 1, 2, 3]
    assert loop_of(code("call 2", "ret", "lea rax,[rdi+0x1]", "ret"), Place(2, 1)) == ()


def test_what_is_not_the_work_is_seen() -> None:
    load = "mov rcx,QWORD PTR [rcx]"
    assert chases(code(load, load, "dec rdx", "jne 0"))
    assert not chases(code(load, "mov rax,QWORD PTR [rcx+0x8]", "dec rdx", "jne 0"))
    assert not chases(code("mov rax,QWORD PTR [rcx]", "add rcx,0x40", "jne 0"))
    call = ("mov eax,0x6e", "syscall", "add r8,rax", "dec r15", "jne 0")
    assert makes(110)(code(*call))
    assert not makes(39)(code(*call))
    assert not makes(110)(code("add r8,rax", "dec r15", "jne 0"))
    assert calls_of_the_system(code("xor eax,eax", "syscall", "mov eax,0x3", "syscall", "syscall")) == [0, 3, None]
    moves = ("vmovapd ymm0,YMMWORD PTR [rcx+rsi*1]", "vmovapd YMMWORD PTR [rax+rsi*1],ymm0")
    assert streams(code(*4 * moves, "jne 0"), 1, 1, adds=False, multiplies=False)
    assert not streams(code(*4 * moves, moves[0], "jne 0"), 1, 1, adds=False, multiplies=False)
    assert not streams(code(*4 * moves[:1], "jne 0"), 1, 1, adds=False, multiplies=False)
    assert not streams(code(*4 * moves, "vaddpd ymm0,ymm0,ymm1", "jne 0"), 1, 1, adds=False, multiplies=False)
    assert by_vectors(code(*moves), "y") and not by_vectors(code(*moves), "z")
    words = [f"vpaddq ymm{lane},ymm{lane},YMMWORD PTR [r8+{lane}]" for lane in range(4)]
    assert streams_words(code(*words)) and not streams_words(code(*words, words[0]))
