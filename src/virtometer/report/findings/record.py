"""What stands behind the numbers, as the page shows it: what failed, starts, facts, and the record itself."""

from __future__ import annotations

from virtometer.analysis import Analysis
from virtometer.model import Campaign, PlanEnvironment
from virtometer.report.parts import html_tables
from virtometer.report.parts.section import Folded, Section


def sections(analysis: Analysis) -> list[Section]:
    """In the order of the page."""
    campaign = analysis.campaign
    sentence, reasons = html_tables.trouble(analysis)
    trials = html_tables.trials(campaign)
    return [
        Section(
            id="trouble",
            title="What failed and what was marked",
            short="What failed",
            sentences=[sentence],
            tables=[reasons] if reasons.rows else [],
        ),
        Section(
            id="starts",
            title="Starting a guest",
            closed=True,
            sentences=["Seconds from the first command until the agent's greeting."],
            tables=[html_tables.starts(analysis.provisioning)],
        ),
        Section(
            id="facts",
            title="Host and guests",
            closed=True,
            tables=[html_tables.host(campaign)],
            parts=[_settings(campaign)],
        ),
        Section(
            id="record",
            title="The record",
            closed=True,
            sentences=[
                "Everything above was made from this campaign's ledger. The order of the trials follows from the plan "
                f"and the seed {campaign.seed}."
            ],
            folded=[
                Folded(title="The plan", about="as it was written", text=campaign.plan_text),
                Folded(
                    title="The trials, in order",
                    about=f"{len(trials.rows)} of {analysis.counts.planned}",
                    table=trials,
                ),
                Folded(
                    title="Every command line that was run",
                    about=f"{len(campaign.commands):,}",
                    table=html_tables.commands(campaign),
                ),
                Folded(title="Versions", table=html_tables.pairs("Programs and libraries", campaign.versions.items())),
            ],
        ),
    ]


def _settings(campaign: Campaign) -> Section:
    return Section(
        id="settings",
        title="Environments: requested and effective settings",
        folded=[
            Folded(title=one.name, about=_kind(campaign, one), table=html_tables.settings(campaign, one.name))
            for one in campaign.plan.environments
        ],
    )


def _kind(campaign: Campaign, of: PlanEnvironment) -> str:
    status = next((status for status in campaign.environments if status.name == of.name), None)
    return of.kind if status is None or status.works else f"{of.kind}: does not work here: {status.reason}"
