"""Each workload as a part of the page."""

from __future__ import annotations

from tests.report.group_campaigns import group_campaign
from tests.report.showcase import showcase
from tests.sentences import Said
from virtometer.analysis import analyse
from virtometer.report.findings.workloads import identities, section


def test_a_workload_has_its_comparisons_its_samples_and_its_numbers(said: Said) -> None:
    analysis = analyse(showcase())
    found = section(analysis)
    assert found is not None
    assert [(part.title, part.id) for part in found.parts] == list(identities(analysis).items())
    first = found.parts[0]
    said(first.about)
    assert len(first.figures) == 2 and first.figures[0].caption.startswith("Efficiency against native")
    (numbers,) = first.folded
    assert numbers.table is not None and numbers.table.rows[0][0] == "native"


def test_where_single_guests_were_not_measured_there_is_none() -> None:
    analysis = analyse(group_campaign(blocks=2))
    assert section(analysis) is None and identities(analysis) == {}
