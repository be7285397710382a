"""A laboratory that starts a guest, says so, and waits to be killed.

Arguments: kind, guest, agent, directory, disk file; optional: settings as JSON, bytes of room for files.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from pathlib import Path

from tests.conformance.conftest import REGISTRY, lab_context
from tests.conformance.conversation import Talk
from virtometer.environments.base import Room
from virtometer.runner.lab.agent import agent_path

if __name__ == "__main__":
    kind, guest_id, agent, directory, disk_file, *more = sys.argv[1:]
    requested, room = (*more, "{}", "0")[:2]
    with lab_context(Path(agent), Path(directory), Path(disk_file)) as lab:
        small = agent_path("i686-linux") if json.loads(requested).get("bits") == 32 else None
        context = dataclasses.replace(lab, room=Room(int(room), 100) if int(room) else None, agent_32=small)
        environment = REGISTRY[kind](context)
        settings = environment.settings_type.model_validate(json.loads(requested))
        environment.prepare(settings)
        guest = environment.start(settings, guest_id)
        Talk(guest).greet()
        print("up", flush=True)
        time.sleep(600)
