"""A planted tree of /proc, for what cannot run on every machine: KVM, vhost."""

from __future__ import annotations

from pathlib import Path

_KERNEL = 0x0020_0000
_FIELDS = 52  # of /proc/PID/stat


class PlantedProc:
    """Files of threads as proc(5) describes them, of which only some fields are not zero."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def add(
        self,
        task: int,
        name: str,
        *,
        of: int | None = None,
        worked: int = 0,
        guest_ticks: int = 0,
        kernel: bool = False,
        tracer: int = 0,
    ) -> None:
        """A thread of process `of`, or a process of its own. worked: in ns."""
        pid = task if of is None else of
        (self.root / str(pid) / "task" / str(task)).mkdir(parents=True)
        directory = self.root / str(task)
        directory.mkdir(exist_ok=True)
        fields = ["0"] * _FIELDS
        fields[8] = str(_KERNEL if kernel else 0x40)
        fields[42] = str(guest_ticks)
        fields[:3] = [str(task), f"({name})", "S"]
        (directory / "stat").write_text(" ".join(fields))
        (directory / "comm").write_text(f"{name}\n")
        (directory / "schedstat").write_text(f"{worked} 0 1\n")
        (directory / "status").write_text(f"Name:\t{name}\nTracerPid:\t{tracer}\n")
