"""`virtometer` as users call it, with one more kind of environment: `hostile`, whose agent is agent.py."""

from __future__ import annotations

import sys
from pathlib import Path

from virtometer import cli
from virtometer.environments.base import Check, Environment, Guest, Lacks, Settings
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.environments.registry import KINDS


class HostileSettings(Settings):
    lie: str


class Hostile(Environment):
    """A guest whose agent lies or floods as `lie` says."""

    kind = "hostile"
    title = "hostile"
    settings_type = HostileSettings

    def lacks(self) -> Lacks:
        return Lacks(disk="no disk", network="no network")

    def check(self) -> Check:
        return Check(True, "it always runs")

    def prepare(self, settings: Settings) -> None:
        pass

    def start(self, settings: Settings, guest_id: str) -> Guest:
        assert isinstance(settings, HostileSettings)
        with ProcessGuest.starting(self.lab, guest_id) as guest:
            script = Path(__file__).with_name("agent.py")
            guest.launch([sys.executable, "-S", "-E", script, settings.lie], purpose="hostile guest")
        return guest


KINDS["hostile"] = Hostile

if __name__ == "__main__":
    sys.exit(cli.main(sys.argv[1:]) if len(sys.argv) > 1 else 2)
