"""What a bench leaves behind is readable, and is there after every run."""

import json
from pathlib import Path

from bench.anchors.__main__ import lines
from bench.anchors.measuring import Measured, Side, conclude
from bench.anchors.program import Program
from bench.anchors.record import HEADINGS, Record, cells
from bench.anchors.rows import COMPUTE, Row
from bench.anchors.running import Run

AGENT = Program("{agent}", "", float)
ROW = Row("group.row", "B/s", AGENT, Program("echo", "", float, package="coreutils"), 1.0, COMPUTE)
OTHER = Program("echo", "", float, package="coreutils", environment=(("THREADS", "2"),))
DIFFERS = Row("group.row", "B/s", AGENT, OTHER, 1.0, COMPUTE, differs="It counts twice.")
SAID = json.dumps({"value": 2.0, "samples": [1, 2, 3], "facts": {"cpu": "x"}, "conditions": {"simd": "avx2"}})


def test_every_run_is_kept_at_once(tmp_path: Path) -> None:
    record = Record(tmp_path / "results")
    record.run(ROW, 0, "agent", Run(2.0, ["agent", "measure"], 1.5, SAID))
    record.run(DIFFERS, 0, "anchor", Run(1.0, ["echo"], 1.25, "what it printed", in_use="core X"))
    first, second = [json.loads(line) for line in (record.folder / "runs.jsonl").read_text().splitlines()]
    assert (first["row"], first["side"], first["figure"], first["unit"], first["wall_s"]) == (
        ("group.row", "agent", 2.0, "B/s", 1.5)
    )
    assert (first["output"]["samples"], first["output"]["conditions"]) == (3, {"simd": "avx2"})
    assert (second["argv"], second["output"]) == (["echo"], "what it printed")
    assert (first["in_use"], first["differs"], first["environment"]) == ("", "", {})
    assert (second["in_use"], second["environment"]) == ("core X", {"THREADS": "2"})
    assert second["differs"] == "It counts twice."


def test_the_table_is_markdown_and_says_what_it_means(tmp_path: Path) -> None:
    record = Record(tmp_path / "results")
    figures: dict[Side, list[float]] = {"control": [2.0] * 11, "agent": [2.0] * 11, "anchor": [1.0] * 11}
    record.table([conclude(Measured(ROW, figures)), conclude(Measured(ROW))])
    lines = (record.folder / "table.md").read_text().splitlines()
    assert lines[0] == f"| {' | '.join(HEADINGS)} |"
    assert all(line.count("|") == len(HEADINGS) + 1 for line in lines[:4])
    assert "| 2.000 | 2.000 to 2.000 | >= 1.00 | 1.000 (±3%) | 11 | 2 B/s | 1 B/s | met |" in lines[2]
    assert lines[2].endswith("| met | yes |  |  / echo  |")
    assert "failed: no block was completed" in lines[3]
    assert "order-statistic interval" in "\n".join(lines[4:])


def test_what_differs_and_what_was_in_use_is_printed_below_the_row() -> None:
    figures: dict[Side, list[float]] = {"control": [2.0] * 11, "agent": [2.0] * 11, "anchor": [1.0] * 11}
    measured = Measured(DIFFERS, figures)
    measured.in_use["anchor"] |= {"core X", "core Y"}
    row, *below = lines(cells(conclude(measured)))
    assert " ".join(row.split()) == "group.row 2.000 2.000 to 2.000 >= 1.00 1.000 (±3%) 11 2 B/s 1 B/s met"
    assert below == ["    not alike: It counts twice.", "    in use: anchor: core X or core Y"]
    assert lines(cells(conclude(Measured(ROW, figures))))[1:] == []


def test_the_facts_name_host_agent_and_tools(tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.write_text("#!/bin/sh\necho agent 1.2.3\n")
    agent.chmod(0o755)
    record = Record(tmp_path / "results")
    record.facts(agent, [ROW], {"pairs": 3})
    facts = json.loads((record.folder / "facts.json").read_text())
    assert facts["agent"]["version"] == "agent 1.2.3" and len(facts["agent"]["sha256"]) == 64
    assert facts["options"] == {"pairs": 3}
    assert facts["host"]["cpus"] >= 1 and facts["host"]["kernel"]
    assert list(facts["tools"]) == ["echo"]
