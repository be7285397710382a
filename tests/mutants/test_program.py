"""The program that tries mutants, with an agent of ten lines: it names what kills a mutant, and finds a survivor."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mutants.__main__ import main
from mutants.listing import ListError, Mutant, chosen, read_list, read_lists
from mutants.processes import execute
from tests.house.tracked import ROOT
from tests.sentences import Said
from tests.waiting import wait_until

MANIFESTS = {
    "Cargo.toml": '[workspace]\nresolver = "2"\nmembers = ["agent", "kernels"]\n',
    "agent/Cargo.toml": '[package]\nname = "virtometer-agent"\nversion = "0.1.0"\nedition = "2021"\n'
    '[dependencies]\nvirtometer-kernels = { path = "../kernels" }\n',
    "kernels/Cargo.toml": '[package]\nname = "virtometer-kernels"\nversion = "0.1.0"\nedition = "2021"\n',
}
KERNEL = """
pub fn double(x: u32) -> u32 { x * 2 }
pub fn triple(x: u32) -> u32 { x * 3 }
pub fn unseen(x: u32) -> u32 { x }
#[cfg(test)]
mod tests {
    #[test] fn doubles() { assert_eq!(super::double(4), 8); }
    #[test] fn triples() { assert_eq!(super::triple(4), 12); }
}
"""
AGENT = """
use virtometer_kernels::{double, unseen};
fn main() {
    if std::env::args().nth(1).as_deref() == Some("fly") { std::process::exit(2); }
    if double(1) != 2 || unseen(0) != 0 {
        eprintln!("virtometer-agent: the double of 1 is wrong");
        std::process::exit(1);
    }
    if unseen(1) != 1 { loop { std::thread::park(); } }
}
"""


def entry(name: str, old: str, new: str, *checks: str) -> str:
    text = f'[[mutant]]\nname = "{name}"\nwrong = "It is wrong."\nfile = "kernels/src/lib.rs"\n'
    return text + f"old = '{old}'\nnew = '{new}'\n" + "".join(f"{check}\n" for check in checks)


Program = Callable[..., tuple[int, str]]

RUN = 'run = ["measure double"]'
TRIPLES = 'tests = ["kernels tests::triples"]'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name, text in {**MANIFESTS, "kernels/src/lib.rs": KERNEL, "agent/src/main.rs": AGENT}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / ".gitignore").write_text("/.build/\n")
    # Without it rustup has no toolchain for this folder where the user has no default one.
    shutil.copy(ROOT / "rust-toolchain.toml", tmp_path)
    (tmp_path / "mutants").mkdir()
    subprocess.run(["cargo", "generate-lockfile", "--offline"], cwd=tmp_path, check=True, capture_output=True)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def write_list(checkout: Path, *entries: str, tests: str = "kernels tests::") -> None:
    (checkout / "mutants" / "sum.toml").write_text(f'tests = ["{tests}"]\n' + "\n".join(entries))


def attempt(
    checkout: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str
) -> tuple[int, str]:
    """Exit status and all output of the program; this process keeps its processors."""
    monkeypatch.setattr(sys, "argv", ["mutants", *words])
    processors = os.sched_getaffinity(0)
    try:
        status = main(checkout)
    finally:
        os.sched_setaffinity(0, processors)
    return status, "".join(capsys.readouterr())


@pytest.fixture
def program(checkout: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Program:
    return lambda *words: attempt(checkout, capsys, monkeypatch, *words)


def test_each_mutant_is_killed_by_name_and_the_checkout_is_left_alone(checkout: Path, program: Program) -> None:
    write_list(
        checkout,
        entry("no-double", "x * 2", "x * 3", RUN),
        entry("no-triple", "x * 3", "x * 2", TRIPLES),
    )
    before = {path: path.read_bytes() for path in checkout.rglob("*.rs")}
    status, text = program()
    assert status == 0, text
    [double] = [line for line in text.splitlines() if line.startswith("sum/no-double ")]
    assert re.search(r" run-time check: .* is wrong$", double) and "the double of 1" in double
    assert re.search(r"^sum/no-triple +test tests::triples: ", text, re.MULTILINE)
    assert "Killed: 1 by run-time check, 1 by tests." in text
    assert {path: path.read_bytes() for path in checkout.rglob("*.rs") if ".build" not in path.parts} == before
    assert sorted(path.name for path in (checkout / ".build" / "mutants").iterdir()) == ["lock", "target"]


def test_survivors_and_errors_of_a_list_are_faults(said: Said, checkout: Path, program: Program) -> None:
    write_list(
        checkout,
        entry("unseen", "-> u32 { x }", "-> u32 { x + u32::from(x > 1) }", RUN),
        entry("other-test", "x * 2", "x * 1 + 1", TRIPLES),
        entry("listed-run-blind", "x * 3", "x * 2", RUN, TRIPLES),
        entry("listed-test-blind", "x * 2", "x * 3", RUN, TRIPLES),
        entry("no-rust", "x * 2", "x *", RUN),
    )
    status, text = program()
    assert status == 1
    rows = {line.split()[0]: line for line in text.splitlines() if line.startswith("sum/")}
    assert "SURVIVED" in rows["sum/unseen"]
    assert "not by the listed check by test tests::doubles" in rows["sum/other-test"]
    assert "not by the listed check by test tests::triples" in rows["sum/listed-run-blind"]
    assert "killed by run-time check" in rows["sum/listed-test-blind"]
    said(" ".join(rows["sum/listed-test-blind"].split()))
    assert "does not compile: error: expected expression" in rows["sum/no-rust"]


def test_a_check_that_fails_only_once_kills_nothing(checkout: Path, program: Program) -> None:
    flag = checkout / ".build" / "seen"
    once = f'if std::path::Path::new("{flag}").exists() {{ x * 2 }} else {{ std::fs::write("{flag}", "").unwrap(); 0 }}'
    write_list(checkout, entry("once", "x * 2", once, RUN))
    status, text = program()
    assert flag.exists()
    assert (status, "SURVIVED" in text) == (1, True), text


def test_a_stale_text_is_refused_before_anything_is_built(said: Said, checkout: Path, program: Program) -> None:
    write_list(checkout, entry("gone", "x * 7", "x", RUN), entry("twice", "-> u32", "-> u64", RUN))
    status, text = program()
    assert status == 1
    assert " 0 times " in text and " 3 times " in text
    said(text)
    assert not (checkout / ".build").exists()


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ('run = ["fly"]', "the agent does not understand 'fly'"),
        ('tests = ["kernels tests::none"]', "kernels has not all of the tests tests::none"),
    ],
)
def test_a_check_that_does_not_exist_is_refused(checkout: Path, program: Program, check: str, words: str) -> None:
    write_list(checkout, entry("no-double", "x * 2", "x * 3", check))
    status, text = program()
    assert (status, words in text) == (1, True), text


def test_checks_that_the_sound_agent_fails_mean_nothing(checkout: Path, program: Program) -> None:
    sources = checkout / "kernels" / "src" / "lib.rs"
    sources.write_text(KERNEL.replace("x * 3", "x * 4"))
    write_list(checkout, entry("no-double", "x * 2", "x * 3", TRIPLES))
    status, text = program()
    assert (status, "the sound agent fails test tests::triples" in text) == (1, True), text


def test_what_hangs_is_ended_and_named(checkout: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mutants.workspace.RUN_LIMIT_S", 0.5)
    write_list(checkout, entry("hangs", "-> u32 { x }", "-> u32 { x * 2 }", RUN))
    status, text = program()
    assert status == 0, text
    assert re.search(r"^sum/hangs +time limit  \(avoid a mutant that hangs\)", text, re.MULTILINE)


def test_ctrl_c_leaves_no_copy_and_no_process(checkout: Path) -> None:
    write_list(checkout, entry("hangs", "-> u32 { x }", "-> u32 { x * 2 }", RUN))
    code = f"import sys, pathlib; from mutants.__main__ import main; sys.exit(main(pathlib.Path({str(checkout)!r})))"
    root = Path(__file__).parents[2]
    argv = [sys.executable, "-c", code]
    with subprocess.Popen(argv, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as interrupted:
        run = checkout / ".build" / "mutants" / "sources" / ".run"
        mutated = checkout / ".build" / "mutants" / "sources" / "kernels" / "src" / "lib.rs"

        def the_mutant_runs() -> bool:
            assert interrupted.poll() is None
            # The run of the sound agent ends at once: the one that lasts is the mutant's.
            return run.exists() and "{ x * 2 }" in mutated.read_text().splitlines()[3]

        wait_until(the_mutant_runs, 120)
        interrupted.send_signal(signal.SIGINT)
        output, _ = interrupted.communicate(timeout=60)
    assert interrupted.returncode == 1
    assert b"mutants: interrupted" in output
    assert not (checkout / ".build" / "mutants" / "sources").exists()
    agent = checkout / ".build" / "mutants" / "target" / "debug" / "virtometer-agent"
    running = {link.resolve() for link in Path("/proc").glob("[0-9]*/exe") if os.access(link, os.R_OK)}
    assert agent not in running


def test_a_program_ends_with_its_children(tmp_path: Path) -> None:
    ended = execute(["sh", "-c", "sleep 60 & echo $! >pid; wait"], tmp_path, os.environ, 0.5)
    assert ended.status is None
    child = int((tmp_path / "pid").read_text())
    state = Path(f"/proc/{child}/stat")
    wait_until(lambda: not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tests = 1", "tests"),
        ('tests = ["kernels tests::"]', "mutant"),
        ('tests = ["kernels tests::"]\n' + entry("a", "b", "c"), "no check is named"),
        ('tests = ["kernels tests::"]\n' + entry("a", "b", "b", RUN), "the same text"),
        ('tests = ["kernels tests::"]\n' + entry("a", "b", "c", RUN, "why = 1"), "why"),
        ('tests = ["kernels tests::"]\n' + entry("a", "b", "c", RUN) * 2, "the name a is given twice"),
        ('tests = ["kernels tests::"]\n' + entry("a", "b", "c", 'tests = ["some where()"]'), "tests.0"),
        ("tests = [", "x.toml"),
    ],
)
def test_a_wrong_list_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(ListError, match=re.escape(words)):
        read_list(path)


def test_kernels_and_names_are_chosen_by_words(tmp_path: Path) -> None:
    for kernel in ("disk", "net"):
        text = 'tests = ["kernels x::"]\n' + entry("half", "b", "c", RUN) + entry("double", "b", "c", RUN)
        (tmp_path / f"{kernel}.toml").write_text(text)
    listed = read_lists(tmp_path)

    def names(mutants: list[Mutant]) -> list[str]:
        return [mutant.full_name for mutant in mutants]

    assert names(chosen(listed, "")) == ["disk/half", "disk/double", "net/half", "net/double"]
    assert names(chosen(listed, "net")) == ["net/half", "net/double"]
    assert names(chosen(listed, "disk/double, half")) == ["disk/half", "disk/double", "net/half"]
    with pytest.raises(ListError, match="'cpu'"):
        chosen(listed, "cpu")
