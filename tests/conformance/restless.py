"""A laboratory that starts and stops guests of one kind without end, until it is killed.

Arguments: kind, prefix of the guests' names, agent, directory, disk file, settings as JSON.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

from tests.conformance.conftest import REGISTRY, lab_context

if __name__ == "__main__":
    kind, prefix, agent, directory, disk_file, given = sys.argv[1:]
    with lab_context(Path(agent), Path(directory), Path(disk_file)) as lab:
        environment = REGISTRY[kind](lab)
        settings = environment.settings_type.model_validate_json(given)
        environment.prepare(settings)
        for number in itertools.count():
            guest = environment.start(settings, f"{prefix}-{number}")
            if number == 0:
                print("up", flush=True)
            guest.stop()
            if number % 3 == 2:
                lab.close()
