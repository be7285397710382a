"""The reference of plans: what the models say, all of it, and a page that is never stale."""

from __future__ import annotations

import re
import subprocess
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, BeforeValidator, Field

from tests.cli.laboratory import PROGRAM, ROOT, virtometer
from virtometer.design.catalogue import Catalogue, OpDescription, WorkloadDescription
from virtometer.design.reference import Entry, sections
from virtometer.design.reference_page import page
from virtometer.environments.registry import KINDS
from virtometer.errors import UsageError
from virtometer.model import parse_share, parse_size
from virtometer.runner.agent import agent_path
from virtometer.runner.catalogue import catalogue
from virtometer.workloads.registry import WORKLOADS
from virtometer.workloads.tool import Tool

ALL = sections(catalogue())
PAGE = ROOT / "docs" / "PLANS.md"
OF_THE_AGENT = [(name, op) for name, one in WORKLOADS.items() if not isinstance(one, Tool) for op in one.operations]
OPTION = re.compile(
    r"^    --([a-z-]+)(?: \| --[a-z-]+)? .*?(?: \((?:default (.*)|otherwise (.*)|(must be given))\))?$", re.MULTILINE
)


class Knobs(BaseModel):
    memory: Annotated[int, BeforeValidator(parse_size), Field(ge=1 << 20, multiple_of=1 << 20)] = Field(
        default=1 << 29, description="bytes"
    )
    part: Annotated[float, BeforeValidator(parse_share), Field(gt=0, le=1)] = Field(default=0.125, description="a part")
    cpus: float | None = Field(default=None, gt=0, description="processors. Without it, all")
    cpuset: tuple[Annotated[int, Field(ge=0, le=7)], ...] | None = Field(default=None, min_length=1, description="set")
    seed: int = Field(ge=0, lt=2**53, description="the seed")
    cache: Literal["none", "writeback"] = Field(default="none", description="mode")
    on: bool = Field(default=True, description="whether")
    word: str = Field(default="a", max_length=9, description="a word")
    left: int | None = Field(default=None, description="left to the agent")


def test_types_bounds_and_defaults_in_words() -> None:
    workload = WorkloadDescription(
        ops={"a": OpDescription("s", "lower", "time"), "b": OpDescription("s", "lower", "time"),
             "c": OpDescription("B/s", "higher", "rate")},
        parameters=Knobs,
        meaning="works",
        takes={"c": frozenset({"memory", "left"}), "b": frozenset(Knobs.model_fields) - {"word"}},
        defaults={"a": {"left": "4"}, "b": {"left": "5"}, "c": {"left": "4"}},
    )  # fmt: skip
    (section,) = sections(Catalogue(kinds={"box": Knobs}, workloads={"drill": workload}), "drill")
    assert section.entries == (
        Entry("memory", "size", "at least 1M, a multiple of 1M", "512M", "bytes", "all"),
        Entry("part", "share", "more than 0%, at most 100%", "12.5%", "a part", "all but c"),
        Entry("cpus", "number", "more than 0", "-", "processors. Without it, all", "all but c"),
        Entry("cpuset", "list of whole numbers", "not empty, each 0 to 7", "-", "set", "all but c"),
        Entry("seed", "whole number", "0 to 9007199254740991", "required", "the seed", "all but c"),
        Entry("cache", "choice", "none, writeback", "none", "mode", "all but c"),
        Entry("on", "true or false", "", "true", "whether", "all but c"),
        Entry("word", "text", "at most 9 characters", "a", "a word", "a"),
        Entry("left", "whole number", "", "4", "left to the agent", "all", ("5 (b)",)),
    )
    assert [(one.name, one.unit, one.direction, one.meaning) for one in section.operations] == [
        ("a", "s", "lower", "time"), ("b", "s", "lower", "time"), ("c", "B/s", "higher", "rate"),
    ]  # fmt: skip


def test_every_workload_and_kind_is_there_with_all_its_operations_and_fields() -> None:
    by_name = {section.name: section for section in ALL}
    assert len(by_name) == len(ALL), "two sections have the same name"
    for name, kind in KINDS.items():
        assert [entry.name for entry in by_name[name].entries] == list(kind.settings_type.model_fields)
    for name, workload in WORKLOADS.items():
        assert [entry.name for entry in by_name[name].entries] == list(workload.parameters.model_fields)
        assert [one.name for one in by_name[name].operations] == list(workload.operations)


@pytest.mark.parametrize("section", ALL, ids=lambda section: section.name)
def test_everything_has_a_meaning(section) -> None:  # type: ignore[no-untyped-def]
    assert section.meaning, f"{section.group} {section.name} has no meaning: add it to its class"
    for entry in section.entries:
        where = f"{section.name}: {entry.name}"
        assert entry.meaning, f"{where} has no meaning: add `description` to the field"
        assert entry.default != "-" or "Without it" in entry.meaning or entry.type in ("mapping", "text"), (
            f"{where} has no default: its meaning must say 'Without it, ...'"
        )
        assert entry.type != "whole number" or entry.allowed, f"{where} has no bound"


@pytest.mark.parametrize(("name", "op"), OF_THE_AGENT)
def test_parameters_and_defaults_are_those_of_the_agent(name: str, op: str) -> None:
    workload = WORKLOADS[name]
    command = [agent_path(), "measure", workload.kernel, "--op", workload.agent_op(op), "--help"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    agent = {found[0].replace("-", "_"): found[1] or found[2] for found in OPTION.findall(text) if not found[3]}
    agent.pop("termination", None)  # the laboratory derives it from iterations and precision
    assert set(workload.takes.get(op, workload.parameters.model_fields)) == set(agent)
    for parameter, default in agent.items():
        field = workload.parameters.model_fields[parameter]
        if field.default is None and "Without it" not in (field.description or ""):
            given = workload.agent_defaults.get(op, {}).get(parameter)
            assert given is not None, f"agent_defaults lacks {parameter} of {op}: {default}"
            assert _plain(given) == _plain(default), parameter
        elif field.default is not None:
            assert _plain(str(field.default)) == _plain(default), parameter


def _plain(default: str) -> object:
    try:
        return parse_size(default)
    except ValueError:
        return default


def test_the_page_of_the_documentation_is_made_from_the_models() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(ALL), (
        "docs/PLANS.md is stale, run: .venv/bin/virtometer plan reference --markdown > docs/PLANS.md"
    )
    assert virtometer("plan", "reference", "--markdown").out == page(ALL)


def test_one_part_by_its_name_and_all_without_one() -> None:
    outcome = virtometer("plan", "reference", "qemu")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("environment qemu (QEMU (emulated)): a virtual machine")
    assert re.search(r"^memory +size, 128M to 1T, a +512M +bytes", outcome.out, re.MULTILINE)
    every = virtometer("plan", "reference")
    assert every.status == 0
    for section in ALL:
        kind = "" if section.group == "plan" else f"{section.group} "
        assert re.search(rf"^{kind}{section.name}[ :]", every.out, re.MULTILINE)


def test_the_reference_fits_a_terminal_that_has_ascii_alone() -> None:
    outcome = subprocess.run(
        [PROGRAM, "plan", "reference"],
        capture_output=True, check=True, env={"PYTHONIOENCODING": "ascii", "COLUMNS": "80", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    text = outcome.stdout.decode("ascii")
    assert "\\u" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_an_unknown_name_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="did you mean 'disk'"):
        sections(catalogue(), "dis")
    outcome = virtometer("plan", "reference", "qemuu")
    assert (outcome.status, outcome.out) == (2, "")
    first, second = outcome.err.splitlines()
    assert first.endswith("no workload, kind of environment or part 'qemuu'; did you mean 'qemu'?")
    assert second.startswith("virtometer: there are: plan, ")
