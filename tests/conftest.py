"""What all tests share: the agent's binary and a LabContext of which nothing may be left."""

from __future__ import annotations

import gc
import itertools
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.tiers import listed
from virtometer.cache import cache_directory
from virtometer.environments.base import LabContext
from virtometer.environments.leftovers import remove_guest
from virtometer.errors import MissingProgram
from virtometer.host.lock.host_lock import NAME_VARIABLE
from virtometer.host.network.lan import Lan
from virtometer.host.owned.journal import Journal, state_directory
from virtometer.programs import Programs
from virtometer.runner.lab.agent import agent_path

pytest_plugins = ["tests.disturbance", "tests.killed_sessions", "tests.ordinary_user", "tests.sentences"]

# Folders and files whose tests start guests other than native ones or whole campaigns, or take long for other reasons.
LONG = {
    "bench", "conformance", "environments", "host", "hostile", "mutants", "targets", "time_server",
    "installed/test_wheel.py",
    "analysis/stopping/test_rule.py", "analysis/test_known_truth.py", "analysis/test_same_against_same.py",
    "cli/parts/test_encoding.py", "cli/study/test_miniatures.py", "cli/study/test_short_forms.py", "cli/test_main.py",
    "cli/test_noise.py", "cli/test_run.py", "cli/test_time_server.py", "cli/timing/test_verb.py",
    "cli/timing/test_container_options.py",
    "clock/test_line.py", "design/plan/test_validation_messages.py", "house/test_machine_code.py",
    "report/formats/test_html.py", "report/sweeps/test_curves.py",
    "runner/campaign/test_noise.py", "runner/campaign/test_execute.py", "runner/execution/test_executor.py",
    "runner/execution/test_growing.py", "runner/execution/test_turns.py", "runner/test_again.py",
    "runner/test_channels.py", "runner/test_clocks.py", "runner/test_commands.py",
    "runner/test_image_kills.py", "runner/test_kills.py", "runner/test_left_tuned.py", "runner/test_other_users.py",
    "runner/test_stalls.py", "runner/test_tools_in_guests.py",
    "store/test_crash.py", "store/test_damage.py", "store/test_database.py", "store/test_disk.py", "test_programs.py",
}  # fmt: skip

# These have the tests that take longest. They begin first: a process that begins one late is alone with it at the end.
FIRST = {
    "hostile/test_hostile.py", "cli/study/test_miniatures.py", "cli/test_run.py", "cli/timing/test_verb.py",
    "cli/timing/test_traps.py", "cli/timing/test_image_option.py", "cli/timing/test_container_options.py",
    "runner/test_kills.py", "runner/execution/test_turns.py", "report/test_browser.py",
}  # fmt: skip

# One expression: a process of tests would otherwise match a million times.
SLOW = re.compile(
    "|".join(
        f"(?:{line})"
        for line in Path(__file__).with_name("slow.txt").read_text().splitlines()
        if line and not line.startswith("#")
    )
)

# Names that `make test-more` runs.
SECONDS = frozenset(listed(Path(__file__).with_name("seconds.txt").read_text()))

_NUMBERS = itertools.count(1)


# A busy host makes an example late: that is no fault of what is tested.
settings.register_profile(
    "any host",
    deadline=None,
    max_examples=100 if "VIRTOMETER_THOROUGH" in os.environ else 40,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("any host")

# Of its own for each process that runs tests, also where one has inherited the name of another.
os.environ[NAME_VARIABLE] = f"tests-{os.getpid()}"


def is_long(config: pytest.Config, path: Path) -> bool:
    """Whether LONG has this file of tests or its folder."""
    within = path.relative_to(config.rootpath / "tests")
    return bool({within.parts[0], within.as_posix()} & LONG)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out before they are imported the files that `make test-fast` leaves out."""
    left_out = "not long" in config.getoption("markexpr") and collection_path.suffix == ".py"
    return True if left_out and is_long(config, collection_path) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what `make test-fast`, `make test` and `make test-more` leave out, and begin with what takes longest."""
    items.sort(key=lambda item: item.path.relative_to(config.rootpath / "tests").as_posix() not in FIRST)
    for item in items:
        if is_long(config, item.path):
            item.add_marker(pytest.mark.long)
        name = item.nodeid.removeprefix("tests/")
        if SLOW.match(name):
            item.add_marker(pytest.mark.slow)
        elif name in SECONDS or name.partition("[")[0] in SECONDS:
            item.add_marker(pytest.mark.seconds)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage while thousands of tests are collected: that takes a third of the time and finds little."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over the tests themselves: there are thousands, and they live to the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def agent() -> Path:
    """The built agent. A checkout without one is not set up: that is a failure, not a skip."""
    try:
        return agent_path()
    except MissingProgram as cause:
        pytest.fail(f"{cause.sentence}: {cause.advice}")


@pytest.fixture
def new_id() -> Callable[[], str]:
    """Names for guests that no other test on this host uses."""
    return lambda: f"t{os.getpid()}-{next(_NUMBERS)}"


@pytest.fixture
def own_lock(monkeypatch: pytest.MonkeyPatch, new_id: Callable[[], str]) -> Iterator[None]:
    """Another name for the host's lock than that of all other tests. The files of killed holders are removed."""
    name = new_id()
    monkeypatch.setenv(NAME_VARIABLE, name)
    yield
    for path in state_directory().glob(f"{name}.*"):
        path.unlink()


@pytest.fixture
def lab(agent: Path, tmp_path: Path) -> Iterator[LabContext]:
    """A LabContext without a disk file, with a journal of its own and the user's image cache."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    cache = cache_directory()
    cache.mkdir(parents=True, exist_ok=True)
    programs, journal = Programs(), Journal(tmp_path / "state")
    one = LabContext(agent, cache, scratch, None, journal, programs, Lan(journal, programs))
    yield one
    one.close()
    nothing_is_left(one)


def nothing_is_left(lab: LabContext) -> None:
    """Fail when a guest of this laboratory is left, and remove it: one failed test must not disturb the next."""
    directory = lab.journal.directory
    left = [*lab.scratch.iterdir(), *(directory.iterdir() if directory.exists() else ())]
    for path in directory.glob("*.json"):
        entry = lab.journal.read(path)
        if entry is not None:
            remove_guest(path, entry, lab.programs)
    assert left == []
