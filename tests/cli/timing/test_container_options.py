"""Options that users know from container engines: what they mean, and that they hold inside."""

from __future__ import annotations

import os
import pwd
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.laboratory import program, virtometer
from tests.sentences import Said
from virtometer.cli.timing.container_options import ContainerOptions, container_options
from virtometer.environments.images.oci.config import ImageConfig, Person
from virtometer.environments.images.oci.image import OciImage
from virtometer.environments.registry import KINDS
from virtometer.errors import UsageError
from virtometer.runner.campaign.in_image import InImage
from virtometer.store.ledger import Ledger

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="other users and limits need root")
NONE: dict[str, Any] = {
    "volume": (), "user": None, "cpuset_cpus": None, "ulimit": (), "security_opt": (), "network": None, "tty": False,
}  # fmt: skip


def options(**given: object) -> ContainerOptions:
    return container_options(**{**NONE, **given})


def test_without_options_nothing_is_asked() -> None:
    made = options()
    assert (made.parameters, made.settings, made.variables) == ({}, {}, ())
    assert all(made.of_kind(kind) == {} for kind in KINDS.values())


def test_a_user_is_its_numbers_and_has_variables_that_fit() -> None:
    entry = pwd.getpwnam("daemon")
    made = options(user="daemon")
    assert made.parameters == {"user": str(entry.pw_uid)}
    assert made.variables == (f"HOME={entry.pw_dir}", "USER=daemon", "LOGNAME=daemon")
    assert options(user="daemon:root").parameters == {"user": f"{entry.pw_uid}:0"}
    assert options(user="4711:4712").parameters == {"user": "4711:4712"}
    assert options(user="4711:4712").variables == ("HOME=/",)


def test_a_user_of_an_image_is_a_name_of_the_image(tmp_path: Path) -> None:
    def of(user: str) -> ContainerOptions:
        person = Person(1234, 1235, (), "/srv", user) if user else Person(0, 0, (), "/root", "0")
        inside = InImage(OciImage(tmp_path, "sha256:1", "/image", ImageConfig(), "sha256:2"), "/image", person, None)
        return options(user="no-such-user", inside=inside)

    assert (of("app").parameters, of("app").variables) == ({"user": "app"}, ())
    assert of("").parameters == {}
    assert isinstance(of("app").of_kind(KINDS["bubblewrap"]), str) and of("").of_kind(KINDS["bubblewrap"]) == {}


def test_lists_of_processors_are_those_of_container_engines() -> None:
    assert options(cpuset_cpus="3,0-1").settings == {"cpuset": [0, 1, 3]}
    assert options(cpuset_cpus="0").of_kind(KINDS["runc"]) == {}
    assert options(cpuset_cpus="0").of_kind(KINDS["uml"]) == {"processors": [0]}


def test_kinds_say_in_a_sentence_what_they_cannot_have() -> None:
    def with_it(**given: object) -> set[str]:
        made = options(**given)
        return {name for name, kind in KINDS.items() if not isinstance(made.of_kind(kind), str)}

    assert {"native", "runc", "crun", "bubblewrap", "gvisor", "uml"} <= with_it(network="none")
    assert {"native", "runc", "crun", "bubblewrap", "docker"} <= with_it(network="host")
    assert {"gvisor", "uml", "lxc"}.isdisjoint(with_it(network="host"))
    assert with_it(network="bridge") == {"native", "docker"}
    assert {"qemu", "kvm", "libvirt", "libvirt-lxc"}.isdisjoint(with_it(volume=["/srv:/srv"]))
    assert {"native", "runc", "docker", "uml"} <= with_it(volume=["/srv:/srv"])
    assert "bubblewrap" not in with_it(user="0:0") and {"native", "runc", "gvisor", "uml"} <= with_it(user="0:0")
    assert {"lxc", "nspawn"}.isdisjoint(with_it(security_opt=["seccomp=unconfined"]))
    assert options(security_opt=["seccomp=unconfined"]).of_kind(KINDS["podman"]) == {"seccomp": False}


@pytest.mark.parametrize(
    "given",
    [
        {"user": ""}, {"user": "a:"}, {"user": "no-such-user"}, {"user": "4711"}, {"user": "0:no-such-group"},
        {"user": "99999999999:0"}, {"user": "0:4294967295"}, {"user": "a\0b"}, {"cpuset_cpus": ""},
        {"cpuset_cpus": "1-0"}, {"cpuset_cpus": "x"}, {"cpuset_cpus": "4096"}, {"cpuset_cpus": "-1"},
        {"ulimit": ["nofile"]}, {"ulimit": ["nofile=1 core=1"]}, {"ulimit": [""]}, {"ulimit": ["nofile=2:1"]},
        {"security_opt": ["seccomp=/no/such"]}, {"security_opt": [""]}, {"network": "own"}, {"network": ""},
        {"volume": ["/srv"]}, {"volume": ["/no/such:/srv"]}, {"volume": ["/srv:srv"]}, {"volume": ["/srv:/proc/x"]},
        {"volume": ["name:/srv"]}, {"volume": [""]},
    ],
)  # fmt: skip
def test_what_is_no_value_is_refused_in_a_sentence(given: dict[str, object], said: Said) -> None:
    with pytest.raises(UsageError) as refused:
        options(**given)
    said(refused.value.sentence)


def test_the_bridge_of_a_container_engine_is_the_host_s_network_natively() -> None:
    made = options(network="bridge")
    assert made.of_kind(KINDS["docker"]) == {"network": "bridge"}
    assert made.of_kind(KINDS["native"]) == {"network": "loopback"}


def test_a_limit_that_cannot_hold_natively_is_refused_with_the_largest_one(tmp_path: Path) -> None:
    ceiling = int(Path("/proc/sys/fs/nr_open").read_text())
    words = ["--ulimit", f"nofile={ceiling + 1}", "--in", "native", "--out", str(tmp_path / "out")]
    ended = virtometer("time", *words, f"touch {tmp_path / 'ran'}")
    assert ended.status == 2
    assert f"nofile is above {ceiling}," in ended.err
    assert not (tmp_path / "ran").exists() and not (tmp_path / "out").exists()


@needs_root
def test_a_command_has_them_in_each_environment(tmp_path: Path) -> None:
    script = (
        "id -u; id -G; ulimit -n; sed -n 's/NoNewPrivs:.//p' /proc/self/status; tty >/dev/null && stty size; echo $HOME"
    )
    given = ["--user", "4711:4712", "--ulimit", "nofile=256:512", "--security-opt", "no-new-privileges", "--tty"]
    given += ["--network", "none", "--cpuset-cpus", "0", "--init"]
    words = ["--budget", "1s", "--beside", "--in", "runc", "--workdir", "/", "-S", "sh", *given, script]
    ended = program("time", *words, "--out", tmp_path / "out")
    assert ended.status == 0, ended.err
    with Ledger.open(tmp_path / "out") as ledger:
        campaign = ledger.read()
    runs = [run for one in campaign.trials for run in one.scored]
    assert {run.placement.environment for run in runs} == {"native", "runc"}
    for run in runs:
        shown = {name: run.conditions[name] for name in ("user", "limits", "terminal", "no_new_privileges", "status")}
        assert shown == {
            "user": "4711:4712", "limits": "nofile=256:512", "terminal": "yes", "no_new_privileges": "yes",
            "status": "0",
        }  # fmt: skip
    # Printed once more by hand: sha256sum of what the script shows at a terminal.
    assert {run.conditions["answer"] for run in runs} == {"db0f1a0b07dc5b3d"}
    for guest in campaign.guests:
        assert (guest.effective["interfaces"], str(guest.effective["cpuset"])) == (["lo"], "0")


@needs_root
@pytest.mark.parametrize("words", [["--user", "0:0", "--in", "bubblewrap"], ["--network", "host", "--in", "gvisor"]])
def test_what_a_kind_that_was_asked_for_cannot_have_is_refused(words: list[str], said: Said, tmp_path: Path) -> None:
    ended = virtometer("time", *words, "--out", tmp_path / "out", "true")
    assert (ended.status, ended.out) == (2, "")
    said(re.sub(str(tmp_path), "TMP", ended.err))


@needs_root
def test_a_volume_is_the_host_s_own(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    ended = program(
        "time", "--budget", "1s", "--beside", "--in", "runc", "--workdir", tmp_path, "--out", tmp_path / "out",
        "--volume", f"{shared}:{shared}", "-S", "sh", f"touch {shared}/$(hostname) beside-it",
    )  # fmt: skip
    assert ended.status == 0, ended.err
    assert {one.name for one in shared.iterdir()} == {os.uname().nodename, "virtometer"}
