"""Where files beside the sources are, and how to get what is missing: in a checkout, and where a wheel was installed.

A wheel has everything within the package: setup/wheel_hook.py and pyproject.toml put it there.
"""

from __future__ import annotations

from pathlib import Path

import virtometer

CARRIED = ("contract/kernels.json", "plans", "published")
"""Files and folders of the repository that the product reads, and that a wheel has below `virtometer/`."""

# What a wheel has of that which a checkout gets by a target of make.
_WITHOUT_MAKE = {
    "setup": "install the wheel of Virtometer for this processor, or name an agent with VIRTOMETER_AGENT",
    "targets": "install a wheel with this agent, or run make targets in a checkout of Virtometer",
}


def package() -> Path:
    """The folder of the package `virtometer`."""
    return Path(virtometer.__file__).resolve().parent


def checkout() -> Path | None:
    """The checkout that the package is used from. None where the package was installed, and is no part of one."""
    inside = package()
    root = inside.parents[1]
    is_one = inside.parent.name == "src" and all((root / name).is_file() for name in ("Makefile", "Cargo.toml"))
    return root if is_one else None


def carried(name: str) -> Path:
    """The place of one of CARRIED: inside the package, else in the folder above the sources. It need not exist."""
    assert name in CARRIED, name
    inside = package() / name
    return inside if inside.exists() else package().parents[1] / name


def agent_folder(rust_target: str) -> Path:
    """Where the agent for a Rust target is, if there is one: built by cargo in a checkout, else inside the package."""
    root = checkout()
    return package() / "agents" / rust_target if root is None else root / "target" / rust_target / "release"


def make(target: str) -> str:
    """Advice to get what this target of make builds."""
    if checkout() is not None:
        return f"run make {target}"
    return _WITHOUT_MAKE.get(target, f"run make {target} in a checkout of Virtometer")


def no_agent(for_what: str = "") -> str:
    """The sentence for a missing agent. for_what: the host by default, else words such as `for i686`."""
    agent = f"agent {for_what}".rstrip()
    return f"this installation has no {agent}" if checkout() is None else f"the {agent} is not built"


def to_download(what: str) -> str:
    """Advice for what is downloaded once, such as a kernel of guests."""
    if checkout() is None:
        return f"the first campaign that needs {what} downloads it"
    return f"run make setup to download {what}"
