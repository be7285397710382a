"""An agent that does more work than it reports: a slowdown whose size is known.

    python -m bench.slower_agent

Builds it and prints its path. It is made from the sources by one replaced text, as the mutants are, in a target folder
of its own: the released agent knows nothing of it. The variable EXTRA of its environment is the part that is added:
with 0.05 each iteration of 100 repeats has 105 of them, and reports the work of 100. What is left of a repeat is
rounded up or down at random, so that the sum is right. With the variable PLACEBO it finds out how much to add in the
same way, and adds nothing: what the patch itself does.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from mutants.listing import Mutant, stale
from mutants.processes import execute
from mutants.workspace import BUILD_LIMIT_S, Workspace, WorkspaceError
from virtometer.runner.lab.agent import agent_path

ROOT = Path(__file__).parents[1]
EXTRA = "VIRTOMETER_UNREPORTED"
PLACEBO = "VIRTOMETER_PLACEBO"

PATCH = Mutant(
    kernel="sampling",
    name="unreported-work",
    wrong="Each iteration does more work than it reports.",
    file="agent/sampling/src/thread_group.rs",
    old="""\
                worker.setup(repeats)?;
                mode.enter(control);
                let began_ns = mode.begin(control);
                let stretch = worker.run(repeats);
                mode.leave(control);
                mode.yield_cpu();
                Ok((stretch?.beginning_at(began_ns), worker.verify()?))
""",
    new=f"""\
                let part = std::env::var("{EXTRA}").ok().and_then(|one| one.parse::<f64>().ok()).unwrap_or(0.0);
                let dice = crate::now_ns().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
                let extra = (repeats as f64 * part + dice as f64 / 4_294_967_296.0).floor() as u64;
                let adds = part > 0.0 && std::env::var_os("{PLACEBO}").is_none();
                let done = repeats + if adds {{ extra }} else {{ 0 }};
                worker.setup(done)?;
                mode.enter(control);
                let began_ns = mode.begin(control);
                let stretch = worker.run(done);
                mode.leave(control);
                mode.yield_cpu();
                let mut stretch = stretch?;
                stretch.work = (u128::from(stretch.work) * u128::from(repeats) / u128::from(done)) as u64;
                Ok((stretch.beginning_at(began_ns), worker.verify()?))
""",
    run=(),
    tests=(),
    kernel_tests=(),
)


def build(checkout: Path = ROOT) -> Path:
    """The agent, built if the sources have changed since the last time. Raises WorkspaceError."""
    if reason := stale(PATCH, checkout):
        raise WorkspaceError(f"the slower agent cannot be made: {reason}")
    folder = checkout / ".build" / "slower"
    target = agent_path().parent.parent.name
    agent = folder / "target" / target / "release" / "virtometer-agent"
    made_of = folder / "made-of"
    digest = _digest(checkout, target)
    if agent.is_file() and made_of.is_file() and made_of.read_text() == digest:
        return agent
    with Workspace(checkout, folder) as workspace, workspace.mutated(PATCH):
        flags = "" if target.endswith("musl") else " -C target-feature=+crt-static"
        environment = {
            **os.environ,
            "CARGO_TARGET_DIR": str(folder / "target"),
            "RUSTFLAGS": os.environ.get("RUSTFLAGS", "") + flags,
        }
        argv = ["cargo", "build", "--release", "--locked", "--package", "virtometer-agent", "--target", target]
        ended = execute(argv, workspace.sources, environment, BUILD_LIMIT_S)
        if ended.status != 0:
            raise WorkspaceError(f"the slower agent cannot be built: {ended.output[-2000:]}")
    made_of.write_text(digest)
    return agent


def _digest(checkout: Path, target: str) -> str:
    """Of all that the agent is made of."""
    found = hashlib.sha256(f"{target}\n{PATCH.new}".encode())
    files = [checkout / "Cargo.lock", checkout / "Cargo.toml", checkout / "rust-toolchain.toml"]
    for suffix in ("rs", "toml"):
        files += (checkout / "agent").rglob(f"*.{suffix}")
    for path in sorted(files):
        found.update(str(path.relative_to(checkout)).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


if __name__ == "__main__":
    try:
        print(build())
    except WorkspaceError as fault:
        print(f"slower agent: {fault}", file=sys.stderr)
        sys.exit(1)
