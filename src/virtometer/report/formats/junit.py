"""A campaign as JUnit XML, for the pages of tests of continuous integration.

A test suite for each environment, and a test case in it for each comparison. The attributes and the order of elements
are those that both schemas in use ask for: that of Ant (JUnit.xsd) and that of Jenkins (junit-10.xsd).
docs/methods/commands.md says what becomes of each verdict.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence

from virtometer.analysis import Analysis
from virtometer.errors import UsageError
from virtometer.model import Finding, Verdict
from virtometer.report.parts import words
from virtometer.visible import visible

_ERROR, _FAILURE, _SKIPPED = "error", "failure", "skipped"
_WHOLE_SECONDS = 19  # letters of a time without its fraction and its zone


def junit_xml(analysis: Analysis) -> str:
    """The document as text, ended by a newline. Raises UsageError where a plan compares no environments."""
    root = ET.Element("testsuites")
    failed = _failed(analysis)
    if not analysis.findings:
        raise UsageError("JUnit XML needs environments that are measured alone, and this plan has only groups")
    compared = [one for one in analysis.findings if one.verdict is not Verdict.BASELINE]
    for number, environment in enumerate(dict.fromkeys(one.subject for one in compared)):
        here = [one for one in compared if one.subject == environment]
        root.append(_suite(analysis, environment, number, here, failed))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(
    analysis: Analysis, environment: str, number: int, findings: Sequence[Finding], failed: dict[tuple[str, str], str]
) -> ET.Element:
    campaign = analysis.campaign
    places = (environment, campaign.plan.baseline)  # without the baseline nothing is said of the others
    reasons = [
        next((failed[one.workload, at] for at in places if (one.workload, at) in failed), "") for one in findings
    ]
    outcomes = [_outcome(one, why, campaign.plan.margin) for one, why in zip(findings, reasons, strict=True)]
    suite = ET.Element(
        "testsuite",
        {
            "name": visible(environment),
            "package": visible(campaign.plan.name),
            "id": str(number),
            "timestamp": campaign.created_at[:_WHOLE_SECONDS].replace(" ", "T"),
            "hostname": "localhost",  # which machine it was is nobody's business
            "tests": str(len(findings)),
            "failures": str(_number(outcomes, _FAILURE)),
            "errors": str(_number(outcomes, _ERROR)),
            "skipped": str(_number(outcomes, _SKIPPED)),
            "time": _seconds(sum(_time(one) for one in findings)),
        },
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in (("baseline", campaign.plan.baseline), ("margin", words.percent(campaign.plan.margin))):
        ET.SubElement(properties, "property", {"name": name, "value": visible(value)})
    for one, (what, kind, message) in zip(findings, outcomes, strict=True):
        case = ET.SubElement(
            suite,
            "testcase",
            {
                "name": visible(one.workload),
                "classname": visible(f"{campaign.plan.name}.{environment}"),
                "time": _seconds(_time(one)),
            },
        )
        if what:
            typed = {} if what == _SKIPPED else {"type": kind}
            ET.SubElement(case, what, {"message": visible(message), **typed})
    ET.SubElement(suite, "system-out").text = "\n".join(visible(_line(one)) for one in findings)
    ET.SubElement(suite, "system-err")
    return suite


def _outcome(of: Finding, failed: str, margin: float) -> tuple[str, str, str]:
    """Element, type and message of a comparison; an empty element where it passes."""
    if failed:
        return _ERROR, "failed", failed
    ratio = of.decisive
    if of.verdict is Verdict.UNAVAILABLE or ratio is None:
        return _SKIPPED, "", "; ".join([of.verdict.value, *of.notes])
    if not of.comparable:
        return _SKIPPED, "", f"not comparable: {', '.join(of.unlike)}"
    if of.verdict is Verdict.UNDECIDED:
        return _SKIPPED, "", f"undecided: efficiency {words.estimate(ratio)}"
    if of.verdict is Verdict.SLOWER and ratio.value * (1 + margin) < 1:
        return _FAILURE, Verdict.SLOWER.value, f"efficiency {words.estimate(ratio)}, margin {words.percent(margin)}"
    return "", "", ""


def _failed(analysis: Analysis) -> dict[tuple[str, str], str]:
    """The first reason of failed runs, by workload and environment."""
    found: dict[tuple[str, str], str] = {}
    for record in analysis.alone:
        if record.at_fault:
            for placement in record.trial.placements:
                found.setdefault((placement.workload, placement.environment), record.reason)
    return found


def _number(outcomes: Iterable[tuple[str, str, str]], what: str) -> int:
    return sum(one[0] == what for one in outcomes)


def _time(of: Finding) -> float:
    """Seconds of one run there; 0 where the result is no time."""
    value = of.value
    return value.estimate.value if value.unit == "s" and value.estimate is not None else 0.0


def _seconds(value: float) -> str:
    """Schemas take no exponent."""
    return f"{value:.6f}"


def _line(of: Finding) -> str:
    value = words.value(of.value)
    return f"{of.workload}: {', '.join(filter(None, (words.verdict(of), words.efficiency(of), value)))}"
