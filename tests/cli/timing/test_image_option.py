"""`virtometer time --image`: the same answer of an image in environments of several kinds, as docker would run it."""

from __future__ import annotations

import os
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
