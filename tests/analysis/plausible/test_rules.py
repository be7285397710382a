"""Rules are data with a source."""

from __future__ import annotations

from virtometer.analysis.plausible.rules import RULES


def test_each_rule_has_a_meaning_and_a_source() -> None:
    assert all(rule.meaning and rule.source and name == rule.name for name, rule in RULES.items())
