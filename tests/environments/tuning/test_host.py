"""Tuning of the host is undone: at the end, after a step that failed, and by the next laboratory after SIGKILL."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sentences import Said
from virtometer.environments.leftovers import remove_leftovers, tunings_left
from virtometer.environments.tuning import host as host_tuning
from virtometer.environments.tuning.host import HostTuning
from virtometer.environments.tuning.sysfs_settings import read_setting
from virtometer.errors import EnvironmentFailed, HostLeftTuned, MissingProgram
from virtometer.host.owned.journal import Journal
from virtometer.model import HostTuningEvent, TuningState, TuningStep
from virtometer.programs import Programs

SETTING = Path("/proc/sys/fs/lease-break-time")
HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
SCANS = Path("/sys/kernel/mm/transparent_hugepage/khugepaged/pages_to_scan")
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


@pytest.fixture
def files() -> Iterator[dict[str, str]]:
    """Two files below /sys and others than their values; put back whatever happens."""
    if not HUGE_PAGES.exists() or not SCANS.exists():
        pytest.skip("the kernel of this host has no transparent huge pages")
    before = {HUGE_PAGES: read_setting(str(HUGE_PAGES)), SCANS: read_setting(str(SCANS))}
    other = "never" if before[HUGE_PAGES] == "madvise" else "madvise"
    yield {str(HUGE_PAGES): other, str(SCANS): str(int(before[SCANS]) + 1)}
    for path, value in before.items():
        path.write_text(value)


def values(paths: Iterable[str]) -> dict[str, str]:
    return {path: read_setting(path) for path in paths}


def files_step(files: dict[str, str]) -> TuningStep:
    return TuningStep(where="host", sysfs=dict(files.items()))


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


@needs_root
def test_files_below_sys_are_set_recorded_and_put_back(journal: Journal, files: dict[str, str]) -> None:
    before = values(files)
    tuning = HostTuning(journal, Programs())
    tuning.apply([files_step(files)])
    assert values(files) == files
    assert tuning.records == [
        {"where": "host", "what": path, "before": before[path], "after": value} for path, value in files.items()
    ]
    tuning.undo()
    assert values(files) == before
    assert list(journal.directory.iterdir()) == []


@needs_root
def test_a_value_that_a_file_refuses_undoes_the_steps_before_it(
    journal: Journal, files: dict[str, str], said: Said
) -> None:
    before = values(files)
    tuning = HostTuning(journal, Programs())
    wrong = TuningStep(where="host", sysfs={str(HUGE_PAGES): "perhaps"})
    with pytest.raises(EnvironmentFailed, match=str(HUGE_PAGES)) as caught:
        tuning.apply([files_step(files), wrong])
    said(caught.value.sentence)
    assert values(files) == before
    assert list(journal.directory.iterdir()) == []


@needs_root
def test_a_value_that_is_not_what_the_kernel_took_is_refused(
    journal: Journal, files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = values(files)
    of_files = replace(host_tuning.OF_FILES, write=lambda path, value: None)  # the kernel leaves it as it was
    monkeypatch.setattr(host_tuning, "OF_FILES", of_files)
    with pytest.raises(EnvironmentFailed, match=r"enabled is \w+ after it was set to"):
        HostTuning(journal, Programs()).apply([files_step(files)])
    assert values(files) == before


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
    with pytest.raises(EnvironmentFailed, match="no/such of the host cannot be set: No such"):
        tuning.apply([TuningStep(where="host", sysctl={"no.such": 1})])


def test_what_cannot_be_undone_stays_in_the_journal(journal: Journal, tmp_path: Path) -> None:
    tuning = HostTuning(journal, Programs())
    tuning.apply([touching(tmp_path / "made")])
    (tmp_path / "made").unlink()
    with pytest.raises(HostLeftTuned, match=r"could not be undone.*: '.*rm"):
        tuning.undo()
    assert [one["resource"] for path in journal.directory.iterdir() for one in journal.resources(path.stem)] == [
        "tuning"
    ]


_KILLED = """
import json, sys, time
from pathlib import Path
from virtometer.environments.tuning.host import HostTuning
from virtometer.host.owned.journal import Journal
from virtometer.model import TuningStep
from virtometer.programs import Programs
for steps in sys.argv[2:]:
    tuning = HostTuning(Journal(Path(sys.argv[1])), Programs())
    tuning.apply([TuningStep.model_validate(one) for one in json.loads(steps)])
print("tuned", flush=True)
time.sleep(600)
"""


def killed(journal: Journal, *groups: Sequence[TuningStep]) -> None:
    """A laboratory tunes the host and is killed. Each group of steps is one tuning."""
    given = [json.dumps([one.model_dump(mode="json") for one in steps]) for steps in groups]
    words = [sys.executable, "-c", _KILLED, str(journal.directory), *given]
    laboratory = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert laboratory.stdout is not None
    assert laboratory.stdout.readline() == b"tuned\n"
    assert remove_leftovers(journal, Programs()) == []  # it lives
    laboratory.send_signal(signal.SIGKILL)
    laboratory.wait()
    laboratory.stdout.close()


@needs_root
def test_the_next_laboratory_undoes_what_a_killed_one_did(journal: Journal, setting: str, tmp_path: Path) -> None:
    other = str(int(setting) + 9)
    steps = [TuningStep(where="host", sysctl={"fs.lease-break-time": other}), touching(tmp_path / "made")]
    killed(journal, steps)
    assert SETTING.read_text().strip() == other
    (sentence,) = remove_leftovers(journal, Programs())
    assert f"sysctl fs.lease-break-time, which is {setting} again" in sentence
    assert "undone by 'rm" in sentence
    assert SETTING.read_text().strip() == setting
    assert not (tmp_path / "made").exists()
    assert remove_leftovers(journal, Programs()) == []


@needs_root
def test_the_next_laboratory_puts_files_below_sys_back(journal: Journal, files: dict[str, str]) -> None:
    before = values(files)
    killed(journal, [files_step(files)])
    assert values(files) == files
    (sentence,) = remove_leftovers(journal, Programs())
    for path, value in before.items():
        assert f"{path}, which is {value} again" in sentence
    assert values(files) == before
    assert list(journal.directory.iterdir()) == []


@needs_root
def test_what_was_set_twice_has_its_first_value_after_a_kill(journal: Journal, setting: str) -> None:
    """By steps of the whole plan and of an environment, each of which may name a setting more than once."""
    first, second, third = (str(int(setting) + more) for more in (3, 5, 7))
    steps = [TuningStep(where="host", sysctl={"fs.lease-break-time": one}) for one in (first, second, third)]
    killed(journal, steps[:2], steps[2:])
    assert SETTING.read_text().strip() == third
    assert len(remove_leftovers(journal, Programs())) == 2
    assert SETTING.read_text().strip() == setting


FORMS = [
    ({"vm.dirty_background_bytes": 67108864}, ("vm/dirty_background_bytes", "vm/dirty_background_ratio")),
    ({"vm.overcommit_kbytes": 1000000}, ("vm/overcommit_kbytes", "vm/overcommit_ratio")),
]


@pytest.fixture
def forms() -> Iterator[None]:
    """Settings of which two are one in two forms; put back whatever happens."""
    names = [name for _, pair in FORMS for name in pair]
    before = {name: Path("/proc/sys", name).read_text() for name in names}
    yield
    for name in names:
        if before[name] != "0\n" and Path("/proc/sys", name).read_text() != before[name]:
            Path("/proc/sys", name).write_text(before[name])


def kernel(names: Iterable[str]) -> dict[str, str]:
    return {name: Path("/proc/sys", name).read_text().strip() for name in names}


@needs_root
@pytest.mark.usefixtures("forms")
@pytest.mark.parametrize(("sysctl", "pair"), FORMS)
def test_the_other_form_of_a_setting_is_recorded_and_put_back(
    journal: Journal, sysctl: dict[str, str | int], pair: tuple[str, str]
) -> None:
    before = kernel(pair)
    tuning = HostTuning(journal, Programs())
    step = TuningStep(where="host", sysctl=sysctl)
    tuning.apply([step])
    set_to, other = (f"sysctl {name.replace('/', '.')}" for name in pair)
    assert [(one["what"], one["before"], one["after"]) for one in tuning.records] == [
        (set_to, before[pair[0]], str(*sysctl.values())),
        (f"{other}, by {set_to}", before[pair[1]], "0"),
    ]
    tuning.undo()
    assert kernel(pair) == before
    killed(journal, [step])
    assert kernel(pair) != before
    (sentence,) = remove_leftovers(journal, Programs())
    assert f"{other}, which is {before[pair[1]]} again" in sentence
    assert kernel(pair) == before
    assert list(journal.directory.iterdir()) == []


_FORWARDS = """
import json, sys
from pathlib import Path
from virtometer.environments.tuning.host import HostTuning
from virtometer.host.owned.journal import Journal
from virtometer.model import TuningStep
from virtometer.programs import Programs
names = ["ip_forward", "conf/all/forwarding", "conf/default/forwarding", "conf/lo/forwarding"]
def values():
    return [Path("/proc/sys/net/ipv4", name).read_text().strip() for name in names]
Path("/proc/sys/net/ipv4/conf/lo/forwarding").write_text("1")
tuning = HostTuning(Journal(Path(sys.argv[1])), Programs())
seen, told = [values()], []
for value in (1, 0):
    tuning.apply([TuningStep(where="host", sysctl={"net.ipv4.ip_forward": value})])
    seen.append(values())
    told += [one["what"] for one in tuning.records]
    tuning.undo()
    seen.append(values())
print(json.dumps([seen, told]))
"""


@needs_root
def test_settings_that_nobody_knew_to_change_with_one_are_found_and_put_back(journal: Journal) -> None:
    """In a network namespace of its own: forwarding of all interfaces changes with the setting of the whole."""
    words = ["unshare", "--net", sys.executable, "-c", _FORWARDS, str(journal.directory)]
    made = subprocess.run(words, capture_output=True, text=True, check=True)
    (before, on, after, off, again), told = json.loads(made.stdout)
    assert before == after == again == ["0", "0", "0", "1"]
    assert (on, off) == (["1", "1", "1", "1"], ["0", "0", "0", "1"])
    step = "sysctl net.ipv4.ip_forward"
    assert f"sysctl net.ipv4.conf.all.forwarding, by {step}" in told
    assert list(journal.directory.iterdir()) == []


def test_what_happens_to_a_tuning_is_reported_before_and_after(journal: Journal, tmp_path: Path) -> None:
    events: list[HostTuningEvent] = []
    seen: list[bool] = []

    def tell(event: HostTuningEvent) -> None:
        events.append(event)
        seen.append((tmp_path / "made").exists())

    tuning = HostTuning(journal, Programs(), tell)
    tuning.apply([])
    tuning.undo()
    assert events == []
    tuning.apply([touching(tmp_path / "made")])
    tuning.undo()
    assert [(event.state, event.what) for event in events] == [
        (TuningState.IN_FORCE, f"touch {tmp_path / 'made'}"),
        (TuningState.UNDONE, f"touch {tmp_path / 'made'}"),
    ]
    assert seen == [False, False], "told before it is done, and after it is undone"
    tuning.apply([touching(tmp_path / "made")])
    (tmp_path / "made").unlink()
    with pytest.raises(HostLeftTuned):
        tuning.undo()
    assert events[-1].state is TuningState.LEFT and "rm" in events[-1].what
    assert len({event.tuning for event in events}) == 1


def test_a_step_that_fails_after_one_that_cannot_be_undone_says_that_the_host_is_left(
    journal: Journal, tmp_path: Path
) -> None:
    lasting = TuningStep(where="host", run=f"touch {tmp_path / 'made'}", undo="false")
    failing = TuningStep(where="host", run="false", undo="true")
    with pytest.raises(HostLeftTuned, match="'false' ended with status 1"):
        HostTuning(journal, Programs()).apply([lasting, failing])
    assert list(tunings_left(journal).values()) == ["'false' was to be run; 'true' was to be run"]


def test_what_no_clean_up_can_undo_is_known_until_it_is_put_back(journal: Journal, tmp_path: Path) -> None:
    undo = f"rm {tmp_path / 'made'}"
    killed(journal, [touching(tmp_path / "made")])
    (tmp_path / "made").unlink()
    for _ in range(2):
        (sentence,) = remove_leftovers(journal, Programs())
        assert "could not be removed completely" in sentence
        assert list(tunings_left(journal).values()) == [f"'{undo}' was to be run"]
    (tmp_path / "made").touch()
    assert len(remove_leftovers(journal, Programs())) == 1
    assert tunings_left(journal) == {}
