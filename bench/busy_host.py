"""False claims beside busy programs: a host that is shared must make no guest slower or faster than another.

    python -m bench.busy_host [--campaigns 10] [--blocks 12] [--only CONDITION]

Whole campaigns of native, native with a limit of memory, bubblewrap and runc, beside programs that are always busy:

    loops       two busy loops, each of a session of its own
    nice        the same two, which yield to others (nice 10)
    container   a container of runc that computes in two threads
    memory-disk a program that moves arrays through memory, and a program that writes files to the disk

A container and a sandbox of the same kernel compute and call the system as fast as the host does: `slower` and `faster`
of runc and bubblewrap are false claims, `equivalent` is right. At most 4 in 80 comparisons may be false. Each campaign
is one row, printed at its end: its verdicts, and in parentheses what they are without the rule for busy hosts
(`rules: {max_disturbed_share: 1}`). All programs are ended by their own ids, also after Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bench.campaigns import plan_of, run, share_text
from virtometer.analysis import analyse
from virtometer.model import Campaign, Estimate, Finding, Verdict
from virtometer.programs import Words
from virtometer.runner.lab.agent import agent_path

PLAN = """
virtometer: 1
name: scheduling groups beside busy programs
baseline: native
environments:
  - {{name: native, kind: native}}
  - {{name: native in a cgroup, kind: native, settings: {{memory: 4G}}}}
  - {{name: bubblewrap, kind: bubblewrap}}
  - {{name: runc, kind: runc}}
workloads:
  - {{name: system call, workload: os, op: system-call}}
  - {{name: linpack, workload: linpack, op: classic, parameters: {{size: 100}}}}
blocks: {blocks}
seconds: 0.25
slice_s: 0.008
verdict: typical
fresh: block
"""
SUBJECTS = ("runc", "bubblewrap")
FALSE_CLAIMS = 4 / 80
_CLAIMS = (Verdict.SLOWER, Verdict.FASTER)
_LONG_S = "86400"
_LOOP = ("sh", "-c", "while :; do :; done")


@contextmanager
def program(*argv: str | Path) -> Iterator[subprocess.Popen[bytes]]:
    """A program of a session of its own that runs while the context is open."""
    process = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield process
        if process.poll() is not None:
            raise RuntimeError(f"{argv[0]} ended early, with status {process.returncode}: the host was not busy")
    finally:
        process.kill()
        process.wait()


@contextmanager
def loops(nice: int = 0) -> Iterator[None]:
    """Two busy loops."""
    argv = ("nice", "-n", str(nice), *_LOOP)
    with program(*argv), program(*argv):
        yield


@contextmanager
def container() -> Iterator[None]:
    """A container that computes in two threads, in cgroups of the usual weight."""
    runc = shutil.which("runc")
    if runc is None:
        raise FileNotFoundError("runc is not installed")
    with tempfile.TemporaryDirectory(prefix="virtometer-") as folder:
        bundle, name = Path(folder), f"busy-{Path(folder).name}"
        for directory in ("root/proc", "state"):
            (bundle / directory).mkdir(parents=True)
        shutil.copy(agent_path(), bundle / "root" / "agent")
        (bundle / "config.json").write_text(json.dumps(_configuration(name)))
        call: Words = [runc, "--root", bundle / "state"]
        try:
            with program(*call, "run", "--bundle", bundle, name):
                yield
        finally:
            subprocess.run([*call, "delete", "--force", name], capture_output=True, check=False)


def _configuration(name: str) -> dict[str, object]:
    """As config.json of the runtime specification."""
    words = ["/agent", "measure", "linpack", "--size", "200", "--threads", "2", "--seconds", _LONG_S]
    return {
        "ociVersion": "1.0.2",
        "process": {"user": {"uid": 0, "gid": 0}, "args": words, "cwd": "/", "env": []},
        "root": {"path": "root", "readonly": True},
        "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"}],
        "linux": {"namespaces": [{"type": one} for one in ("pid", "ipc", "mount")], "cgroupsPath": f"/{name}"},
    }


@contextmanager
def memory_and_disk() -> Iterator[None]:
    """A program that moves arrays beyond the caches, and one that writes a file again and again, each time synced."""
    measure = (agent_path(), "measure")
    with tempfile.TemporaryDirectory(prefix="virtometer-") as folder, ExitStack() as running:
        running.enter_context(program(*measure, "memory", "--op", "triad", "--seconds", _LONG_S))
        words = ("--file", Path(folder) / "file", "--span", "256M", "--size", "1M", "--sync", "end")
        running.enter_context(program(*measure, "disk", "--op", "write", *words, "--seconds", _LONG_S))
        yield


CONDITIONS: dict[str, Callable[[], AbstractContextManager[None]]] = {
    "loops": loops,
    "nice": lambda: loops(10),
    "container": container,
    "memory-disk": memory_and_disk,
}


@dataclass(frozen=True)
class Row:
    """The comparisons of one campaign: as they are concluded, and without the rule for busy hosts."""

    concluded: tuple[Finding, ...]
    without_rule: tuple[Finding, ...]

    def text(self) -> str:
        """Each comparison with its ratio and both verdicts."""
        pairs = zip(self.concluded, self.without_rule, strict=True)
        return "; ".join(
            f"{one.subject} {one.workload} {_ratio(one.decisive)} {one.verdict.value} ({other.verdict.value})"
            for one, other in pairs
        )


def row_of(campaign: Campaign) -> Row:
    """The comparisons of the subjects, whose true ratio is 1."""
    rules = campaign.plan.rules.model_copy(update={"max_disturbed_share": 1.0})
    without_rule = replace(campaign, plan=campaign.plan.model_copy(update={"rules": rules}))
    return Row(_subjects(campaign), _subjects(without_rule))


def _subjects(campaign: Campaign) -> tuple[Finding, ...]:
    return tuple(one for one in analyse(campaign).findings if one.subject in SUBJECTS)


def _ratio(estimate: Estimate | None) -> str:
    if estimate is None:
        return "no ratio"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def counts(findings: Sequence[Finding]) -> Counter[str]:
    """Comparisons by what became of them."""
    found = Counter({"comparisons": len(findings)})
    for one in findings:
        found["false"] += one.verdict in _CLAIMS
        found["right"] += one.verdict is Verdict.EQUIVALENT
    return found


def summary(rows: Sequence[Row]) -> str:
    """One line: false claims and right ones, with the rule and without it."""

    def words(findings: Sequence[Finding]) -> str:
        found = counts(findings)
        wrong, right, n = found["false"], found["right"], found["comparisons"]
        return f"false claims in {share_text(wrong, n)}, equivalent in {share_text(right, n)}"

    concluded = [one for row in rows for one in row.concluded]
    without_rule = [one for row in rows for one in row.without_rule]
    return f"{words(concluded)}; without the rule for busy hosts {words(without_rule)}"


def sound(rows: Sequence[Row]) -> bool:
    """Whether there are no more false claims than allowed, of what could be claimed at all."""
    found = counts([one for row in rows for one in row.concluded])
    return found["comparisons"] > 0 and found["false"] <= FALSE_CLAIMS * found["comparisons"]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--campaigns", type=int, default=10, help="campaigns beside each condition")
    parser.add_argument("--blocks", type=int, default=12)
    parser.add_argument("--only", choices=list(CONDITIONS), help="beside this condition alone")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the contexts end what they started
    text = PLAN.format(blocks=arguments.blocks)
    everything: list[Row] = []
    try:
        for name in [arguments.only] if arguments.only else CONDITIONS:
            rows: list[Row] = []
            for number in range(1, arguments.campaigns + 1):
                try:
                    with CONDITIONS[name]():
                        rows.append(row_of(run(plan_of(text), number, text).campaign))
                except FileNotFoundError as cause:
                    print(f"{name}: left out, because {cause}", flush=True)
                    break
                everything.append(rows[-1])
                print(f"{name} {number}: {rows[-1].text()}", flush=True)
            print(f"{name}: {summary(rows)}", flush=True)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    print(f"all: {summary(everything)}", flush=True)
    return 0 if sound(everything) else 1


if __name__ == "__main__":
    sys.exit(main())
