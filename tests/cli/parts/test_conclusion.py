"""What `run`, `resume` and `report` print at the end, and where the page goes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.analysis.factor_campaigns import disk_campaign
from tests.analysis.simulated_campaigns import Place, simulate
from tests.cli.laboratory import passage
from tests.sentences import Said
from virtometer.analysis import analyse, by_guest_clocks
from virtometer.cli.parts import conclusion
from virtometer.cli.parts.conclusion import advised, conclude, write_html
from virtometer.errors import LedgerError, StorageError
from virtometer.model import Campaign, Failure, FailureKind

DIED = Failure(FailureKind.GUEST, "it died", 0)
NO_DISK = Failure(FailureKind.UNAVAILABLE, "no disk", 0)


def printed(campaign: Campaign, directory: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    conclude(analyse(campaign), directory)
    told = capsys.readouterr()
    assert told.err == ""
    return told.out.splitlines()


@pytest.fixture
def no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of the lines alone: the page takes far longer than they."""
    monkeypatch.setattr(conclusion, "write_html", lambda analysis, directory: directory / "report.html")


def two(**more: object) -> Campaign:
    return simulate([Place("native"), Place("box")], blocks=6, **more)  # type: ignore[arg-type]


def test_the_path_of_the_page_is_the_last_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(two(), tmp_path, capsys)
    assert lines[-1] == f"report: {tmp_path / 'report.html'}"
    assert (tmp_path / "report.html").stat().st_size > 1000
    assert not any("still to do" in line or "failed" in line for line in lines)


@pytest.mark.parametrize(
    ("fail", "counts"),
    [
        pytest.param({0: DIED}, [1], id="one died"),
        pytest.param({0: DIED, 1: NO_DISK, 2: NO_DISK}, [1, 2], id="one died and two had no disk"),
    ],
)
def test_what_went_wrong_is_counted(
    said: Said,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    no_page: None,
    fail: dict[int, Failure],
    counts: list[int],
) -> None:
    told = printed(two(fail=fail), tmp_path, capsys)[-1 - len(counts) : -1]
    assert [line.partition(" trials ")[0] for line in told] == [f"{count} of 12" for count in counts]
    said("\n".join(told))


@pytest.mark.parametrize(("left", "words"), [(1, "1 of 12 trials is"), (3, "3 of 12 trials are")])
def test_what_is_left_to_do_has_the_command_that_does_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], no_page: None, left: int, words: str
) -> None:
    campaign, directory = two(), tmp_path / "a directory"
    directory.mkdir()
    lines = printed(replace(campaign, trials=campaign.trials[:-left]), directory, capsys)
    assert lines[-2] == f"{words} still to do: virtometer resume '{directory}'"


def test_raw_values_say_so_and_have_a_page_of_their_own(
    said: Said, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(by_guest_clocks(two()), tmp_path, capsys)
    assert lines[-1] == f"report: {tmp_path / 'report-raw.html'}"
    said(passage(" ".join(lines), "Raw values: ", "."))
    assert not (tmp_path / "report.html").exists()


def test_the_table_comes_also_where_the_page_cannot_be_written(
    said: Said, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(StorageError) as caught:
        conclude(analyse(two()), tmp_path)
    assert "memory triad 64 MB" in capsys.readouterr().out
    assert str(tmp_path / "report.html") in caught.value.sentence
    assert caught.value.advice.endswith(f": virtometer report {tmp_path} --format html --out FILE")
    said(f"{caught.value.sentence}\n{caught.value.advice}", place=tmp_path)


def test_a_page_is_written_under_its_own_name(tmp_path: Path) -> None:
    assert write_html(analyse(two()), tmp_path) == tmp_path / "report.html"
    with pytest.raises((StorageError, LedgerError)):
        write_html(analyse(two()), tmp_path / "none")


PLACE = Path("results")


def test_only_errors_of_storage_get_advice() -> None:
    with pytest.raises(StorageError, match="the report cannot be written: no space") as caught, advised("json", PLACE):
        raise StorageError("no space", advice="buy a disk")
    assert "report results --format json" in caught.value.advice
    with pytest.raises(KeyError), advised("json", PLACE):
        raise KeyError
    with advised("json", PLACE):
        pass


def test_effects_of_factors_are_printed_after_the_table(
    said: Said, tmp_path: Path, no_page: None, capsys: pytest.CaptureFixture[str]
) -> None:
    text = " ".join(" ".join(printed(disk_campaign(), tmp_path, capsys)).split())
    assert "random read (higher is better)" in text
    assert text.index("14 comparisons with") < text.index("What to change")
    assert "random read +2" in text
    said(passage(text, "Change aio from", "random read"))
