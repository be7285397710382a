"""External tools in environments: the host's own program, carried into each, its number reported three times."""

from __future__ import annotations

import http.server
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.runner.fixtures import MakePlan, Watcher, resolved
from tests.sentences import Said
from virtometer.environments.registry import KINDS
from virtometer.errors import HostChanged
from virtometer.model import Campaign, Plan, TrialRecord
from virtometer.runner.campaign import execute as campaigns
from virtometer.workloads.ab import Ab
from virtometer.workloads.base import Workload
from virtometer.workloads.fio import Fio

NATIVE = {"name": "native", "kind": "native"}
FIO = {"name": "fio", "workload": "fio", "op": "random-read", "parameters": {"seconds": 1}}
AB = {"name": "requests", "workload": "ab", "op": "get", "parameters": {"requests": 200}}
# A busy host boots an emulated machine with 80 MiB of programs in its own time.
PATIENT = {"start_s": 120, "prepare_s": 30, "run_extra_s": 60, "answer_s": 20, "clock_error": 0.5}
CAPTURED = Path(__file__).parents[1] / "workloads" / "captured"


def require(tool: type[Workload[Any]]) -> None:
    if shutil.which(tool.program) is None:
        pytest.skip(f"{tool.program} is not installed (Debian package {tool.package})")


def measured(plan: Plan, directory: Path, watcher: Watcher) -> tuple[Campaign, dict[tuple[str, str], TrialRecord]]:
    """What a campaign found out, by workload and environment. Skips where an environment does not work here."""
    campaign = campaigns.begin(resolved(plan), "text", directory, 7, watcher)
    for state in campaign.environments:
        if not state.works:
            pytest.skip(f"{state.name} does not work here: {state.reason} ({state.advice})")
    placed = [(record.trial.placements[0], record) for record in campaign.trials]
    return campaign, {(placement.workload, placement.environment): record for placement, record in placed}


def told_three_times(record: TrialRecord, unit: str) -> dict[str, float]:
    """The three numbers of a trial that was done, which are in proportion."""
    assert (record.status, record.reason) == ("done", "")
    (run,) = record.runs
    ways = {name: measure["value"] for name, measure in run.reported.measures.items() if name.startswith("tool-")}
    assert ways.keys() == {"tool-reported", "tool-corrected", "tool-by-wall-clock"}
    assert (run.unit, run.scored.value, run.reported.value) == (unit, ways["tool-corrected"], ways["tool-reported"])
    assert ways["tool-corrected"] == pytest.approx(ways["tool-reported"] / run.scored.clock.rate)
    assert 0 < ways["tool-by-wall-clock"] < ways["tool-corrected"] * 1.05
    return ways


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.slow] * (kind in ("qemu", "kvm"))) for kind in KINDS]
)
def test_fio_measures_the_disk_file_from_inside(
    kind: str, tmp_path: Path, watcher: Watcher, make_plan: MakePlan
) -> None:
    require(Fio)
    environments = [NATIVE] if kind == "native" else [NATIVE, {"name": kind, "kind": kind}]
    plan = make_plan(environments, [FIO], limits=PATIENT, unavailable="skip", disk_span="4M")
    campaign, records = measured(plan, tmp_path / "c", watcher)
    for record in records.values():
        told_three_times(record, "IO/s")
        assert record.runs[0].parameters["program"] == shutil.which("fio"), "the same program everywhere"
    assert campaign.versions["fio"].startswith("fio-")
    assert f", {shutil.which('fio')}, SHA-256 " in campaign.versions["fio"]


def test_a_guest_without_room_for_a_tool_says_so(tmp_path: Path, watcher: Watcher, make_plan: MakePlan) -> None:
    require(Fio)
    small = {"name": "small", "kind": "uml", "settings": {"memory": "128M"}}
    of_host = {"name": "of host", "kind": "uml", "settings": {"memory": "256M", "root": "host"}}
    cpu = {"name": "cpu", "workload": "linpack", "op": "classic", "parameters": {"size": 50}}
    plan = make_plan([NATIVE, small, of_host], [FIO, cpu], limits=PATIENT, unavailable="skip", fresh="block")
    _, records = measured(plan, tmp_path / "c", watcher)
    assert records["cpu", "small"].reason == ""
    assert records["fio", "small"].reason.startswith("small: not available here: fio and its libraries (")
    assert records["fio", "small"].reason.endswith(" MiB) do not fit into a guest with 128 MiB of memory")
    told_three_times(records["fio", "of host"], "IO/s")
    run = records["fio", "of host"].runs[0]
    assert (run.parameters["program"], run.conditions["program_of"]) == (shutil.which("fio"), "the host")


@pytest.fixture
def web_server() -> Iterator[str]:
    """The address of a page on the host's loopback."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


def test_ab_asks_a_web_server_from_where_it_can_be_reached(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan, web_server: str
) -> None:
    require(Ab)
    asked = {**AB, "parameters": {"requests": 200, "url": web_server}}
    plan = make_plan(
        [NATIVE, {"name": "bubblewrap", "kind": "bubblewrap"}], [asked], limits=PATIENT, unavailable="skip"
    )
    _, records = measured(plan, tmp_path / "c", watcher)
    for record in records.values():
        told_three_times(record, "1/s")


def test_a_tool_that_is_not_installed_is_not_available_and_names_its_package(
    said: Said, tmp_path: Path, watcher: Watcher, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ab, "program", "no-such-program")
    campaign, records = measured(make_plan([NATIVE], [AB]), tmp_path / "c", watcher)
    record = records["requests", "native"]
    assert (record.status, record.unavailable) == ("failed", True)
    assert "no-such-program" in record.reason and "apache2-utils" in record.reason
    said(record.reason)
    assert campaign.versions["ab"] == "not installed"


def test_a_script_runs_natively_and_is_refused_to_guests_and_another_one_ends_the_campaign(
    said: Said, tmp_path: Path, watcher: Watcher, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "captured-ab"
    script.write_text(f'#!/bin/sh\n[ "$1" = -V ] && echo version 1 && exit\nsleep 0.2\ncat {CAPTURED}/ab-2.3.txt\n')
    script.chmod(0o755)
    monkeypatch.setattr(Ab, "program", str(script))
    plan = make_plan([NATIVE, {"name": "bubblewrap", "kind": "bubblewrap"}], [AB], limits=PATIENT, unavailable="skip")
    campaign, records = measured(plan, tmp_path / "c", watcher)
    told_three_times(records["requests", "native"], "1/s")
    assert records["requests", "bubblewrap"].unavailable
    said(records["requests", "bubblewrap"].reason, script=script)
    assert campaign.versions["ab"].startswith(f"version 1, {script}, SHA-256 ")
    assert [line for line in campaign.commands if line.argv == (str(script), "-V")]
    script.write_text(script.read_text() + "\n")
    with pytest.raises(HostChanged, match=f"ab was version 1, {script}, SHA-256 .* and is version 1, {script}"):
        campaigns.resume(tmp_path / "c", watcher)
