"""The wheel as its users have it: installed by pipx in a new account, then the first answers of an ordinary user.

    make wheel && python -m bench.wheel dist/*.whl [--in native,bubblewrap,qemu] [--quick]

Makes the account `virtometer-bench` with a home directory, and removes both at the end. Needs root, pipx, and a network
from which pip gets what the wheel depends on.

Prints the size of the wheel, and how long the installation and each command take. The exit status is 1 where one of
them fails, or where a process of the account is left.
"""

from __future__ import annotations

import argparse
import contextlib
import pwd
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.product import interrupted_by_sigterm

_USER = "virtometer-bench"
_COMMAND = "sha256sum /usr/bin/env"
_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"


@contextlib.contextmanager
def account() -> Iterator[Path]:
    """Its home directory."""
    subprocess.run(["useradd", "--create-home", "--shell", "/bin/bash", _USER], check=True)
    user = pwd.getpwnam(_USER)
    try:
        yield Path(user.pw_dir)
    finally:
        subprocess.run(["userdel", "--remove", _USER], check=True, stderr=subprocess.DEVNULL)
        for state in Path(tempfile.gettempdir()).glob(f"virtometer-{user.pw_uid}*"):  # journal and lock of the account
            shutil.rmtree(state)


def as_user(line: str) -> tuple[int, float, str]:
    """Status, seconds and output of a line of shell in a login of the account."""
    before = f"export PATH=$HOME/.local/bin:/usr/bin:/bin PIP_CERT={_CERTIFICATES} PIP_DEFAULT_TIMEOUT=180"
    begun = time.monotonic()
    ended = subprocess.run(
        ["su", "-", _USER, "-c", f"{before}; {line}"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    return ended.returncode, time.monotonic() - begun, ended.stdout


def main(arguments: Sequence[str] | None = None) -> int:
    """Install, measure, print what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--in", dest="kinds", default="native,bubblewrap,qemu", metavar="KINDS")
    parser.add_argument("--quick", action="store_true", help="also the quick plan, which takes five minutes")
    options = parser.parse_args(arguments)
    if not options.wheel.is_file():
        parser.error(f"there is no wheel {options.wheel}: call make wheel")
    interrupted_by_sigterm()
    print(f"wheel: {options.wheel.stat().st_size:,} bytes")
    faults = 0
    with account() as home:
        shutil.copy(options.wheel, home)
        lines = [
            f"pipx install {shlex.quote(str(home / options.wheel.name))}",
            f"virtometer time --in {options.kinds} --out first {shlex.quote(_COMMAND)}",
            f"virtometer time --in native,bubblewrap --budget 20s --out second {shlex.quote(_COMMAND)}",
            *(["virtometer run --quick --out quick"] if options.quick else []),
        ]
        for line in lines:
            status, took_s, said = as_user(line)
            faults += status != 0
            print(f"{line.replace(str(home), '~')}: status {status}, {took_s:.0f} s", flush=True)
            print("\n".join(f"    {one}" for one in said.splitlines()[-12:]), flush=True)
        left = subprocess.run(["pgrep", "--list-full", "--euid", _USER], capture_output=True, text=True).stdout
        if left:
            faults += 1
            print(f"left: {left}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
