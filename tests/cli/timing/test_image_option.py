"""`virtometer time --image`: the same answer of an image in environments of several kinds, as docker would run it."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from tests.cli.laboratory import program, virtometer
from tests.environments.oci_images import BUSYBOX, Member, content, layer, layout, made, user_land
from tests.sentences import Said
from virtometer.analysis import analyse
from virtometer.store.ledger import Ledger

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="natively, an image needs root")
pytestmark = pytest.mark.skipif(not BUSYBOX.exists(), reason="the image has busybox-static")
CONFIG = {
    "Entrypoint": ["/bin/sh", "-c"],
    "Cmd": ["echo $A $HOME; id; pwd; echo x >new; cat new"],
    "Env": ["A=of the image"],
    "User": "app",
    "WorkingDir": "/srv/app",
}


@needs_root
def test_an_image_is_obeyed_natively_and_in_a_container(tmp_path: Path) -> None:
    image = made(user_land(), **CONFIG)
    layout(tmp_path / "image", {"latest": image})
    words = ["--image", "image", "--in", "runc", "--budget", "1s", "--beside", "--out", str(tmp_path / "out")]
    ended = program("time", *words, cwd=tmp_path, XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert ended.status == 0, ended.err
    with Ledger.open(tmp_path / "out") as ledger:
        campaign = ledger.read()
    (workload,) = campaign.plan.workloads
    given = workload.parameters
    assert (given["user"], given["workdir"]) == ("app", "/srv/app")
    assert "HOME=/srv/app" in str(given["env"])
    # Only the image knows this name: the agent has found it there, natively too.
    assert {run.conditions["user"] for one in campaign.trials for run in one.scored} == {"1234:1235"}
    roots = {run.conditions["root"] for one in campaign.trials for run in one.scored}
    assert roots == {f"oci:{content(image)}"}
    answers = {run.conditions["answer"] for one in campaign.trials for run in one.scored}
    assert len(answers) == 1
    assert all(finding.unlike == () for finding in analyse(campaign).findings)


@needs_root
def test_a_plans_command_takes_what_it_does_not_say_from_the_image(tmp_path: Path) -> None:
    image = made(user_land(), **CONFIG)
    layout(tmp_path / "image", {"latest": image})
    settings = {"root": f"oci:{tmp_path}/image"}
    command = {"workload": "command", "op": "time"}
    says = 'test "$A $HOME $(pwd) $(id -u)" = "of the image /srv/app /srv/app 1234"'
    plan = {
        "virtometer": 1, "name": "image", "baseline": "native", "blocks": 1, "seconds": 0.01,
        "environments": [{"name": kind, "kind": kind, "settings": settings} for kind in ("native", "runc")],
        "workloads": [
            {"name": "as it says", **command, "parameters": {"command": shlex.quote(says)}},
            {"name": "files alone", **command, "parameters": {"command": "/bin/pwd", "image_config": False}},
        ],
    }  # fmt: skip
    (tmp_path / "plan.yaml").write_text(json.dumps(plan))
    words = [str(tmp_path / "plan.yaml"), "--beside", "--out", str(tmp_path / "out")]
    ended = program("run", *words, cwd=tmp_path, XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert ended.status == 0, ended.err
    with Ledger.open(tmp_path / "out") as ledger:
        campaign = ledger.read()
    runs = [(run.placement.workload, run) for one in campaign.trials for run in one.scored]
    assert {(workload, run.conditions.get("user")) for workload, run in runs} == {
        ("as it says", "1234:1235"), ("files alone", "0:0")
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["--image", "nowhere"], 3), (["--image", "image:v2"], 3), (["--image", "text"], 3),
        (["--entrypoint", "sh", "ls"], 2), (["--image", "image"], 2),
        (["--image", "image", "--entrypoint", "none"], 127),
        (["--image", "image", "no-such-program"], 127), (["--image", "image", "/etc/passwd"], 126),
        (["--image", "image", "--workdir", "/nowhere", "ls"], 2), (["--image", "image", "/nowhere/x"], 127),
        (["--image", "nobody", "ls"], 3), (["--image", "docker://127.0.0.1:1/a", "ls"], 3),
    ],
)  # fmt: skip
def test_what_cannot_be_had_of_an_image_is_one_sentence_and_a_status(
    words: list[str], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Said
) -> None:
    monkeypatch.chdir(tmp_path)
    layout(Path("image"), {"latest": made(user_land())})
    layout(Path("nobody"), {"latest": made(layer(Member("ls", mode=0o755)), User="nobody")})
    Path("text").write_text("text")
    ended = virtometer("time", "--in", "native", "--out", "out", *words, XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert (ended.status, ended.out) == (status, ""), ended.err
    assert not Path("out").exists()
    shown = ended.err.replace("looking for the image ...\n", "").replace(str(tmp_path), "")
    said(shown)
