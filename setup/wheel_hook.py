"""Puts the agents and the licences of their parts into the wheel while hatchling builds it, and names its processor.

VIRTOMETER_WHEEL_TARGETS has the Rust targets of the agents, divided by spaces: of the processor of the wheel first.
Without it, those of this machine that are built. Where pip installs from a checkout, the checkout must have an agent.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "VIRTOMETER_WHEEL_TARGETS"
# A static program needs no C library of the host. pip asks for one in the tag of a wheel, and this one is of 2012.
PLATFORM = "manylinux_2_17"


class AgentHook(BuildHookInterface):
    """Adds virtometer/agents/RUST_TARGET/virtometer-agent for each target, and virtometer/agents/LICENSES.txt."""

    _made: tempfile.TemporaryDirectory[str]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Change what goes into the wheel. version: `editable` where nothing is copied, as in .venv."""
        if version == "editable":
            return
        built = Path(self.root, "target")
        targets = os.environ.get(VARIABLE, "").split() or _built_for(platform.machine(), built)
        agents = {target: built / target / "release" / "virtometer-agent" for target in targets}
        missing = [target for target, agent in agents.items() if not agent.is_file()]
        if missing or not agents:
            self.app.abort(f"the agent for {', '.join(missing) or platform.machine()} is not built: run make wheel")
        for target, agent in agents.items():
            build_data["force_include"][str(agent)] = f"virtometer/agents/{target}/virtometer-agent"
        # The folder is gone with this object, also where the build fails.
        self._made = tempfile.TemporaryDirectory(prefix="virtometer-wheel-")
        licences = Path(self._made.name, "LICENSES.txt")
        argv = [sys.executable, str(Path(self.root, "setup", "crate_licences.py")), str(licences), *targets]
        ended = subprocess.run(argv, stderr=subprocess.PIPE, text=True, check=False)
        if ended.returncode:
            self.app.abort(ended.stderr.strip())
        build_data["force_include"][str(licences)] = "virtometer/agents/LICENSES.txt"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{PLATFORM}_{targets[0].split('-')[0]}"


def _built_for(processor: str, built: Path) -> list[str]:
    """The Rust targets that guests of this processor can have, and that cargo has built here."""
    found = []
    for name in [processor, *(["i686"] if processor == "x86_64" else [])]:
        both = [f"{name}-unknown-linux-{library}" for library in ("musl", "gnu")]
        found += [one for one in both if (built / one / "release" / "virtometer-agent").is_file()][:1]
    return found if found and found[0].startswith(processor) else []
