"""The measures of tools have the names by which they are found."""

from virtometer.analysis.score.tool_measures import BY_STOPWATCH, CORRECTED, SAYS, TOOL_MEASURES


def test_names_meanings_and_clocks() -> None:
    assert [TOOL_MEASURES[one.name] for one in (SAYS, CORRECTED, BY_STOPWATCH)] == [SAYS, CORRECTED, BY_STOPWATCH]
    assert list(TOOL_MEASURES) == ["tool-by-stopwatch", "tool-corrected", "tool-says"]
    assert all(one.meaning for one in TOOL_MEASURES.values())
    assert {one.name: one.timed_by for one in TOOL_MEASURES.values()} == {
        "tool-by-stopwatch": "host", "tool-corrected": "host", "tool-says": "guest-itself"
    }  # fmt: skip
