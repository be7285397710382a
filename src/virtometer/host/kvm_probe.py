"""How long does KVM take for one step of a loop in a guest's kernel mode? A program of its own, because it may hang.

    python kvm_probe.py      ->  {"guest_ns": 0.4, "native_ns": 0.3}    or    {"error": "...", "errno": 13}

/dev/kvm proves nothing: it can exist, a virtual machine can be created, and still every instruction of the guest's
kernel can be emulated one by one, thousands of times slower than the processor, so that guests seem to hang. Therefore
a virtual machine is made, with no operating system, and runs 10,000 times `dec ecx; jnz` in 32-bit protected mode,
ring 0. The same bytes are then called as a function on the host.

Imports nothing of ours: it is run by its path, so that the interpreter starts quickly.
Source: Linux Documentation/virt/kvm/api.rst (calls and structures, x86).
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import mmap
import os
import struct
import sys
import time

STEPS = 10_000
REPEATS = 3  # the first one also pays for mapping the guest's memory

_CREATE_VM = 0xAE01
_GET_VCPU_MMAP_SIZE = 0xAE04
_CREATE_VCPU = 0xAE41
_RUN = 0xAE80
_SET_USER_MEMORY_REGION = 0x4020AE46
_GET_REGS = 0x8090AE81
_SET_REGS = 0x4090AE82
_GET_SREGS = 0x8138AE83
_SET_SREGS = 0x4138AE84
_EXIT_HLT = 5

_CODE_AT = 0x1000
_MEMORY = 0x4000
_SEGMENT = "<QIHBBBBBBBBBx"  # base, limit, selector, type, present, dpl, db, s, l, g, avl, unusable
_CR0_AT = 8 * 24 + 2 * 16  # behind eight segments and two descriptor tables


def loop(end: bytes) -> bytes:
    """Machine code of the loop, the same in 32 and 64 bits: mov ecx, STEPS; again: dec ecx; jnz again; `end`."""
    return b"\xb9" + struct.pack("<I", STEPS) + b"\xff\xc9" + b"\x75\xfc" + end


def guest_ns() -> float:
    """Time of one step in a guest's kernel mode, in ns, the best of REPEATS runs. Raises OSError."""
    kvm = os.open("/dev/kvm", os.O_RDWR | os.O_CLOEXEC)
    machine = fcntl.ioctl(kvm, _CREATE_VM, 0)
    memory = mmap.mmap(-1, _MEMORY)
    code = loop(b"\xf4")  # hlt: leaves the guest
    memory[_CODE_AT : _CODE_AT + len(code)] = code
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    fcntl.ioctl(machine, _SET_USER_MEMORY_REGION, struct.pack("<IIQQQ", 0, 0, 0, _MEMORY, address))
    vcpu = fcntl.ioctl(machine, _CREATE_VCPU, 0)
    state = mmap.mmap(vcpu, fcntl.ioctl(kvm, _GET_VCPU_MMAP_SIZE, 0))

    special = bytearray(312)
    fcntl.ioctl(vcpu, _GET_SREGS, special)
    flat = (0, 0xFFFFFFFF)
    struct.pack_into(_SEGMENT, special, 0, *flat, 0x08, 11, 1, 0, 1, 1, 0, 1, 0, 0)  # cs: code, read, accessed
    for index in range(1, 6):  # ds, es, fs, gs, ss: data, write, accessed
        struct.pack_into(_SEGMENT, special, 24 * index, *flat, 0x10, 3, 1, 0, 1, 1, 0, 1, 0, 0)
    (cr0,) = struct.unpack_from("<Q", special, _CR0_AT)
    struct.pack_into("<Q", special, _CR0_AT, cr0 | 1)  # protection enabled
    fcntl.ioctl(vcpu, _SET_SREGS, special)

    best = float("inf")
    for _ in range(REPEATS):
        general = [STEPS] * 16 + [_CODE_AT, 2]  # rax, rbx, rcx ... r15, rip, rflags (whose bit 1 is always set)
        fcntl.ioctl(vcpu, _SET_REGS, struct.pack("<18Q", *general))
        begin = time.perf_counter_ns()
        fcntl.ioctl(vcpu, _RUN, 0)
        best = min(best, time.perf_counter_ns() - begin)
        (reason,) = struct.unpack_from("<I", state, 8)
        if reason != _EXIT_HLT:
            raise OSError(0, f"the guest left with reason {reason} instead of halting")
        after = struct.unpack("<18Q", fcntl.ioctl(vcpu, _GET_REGS, bytes(18 * 8)))
        if after[2] != 0 or after[16] != _CODE_AT + len(code):
            raise OSError(0, f"the guest ran its loop wrong: {after[2]} steps left, at {after[16]:#x}")
    return best / STEPS


def native_ns() -> float:
    """Time of one step on the host itself, in ns; 0 where no memory may be both written and executed."""
    code = loop(b"\xc3")  # ret
    try:
        page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    except OSError:
        return 0.0
    page[: len(code)] = code
    function = ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    best = float("inf")
    for _ in range(REPEATS):
        begin = time.perf_counter_ns()
        function()
        best = min(best, time.perf_counter_ns() - begin)
    return best / STEPS


def main() -> None:
    """Print one line of JSON."""
    try:
        answer: dict[str, object] = {"guest_ns": guest_ns(), "native_ns": native_ns()}
    except OSError as cause:
        answer = {"error": cause.strerror or str(cause), "errno": cause.errno or 0}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
