"""Docker beside a user's own containers: starts, kills, and what it costs beside runc on one image.

    python -m bench.docker [--starts 50] [--kills 20] [--budget 120] [--steps 20000000]

The daemon is started by the bench, and has a container, an image and a network of a user. Nothing of them may change.
Then a loop is timed in one image, by runc and by Docker. Prints a line for each part. The exit status is 1 where a
start failed, a trial was lost, something was left, or the interval of the ratio does not hold 1 or is wider than 1 % to
a side. Needs root.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.images import build
from bench.kills import KilledLaboratory, commands_plan
from bench.product import interrupted_by_sigterm, virtometer
from bench.provisioning import starts
from tests.environments.own_dockerd import OwnDockerd
from virtometer.analysis.compared.environments import compare_environments
from virtometer.store.ledger import Ledger

_LOOP = "/srv/app/count"
_HALF = 0.01
_PRECISION = "0.7%"  # of each by native: that of their ratio is about 1 % then


def of_user(daemon: OwnDockerd) -> list[str]:
    """What the daemon has: containers with their states, images and networks."""
    lists = (
        ("ps", "--all", "--no-trunc", "--format", "{{.ID}} {{.Names}} {{.State}}"),
        ("images", "--no-trunc", "--format", "{{.ID}} {{.Repository}}"),
        ("network", "ls", "--no-trunc", "--format", "{{.ID}} {{.Name}}"),
    )
    return sorted(line for words in lists for line in daemon.docker(*words).splitlines())


def settled(daemon: OwnDockerd, before: Sequence[str]) -> list[str]:
    """What differs from before, after a while: a daemon removes a killed container a moment later."""
    deadline = time.monotonic() + 10
    while (left := sorted(set(of_user(daemon)) ^ set(before))) and time.monotonic() < deadline:
        time.sleep(0.2)
    return left


def ratio(image: str, steps: int, budget_s: float, out: Path) -> tuple[float, float, float] | None:
    """Performance in Docker by that in runc, and its interval, of typical rounds: by them the campaign ends, too."""
    words = ["time", "--image", image, "--in", "runc,docker", "--budget", f"{budget_s:g}s", "--beside"]
    words += ["--precision", _PRECISION, "--margin", _PRECISION]  # otherwise it ends where both are found equivalent
    ended = virtometer([*words, "--out", str(out), f"{_LOOP} {steps}"])
    if ended.returncode:
        print(ended.stderr[-2000:], file=sys.stderr)
        return None
    with Ledger.open(out) as ledger:
        campaign = ledger.read()
    runc, docker = (
        next(one.name for one in campaign.plan.environments if one.kind == kind) for kind in ("runc", "docker")
    )
    for finding in compare_environments(campaign, runc, docker, _HALF, verdict="typical").findings:
        found = finding.decisive
        if found is not None and found.low is not None and found.high is not None:
            return found.value, found.low, found.high
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Start, kill, time; print a line for each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--starts", type=int, default=50)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--budget", type=float, default=120.0, metavar="S")
    parser.add_argument("--steps", type=int, default=20_000_000, help="of the loop that is timed")
    options = parser.parse_args(arguments)
    interrupted_by_sigterm()
    faults: list[str] = []
    with tempfile.TemporaryDirectory(prefix="virtometer-bench-docker-") as made, OwnDockerd() as daemon:
        work = Path(made)
        os.environ["DOCKER_HOST"] = daemon.address
        layout = work / "layout"
        build(layout, work)
        plain = ["umoci", "config", "--image", f"{layout}:three", "--tag", "plain", "--config.user", "0"]
        subprocess.run([*plain, "--clear", "config.entrypoint", "--clear", "config.cmd"], check=True)
        saved = work / "saved.tar"
        subprocess.run(
            ["skopeo", "copy", "--quiet", f"oci:{layout}:plain", f"docker-archive:{saved}:users:own"], check=True
        )
        daemon.docker("load", "--input", str(saved))
        daemon.docker("run", "--detach", "--network=none", "--name=users-own", "users:own", "sleep", "100000")
        before = of_user(daemon)
        if options.starts:
            took = starts("docker", options.starts)
            left = settled(daemon, before)
            faults += [f"left after starts: {line}" for line in left]
            print(f"{len(took)} starts: median {statistics.median(took):.2f} s, most {max(took):.2f} s, "
                  f"{len(left)} things left", flush=True)  # fmt: skip
        if options.kills:
            folder = work / "kills"
            folder.mkdir()
            outcome = KilledLaboratory(folder, commands_plan(["docker"]), 1, 6.0).run(options.kills)
            left = settled(daemon, before)
            faults += [*outcome.faults, *outcome.left, *(f"left after kills: {line}" for line in left)]
            faults += ["trials measured nothing"] if outcome.idle else []
            print(f"{outcome.kills} kills over {outcome.campaigns} campaigns: {len(outcome.faults)} faults, "
                  f"{len(outcome.left) + len(left)} things left", flush=True)  # fmt: skip
        if options.budget:
            found = ratio(f"{layout}:plain", options.steps, options.budget, work / "ratio")
            if found is None:
                faults.append("no ratio of Docker and runc")
            else:
                value, low, high = found
                half = (high - low) / 2
                print(f"docker / runc on one image: {value:.4f} [{low:.4f}, {high:.4f}], half {half:.2%}", flush=True)
                faults += [] if low <= 1 <= high and half <= _HALF else ["the ratio is not 1 within 1 %"]
    print("\n".join(faults) or "the user's own is as it was")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
