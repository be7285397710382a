"""The page: one file that needs nothing else.

Plots are drawn twice: as still pictures for print and for browsers without scripts, and by Vega, which is inside the
page, where scripts run. A content security policy forbids the page to load anything.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from importlib import metadata, resources
from typing import Any, TypeVar

import jinja2
import vl_convert
from altair.utils import schemapi
from markupsafe import Markup

from virtometer.analysis import Analysis
from virtometer.analysis.compare.blocks import Key
from virtometer.analysis.describe.measures import Times
from virtometer.analysis.effects.effect import Effects
from virtometer.cache import kept
from virtometer.model import Campaign, Finding, PlanWorkload, Verdict
from virtometer.report.effects import figures as effect_figures
from virtometer.report.effects import first_stage, nuisance
from virtometer.report.effects import tables as effect_tables
from virtometer.report.effects import words as effect_words
from virtometer.report.findings import clocks, summary
from virtometer.report.findings.footnotes import Footnotes
from virtometer.report.groups import section as crowds
from virtometer.report.parts import figures, html_tables, words
from virtometer.report.parts.figures import Figure
from virtometer.report.parts.glossary import glossary
from virtometer.report.parts.left_tuned import left_tuned
from virtometer.report.sweeps import curves
from virtometer.report.sweeps import section as sweeps
from virtometer.visible import visible

Found = TypeVar("Found")

_POINTS_OF_A_PLOT = 1_600
_POINTS_OF_A_PAGE = 16_000  # keeps the page at a few megabytes however many workloads there are
_STILL_WIDTH = 520
_WIDE_WIDTH = 1_080  # of a plot that has a card of the page's whole width


def page(analysis: Analysis, *, scripts: bool = True) -> str:
    """Make the page. `scripts` False leaves out Vega and its data: the still pictures remain."""
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=False,
        keep_trailing_newline=True,
        finalize=_shown,
    )
    template = environment.from_string(_resource("page.html.jinja"))
    with schemapi.debug_mode(False):  # altair checks every part of a plot otherwise, which tests do instead
        context = _context(analysis, scripts)
    return template.render(context)


def _shown(value: object) -> object:
    """Hidden characters of a text made visible; what is HTML already stays."""
    return visible(value, keep="\n\t") if isinstance(value, str) and not isinstance(value, Markup) else value


def _context(analysis: Analysis, scripts: bool) -> dict[str, Any]:
    campaign, findings = analysis.campaign, analysis.findings
    plan = campaign.plan
    footnotes = Footnotes()
    measured = {finding.workload for finding in findings}
    ids = {workload.name: f"workload-{number}" for number, workload in enumerate(plan.workloads, 1)}
    names = [environment.name for environment in plan.environments]
    cells = {(finding.workload, finding.subject): finding for finding in findings}
    rows = [
        {
            "workload": workload,
            "id": identity,
            "cells": [_cell(cells[workload, name], footnotes) if (workload, name) in cells else None for name in names],
        }
        for workload, identity in ids.items()
        if workload in measured
    ]
    most = max(100, min(_POINTS_OF_A_PLOT, _POINTS_OF_A_PAGE // len(plan.workloads)))
    sentence, trouble = html_tables.trouble(analysis)
    swept = _sweeps(analysis, scripts)
    together = _together(analysis, scripts)
    told = analysis.effects
    raw = campaign.clock == "guest"
    drawn = clocks.figure(analysis.clocks, plan.limits.clock_error, raw=raw)
    counts = analysis.counts
    return {
        "plan": plan,
        "plan_text": campaign.plan_text,
        "seed": campaign.seed,
        "versions": campaign.versions,
        "meta": _meta(analysis),
        "contents": [
            *([("change", "What to change")] if told.factors else []), ("result", "Result"),
            *([("effects", "Effects")] if told.factors else []), *([("sweeps", "Sweeps")] if swept else []),
            *([("together", "Several guests at once")] if together else []),
            *([("workloads", "Workload by workload")] if measured else []), ("trouble", "What failed"),
            ("clocks", "Clocks"), ("starts", "Starting a guest"), ("facts", "Host and guests"),
            ("record", "The record"), ("glossary", "What the words mean"),
        ],
        "raw": words.RAW if raw else "",
        "unfinished": f"Not finished: {counts.ran:,} of {counts.planned:,} trials have run." if counts.missing else "",
        "left_tuned": left_tuned(campaign),
        "headline": summary.headline(findings),
        "interval_level": words.interval_level(findings),
        "sentences": summary.sentences(findings),
        "undecided": summary.undecided(findings),
        "remarks": summary.campaign_sentences(analysis),
        "control": html_tables.control(analysis.controls) if analysis.controls else None,
        "typical": words.TYPICAL if any(finding.verdict_by == "typical" for finding in findings) else "",
        "unlike": not all(finding.like_with_like for finding in findings),
        "environments": names,
        "rows": rows,
        "footnotes": footnotes.lines(),
        "change": _change(told) if told.factors else None,
        "effects": _effects(told, scripts),
        "first_stage": _first_stage(told),
        "nuisance": nuisance.sentences(told.nuisance),
        "sweeps": swept,
        "levels": [
            html_tables.levels(curves.title(one.series), one.averages) for one in analysis.level_averages
        ],
        "workloads": [
            _workload(analysis, workload, ids[workload.name], most, scripts)
            for workload in plan.workloads
            if workload.name in measured
        ],
        "together": together,
        "together_about": crowds.ABOUT,
        "trouble": {"sentence": sentence, "grid": trouble},
        "clocks": {
            "about": clocks.BELIEVED if raw else clocks.CORRECTED,
            "grid": clocks.grid(analysis.clocks),
            "figure": None if drawn is None else _figure(drawn, "clocks", scripts, _WIDE_WIDTH),
        },
        "starts": html_tables.starts(analysis.provisioning),
        "host": html_tables.host(campaign),
        "places": [
            {"name": e.name, "about": _about(campaign, e.name, e.kind), "grid": html_tables.settings(campaign, e.name)}
            for e in plan.environments
        ],
        "trials": html_tables.trials(campaign),
        "planned": counts.planned,
        "commands": html_tables.commands(campaign),
        "commands_about": f"{len(campaign.commands):,}",
        "version_grid": html_tables.pairs("Programs and libraries", campaign.versions.items()),
        "measures": glossary(name for of in analysis.measures.values() for name in of),
        "glossary": [
            *((verdict.value, meaning) for verdict, meaning in words.GLOSSARY.items()),
            *(effect_words.GLOSSARY.items() if told.factors else ()),
            *(words.TOGETHER.items() if together else ()),
        ],
        "css": Markup(_resource("page.css")),
        "js": Markup(_resource("page.js")) if scripts else "",
        "bundle": Markup(_bundle()) if scripts else "",
    }  # fmt: skip


def _sweeps(analysis: Analysis, scripts: bool) -> list[dict[str, Any]]:
    """Every sweep with its figures and tables, where single guests were measured over its levels."""
    made: list[dict[str, Any]] = []
    measured = {one.workload for one in analysis.findings}
    of_guests = [one for one in analysis.sweeps if measured & {workload.name for workload in one.workloads}]
    for number, sweep in enumerate(of_guests, 1):
        shown = sweeps.shown(sweep, analysis.findings, analysis.knees)
        figures = [_figure(one, f"sweep-{number}-{place}", scripts) for place, one in enumerate(shown.figures, 1)]
        made.append(
            {
                "name": shown.name,
                "id": f"sweep-{number}",
                "sentences": shown.sentences,
                "figures": figures,
                "tables": shown.tables,
            }
        )
    return made


def _change(of: Effects) -> dict[str, Any]:
    """What to change, for a reader who reads nothing else."""
    first, *others = effect_words.changes(of)
    return {
        "first": first,
        "others": others,
        "levels": effect_words.sentences(of),
        "settings": effect_tables.settings(of),
        "about": effect_words.about(of),
    }


def _first_stage(of: Effects) -> dict[str, Any] | None:
    """What the first stage of a sequential design says; None without one that is decided."""
    if of.first is None:
        return None
    return {"headline": first_stage.headline(of.first), "about": first_stage.ABOUT, "table": first_stage.table(of)}


def _effects(of: Effects, scripts: bool) -> list[dict[str, Any]]:
    """Every metric of an experiment with its figures, table and notes."""
    made: list[dict[str, Any]] = []
    for number, metric in enumerate(of.metrics, 1):
        name = f"effects-{number}"
        drawn = effect_figures.figures(metric, of.margin)
        made.append(
            {
                "name": metric.metric,
                "id": name,
                "figures": [_figure(one, f"{name}-{at}", scripts) for at, one in enumerate(drawn, 1)],
                "notes": effect_tables.notes(metric),
                "table": effect_tables.effects(metric),
            }
        )
    return made


def _together(analysis: Analysis, scripts: bool) -> list[dict[str, Any]]:
    """Every scenario of several guests with its figures, tables and sentences."""
    made: list[dict[str, Any]] = []
    for number, part in enumerate(crowds.parts(analysis), 1):
        name = f"together-{number}"
        made.append(
            {
                "name": part.name,
                "id": name,
                "about": part.about,
                "figures": [_figure(one, f"{name}-{at}", scripts) for at, one in enumerate(part.figures, 1)],
                "lines": [_figure(one, f"{name}-line", scripts, _WIDE_WIDTH) for one in part.lines],
                "tables": part.tables,
                "notes": part.notes,
            }
        )
    return made


def _figure(figure: Figure, identity: str, scripts: bool, width: int = _STILL_WIDTH) -> dict[str, Any]:
    """A plot as the template takes it."""
    return {
        "id": f"{identity}-plot",
        "svg": Markup(_still(figure.spec, identity, width)),
        "alternative": figure.alternative,
        "caption": figure.caption,
        "spec": Markup(script_json(figure.spec)) if scripts else "",
    }


def _meta(analysis: Analysis) -> list[tuple[str, str]]:
    """The line below the title."""
    campaign = analysis.campaign
    facts = campaign.host
    cpus = facts.get("cpus") or facts.get("cpus_online")
    host = f"{facts.get('cpu_model') or 'unknown processor'}{f', {cpus} CPUs' if cpus else ''}"
    return [
        ("began", campaign.created_at.replace("T", " ")[:16] + " UTC"),
        ("host", host),
        ("kernel", str(facts.get("kernel", "unknown"))),
        ("blocks", f"{analysis.counts.blocks_done} of {len({trial.block for trial in campaign.planned})}"),
        ("baseline", campaign.plan.baseline),
        ("margin", words.percent(campaign.plan.margin)),
    ]


def _cell(finding: Finding, footnotes: Footnotes) -> dict[str, Any]:
    baseline, ratio = finding.verdict is Verdict.BASELINE, finding.decisive
    price = words.cost(finding)
    value = words.quantity(finding.value.value, finding.unit) if finding.value is not None else ""
    return {
        "gone": ratio is None,
        "verdict": finding.verdict.value,
        "said": words.verdict(finding),
        "star": words.star(finding),
        "ratio": "" if ratio is None else "1" if baseline else words.ratio(ratio),
        "interval": "" if ratio is None else words.interval(ratio),
        "below": value if baseline else f"cpu {price}" if price else "",
        "notes": footnotes.numbers(finding.shown_notes),
    }


def _workload(analysis: Analysis, workload: PlanWorkload, identity: str, most: int, scripts: bool) -> dict[str, Any]:
    campaign = analysis.campaign
    findings = [finding for finding in analysis.findings if finding.workload == workload.name]
    histograms = _by_histogram(_of_workload(analysis, workload, analysis.times))
    measures = _of_workload(analysis, workload, analysis.measures)
    compared = _of_workload(analysis, workload, analysis.timed)
    drawn = [
        figures.efficiency(findings, campaign.plan.margin) if any(f.ratio is not None for f in findings) else None,
        figures.samples(analysis, workload.name, most),
        *(curves.slowest(name, times) for name, times in histograms.items()),
    ]
    settings = ", ".join(f"{key} {_setting(key, value, workload)}" for key, value in workload.parameters.items())
    metric = findings[0].metric
    better = "lower is better" if findings[0].better == "lower" else "higher is better"
    about = (
        f"{workload.workload} {workload.op}{f' ({settings})' if settings else ''}, "
        f"{workload.threads} thread{'s' if workload.threads > 1 else ''}, "
        f"{workload.seconds or campaign.plan.seconds:g} s a trial"
        + (f". {metric[:1].upper()}{metric[1:]}, in {findings[0].unit}: {better}." if findings[0].unit else ".")
    )
    return {
        "id": identity,
        "name": workload.name,
        "about": about,
        "figures": [
            _figure(figure, f"{identity}-{number}", scripts)
            for number, figure in enumerate(drawn, 1)
            if figure is not None
        ],
        "notes": [(f.subject, note) for f in findings for note in words.all_notes(f)],
        "extras": [
            *([html_tables.clocks_compared(compared)] if compared else []),
            *([html_tables.measures(measures)] if measures else []),
            *(html_tables.times(name, times) for name, times in histograms.items()),
        ],
        "numbers": html_tables.numbers(findings, _of_workload(analysis, workload, analysis.clock_errors)),
    }


def _of_workload(analysis: Analysis, workload: PlanWorkload, found: Mapping[Key, Found]) -> dict[str, Found]:
    """What was found of one workload, by environment, in the plan's order."""
    names = (environment.name for environment in analysis.campaign.plan.environments)
    return {name: found[workload.name, name] for name in names if (workload.name, name) in found}


def _by_histogram(of: Mapping[str, Mapping[str, Times]]) -> dict[str, dict[str, Times]]:
    """By name of the histogram, then by environment."""
    found: dict[str, dict[str, Times]] = {}
    for environment, histograms in of.items():
        for name, times in histograms.items():
            found.setdefault(name, {})[environment] = times
    return found


def _setting(key: str, value: object, workload: PlanWorkload) -> str:
    """A parameter as people write it: sizes in bytes with a binary prefix."""
    if isinstance(value, bool):
        return str(value).lower()
    if words.in_bytes(workload.workload, workload.op, key) and isinstance(value, int):
        return words.size(value)
    return str(value)


def _about(campaign: Campaign, name: str, kind: str) -> str:
    status = next((status for status in campaign.environments if status.name == name), None)
    if status is not None and not status.works:
        return f"{kind}: does not work here: {status.reason}"
    return kind


def script_json(value: object) -> str:
    """JSON that can stand inside a script element: no `<`, `>` or `&` is left in it."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _still(spec: dict[str, Any], prefix: str, width: int) -> str:
    """The plot as SVG. Its ids get a prefix, because all plots of a page share one space of ids."""
    svg: str = vl_convert.vegalite_to_svg({**spec, "width": width})
    svg = re.sub(r'id="([^"]+)"', rf'id="{prefix}-\1"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", svg)


@functools.cache
def _bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that can stand inside a script element."""
    script = kept(f"vega-{metadata.version('vl-convert-python')}.js", _bundled)
    return re.sub(r"</(script)", r"<\\/\1", script, flags=re.IGNORECASE).replace("<!--", "<\\!--")


def _bundled() -> str:
    bundle: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # its stub forgets the default
    return bundle


def _resource(name: str) -> str:
    return resources.files("virtometer.report").joinpath(name).read_text(encoding="utf-8")
