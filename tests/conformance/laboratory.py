"""A laboratory that starts a guest, says so, and waits to be killed.

Arguments: kind, guest, agent, directory, disk file.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tests.conformance.conftest import REGISTRY, lab_context
from tests.conformance.conversation import Talk

if __name__ == "__main__":
    kind, guest_id, agent, directory, disk_file = sys.argv[1:]
    with lab_context(Path(agent), Path(directory), Path(disk_file)) as lab:
        environment = REGISTRY[kind](lab)
        settings = environment.settings_type()
        environment.prepare(settings)
        guest = environment.start(settings, guest_id)
        Talk(guest).greet()
        print("up", flush=True)
        time.sleep(600)
