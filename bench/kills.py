"""Kill a laboratory that measures, with SIGKILL at random moments, go on each time, and look at what became of it.

    python -m bench.kills --kills 200 --seed 1
    python -m bench.kills --kills 50 --commands --amid 0.7

With --commands the campaigns are those of `virtometer time`. With --amid this share of the kills come after the first
trial of their laboratory, and the others at any moment since its start. After every kill the ledger is read: every
trial that was in it before must still be there, unchanged. At the end it must hold exactly the trials that were
planned, and nothing of the killed laboratories may be left on the host.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.traces import VARIABLE, Laboratories, traces
from virtometer.errors import LedgerError
from virtometer.model import Campaign, TrialRecord
from virtometer.store.ledger import Ledger

VIRTOMETER = str(Path(sys.executable).with_name("virtometer"))

PLAN = """\
virtometer: 1
control: false
name: kills
baseline: native
environments:
  - {name: native, kind: native}
  - {name: bubblewrap, kind: bubblewrap}
  - {name: runc, kind: runc}
  - {name: user-mode Linux, kind: uml}
unavailable: skip
workloads:
  - {name: system call, workload: os, op: system-call}
  - {name: disk, workload: disk, op: random-read, parameters: {direct: false}}
  - {name: network, workload: net, op: request-response}
blocks: 3
seconds: 0.05
fresh: block
disk_span: 4M
"""

MOMENTS = (
    "before the first trial of the campaign",
    "after a resumption, before its first trial",
    "amid trials, after the first one of this laboratory",
    "after the last trial",
)
_LOOK_S = 0.1
_LONGEST_S = 600.0  # of a laboratory that nobody kills, and of its way to the first trial
_KINDS = ("bubblewrap", "runc", "gvisor", "uml")
_COMMANDS = """\
workloads:
  - name: children
    workload: command
    op: time
    parameters: {command: "sleep 0.01 & sleep 0.02; echo done", shell: true}
  - {name: start, workload: command, op: time, parameters: {command: "true"}}
turns: commands
blocks: 6
seconds: 0.1
fresh: block
"""


def commands_plan(kinds: Sequence[str]) -> str:
    """A plan that times commands natively and in these kinds, over the host's files."""
    lines = ["virtometer: 1", "control: false", "name: kills of commands", "baseline: native", "unavailable: skip"]
    lines += ["environments:", "  - {name: native, kind: native}"]
    lines += [f"  - {{name: {kind}, kind: {kind}, settings: {{root: host}}}}" for kind in kinds]
    return "\n".join(lines) + "\n" + _COMMANDS


@dataclass(slots=True)
class Outcome:
    """What became of the campaigns. `faults`: what was lost, repeated or changed; `left`: what stayed on the host."""

    kills: int = 0
    campaigns: int = 0
    trials: int = 0
    moments: Counter[str] = field(default_factory=Counter)  # how many kills fell into which part of a campaign
    idle: int = 0  # trials in which nothing was measured
    faults: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


class KilledLaboratory:
    """Campaigns of one plan in `folder` (empty, ours alone), killed again and again."""

    def __init__(self, folder: Path, plan: str, seed: int, longest_s: float, amid: float = 0.0) -> None:
        """longest_s: a laboratory is killed at a moment drawn evenly between its start and then.

        amid: in so large a share of cases this time begins with the first trial that the laboratory has recorded.
        """
        self._folder = folder
        self._temporary = folder / "temporary"
        self._temporary.mkdir()
        folder.chmod(0o711)  # below a directory that others cannot enter runsc does not start
        self._plan = folder / "plan.yaml"
        self._plan.write_text(plan)
        self._random = random.Random(seed)
        self._longest_s = longest_s
        self._amid = amid
        self._mark = uuid.uuid4().hex
        self._pids: list[int] = []
        self.outcome = Outcome()

    def run(self, kills: int) -> Outcome:
        """Kill so many times, finish the last campaign, and look at what there is."""
        while self.outcome.kills < kills:
            self._campaign(kills)
        return self.outcome

    def _campaign(self, kills: int) -> None:
        """One campaign from its begin to its end; the kills that are still to do fall into it while it lasts."""
        self.outcome.campaigns += 1
        directory = self._folder / f"campaign-{self.outcome.campaigns}"
        known: dict[int, TrialRecord] = {}
        finished = False
        while not finished:
            limit_s = self._random.uniform(0.0, self._longest_s) if self.outcome.kills < kills else None
            finished = self._laboratory(directory, limit_s, len(known))
            campaign = _read(directory)
            if not finished:
                self.outcome.moments[moment(len(known), campaign)] += 1
            known = self.compare(known, campaign)
            if finished and len(known) != (len(campaign.planned) if campaign else -1):
                self.outcome.faults.append(f"{directory.name}: the laboratory ended without a complete ledger")
            if finished:
                self.outcome.idle += sum(not record.scored for record in known.values())
        self.outcome.trials += len(known)
        self._look_around(directory)

    def _laboratory(self, directory: Path, limit_s: float | None, known: int) -> bool:
        """Begin or resume. Returns True when it came to its end, False when it was killed after `limit_s`.

        known: trials that are in the ledger before.
        """
        amid = limit_s is not None and self._amid > 0 and self._random.random() < self._amid
        verb = ["resume", str(directory), "--beside"] if (directory / "ledger.sqlite").exists() else []
        verb = verb or [
            "run",
            str(self._plan),
            "--beside",
            "--out",
            str(directory),
            "--seed",
            str(self._random.randrange(2**31)),
        ]
        environment = {**os.environ, VARIABLE: self._mark, "TMPDIR": str(self._temporary)}
        with (self._folder / "output").open("wb") as output:
            laboratory = subprocess.Popen(
                [VIRTOMETER, *verb], stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment
            )
            self._pids.append(laboratory.pid)
            try:
                until = time.monotonic() + _LONGEST_S
                while amid and laboratory.poll() is None and _count(directory) <= known and time.monotonic() < until:
                    time.sleep(_LOOK_S)
                status = laboratory.wait(limit_s if limit_s is not None else _LONGEST_S)
            except subprocess.TimeoutExpired:
                laboratory.send_signal(signal.SIGKILL)
                laboratory.wait()
                if limit_s is None:
                    raise RuntimeError(f"{verb[0]} did not end within ten minutes") from None
                self.outcome.kills += 1
                return False
        if status != 0:
            said = (self._folder / "output").read_text(errors="replace")[-2000:]
            raise RuntimeError(f"virtometer {' '.join(verb)} ended with status {status}:\n{said}")
        return True

    def compare(self, known: dict[int, TrialRecord], campaign: Campaign | None) -> dict[int, TrialRecord]:
        """What the ledger holds now. Notes trials that were lost, changed, or never planned."""
        now = {record.trial.index: record for record in campaign.trials} if campaign else {}
        if campaign and len(now) != len(campaign.trials):
            self.outcome.faults.append("a trial is in the ledger twice")
        if campaign and not set(now) <= {trial.index for trial in campaign.planned}:
            self.outcome.faults.append("a trial is in the ledger that was not planned")
        for index, record in known.items():
            if index not in now:
                self.outcome.faults.append(f"trial {index} was lost")
            elif now[index] != record:
                self.outcome.faults.append(f"trial {index} was made again or changed")
        return now

    def _look_around(self, directory: Path) -> None:
        """Everything must be gone; a process that was killed a moment ago may need that moment."""
        laboratories = Laboratories(self._pids, self._mark, [directory, self._temporary])
        for _ in range(20):
            left = traces(laboratories)
            if not left:
                return
            time.sleep(0.1)
        self.outcome.left.extend(f"after {directory.name}: {line}" for line in left)


def _read(directory: Path) -> Campaign | None:
    """The campaign as a reader sees it, or None when it had not begun."""
    if not (directory / "ledger.sqlite").exists():
        return None
    with Ledger.open(directory) as ledger:
        return ledger.read()


def _count(directory: Path) -> int:
    """How many trials the ledger has; 0 where there is none yet, or one that is being made."""
    try:
        if (directory / "ledger.sqlite").exists():
            with Ledger.open(directory) as ledger:
                return len(ledger.finished())
    except LedgerError:
        pass
    return 0


def moment(known: int, campaign: Campaign | None) -> str:
    """Into which part of a campaign a kill fell. known: trials in its ledger before this laboratory; it is read now."""
    if campaign is None or not campaign.trials:
        return MOMENTS[0]
    if len(campaign.trials) >= len(campaign.planned):
        return MOMENTS[3]
    return MOMENTS[2] if len(campaign.trials) > known else MOMENTS[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=None, help="of the moments; a fresh one by default, and printed")
    parser.add_argument("--longest", type=float, default=8.0, help="latest moment of a kill, in s after the start")
    parser.add_argument("--commands", action="store_true", help="campaigns that time commands of the user")
    parser.add_argument(
        "--amid", type=float, default=0.0, metavar="SHARE",
        help="of kills whose time begins with the first trial that their laboratory has recorded: 0 to 1",
    )  # fmt: skip
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(2**31)
    print(f"kills: {arguments.kills} SIGKILLs at random moments (seed {seed}) ...", flush=True)
    with tempfile.TemporaryDirectory(prefix="virtometer-kills-") as folder:
        try:
            plan = commands_plan(_KINDS) if arguments.commands else PLAN
            killed = KilledLaboratory(Path(folder), plan, seed, arguments.longest, arguments.amid)
            outcome = killed.run(arguments.kills)
        except (LedgerError, RuntimeError) as fault:
            print(f"kills: FAILED: {fault}")
            return 1
    print(
        f"kills: {outcome.kills} kills over {outcome.campaigns} campaigns, {outcome.trials} trials in their ledgers, "
        f"{outcome.idle} trials measured nothing"
    )
    for name in MOMENTS:
        print(f"kills: {outcome.moments[name]} kills {name}")
    for line in (*outcome.faults, *outcome.left):
        print(f"kills: {line}")
    sound = not outcome.faults and not outcome.left and not outcome.idle
    print("kills: no trial lost, none twice, nothing left on the host" if sound else "kills: FAILED")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
