"""Exit statuses, sentences instead of tracebacks, help."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from tests.cli.laboratory import PROGRAM, ROOT, program, virtometer
from tests.sentences import Said
from tests.store.campaigns import campaign
from tests.store.test_output import full_device
from virtometer import __version__, cli, errors
from virtometer.cli.app import app
from virtometer.model import ClockFault
from virtometer.store.ledger import Ledger


def commands(command: Any, words: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    """Every command below, with the words that lead to it."""
    below = getattr(command, "commands", {})
    if not below:
        return [(words, command)]
    return [found for name, one in below.items() for found in commands(one, (*words, name))]


COMMANDS = commands(typer.main.get_command(app))


@pytest.mark.parametrize(
    ("words", "command"), COMMANDS, ids=lambda value: " ".join(value) if type(value) is tuple else ""
)
def test_every_command_documents_itself_and_all_its_parameters(words: tuple[str, ...], command: Any) -> None:
    shown = virtometer(*words, "--help", COLUMNS="200")
    assert (shown.status, shown.err) == (0, "")
    assert f"Usage: virtometer {' '.join(words)}" in shown.out
    first = re.split(r"(?<=\.)\s", command.help.strip())[0]
    assert " ".join(first.split()) in " ".join(shown.out.split())
    for parameter in command.params:
        if parameter.name == "help":
            continue
        assert parameter.help, f"{parameter.name} of {words} has no help"
        assert parameter.opts[0] in shown.out or (parameter.metavar or "").strip("[]") in shown.out


def test_the_verbs() -> None:
    assert {" ".join(words) for words, _ in COMMANDS} == {
        "doctor", "run", "time", "time-server", "resume", "report", "compare", "analyse", "import",
        "plan check", "plan show", "plan schema", "plan reference", "plan icf", "agent path", "image list", "image add",
        "image build", "image remove", "study list", "study show", "study claims", "study run",
        "study report", "check-table",
    }  # fmt: skip


def test_version() -> None:
    assert virtometer("--version").out == f"virtometer {__version__}\n"


@pytest.mark.parametrize(
    "words",
    [
        ["walk"],
        ["run", "--slowly"],
        ["run", "--seed", "-1"],
        ["run", "--seed", "x"],
        ["run", "--blocks", "0"],
        ["run", "a.yaml", "b.yaml"],
        ["resume"],
        ["report", "x", "--format", "pdf"],
        ["report", "x", "--out", "y"],
        ["plan"],
        ["plan", "check"],
        ["run", "--quick", "plan.yaml"],
        ["agent", "path", "z80-unknown-cpm"],
        ["doctor", "vmware"],
    ],
    ids=" ".join,
)
def test_wrong_arguments_are_status_2(words: list[str]) -> None:
    outcome = virtometer(*words)
    assert outcome.status == 2
    assert "Traceback" not in outcome.err + outcome.out
    assert outcome.err or words == ["plan"]


@pytest.mark.parametrize("words", [["report"], ["resume"]], ids=" ".join)
def test_a_foreign_directory_is_status_4(said: Said, tmp_path: Path, words: list[str]) -> None:
    outcome = program(*words, tmp_path)
    assert (outcome.status, outcome.out) == (4, "")
    assert outcome.err.startswith(f"virtometer: {tmp_path} ") and "ledger.sqlite" in outcome.err
    said(outcome.err, place=tmp_path)


def test_run_refuses_a_directory_that_holds_something_at_once(said: Said, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    outcome = virtometer("run", "--quick", "--out", tmp_path)
    assert (outcome.status, outcome.out) == (4, "")
    assert "thesis.tex" in outcome.err
    said(outcome.err, place=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("where", ["before", "after", "environment"])
def test_a_traceback_is_shown_only_for_debug(tmp_path: Path, where: str) -> None:
    words = ["report", str(tmp_path)]
    plain = program(*words)
    assert "Traceback" not in plain.err
    debug = {
        "before": lambda: virtometer("--debug", *words),
        "after": lambda: virtometer(*words, "--debug"),
        "environment": lambda: virtometer(*words, VIRTOMETER_DEBUG="1"),
    }[where]()
    assert debug.status == plain.status == 4
    assert "Traceback" in debug.err
    assert debug.err.endswith(plain.err)
    assert "Traceback" not in virtometer(*words, VIRTOMETER_DEBUG="0").err


def test_a_fault_of_our_own_is_a_sentence_and_status_1(
    said: Said, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(target: str | None) -> Path:
        raise RuntimeError("the moon\nis in the wrong place")

    monkeypatch.setattr("virtometer.runner.lab.agent.agent_path", broken)
    assert cli.main(["agent", "path"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "RuntimeError: the moon is in the wrong place\n" in printed.err
    said(printed.err)
    assert cli.main(["agent", "path", "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("error", [value for value in vars(errors).values() if isinstance(value, type)])
def test_every_error_gives_its_status_and_its_sentence(
    error: type[errors.VirtometerError], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made: errors.VirtometerError
    if error is errors.PlanError:
        made = errors.PlanError("p.yaml", 3, "the sentence", advice="the advice")
    elif error is errors.RemoteError:
        made = errors.RemoteError("busy", "the sentence")
    elif error is errors.ClockError:
        made = errors.ClockError("the sentence", ClockFault("went-back"))
    else:
        made = error("the sentence", advice="the advice")

    def fails(target: str | None) -> Path:
        raise made

    monkeypatch.setattr("virtometer.runner.lab.agent.agent_path", fails)
    assert cli.main(["agent", "path"]) == error.exit_status
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == f"virtometer: {made.sentence}"
    assert lines[1:] == ([f"virtometer: {made.advice}"] if made.advice else [])


def test_ctrl_c_is_status_130_and_a_word(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(target: str | None) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr("virtometer.runner.lab.agent.agent_path", interrupted)
    assert cli.main(["agent", "path"]) == 130
    assert capsys.readouterr().err == "virtometer: stopped\n"


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    """`virtometer plan show ... | head -1`, with more output than a pipe holds."""
    text = (ROOT / "plans" / "aa.yaml").read_text().replace("blocks: 12", "blocks: 6000")
    (tmp_path / "long.yaml").write_text(text)
    process = subprocess.Popen(
        [PROGRAM, "plan", "show", tmp_path / "long.yaml"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"plan: aa\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)], ids=str)
@pytest.mark.parametrize("words", ["--version", "report missing"])
def test_what_is_lost_in_a_closed_stream_is_reported(tmp_path: Path, words: str, closed: tuple[int, ...]) -> None:
    def run(more: str) -> tuple[int, str, str]:
        line = f'"$1" {words} >out 2>err {more}'
        ended = subprocess.run(["sh", "-c", line, "sh", PROGRAM], check=False, cwd=tmp_path)
        return ended.returncode, (tmp_path / "out").read_text(), (tmp_path / "err").read_text()

    status, out, err = run("")
    found = run(" ".join(f"{number}>&-" for number in closed))
    if 2 in closed:
        assert found[2] == ""
    elif 1 in closed and out:
        assert found[2].startswith(f"{err}virtometer: standard output is closed: ")
    else:
        assert found[2] == err
    assert found[:2] == ((7, "") if 1 in closed and out else (status, out))


def test_what_is_lost_in_a_closed_standard_output_is_reported_with_the_remedy(said: Said) -> None:
    closed = ["sh", "-c", '"$1" --version >&-', "sh", str(PROGRAM)]
    ended = subprocess.run(closed, check=False, stderr=subprocess.PIPE, text=True)
    assert ended.returncode == 7
    said(ended.stderr)


def test_a_full_standard_output_is_status_7(said: Said, tmp_path: Path) -> None:
    """`virtometer --help > /dev/full`."""
    Ledger.create(tmp_path / "r", campaign()).close()
    told: set[str] = set()
    with full_device(tmp_path).open("wb") as full:
        for words in (["--help"], ["plan", "schema"], ["report", tmp_path / "r", "--format", "json", "--out", "-"]):
            for unbuffered in ("", "1"):
                ended = subprocess.run(
                    [PROGRAM, *words],
                    stdout=full,
                    stderr=subprocess.PIPE,
                    check=False,
                    env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
                )
                assert ended.returncode == 7, (words, unbuffered)
                told.add(ended.stderr.decode())
    [sentence] = told
    said(sentence)


def test_a_path_with_a_line_break_makes_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a\nvirtometer: b.yaml"
    for text in (None, "name: x\n", "- 1\n"):
        if text is not None:
            path.write_text(text)
        said = virtometer("plan", "check", path)
        assert said.status == 2
        assert not [line for line in said.err.splitlines() if line.startswith("virtometer: b.yaml")]
        assert r"a\nvirtometer: b.yaml" in said.err


HEAVY = {"numpy", "scipy", "altair", "vl_convert", "narwhals", "sqlalchemy", "jinja2", "matplotlib", "pandas"}


@pytest.mark.parametrize(
    ("words", "unwanted"),
    [
        (["--help"], HEAVY | {"pydantic", "yaml", "rich.console", "rich.markdown"}),
        (["run", "--help"], HEAVY | {"yaml", "rich.console", "rich.markdown"}),
        (["plan", "check", "plans/default.yaml"], HEAVY | {"rich.console"}),
        (["plan", "schema"], (HEAVY - {"numpy"}) | {"rich.console"}),
        (["agent", "path"], HEAVY | {"rich.console"}),
        (["doctor", "native"], HEAVY),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_nothing_heavy_is_imported_before_it_is_used(words: list[str], unwanted: set[str]) -> None:
    """What makes a start slow: none of it may be loaded before a verb needs it."""
    program = (
        f"import sys\nfrom virtometer.cli import main\nstatus = main({words!r})\n"
        f"print('heavy:', status, sorted({unwanted!r} & set(sys.modules)))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "heavy: 0 []"


@pytest.mark.parametrize("words", [["--help"], ["plan", "schema"], ["run", "--help"]], ids=" ".join)
def test_a_reader_that_is_gone_before_the_first_byte_is_no_error(words: list[str]) -> None:
    """`virtometer --help | true`: typer alone would end with 1."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        ended = subprocess.run([PROGRAM, *words], stdout=pipe, stderr=subprocess.PIPE, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("words", "usage"),
    [
        (["run"], "run [OPTIONS] [PLAN]"),
        (["resume"], "resume [OPTIONS] DIR"),
        (["report"], "report [OPTIONS] DIR"),
        (["plan", "check"], "plan check [OPTIONS] PLAN..."),
        (["doctor"], "doctor [OPTIONS] [KIND]..."),
        (["agent", "path"], "agent path [OPTIONS] [TARGET]"),
    ],
    ids=" ".join,
)
def test_usage_names_what_must_and_what_may_be_given(words: list[str], usage: str) -> None:
    assert virtometer(*words, "--help").out.splitlines()[0] == f"Usage: virtometer {usage}"


def test_the_list_of_verbs_is_not_cut() -> None:
    assert "..." not in virtometer("--help").out.partition("Commands:")[2]
    assert "..." not in virtometer("plan", "--help").out.partition("Commands:")[2]


@pytest.mark.parametrize(("line", "offered"), [("virtometer pl", {"plan"}), ("virtometer plan s", {"show", "schema"})])
def test_a_shell_completes_verbs(line: str, offered: set[str]) -> None:
    asked = {"_VIRTOMETER_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    shown = subprocess.run([PROGRAM], env={**os.environ, **asked}, capture_output=True, text=True, check=True)
    assert set(shown.stdout.split()) == offered


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--blocks", "0"],
        ["run", "--blocks", "10001"],
        ["run", "--blocks", "2.5"],
        ["run", "--seed", "x"],
        ["run", "--seed", "a\x1bb"],
        ["run", "--seed", "-4"],
        ["plan", "show", "p.yaml", "--seed", "1e3"],
        ["time-server", "--tcp", "70000"],
        ["report", ".", "--format", "JSON"],
    ],
    ids=" ".join,
)
def test_wrong_values_of_options_are_reported_as_those_of_plans(said: Said, words: list[str]) -> None:
    refused = virtometer(*words)
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith(f"virtometer: '{words[-2]}' is ")
    said(refused.err)
