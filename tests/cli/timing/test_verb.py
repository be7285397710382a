"""`virtometer time` on real programs: what it prints, what it refuses, and what it leaves behind."""

from __future__ import annotations

import json
import re
import secrets
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.laboratory import line_with, program, virtometer
from tests.sentences import Said
from tests.waiting import wait_until
from virtometer.analysis import analyse
from virtometer.store.ledger import Ledger

QUICK = ("--budget", "1s", "--beside")


def test_two_commands_natively_and_in_a_sandbox(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(bytes(range(256)) * 256)
    words = ["--in", "bubblewrap", "-n", "first", "-L", "level", "1,9", "gzip -{level} -c data"]
    ended = program("time", *QUICK, "--workdir", tmp_path, "--out", tmp_path / "out", *words, cwd=tmp_path)
    assert ended.status == 0, ended.err
    for heading in ("time", "user", "system", "memory", "efficiency", "verdict"):
        assert heading in ended.out
    assert "bubblewrap" in line_with("bubblewrap", ended.out.split("gzip -9")[0])
    assert "by that of `first`" in ended.out
    with Ledger.open(tmp_path / "out") as ledger:
        campaign = ledger.read()
    assert [one.name for one in campaign.plan.workloads] == ["first", "gzip -9 -c data"]
    assert "--workdir" in campaign.plan_text.splitlines()[0]
    analysis = analyse(campaign)
    assert all(finding.ratio.n == 6 and finding.unlike == () for finding in analysis.findings)
    answers = {(run.placement.workload, run.conditions["answer"]) for one in campaign.trials for run in one.scored}
    assert len(answers) == 2, "each command has one answer, in all environments"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "out"]


def test_words_after_two_dashes_are_one_command(tmp_path: Path) -> None:
    ended = program("time", *QUICK, "--in", "native", "--out", tmp_path / "out", "--", "sh", "-c", "exit 0 # a | b")
    assert ended.status == 0, ended.err
    with Ledger.open(tmp_path / "out") as ledger:
        (workload,) = ledger.read().plan.workloads
    assert workload.parameters["command"] == "sh -c 'exit 0 # a | b'"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["no-such-program"], 127), (["./data"], 126), (["false"], 125), (["sh -c 'echo why >&2; exit 3'"], 125),
        (["-i", "-S", "sh", "exit 3", "--timeout", "nothing"], 2), (["sleep 1000", "--timeout", "0.2"], 125),
        (["-S", "sh", "kill -9 $$"], 125), (["-S", "sh", "echo $$"], 125), ([], 2), (["ls | wc"], 2),
        (["-N", "-S", "sh", "ls"], 2), (["-D", "1", "ls"], 2), (["-L", "x"], 2), (["--env", "=x", "ls"], 2),
        (["--env", "NO_SUCH_VARIABLE", "ls"], 2), (["--workdir", "/no/such", "ls"], 2), (["--in", "no-such", "ls"], 2),
        (["--output", "elsewhere", "ls"], 2), (["--margin", "2", "ls"], 2), (["--memory", "much", "ls"], 2),
        (["--input", "/no/such", "ls"], 125), (["-r", "0", "ls"], 2), (["-r", "9", "-m", "3", "ls"], 2),
        (["-r", "9", "--budget", "9s", "ls"], 2), (["-M", "9", "--precision", "1%", "ls"], 2), (["-r", "x", "ls"], 2),
        (["-m", "9", "-M", "3", "ls"], 2), (["-w", "-1", "ls"], 2), (["--export-json", "no/such", "ls"], 4),
        (["--export-csv", "/", "ls"], 7), (["--export-csv", "-", "--export-json", "-", "ls"], 2),
        (["--show-output", "--output", "null", "ls"], 2), (["-s", "ls | wc", "ls"], 2),
        (["-s", "no-such-program", "ls"], 125), (["-c", "false", "ls"], 125),
        (["--value", "(", "--unit", "s", "--better", "lower", "ls"], 2), (["--unit", "s", "ls"], 2),
        (["--value", "x", "--unit", "s", "--better", "lower", "echo y"], 125),
        (["--value", "x(.*)", "--unit", "s", "--better", "lower", "echo xy"], 125),
        (["--check-file", "/no/such", "echo y"], 125),
    ],
)  # fmt: skip
def test_what_cannot_be_timed_is_one_sentence_and_a_status(
    words: list[str], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Said
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").write_text("no program")
    ended = virtometer("time", "--in", "native", "--out", "out", *words)
    assert (ended.status, ended.out) == (status, ""), ended.err
    assert not (tmp_path / "out").exists()
    shown = ended.err.replace("running each command natively ...\n", "")
    said(re.sub("[0-9a-f]{16}", "DIGEST", shown))


def test_counted_runs_with_all_that_is_around_them(tmp_path: Path) -> None:
    """Natively the commands write into one file: that of the pilot, and of two guests in each of six blocks."""
    around = [word for option, line in (("-s", "begin"), ("-c", "end")) for word in (option, f"echo {line} >> log")]
    words = ["-S", "sh", "-r", "7", "-w", "3", *around, "--show-output", "--output-may-differ", "-L", "n", "1"]
    files = ["--export-json", "-", "--export-csv", "runs.csv"]
    command = "echo run >> log; readlink /proc/self/ns/mnt; sleep 0.00{n}"
    ended = program("time", "--beside", "--in", "bubblewrap", *words, *files, "--out", "out", command, cwd=tmp_path)
    assert ended.status == 0, ended.err
    native, sandboxed = json.loads(ended.out)["results"]
    assert [len(one["times"]) for one in (native, sandboxed)] == [7, 7]
    assert sandboxed["parameters"] == {"n": "1", "environment": "bubblewrap"}
    assert "efficiency" in ended.err
    assert ended.err.count("mnt:[") == 2, "what the sandbox printed is another text"
    assert len((tmp_path / "runs.csv").read_text().splitlines()) == 3
    log = (tmp_path / "log").read_text().split()
    assert (log.count("begin"), log.count("end"), log[0], log[-1]) == (13, 13, "begin", "end")
    assert log.count("run") >= 13 * 3 + 2 * 7
    with Ledger.open(tmp_path / "out") as ledger:
        campaign = ledger.read()
    samples = [len(run.samples) for one in campaign.trials for run in one.scored]
    assert sum(samples) == 3 * 7
    assert not any(path.name.startswith(".") for path in tmp_path.iterdir())


def test_at_most_so_many_runs_are_made_as_fit_into_the_budget(tmp_path: Path) -> None:
    words = ["--in", "native", "--budget", "2s", "-M", "8", "--out", str(tmp_path / "out")]
    ended = program("time", "--beside", *words, "sleep 0.01")
    assert ended.status == 0, ended.err
    with Ledger.open(tmp_path / "out") as ledger:
        campaign = ledger.read()
    assert sum(len(run.samples) for one in campaign.trials for run in one.scored) == 8
    assert campaign.plan.budget_s is None


def test_counted_runs_follow_each_other_where_processor_time_has_a_limit(tmp_path: Path) -> None:
    words = ["--in", "bubblewrap", "--cpus", "0.5", "-r", "8", "--out", str(tmp_path / "out")]
    ended = program("time", "--beside", *words, "sleep 0.01")
    assert ended.status == 0, ended.err
    with Ledger.open(tmp_path / "out") as ledger:
        campaign = ledger.read()
    assert {one.scheduling for one in campaign.plan.workloads} == {"continuous"}
    assert sum(len(run.samples) for one in campaign.trials for run in one.scored) == 3 * 8


def test_a_results_directory_that_is_in_use_is_refused_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    ended = virtometer("time", "--out", tmp_path, f"touch {tmp_path / 'ran'}")
    assert ended.status == 4
    assert not (tmp_path / "ran").exists()


def test_a_value_that_is_printed_is_the_result_and_files_are_compared(tmp_path: Path) -> None:
    options = ["--value", "rate: ([0-9.]+)", "--unit", "kop/s", "--better", "higher", "--check-file", "made"]
    script = "echo rate: 1; echo same > made; echo rate: $(wc -l < lines)"
    (tmp_path / "lines").write_text("\n" * 7)
    words: list[str | Path] = ["--in", "bubblewrap", "--workdir", tmp_path, "-S", "sh", *options, script]
    ended = program("time", *QUICK, "--out", tmp_path / "out", *words, cwd=tmp_path)
    assert ended.status == 0, ended.err
    line = next(one for one in ended.out.splitlines() if "bubblewrap" in one and "kop/s" in one)
    assert "7 kop/s" in line.replace(".00", "")
    with Ledger.open(tmp_path / "out") as ledger:
        campaign = ledger.read()
    for one in (run for record in campaign.trials for run in record.scored):
        # By the rate of the guest's clock.
        assert one.scored.value == pytest.approx(7, rel=0.01)
        assert (one.reported.value, one.unit, one.better, len(one.samples)) == (7, "kop/s", "higher", 1)
        assert one.reported.output == "rate: 1\nrate: 7\n"
        assert one.reported.measures["wall"]["value"] > 0
    assert len({run.conditions["files"] for record in campaign.trials for run in record.scored}) == 1


def test_a_native_command_ends_with_all_that_it_started_when_the_laboratory_is_killed(tmp_path: Path) -> None:
    word = f"{secrets.randbelow(10**6) + 10**6}.5"
    script = f"(setsid sleep {word} &); (env -i setsid sleep {word} >/dev/null 2>&1 &); sleep {word}"
    words = [sys.executable, "-m", "virtometer", "time", "--beside", "--in", "native", "--out", str(tmp_path / "out")]
    laboratory = subprocess.Popen([*words, "-S", "sh", script], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: sleeping(word) == 3, 60)
    laboratory.kill()
    laboratory.wait()
    wait_until(lambda: sleeping(word) == 0, 10)


def sleeping(word: str) -> int:
    """How many processes sleep for so many seconds."""
    found = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found += path.read_bytes() == f"sleep\0{word}\0".encode()
    return found
