"""Campaigns as JUnit XML: the structure that the schemas of Ant and Jenkins ask for."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Literal

import pytest

from tests.analysis.simulated_campaigns import Place, Work, gaussian, simulate
from tests.report.group_campaigns import group_campaign
from virtometer.analysis import Analysis, analyse
from virtometer.errors import UsageError
from virtometer.model import Failure, FailureKind
from virtometer.report import render

WORKS = [Work(name, "command", "time", "s", 0.02) for name in ("same", "slow", "barely", "broken", 'a <"&\x1b> b')]
SUITE = ["name", "timestamp", "hostname", "tests", "failures", "errors", "time", "package", "id", "skipped"]
WRONG = Failure(FailureKind.AGENT, "it printed something else")


def analysis(noise: float = 0.001) -> Analysis:
    box = Place("box", "runc", {"": 1.0, "slow": 0.5, "barely": 0.97}, fails={"broken": WRONG})
    return analyse(simulate([Place("native"), box, Place("gone", "gvisor", works=False)], WORKS, noise=gaussian(noise)))


def suites(of: Analysis) -> dict[str, ET.Element]:
    root = ET.fromstring(render(of, "junit"))
    assert root.tag == "testsuites"
    return {one.attrib["name"]: one for one in root}


def outcome(suite: ET.Element, name: str) -> ET.Element | None:
    case = next(one for one in suite.iter("testcase") if one.attrib["name"] == name)
    assert len(case) <= 1
    return next(iter(case), None)


def test_structure() -> None:
    for suite in suites(analysis()).values():
        assert set(suite.attrib) == set(SUITE)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
        tags = [one.tag for one in suite]
        cases = tags[1:-2]
        assert tags == ["properties", *cases, "system-out", "system-err"]
        assert set(cases) == {"testcase"}
        assert int(suite.attrib["tests"]) == len(cases) == len(WORKS)
        for tag, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            found = [*suite.iter(tag)]
            assert int(suite.attrib[attribute]) == len(found)
            assert all(("type" in one.attrib) == (tag != "skipped") for one in found)
        for case in suite.iter("testcase"):
            assert set(case.attrib) == {"name", "classname", "time"}
            assert re.fullmatch(r"\d+\.\d+", case.attrib["time"])


def test_verdicts_become_outcomes() -> None:
    box = suites(analysis())["box"]
    assert outcome(box, "same") is None
    assert outcome(box, "barely") is None, "it is slower within the margin"
    slow, broken = outcome(box, "slow"), outcome(box, "broken")
    assert slow is not None and slow.tag == "failure"
    assert "0.5" in slow.attrib["message"]
    assert broken is not None and broken.tag == "error"
    undecided = outcome(suites(analysis(0.5))["box"], "same")
    assert undecided is not None and undecided.tag == "skipped"


def test_a_baseline_that_failed_is_an_error_of_what_is_compared_with_it() -> None:
    places = [Place("native", fails={"slow": WRONG}), Place("box", "runc", {"slow": 0.5})]
    box = suites(analyse(simulate(places, WORKS[:2])))["box"]
    slow = outcome(box, "slow")
    assert slow is not None and slow.tag == "error"
    assert outcome(box, "same") is None


@pytest.mark.parametrize("form", ["junit", "bencher"])
def test_a_campaign_of_groups_alone_is_refused(form: Literal["junit", "bencher"]) -> None:
    with pytest.raises(UsageError):
        render(analyse(group_campaign(blocks=1)), form)


def test_what_does_not_work_here_is_skipped() -> None:
    gone = suites(analysis())["gone"]
    assert {one.tag for case in gone.iter("testcase") for one in case} == {"skipped"}


def test_what_xml_cannot_hold_is_made_visible() -> None:
    names = [one.attrib["name"] for one in suites(analysis())["box"].iter("testcase")]
    assert any("<" in name and "&" in name and "\x1b" not in name for name in names)
