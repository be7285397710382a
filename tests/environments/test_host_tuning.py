"""Tuning of the host is undone: at the end, after a step that failed, and by the next laboratory after SIGKILL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from virtometer.environments.host_tuning import HostTuning
from virtometer.environments.journal import Journal
from virtometer.environments.sweep import sweep
from virtometer.errors import EnvironmentFailed, MissingProgram
from virtometer.model import TuningStep
from virtometer.programs import Programs

SETTING = Path("/proc/sys/fs/lease-break-time")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="settings of the host's kernel need root")


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state")


@pytest.fixture
def setting() -> Iterator[str]:
    """A setting that nobody on this host depends on; put back whatever happens."""
    before = SETTING.read_text()
    yield before.strip()
    SETTING.write_text(before)


def touching(path: Path) -> TuningStep:
    return TuningStep(where="host", run=f"touch {path}", undo=f"rm {path}")


@needs_root
def test_all_steps_are_done_recorded_and_undone(journal: Journal, setting: str, tmp_path: Path) -> None:
    tuning = HostTuning(journal, Programs())
    other = str(int(setting) + 7)
    tuning.apply([TuningStep(where="host", sysctl={"fs.lease-break-time": other}), touching(tmp_path / "made")])
    assert SETTING.read_text().strip() == other
    assert (tmp_path / "made").exists()
    assert tuning.records == [
        {"where": "host", "what": "sysctl fs.lease-break-time", "before": setting, "after": other},
        {"where": "host", "what": f"touch {tmp_path / 'made'}", "status": 0, "output": ""},
    ]
    tuning.undo()
    tuning.undo()
    assert SETTING.read_text().strip() == setting
    assert not (tmp_path / "made").exists()
    assert list(journal.directory.iterdir()) == []


def test_a_step_that_fails_is_one_sentence_and_undoes_those_before_it(journal: Journal, tmp_path: Path) -> None:
    tuning = HostTuning(journal, Programs())
    failing = TuningStep(where="host", run="sh -c 'echo no such thing >&2; exit 3'", undo=f"touch {tmp_path / 'half'}")
    with pytest.raises(EnvironmentFailed, match=r"on the host: .* ended with status 3: no such thing"):
        tuning.apply([touching(tmp_path / "made"), failing])
    assert not (tmp_path / "made").exists()
    assert (tmp_path / "half").exists()  # what may be half done is undone as well
    assert tuning.records == []
    assert list(journal.directory.iterdir()) == []


def test_a_program_that_is_missing_and_a_setting_that_does_not_exist(journal: Journal) -> None:
    tuning = HostTuning(journal, Programs())
    with pytest.raises(MissingProgram, match="no-such-program"):
        tuning.apply([TuningStep(where="host", run="no-such-program", undo="true")])
    with pytest.raises(EnvironmentFailed, match="kernel setting no/such of the host cannot be set: No such file"):
        tuning.apply([TuningStep(where="host", sysctl={"no.such": 1})])


def test_what_cannot_be_undone_stays_in_the_journal(journal: Journal, tmp_path: Path) -> None:
    tuning = HostTuning(journal, Programs())
    tuning.apply([touching(tmp_path / "made")])
    (tmp_path / "made").unlink()
    with pytest.raises(EnvironmentFailed, match=r"could not be undone: .*rm"):
        tuning.undo()
    assert [one["resource"] for path in journal.directory.iterdir() for one in journal.resources(path.stem)] == [
        "tuning"
    ]


_KILLED = """
import sys, time
from pathlib import Path
from virtometer.environments.host_tuning import HostTuning
from virtometer.environments.journal import Journal
from virtometer.model import TuningStep
from virtometer.programs import Programs
steps = [TuningStep.model_validate_json(one) for one in sys.argv[2:]]
HostTuning(Journal(Path(sys.argv[1])), Programs()).apply(steps)
print("tuned", flush=True)
time.sleep(600)
"""


@needs_root
def test_the_next_laboratory_undoes_what_a_killed_one_did(journal: Journal, setting: str, tmp_path: Path) -> None:
    other = str(int(setting) + 9)
    steps = [TuningStep(where="host", sysctl={"fs.lease-break-time": other}), touching(tmp_path / "made")]
    words = [sys.executable, "-c", _KILLED, str(journal.directory), *(one.model_dump_json() for one in steps)]
    laboratory = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert laboratory.stdout is not None
    assert laboratory.stdout.readline() == b"tuned\n"
    assert sweep(journal, Programs()) == []  # it lives
    laboratory.send_signal(signal.SIGKILL)
    laboratory.wait()
    laboratory.stdout.close()
    assert SETTING.read_text().strip() == other
    (sentence,) = sweep(journal, Programs())
    assert f"kernel setting fs/lease-break-time, which is {setting} again" in sentence
    assert "undone by 'rm" in sentence
    assert SETTING.read_text().strip() == setting
    assert not (tmp_path / "made").exists()
    assert sweep(journal, Programs()) == []
