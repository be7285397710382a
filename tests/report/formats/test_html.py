"""The page: complete in one file, loads nothing, trusts no name, can be read without eyes and without scripts."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from tests.analysis.factor_campaigns import disk_campaign
from tests.analysis.simulated_campaigns import Place, Work, gaussian, simulate
from tests.report.showcase import ODD, in_turns, showcase
from tests.sentences import Said
from virtometer.analysis import analyse
from virtometer.model import Campaign
from virtometer.report import render
from virtometer.report.formats.html import page, script_json
from virtometer.report.parts import words


class Reader(HTMLParser):
    """Collects the elements of a page with their attributes, and the text of its scripts."""

    VOID = frozenset({"meta", "br", "img", "link", "hr", "input"})

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.scripts: list[tuple[dict[str, str], str]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts.append((self.elements[-1][1], data))
        else:
            self.text.append(data)


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    return showcase()


@pytest.fixture(scope="module")
def whole(campaign: Campaign) -> str:
    return render(analyse(campaign), "html")


@pytest.fixture(scope="module")
def reader(whole: str) -> Reader:
    return Reader(whole)


def test_elements_are_closed_in_order(reader: Reader) -> None:
    assert reader.open == []


def test_nothing_is_loaded_from_outside(whole: str, reader: Reader) -> None:
    for tag, attributes in reader.elements:
        assert tag not in {"link", "iframe", "img", "object", "embed", "base", "audio", "video"}, tag
        for key in ("src", "href", "xlink:href", "data", "action", "poster", "srcset"):
            assert attributes.get(key, "#").startswith("#"), (tag, attributes)
        assert not any(key.startswith("on") for key in attributes), (tag, attributes)
    style = re.search(r"<style>(.*?)</style>", whole, re.DOTALL)
    assert style is not None
    assert "@import" not in style[1] and "url(" not in style[1]
    policy = next(a["content"] for t, a in reader.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'") and "http" not in policy and "connect-src" not in policy


def test_names_are_text_and_never_markup(whole: str, reader: Reader) -> None:
    assert not {"b", "img"} & {tag for tag, a in reader.elements if tag != "b" or a}
    assert sum(ODD in text for text in reader.text) > 10
    assert "<out of memory>" in "".join(reader.text)
    assert whole.count("</script>") == len(re.findall(r"<script[ >]", whole))


def test_data_for_scripts_cannot_end_a_script_and_stays_the_same() -> None:
    value = {"name": "</script><!--<script>&\u2028 é", "n": [1, None, 0.5]}
    text = script_json(value)
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == value
    with pytest.raises(ValueError, match="JSON"):
        script_json(float("nan"))


def test_every_plot_has_a_still_picture_and_data_and_words(reader: Reader, campaign: Campaign) -> None:
    plots = [a for _, a in reader.elements if a.get("role") == "img"]
    assert len(plots) == 3 * len(campaign.plan.workloads) + 1, "a panel and two plots a workload, and the clocks"
    assert all(len(plot["aria-label"]) > 40 for plot in plots)
    assert sum(tag == "svg" for tag, _ in reader.elements) == len(plots)
    specs = {a["id"]: json.loads(text) for a, text in reader.scripts if a.get("type") == "application/json"}
    assert set(specs) == {a["data-spec"] for _, a in reader.elements if "data-spec" in a}
    assert len(specs) == len(plots)
    assert all(spec["layer"] and "$schema" not in spec for spec in specs.values())


def test_ids_are_unique_and_links_lead_somewhere(reader: Reader) -> None:
    ids = [a["id"] for _, a in reader.elements if "id" in a]
    assert len(ids) == len(set(ids))
    for _, attributes in reader.elements:
        if "href" in attributes:
            assert attributes["href"][1:] in ids
        for key in ("aria-labelledby", "aria-describedby"):
            assert attributes.get(key, ids[0]) in ids


def test_clip_paths_of_the_pictures_exist(whole: str) -> None:
    used = set(re.findall(r"url\(#([^)]+)\)", re.sub(r"<script.*?</script>", "", whole, flags=re.DOTALL)))
    assert all(f'id="{name}"' in whole for name in used)


def test_tables_have_headings_for_rows_and_columns(whole: str) -> None:
    without_scripts = re.sub(r"<script.*?</script>", "", whole, flags=re.DOTALL)
    tables = re.findall(r"<table.*?</table>", without_scripts, re.DOTALL)
    assert len(tables) > 10
    for table in tables:
        assert "<caption" in table and '<th scope="col"' in table
        assert '<th scope="row"' in table or "<tbody>\n</tbody>" in table


def test_what_is_not_comparable_is_marked_where_it_stands_and_explained(said: Said, reader: Reader) -> None:
    text = " ".join(" ".join(reader.text).split())
    assert "faster*" in text
    [unlike] = {one for one in re.findall(r"disk access: [^.;]*? in native", text) if "EINVAL" in one}
    said(unlike)
    labels = [a["aria-label"] for _, a in reader.elements if "Efficiency against" in a.get("aria-label", "")]
    assert any("user-mode Linux" in label and "faster" in label for label in labels)
    assert "Hollow: not comparable." in text


def test_an_unfinished_campaign_says_so(campaign: Campaign) -> None:
    text = page(analyse(replace(campaign, trials=campaign.trials[:50])), scripts=False)
    assert "Not finished: 50 of 240 trials have run." in text


def test_blocks_of_a_second_stage_are_counted(campaign: Campaign) -> None:
    extended = replace(campaign, plan=campaign.plan.model_copy(update={"blocks": 6}))
    assert "8 of 8" in page(analyse(extended))


def test_a_campaign_without_a_trial_still_makes_a_page(campaign: Campaign) -> None:
    empty = replace(campaign, trials=(), guests=(), commands=())
    Reader(page(analyse(empty), scripts=False))


def test_a_large_campaign_stays_below_six_megabytes_and_says_what_it_left_out() -> None:
    places = [Place("native"), *(Place(f"guest {number}", efficiency={"": 0.9}) for number in range(5))]
    works = [Work(f"work {number}") for number in range(10)]
    text = render(analyse(simulate(places, works, blocks=12, noise=gaussian(0.05), samples=60)), "html")
    assert len(text.encode()) < 6_000_000
    assert "1,440 of 4,320 samples are drawn" in text


def test_the_page_says_where_verdicts_are_about_the_typical_ratio() -> None:
    assert words.TYPICAL in page(analyse(in_turns(verdict="typical")), scripts=False)
    assert words.TYPICAL not in page(analyse(in_turns()), scripts=False)


def test_a_plan_with_factors_begins_with_what_to_change() -> None:
    whole = page(analyse(disk_campaign()), scripts=False)
    reader = Reader(whole)
    ids = [attrs["id"] for _, attrs in reader.elements if "id" in attrs]
    assert len(ids) == len(set(ids)) and ids.index("change") < ids.index("result") < ids.index("effects")
    text = " ".join(" ".join(reader.text).split())
    assert "Change aio from threads to io_uring and cache" in text and ": random read +2" in text
    assert "It makes worse: host CPU per work of random read +30 %" in text
    assert "aio=io_uring instead of threads" in text and "dummy: no influence above 3.0 % on any metric" in text
    plots = [attrs["aria-label"] for _, attrs in reader.elements if "plot" in attrs.get("class", "").split()]
    for beginning in (
        "Effects on random read: ",
        "Interaction of aio and cache",
        "Half-normal",
        "Residuals of random read",
    ):
        assert any(label.startswith(beginning) for label in plots)
