"""The setup scripts, run for real in a folder of their own, with an apt-get that only writes down what it was asked."""

import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import FIRST, LONG, pytest_ignore_collect
from tests.house.tracked import ROOT
from tests.waiting import wait_until
from virtometer.environments.registry import KINDS
from virtometer.workloads.registry import WORKLOADS

PLAIN_PROGRAMS = (
    *("awk", "bash", "cc", "cut", "dirname", "env", "grep", "head", "mkdir", "rm"),
    *("rmdir", "sed", "sh", "sort", "tail", "uname"),
)


@dataclass
class House:
    """A copy of the setup scripts with stand-ins for the programs that would change the machine."""

    root: Path

    def stand_in(self, name: str, script: str) -> None:
        program = self.root / "programs" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    def run(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PATH": f"{self.root / 'programs'}:{os.environ['PATH']}"}
        argv = ["bash", str(self.root / "setup" / script), *arguments]
        return subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)

    def asked(self) -> list[str]:
        record = self.root / "asked"
        return record.read_text().splitlines() if record.exists() else []


SERVICES = ("tgt", "tgt.service", "libtgt", "ssh.service")


@pytest.fixture
def house(tmp_path: Path) -> House:
    shutil.copytree(ROOT / "setup", tmp_path / "setup")
    table = (
        "# package program what\npresent sh everything\nxyz-one no-such-one the first\nxyz-two no-such-two the second\n"
    )
    (tmp_path / "setup" / "packages.txt").write_text(table)
    made = House(tmp_path)
    made.stand_in("apt-get", f'echo "$*" >>{tmp_path}/asked')
    made.stand_in("id", "echo 0")
    return made


def test_root_installs_what_is_missing_and_nothing_else(house: House) -> None:
    result = house.run("packages.sh")
    assert result.returncode == 0
    update, install = house.asked()
    assert update.startswith("update")
    assert "--no-install-recommends" in install
    assert install.endswith("xyz-one xyz-two")
    assert "installs Debian packages: xyz-one xyz-two" in result.stdout


@pytest.mark.parametrize("own", [None, "#!/bin/sh\nexit 0\n"])
def test_the_service_of_a_package_is_neither_started_nor_enabled(
    house: House, monkeypatch: pytest.MonkeyPatch, own: str | None
) -> None:
    """What invoke-rc.d would be answered while the package is installed, of that service and of another one."""
    policy = house.root / "policy"
    if own is not None:
        policy.write_text(own)
        policy.chmod(0o755)
    monkeypatch.setenv("POLICY_RC_D", str(policy))
    (house.root / "setup" / "packages.txt").write_text("tgt no-such-tgtd its disks\nxyz-one no-such-one the first\n")
    asks = "; ".join(f'"$POLICY_RC_D" {name} start; echo {name} $? >>{house.root}/said' for name in SERVICES)
    house.stand_in("apt-get", f'[ "$1" != install ] || {{ {asks}; }}')
    house.stand_in("update-rc.d", f'echo "$*" >>{house.root}/asked')
    assert house.run("packages.sh").returncode == 0
    refused = 101 if own is None else 0
    said = (house.root / "said").read_text().splitlines()
    assert said == [f"tgt {refused}", f"tgt.service {refused}", "libtgt 0", "ssh.service 0"]
    assert house.asked() == ["tgt disable"]
    assert (policy.read_text() if policy.exists() else None) == own


@pytest.mark.parametrize("here", [True, False], ids=["containerd is here", "containerd comes with it"])
def test_a_daemon_of_containers_does_not_start(house: House, monkeypatch: pytest.MonkeyPatch, here: bool) -> None:
    monkeypatch.setenv("POLICY_RC_D", str(house.root / "policy"))
    (house.root / "setup" / "packages.txt").write_text("docker.io no-such-dockerd containers\n")
    names = ("docker", "docker.socket", "containerd.service")
    asks = "; ".join(f'"$POLICY_RC_D" {name} start; echo {name} $? >>{house.root}/said' for name in names)
    house.stand_in("apt-get", f'[ "$1" != install ] || {{ {asks}; }}')
    house.stand_in("update-rc.d", f'echo "$*" >>{house.root}/asked')
    house.stand_in("systemctl", f'echo "$*" >>{house.root}/asked')
    house.stand_in("containerd", "")
    if not here:
        with (house.root / "setup" / "shell.sh").open("a") as shell:
            shell.write('has() { [ "$1" != containerd ] && command -v "$1" >/dev/null 2>&1; }\n')
    assert house.run("packages.sh").returncode == 0
    said = (house.root / "said").read_text().splitlines()
    assert said == ["docker 101", "docker.socket 101", f"containerd.service {0 if here else 101}"]
    assert house.asked() == ["docker disable", "disable docker.socket", *([] if here else ["containerd disable"])]


def test_when_nothing_is_missing_apt_is_not_called(house: House) -> None:
    house.stand_in("no-such-one", "")
    house.stand_in("no-such-two", "")
    result = house.run("packages.sh")
    assert (result.returncode, result.stdout, house.asked()) == (0, "", [])


def test_an_ordinary_user_is_told_what_would_be_added(house: House) -> None:
    house.stand_in("id", "echo 1000")
    result = house.run("packages.sh")
    assert result.returncode == 0
    assert house.asked() == []
    assert result.stdout.count("\n") == 1
    assert "xyz-one (the first), xyz-two (the second)" in result.stdout


def test_a_table_of_its_own_may_name_files_by_patterns(house: House) -> None:
    table = house.root / "table"
    table.write_text("xyz-here /b?n/sh all\nxyz-lib /usr/lib/*/no-such-lib.so the library\n")
    house.stand_in("id", "echo 1000")
    result = house.run("packages.sh", str(table), "rows")
    assert result.returncode == 0
    assert result.stdout.endswith(" xyz-lib (the library)\n")


def test_one_package_that_cannot_be_had_does_not_keep_the_others_away(house: House) -> None:
    refuses = 'case "$*" in *xyz-two*) echo "E: Unable to locate package xyz-two"; exit 100;; esac'
    house.stand_in("apt-get", f'echo "$*" >>{house.root}/asked; {refuses}')
    result = house.run("packages.sh")
    assert result.returncode == 0
    assert [line.split()[-1] for line in house.asked()[1:]] == ["xyz-two", "xyz-one", "xyz-two"]
    assert "Unable to locate package xyz-two" in result.stdout
    assert result.stdout.endswith(" xyz-two (the second)\n")


def test_trouble_with_the_network_is_one_clear_sentence(house: House) -> None:
    house.stand_in("apt-get", 'echo "Err: Temporary failure resolving the server"; exit 100')
    result = house.run("packages.sh")
    assert result.returncode == 0
    assert "is this machine online?" in result.stdout


@pytest.mark.parametrize(
    ("version", "accepted"), [("1.88.0", False), ("1.9.0", False), ("1.89.0", True), ("99.0.0", True)]
)
def test_a_rust_that_is_too_old_is_named_with_what_is_needed(house: House, version: str, accepted: bool) -> None:
    manifest = house.root / "agent" / "agent" / "Cargo.toml"
    manifest.parent.mkdir(parents=True)
    manifest.write_text('[package]\nrust-version = "1.89"\n')
    house.stand_in("rustc", f'echo "rustc {version} (0 0)"')
    house.stand_in("cargo", "exit 0")
    house.stand_in("dpkg-deb", "exit 0")
    house.stand_in("apt-get", 'echo "E: Unable to locate package cargo-web"; exit 100')
    # rustup must not be found, wherever it is on this machine
    (house.root / "home").mkdir()
    for program in PLAIN_PROGRAMS:
        where = shutil.which(program)
        assert where is not None, program
        (house.root / "programs" / program).symlink_to(where)
    environment = {"PATH": str(house.root / "programs"), "HOME": str(house.root / "home")}
    argv = ["bash", str(house.root / "setup" / "rust.sh")]
    result = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    assert (result.returncode == 0) is accepted, result.stderr
    refused = f"Rust {version} is old, and no newer one could be fetched: install Rust 1.89 or later with rustup"
    assert (refused in result.stderr) is not accepted
    assert ("Unable to locate package cargo-web" in result.stdout) is not accepted


DEBIAN_RUST = """\
mkdir -p "$3/usr/bin" "$3/usr/lib"
printf '#!/bin/sh\\necho "rustc 1.90.0 (0 0)"\\n' >"$3/usr/bin/rustc"
printf '#!/bin/sh\\necho "cargo $*" >>{asked}\\n' >"$3/usr/bin/cargo"
chmod +x "$3/usr/bin/rustc" "$3/usr/bin/cargo"
"""


@pytest.mark.parametrize("reachable", [True, False])
def test_debian_s_rust_serves_where_rustup_cannot_fetch_the_toolchain(house: House, reachable: bool) -> None:
    manifest = house.root / "agent" / "agent" / "Cargo.toml"
    manifest.parent.mkdir(parents=True)
    manifest.write_text('[package]\nrust-version = "1.89"\n')
    house.stand_in("rustup", f'echo "rustup $*" >>{house.root}/asked; echo "error: could not download"; exit 1')
    for proxy in ("rustc", "cargo"):
        house.stand_in(proxy, "echo 'error: toolchain is not installed' >&2; exit 1")
    fetched = 'case "$*" in *simulate*) echo "Inst cargo-web";; *download*) : >cargo-web.deb;; esac'
    house.stand_in("apt-get", fetched if reachable else 'echo "E: Failed to fetch"; exit 100')
    house.stand_in("dpkg-deb", DEBIAN_RUST.format(asked=house.root / "asked"))
    result = house.run("rust.sh")
    assert "rustup could not fetch the toolchain" in result.stdout
    assert (result.returncode == 0) is reachable, result.stderr
    if not reachable:
        assert "rustup has no toolchain" in result.stderr
        return
    again = house.run("rust.sh")
    assert (again.returncode, "rustup" in again.stdout) == (0, False)
    rustup, *cargo = house.asked()
    assert rustup == "rustup toolchain install"
    assert len(cargo) == 2 and all(re.match(r"cargo build .*-unknown-linux-gnu$", line) for line in cargo)


def test_a_rust_that_was_unpacked_here_makes_way_where_it_has_become_too_old(house: House) -> None:
    manifest = house.root / "agent" / "agent" / "Cargo.toml"
    manifest.parent.mkdir(parents=True)
    manifest.write_text('[package]\nrust-version = "1.89"\n')
    unpacked = house.root / ".build" / "rust" / "bin"
    unpacked.mkdir(parents=True)
    for program in ("rustc", "cargo"):
        (unpacked / program).write_text('#!/bin/sh\necho "rustc 1.85.0 (0 0)"\n')
        (unpacked / program).chmod(0o755)
    house.stand_in("rustup", 'echo "$(uname -m)-unknown-linux-musl"')
    house.stand_in("rustc", 'echo "rustc 1.95.0 (0 0)"')
    house.stand_in("cargo", f'echo "cargo $*" >>{house.root}/asked')
    result = house.run("rust.sh")
    assert result.returncode == 0, result.stderr
    assert not unpacked.exists()
    (built,) = house.asked()
    assert built.startswith("cargo build") and built.endswith("-unknown-linux-musl")


UV = """\
echo "uv $*" >>{root}/asked
mkdir -p "$UV_PROJECT_ENVIRONMENT/bin"
for program in python virtometer; do
    printf '#!/bin/sh\\n' >"$UV_PROJECT_ENVIRONMENT/bin/$program"
    chmod +x "$UV_PROJECT_ENVIRONMENT/bin/$program"
done
"""


def test_a_demo_installs_no_packages_of_tests_and_takes_none_away(house: House) -> None:
    for name in ("pyproject.toml", "uv.lock"):
        shutil.copy(ROOT / name, house.root / name)
    house.stand_in("uv", UV.format(root=house.root))
    for extents, asked in (
        (("product", "product"), ["uv sync --frozen --no-progress --compile-bytecode --no-dev"]),
        (("all", "product"), ["uv sync --frozen --no-progress --compile-bytecode"]),
    ):
        for extent in extents:
            assert house.run("python.sh", extent).returncode == 0
        assert house.asked() == asked
        (house.root / "asked").unlink()
    with (house.root / "uv.lock").open("a") as lock:
        lock.write("# newer\n")
    assert house.run("python.sh", "product").returncode == 0
    assert house.asked() == ["uv sync --frozen --no-progress --compile-bytecode"]


def _steps(house: House, python: str, rust: str) -> None:
    """Scripts in the place of those that take their time."""
    for name, script in (("packages", ""), ("images", "echo images"), ("python", python), ("rust", rust)):
        (house.root / "setup" / f"{name}.sh").write_text(f"#!/bin/sh\n{script}\n")


def _await_ends(children: Path) -> None:
    """The processes of these numbers end. What is dead and waits for its parent has no command line."""
    lines = [Path("/proc", child, "cmdline") for child in children.read_text().split()]
    wait_until(lambda: not any(line.exists() and line.read_bytes() for line in lines))


def test_what_downloads_and_what_compiles_go_on_at_the_same_time(house: House) -> None:
    # Each waits for the other one.
    both = "mkfifo meeting 2>/dev/null; test -p meeting && "
    _steps(
        house, f"cd {house.root}; {both} echo here >meeting", f"cd {house.root}; {both} read -r met <meeting; echo $met"
    )
    result = house.run("all.sh")
    assert (result.returncode, result.stdout.split()) == (0, ["here", "images"])


@pytest.mark.parametrize("broken", ["python", "rust"])
def test_where_one_of_them_fails_the_other_one_is_ended(house: House, broken: str) -> None:
    waits = f"sleep 1234.5 & echo $! >{house.root}/child; wait"
    fails = f"while ! test -s {house.root}/child; do sleep 0.05; done; echo no; exit 3"
    _steps(house, *((fails, waits) if broken == "python" else (waits, fails)))
    result = house.run("all.sh")
    assert (result.returncode, result.stdout.split()) == (1, ["no"])
    _await_ends(house.root / "child")


def test_a_signal_ends_both(house: House) -> None:
    waits = f"sleep 1234.5 & echo $! >>{house.root}/children; wait"
    _steps(house, waits, waits)
    argv = ["bash", str(house.root / "setup" / "all.sh")]
    children = house.root / "children"
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as program:
        while not children.exists() or len(children.read_text().split()) < 2:
            time.sleep(0.05)
        program.terminate()
        assert program.wait(30) == 130
    _await_ends(children)


def test_every_package_that_the_laboratory_asks_for_is_installed_by_setup() -> None:
    table = (ROOT / "setup" / "packages.txt").read_text()
    rows = [line.split()[:2] for line in table.splitlines() if line and not line.startswith("#")]
    sources = list((ROOT / "src" / "virtometer").rglob("*.py"))
    asked = {found for file in sources for found in re.findall(r"\.find\(\"[^\"]+\", \"([^\"]+)\"\)", file.read_text())}
    essential = {"apt", "bash", "coreutils", "dpkg", "util-linux", "procps", "mount", "tar"}
    assert asked - essential <= {package for package, _ in rows}
    tools = [[tool.package, tool.program] for tool in WORKLOADS.values() if tool.program]
    assert tools
    assert [tool for tool in tools if tool not in rows] == []
    kinds = [[kind.package, kind.program] for kind in KINDS.values() if kind.package]
    assert [kind for kind in kinds if kind not in rows] == []


def test_what_the_fast_tests_leave_out_and_what_begins_first_exist() -> None:
    assert not [name for name in LONG | FIRST if not (ROOT / "tests" / name).exists()]


@pytest.mark.parametrize(("expression", "left_out"), [("not slow and not long", True), ("not slow", None)])
def test_the_fast_tests_import_no_file_that_they_leave_out(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch, expression: str, left_out: bool | None
) -> None:
    monkeypatch.setattr(pytestconfig.option, "markexpr", expression)
    store = ROOT / "tests" / "store"
    assert pytest_ignore_collect(store / "test_crash.py", pytestconfig) is left_out
    assert pytest_ignore_collect(store / "test_log.py", pytestconfig) is None
