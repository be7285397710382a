"""The page: one file that needs nothing else.

Plots are drawn twice: as still pictures for print and for browsers without scripts, and by Vega, which is inside the
page, where scripts run. A content security policy forbids the page to load anything.
"""

from __future__ import annotations

import functools
import json
import re
from importlib import metadata, resources
from typing import Any

import jinja2
from altair.utils import schemapi
from markupsafe import Markup

from virtometer.analysis import Analysis
from virtometer.cache import kept
from virtometer.model import Finding, Verdict
from virtometer.report.drawing.drawer import DRAWER
from virtometer.report.effects import section as effects
from virtometer.report.effects import words as effect_words
from virtometer.report.findings import clocks, commands, entries, method, overview, record, summary, workloads
from virtometer.report.findings.footnotes import Footnotes
from virtometer.report.groups import section as groups
from virtometer.report.parts import words
from virtometer.report.parts.glossary import glossary
from virtometer.report.parts.left_tuned import left_tuned
from virtometer.report.parts.plot import Figure
from virtometer.report.parts.section import Section, some
from virtometer.report.profile import section as profile
from virtometer.report.sweeps import section as sweeps
from virtometer.visible import visible

_STILL_WIDTH = 520
_WIDE_WIDTH = 1_080  # of a plot that has a card of the page's whole width


def page(analysis: Analysis, *, scripts: bool = True) -> str:
    """Make the page. `scripts` False leaves out Vega and its data: the still pictures remain."""
    DRAWER.start()
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
    campaign = analysis.campaign
    raw, counts = campaign.clock == "guest", analysis.counts
    result, of_groups = _result(analysis), groups.section(analysis)
    pictures = some(sweeps.section(analysis), of_groups)
    # A page opens with a picture: that of the result, or, where it has none, those of sweeps and groups.
    before = [*some(effects.change(analysis.effects)), *([] if result["overview"] else pictures)]
    sections = [*(pictures if result["overview"] else []), *_sections(analysis, grouped=of_groups is not None)]
    return {
        "plan": campaign.plan,
        "versions": campaign.versions,
        "meta": _meta(analysis),
        "contents": [
            (one.id, one.short or one.title) if isinstance(one, Section) else one
            for one in (*before, ("result", "Result"), *sections)
        ],
        "warnings": [
            *([words.RAW] if raw else []),
            *([f"Not finished: {counts.ran:,} of {counts.planned:,} trials have run."] if counts.missing else []),
            *left_tuned(campaign),
        ],
        "before": before,
        "result": result,
        "sections": sections,
        # Plots are drawn where the template comes to them.
        "plot": functools.partial(_figure, scripts=scripts),
        "css": Markup(_resource("page.css")),
        "js": Markup(_resource("page.js")) if scripts else "",
        "bundle": Markup(_bundle()) if scripts else "",
    }


def _sections(analysis: Analysis, *, grouped: bool) -> list[Section]:
    """All that follow the pictures and the result. grouped: whether there are groups of guests."""
    trouble, *others = record.sections(analysis)
    of_groups = [one.measures for group in analysis.group_results.groups for one in group.members]
    of_groups += [one for matrix in analysis.group_results.matrices for one in matrix.measures.values()]
    measures = glossary(name for of in (*analysis.measures.values(), *of_groups) for name in of)
    terms = [
        *((verdict.value, f"{meaning}.") for verdict, meaning in words.GLOSSARY.items()),
        *((name, f"{text}.") for name, text in (effect_words.GLOSSARY.items() if analysis.effects.factors else ())),
        *((name, f"{text}.") for name, text in (words.OF_GROUPS.items() if grouped else ())),
    ]
    meanings = Section(
        id="glossary",
        title="What the words mean",
        closed=True,
        terms=terms,
        parts=[Section(id="measures", title="Further measures", terms=measures)] if measures else [],
    )
    return some(
        effects.section(analysis.effects),
        commands.section(analysis),
        entries.section(analysis),
        profile.section(analysis.profiles),
        workloads.section(analysis),
        trouble,
        method.section(analysis),
        clocks.section(analysis),
        *others,
        meanings,
    )


def _result(analysis: Analysis) -> dict[str, Any]:
    """The picture and the table of results, and what is said about them."""
    plan, findings = analysis.campaign.plan, analysis.findings
    swept = frozenset(work.name for one in analysis.sweeps for work in one.workloads)
    names = [environment.name for environment in plan.environments]
    cells = {(finding.workload, finding.subject): finding for finding in findings}
    footnotes = Footnotes()
    return {
        "overview": overview.overview(findings, plan.margin, swept),
        "headline": summary.headline(findings),
        "interval_level": words.interval_level(findings),
        "sentences": summary.sentences(findings),
        "noise_and_budget": summary.noise_and_budget(analysis),
        "unlike": not all(finding.comparable for finding in findings),
        "environments": names,
        "rows": [
            (workload, identity, [_cell(cells.get((workload, name)), footnotes) for name in names])
            for workload, identity in workloads.identities(analysis).items()
        ],
        "footnotes": footnotes.lines(),
    }


def _figure(figure: Figure, identity: str, *, wide: bool, scripts: bool) -> dict[str, Any]:
    """A plot as the template takes it."""
    return {
        "id": f"{identity}-plot",
        "svg": Markup(_still(figure.spec, identity, _WIDE_WIDTH if wide else _STILL_WIDTH)),
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


def _cell(finding: Finding | None, footnotes: Footnotes) -> dict[str, Any] | None:
    if finding is None:
        return None
    baseline, ratio = finding.verdict is Verdict.BASELINE, finding.decisive
    price = words.cost(finding)
    value = words.value(finding.value)
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


def script_json(value: object) -> str:
    """JSON that can stand inside a script element: no `<`, `>` or `&` is left in it."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _still(spec: dict[str, Any], prefix: str, width: int) -> str:
    """The plot as SVG. Its ids get a prefix, because all plots of a page share one space of ids."""
    svg = DRAWER.svg({**spec, "width": width})
    svg = re.sub(r'id="([^"]+)"', rf'id="{prefix}-\1"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", svg)


@functools.cache
def _bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that can stand inside a script element."""
    script = kept(f"vega-{metadata.version('vl-convert-python')}.js", DRAWER.scripts)
    return re.sub(r"</(script)", r"<\\/\1", script, flags=re.IGNORECASE).replace("<!--", "<\\!--")


def _resource(name: str) -> str:
    return resources.files("virtometer.report").joinpath(name).read_text(encoding="utf-8")
