"""A user's command becomes what the agent is asked: words, variables, limits; what needs a shell is refused."""

from __future__ import annotations

import json
import shlex
import subprocess
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.sentences import Said
from virtometer import agent_table
from virtometer.errors import UsageError
from virtometer.model.command_defaults import CommandDefaults
from virtometer.workloads.base import Place
from virtometer.workloads.command import ENVIRONMENT, Command, CommandParameters

NOWHERE = Place()


def asked(**parameters: object) -> dict[str, Any]:
    return Command().arguments("time", CommandParameters.model_validate(parameters), NOWHERE)


IN_IMAGE = Place(
    command_defaults=lambda user: CommandDefaults(
        ("/entry", "-x"), user or "app", "/srv", {"A": "1", "HOME": f"/h/{user}" if user else "/h"}
    )
)


def test_what_an_image_says_holds_where_the_plan_says_nothing_else() -> None:
    def in_image(**parameters: object) -> tuple[object, ...]:
        found = Command().arguments("time", CommandParameters.model_validate(parameters), IN_IMAGE)
        variables = json.loads(found["variables"])
        shown = variables["HOME"], variables.get("A"), variables["LANG"]
        return [found["program"], *json.loads(found["arguments"])], found.get("user"), found.get("directory"), shown

    assert in_image(command="ls /") == (["/entry", "-x", "ls", "/"], "app", "/srv", ("/h", "1", "C.UTF-8"))
    assert in_image(command="ls | wc", shell=True)[0] == ["/entry", "-x", "/bin/sh", "-c", "ls | wc"]
    given = in_image(command="ls", user="0:0", workdir="/", env={"A": "2"})
    assert given == (["/entry", "-x", "ls"], "0:0", "/", ("/h/0:0", "2", "C.UTF-8"))
    assert in_image(command="ls", entrypoint="")[0] == ["ls"]
    assert in_image(command="ls", entrypoint="nice -n '5'")[0] == ["nice", "-n", "5", "ls"]
    alone = in_image(command="ls", image_config=False, user="app")
    assert alone == (["ls"], "app", None, ("/root", None, "C.UTF-8"))
    assert in_image(command="ls", image_config=False) == (["ls"], None, None, ("/root", None, "C.UTF-8"))


def words(command: str) -> list[str]:
    found = asked(command=command)
    return [found["program"], *json.loads(found["arguments"])]


def test_all_that_is_asked_is_known_to_the_agent() -> None:
    everything = asked(
        command="true", env={"A": 1}, workdir="/tmp", input="/dev/null", prepare="sync", conclude="rm x", timeout=0.5,
        setup="make", cleanup="make clean", warm_ups=3, warm_each=True, show_output=True,
        user="0:0", ulimits="core=0", value="x", unit="s", better="lower", check_files=["a b", "c"],
        first_counts=True, evict="/a",
    )  # fmt: skip
    assert everything["check-files"] == '["a b", "c"]'
    assert (everything["keep-output"], everything["output-may-differ"]) == (True, True)
    known = agent_table.operation("command", "time").parameters
    in_file = asked(command="true", output_file="./a")
    assert in_file["output-file"] == "./a"
    assert everything.keys() | in_file.keys() == known.keys() - {"padding", "runs"}
    assert not any(known[name].refusal(name, value) for name, value in everything.items())
    assert everything["limit-ms"] == 500
    assert [json.loads(everything[name]) for name in ("prepare", "conclude")] == [["sync"], ["rm", "x"]]
    assert [json.loads(everything[name]) for name in ("setup", "cleanup")] == [["make"], ["make", "clean"]]
    assert {"directory", "input", "prepare", "conclude", "setup", "cleanup", "warm-ups", "limit-ms"}.isdisjoint(
        asked(command="true")
    )


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("gzip -k file", ["gzip", "-k", "file"]),
        ("python3 -c 'print(sum(range(10**7)))'", ["python3", "-c", "print(sum(range(10**7)))"]),
        ('awk "BEGIN { print 1 }"', ["awk", "BEGIN { print 1 }"]),
        (r"find / -name x\* -o \( -type f \)", ["find", "/", "-name", "x*", "-o", "(", "-type", "f", ")"]),
        ("echo a~b c#d {} ! '' '$x'", ["echo", "a~b", "c#d", "{}", "!", "", "$x"]),
        (r'echo "a\$b \"" \~', ["echo", 'a$b "', "~"]),
    ],
)
def test_words_are_those_of_a_shell(command: str, expected: list[str]) -> None:
    assert words(command) == expected
    shown = subprocess.run(
        ["/bin/sh", "-c", f"printf '%s\\0' {command}"], capture_output=True, text=True, check=True
    ).stdout
    assert shown.split("\0")[:-1] == expected


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1))
def test_what_is_quoted_needs_no_shell(given_words: list[str]) -> None:
    assert words(shlex.join(["program", *given_words])) == ["program", *given_words]


@pytest.mark.parametrize(
    "command",
    [
        "a | b", "a && b", "a; b", "a > b", "a < b", "(a)", "echo $x", 'echo "$x"', "echo `a`", 'echo "`a`"', "ls *",
        "ls a?", "ls [ab]", "a\nb", "ls ~", "a # b", "~/a",
    ],
)  # fmt: skip
def test_what_a_shell_would_act_on_is_refused_without_one(command: str) -> None:
    with pytest.raises(UsageError, match="shell: true"):
        asked(command=command)
    found = asked(command=command, shell=True)
    assert (found["program"], json.loads(found["arguments"])) == ("/bin/sh", ["-c", command])


def test_refusals_are_sentences(said: Said) -> None:
    for wrong in (
        {"command": "a | b"},
        {"command": "a\nb"},
        {"command": "true", "prepare": "rm *"},
        {"command": "echo 'a"},
        {"command": "A=1 true"},
        {"command": "''"},
        {"command": "a\0b"},
        {"command": "true", "env": "A"},
        {"command": "true", "env": ["=1"]},
    ):
        with pytest.raises(UsageError) as caught:
            asked(**wrong)
        said(caught.value.sentence)


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"A": "b c", "N": 4, "ON": True}, {"A": "b c", "N": "4", "ON": "true"}),
        (["A=b c", "B=x=y"], {"A": "b c", "B": "x=y"}),
        ("A=b 'B=c d'", {"A": "b", "B": "c d"}),
        ({"PATH": "/opt", "EMPTY": ""}, {"PATH": "/opt", "EMPTY": ""}),
        (None, {}),
    ],
)
def test_variables_are_the_same_everywhere_unless_a_plan_says_otherwise(
    env: object, expected: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    monkeypatch.setenv("PATH", "/nonexistent")
    assert json.loads(asked(command="true", env=env)["variables"]) == {**ENVIRONMENT, **expected}


@pytest.mark.parametrize(
    "wrong",
    [{}, {"command": ""}, {"command": "a", "timeout": 0}, {"command": "a", "output": "pipe"}, {"command": "a", "x": 1},
     {"command": "a", "env": 1}],
)  # fmt: skip
def test_what_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        CommandParameters.model_validate(wrong)


def test_a_command_can_pause_between_two_runs_and_may_take_its_time_limit() -> None:
    def work(**parameters: object) -> Any:
        return Command().work("time", CommandParameters.model_validate({"command": "a", **parameters}), 1, 2.0)

    assert (work().cannot_pause, work().processors, work().longest_s) == ("", None, 0.0)
    assert work(timeout=600).longest_s == 600
    assert work(timeout=600, prepare="b", conclude="c").longest_s == 1800
    with pytest.raises(UsageError, match="no operation run"):
        Command().arguments("run", CommandParameters(command="a"), NOWHERE)


def test_a_command_that_prints_its_value_has_its_unit_and_runs_alone() -> None:
    parameters = CommandParameters(command="true", value="v ([0-9]+)", unit="kop/s", better="higher")
    work = Command().work("time", parameters, 1, 0.25)
    assert (work.operation.unit, work.operation.better) == ("kop/s", "higher")
    assert work.cannot_pause and work.workload.agent_metric(work.op) == ("s", "lower")
    reading = work.read("v 3\n")
    assert reading is not None and reading.value == 3
    load = work.as_load()
    assert (load.operation.unit, load.read("anything")) == ("s", None)
    assert "keep-output" not in load.arguments(Place())


@pytest.mark.parametrize(
    "given",
    [
        {"value": "x"}, {"unit": "s"}, {"value": "x", "unit": "s"}, {"value": "(", "unit": "s", "better": "lower"},
        {"value": "x", "unit": "s", "better": "lower", "output": "null"},
        {"value": "x", "unit": "a b", "better": "lower"}, {"check_files": 3}, {"check_files": ""},
    ],
)  # fmt: skip
def test_a_value_is_given_whole_and_files_are_texts(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CommandParameters(command="true", **given)


def test_cold_runs_and_files_are_asked_of_the_agent_and_what_is_for_the_report_is_not() -> None:
    found = asked(command="true", first_counts=True, evict=["/a b", "/c"], relative_to_empty=True)
    assert found["first-counts"] is True
    assert json.loads(found["evict"]) == ["/a b", "/c"]
    assert asked(command="true").keys() == found.keys() - {"first-counts", "evict"}
    assert json.loads(asked(command="true", evict="'/a b' /c")["evict"]) == ["/a b", "/c"]
    wrong: list[object] = [[1], "", 7]
    for bad in wrong:
        with pytest.raises(ValidationError):
            asked(command="true", evict=bad)
    with pytest.raises(UsageError):
        asked(command="true", evict="'")
