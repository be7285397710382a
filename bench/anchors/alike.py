"""In what the two sides of a row differ: what its author knows, its pages, and how the anchor is linked here."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

from bench.anchors.rows import Row

PT_INTERP = 3


def differences(row: Row) -> str:
    """Sentences on what this row does not compare alike on this machine; empty where both sides are alike."""
    sentences = [row.differs] if row.differs else []
    if row.pages == "best":
        sentences.append("The agent chooses its pages and vectors, the anchor gets small pages.")
    dynamic = [name for name in row.static if (file := shutil.which(name)) and needs_loader(Path(file))]
    if dynamic:
        sentences.append(f"The agent is linked statically, {' and '.join(dynamic)} dynamically, which costs more.")
    return " ".join(sentences)


def needs_loader(program: Path) -> bool:
    """Whether an ELF program is linked dynamically: it names the loader that must start it (PT_INTERP in the ELF
    specification, version 1.2, part 1). False for a file that is no ELF program."""
    with program.open("rb") as file:
        head = file.read(64)
        if len(head) < 52 or head[:4] != b"\x7fELF":
            return False
        wide, order = head[4] == 2, "<" if head[5] == 1 else ">"
        (offset,) = struct.unpack_from(f"{order}{'Q' if wide else 'I'}", head, 32 if wide else 28)
        size, count = struct.unpack_from(f"{order}HH", head, 54 if wide else 42)
        file.seek(offset)
        table = file.read(size * count)
    kinds = (struct.unpack_from(f"{order}I", table, size * entry)[0] for entry in range(len(table) // max(size, 1)))
    return PT_INTERP in kinds
