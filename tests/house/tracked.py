"""The files that belong to the project: those that git tracks."""

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@cache
def tracked() -> tuple[Path, ...]:
    """Paths of all files that git tracks, absolute; those deleted in the working tree are left out."""
    # A checkout may belong to another user than the one who tests.
    argv = ["git", "-c", "safe.directory=*", "-C", str(ROOT), "ls-files", "-z"]
    listed = subprocess.run(argv, capture_output=True, check=True).stdout.decode().split("\0")
    return tuple(ROOT / name for name in listed if name and (ROOT / name).is_file())


def texts() -> list[Path]:
    """Those of them that are text written by people: no lock files, no binary files, no published data."""
    return [
        file
        for file in tracked()
        if file.suffix not in {".lock", ".png", ".svg", ".bin", ".csv"} and b"\0" not in file.read_bytes()[:4096]
    ]
