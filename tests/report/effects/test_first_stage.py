"""The first stage of a sequential design in words, in the terminal, on the page and in JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from rich.console import Console

from tests.analysis import sequential_campaign as sequential
from tests.sentences import Said
from virtometer.analysis import analyse
from virtometer.analysis.effects.effect import Effects
from virtometer.model import FollowUp, Screened, Why
from virtometer.report import render
from virtometer.report.effects import first_stage
from virtometer.report.effects import words as effect_words
from virtometer.report.effects.terminal import terminal
from virtometer.report.findings.summary import stage_sentence


@pytest.fixture(scope="module")
def both() -> Effects:
    return analyse(sequential.campaign()).effects


def test_each_factor_has_its_fate_with_a_bound_and_the_kept_ones_come_first(said: Said, both: Effects) -> None:
    fates = first_stage.sentences(both)
    assert [name for name, _ in fates] == ["aio", "cache", "bus", "dummy"]
    texts = dict(fates)
    assert texts["aio"].startswith("kept, its effect can matter: ")
    assert texts["dummy"].startswith("dropped, no influence above 3 %: ") or "3.0 %" in texts["dummy"]
    assert "(random read, b)" in texts["dummy"]
    assert both.first is not None
    headline = first_stage.headline(both.first)
    assert "; 2 of 4 factors kept" in headline
    said(headline)


def test_the_table_says_the_same(both: Effects) -> None:
    made = first_stage.table(both)
    assert made is not None
    rows = {row[0]: row[1:] for row in made.rows}
    assert rows["aio"][0] == "yes" and rows["dummy"][0] == "no"
    assert rows["dummy"][-1] == "no influence" and rows["aio"][-1] == ""


def test_what_is_dropped_is_said_with_what_to_change(both: Effects) -> None:
    text = " ".join(effect_words.changes(both))
    assert "bus and dummy: no influence above" in text
    assert "(first stage); choose as you like." in text


def test_interactions_and_want_of_room_are_named(said: Said, both: Effects) -> None:
    assert both.first is not None
    fates = (
        Screened("aio", Why.INTERACTION, "random read", "io_uring", -1.0, 2.0, ("aio:cache", "bus:dummy")),
        Screened("bus", Why.ROOM, "random read", "nvme", -1.0, 6.0),
        Screened("dummy", Why.IDLE, "", "", None, None),
    )
    of = replace(both, first=replace(both.first, screened=fates, effects=()))
    texts = dict(first_stage.sentences(of))
    assert texts["aio"].startswith("kept, ") and "aio:cache or bus:dummy" in texts["aio"]
    assert texts["bus"].startswith("dropped ") and "-1.0 to 6.0 %" in texts["bus"]
    assert texts["dummy"] == "dropped, within the margin."
    said(texts["aio"])
    said(texts["bus"])
    assert "bus: not in the second stage for want of room" in " ".join(effect_words.changes(of))


def test_without_a_first_stage_there_is_nothing() -> None:
    assert first_stage.sentences(Effects()) == []
    assert first_stage.table(Effects()) is None


def test_the_campaign_says_what_follows(said: Said) -> None:
    (stage,) = sequential.campaign().stages
    assert "; bus and dummy are dropped" in stage_sentence(stage)
    said(stage_sentence(stage))
    nothing = replace(stage, follow_up=FollowUp((Screened("aio", Why.IDLE, "", "", None, None),)))
    assert stage_sentence(nothing) == "no factor can matter: there is no second stage"


def test_terminal_page_and_json_show_both_stages() -> None:
    analysis = analyse(sequential.campaign())
    console = Console(width=200)
    with console.capture() as caught:
        for part in terminal(analysis.effects):
            console.print(part)
    assert "First stage: 8 combinations in 6 blocks" in caught.get()
    page = render(analysis, "html")
    assert "What the first stage says of each factor" in page and "an interaction of it" not in page
    document = json.loads(render(analysis, "json"))
    stages = {(one["metric"], one["term"]): one["stage"] for one in document["effects"]}
    assert stages["random read", "aio:cache"] == 2 and stages["random read", "dummy"] == 1
    assert [one["kept"] for one in document["experiment"]["first_stage"]["factors"]] == [True, True, False, False]
    (stage,) = document["stages"]
    assert stage["follow_up"]["terms"] == ["aio", "cache", "aio:cache"]
    assert {trial["stage"] for trial in document["trials"] if trial["block"] < 6} == {1}
    assert {trial["stage"] for trial in document["planned"] if trial["block"] >= 6} == {2}


def test_where_nothing_is_kept_the_first_stage_is_all() -> None:
    of = analyse(sequential.campaign(keeps=())).effects
    assert {name for name, _ in of.factors} == set(sequential.FACTORS)
    assert first_stage.sentences(of)
    assert {row["stage"] for row in json.loads(render(analyse(sequential.campaign(keeps=())), "json"))["effects"]} <= {
        1,
        2,
    }
