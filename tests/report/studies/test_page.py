"""The page of a study."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from tests.report.studies.filled import ODD, filled, printed
from virtometer.report.studies.page import page
from virtometer.studies.data import items, studies, values
from virtometer.studies.printed import printed as as_printed
from virtometer.studies.printed import words

VOID = {"meta", "br", "line", "circle"}


class Read(HTMLParser):
    """Elements that are open, ids, links within the page, texts of bold elements, open details."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.bold: list[str] = []
        self.open = 0
        self.tags: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.add(tag)
        if found.get("id"):
            self.ids.append(found["id"] or "")
        if (found.get("href") or "").startswith("#"):
            self.links.append((found["href"] or "")[1:])
        self.open += tag == "details" and "open" in found
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.stack and self.stack[-1] == "b":
            self.bold.append(data)


@pytest.mark.parametrize("study", studies())
def test_the_page_of_each_study_has_every_printed_cell_and_is_well_formed(study: str) -> None:
    read = Read(page(printed(study)))
    assert read.stack == [] and len(set(read.ids)) == len(read.ids) and set(read.links) <= set(read.ids)
    expected = [words(one) for name in items(study) for one in as_printed(items(study)[name]).values if words(one)]
    shown = {text.split(" ")[0] for text in read.bold}
    assert len(read.bold) == sum(len(values(study, name)) for name in items(study))
    assert {text.split(" ")[0] for text in expected} == shown
    assert "script" not in read.tags and read.open >= len(items(study))


def test_a_page_with_campaigns_opens_what_is_filled_and_escapes_names() -> None:
    text = page(filled())
    assert ODD not in text and "box &amp; &lt;b&gt;" in text
    assert Read(text).open == 5  # 5.1, the single guests of 6.1 and 6.2, and the figures that draw them
    assert "0.3353 [0.3067, 0.3667]" in text


def test_the_cost_to_the_host_is_folded_below_a_table() -> None:
    text = page(filled())
    (table, *_) = text.partition("Cost to the host")[2].split("</details>")
    # 5.1 has times of 1000 and 4000, native and in the guest; both are of 64 bits.
    assert table.count("0.500 [0.500, 0.500]") == 4
    assert "1000 x 1000" in table and "2000 x 2000" not in table
    assert "Cost to the host" not in page(printed())


def test_a_page_loads_nothing() -> None:
    text = page(printed("appel2008"))
    assert "default-src 'none'" in text and "http://www.w3.org/2000/svg" in text
    assert text.count("http") == text.count("http://www.w3.org/2000/svg") + text.count("http-equiv")


def test_a_row_without_any_printed_cell_says_so() -> None:
    assert "(nothing printed)" in page(printed("klein2008"))
