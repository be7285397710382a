"""What goes in comes out, whole or not at all."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sentences import Said
from tests.store.campaigns import campaign, done, expected, failed, guest, lied
from virtometer.errors import LedgerError
from virtometer.model import CommandLine, Failure, FailureKind, Placement, Trial, TrialRecord
from virtometer.store.ledger import Ledger

LINE = CommandLine("2026", "start a guest", ("runc", "run", "-b", "a b"), None)


def rows(directory: Path, table: str) -> int:
    with sqlite3.connect(f"file:{directory / 'ledger.sqlite'}?mode=ro", uri=True) as connection:
        count: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return count


def test_everything_comes_back(tmp_path: Path) -> None:
    of = campaign()
    records: list[TrialRecord] = []
    with Ledger.create(tmp_path / "new" / "r", of) as ledger:
        assert ledger.read() == of
        for trial in of.planned[:5]:
            record = {2: failed, 3: lied, 4: lied}.get(trial.index, done)(trial)
            records.append(record)
            ledger.record([record], [guest(trial.index)], [LINE])
        ledger.note([guest(99)], [LINE])
        guests = [guest(number) for number in (0, 1, 2, 3, 4, 99)]
        assert ledger.finished() == {0, 1, 2, 3, 4}
        assert ledger.read() == expected(of, records, guests, [LINE] * 6)
    for write in (False, True):
        with Ledger.open(tmp_path / "new" / "r", write=write) as again:
            assert again.finished() == {0, 1, 2, 3, 4}
            assert again.read() == expected(of, records, guests, [LINE] * 6)
    assert (tmp_path / "new" / "r" / "plan.yaml").read_text() == of.plan_text


def test_trials_come_back_in_the_order_of_execution_however_they_were_recorded(tmp_path: Path) -> None:
    of = campaign()
    with Ledger.create(tmp_path / "r", of) as ledger:
        for trial in reversed(of.planned):
            ledger.record([done(trial)], [guest(trial.index)], [])
        assert [record.trial for record in ledger.read().trials] == list(of.planned)


def test_it_is_crash_safe_by_its_settings(tmp_path: Path) -> None:
    with Ledger.create(tmp_path / "r", campaign()) as ledger:
        settings = {
            name: ledger.connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def test_a_trial_is_recorded_once(said: Said, tmp_path: Path) -> None:
    of = campaign()
    with Ledger.create(tmp_path / "r", of) as ledger:
        ledger.record([done(of.planned[0])], [guest(0)], [])
        with pytest.raises(LedgerError, match=r"trial 0 cannot .*, or is recorded") as caught:
            ledger.record([done(of.planned[0])], [guest(0)], [LINE])
        said(caught.value.sentence.partition(" (")[0], place=tmp_path)
        with pytest.raises(LedgerError, match="trial 77 cannot"):
            ledger.record([done(replace(of.planned[0], index=77))], [guest(77)], [])
        assert ledger.read() == expected(of, [done(of.planned[0])], [guest(0)], [])


def test_a_trial_needs_its_guest(tmp_path: Path) -> None:
    of = campaign()
    with Ledger.create(tmp_path / "r", of) as ledger:
        with pytest.raises(LedgerError, match="lacks its guest"):
            ledger.record([done(of.planned[0])], [], [])
        assert ledger.finished() == set()


def test_a_guest_may_serve_many_trials(tmp_path: Path) -> None:
    of = campaign()
    with Ledger.create(tmp_path / "r", of) as ledger:
        for trial in of.planned:
            record = done(trial)
            shared = replace(record, runs=tuple(replace(run, guest_id="g0") for run in record.runs))
            ledger.record([shared], [guest(0)] if trial.index < 2 else [], [])
        assert ledger.read().guests == (guest(0),)


def test_what_is_nested_too_deep_is_refused_in_a_sentence(tmp_path: Path) -> None:
    of = campaign()
    deep: list[object] = []
    for _ in range(900):
        deep = [deep]
    with Ledger.create(tmp_path / "r", of) as ledger:
        ledger.record([done(of.planned[0])], [replace(guest(0), effective={"facts": deep})], [])
    with Ledger.open(tmp_path / "r") as ledger, pytest.raises(LedgerError, match="nested more than 64 deep"):
        ledger.read()


def test_a_failed_trial_has_no_value(tmp_path: Path) -> None:
    of = campaign()
    with Ledger.create(tmp_path / "r", of) as ledger:
        with pytest.raises(ValueError, match="never a value"):
            ledger.record([replace(done(of.planned[0]), failure=failed(of.planned[0]).failure)], [guest(0)], [])
        with pytest.raises(LedgerError):
            ledger.record([replace(failed(of.planned[0]), failure=Failure(FailureKind.GUEST, ""))], [], [])
        assert ledger.finished() == set()


def test_what_a_failed_trial_left_is_never_used(tmp_path: Path) -> None:
    of = campaign()
    record = lied(of.planned[0])
    (left,) = record.runs
    used = replace(left, samples=tuple(replace(sample, excluded=None, mark="") for sample in left.samples))
    with Ledger.create(tmp_path / "r", of) as ledger:
        with pytest.raises(ValueError, match="no sample of a failed trial is used"):
            ledger.record([replace(record, runs=(used,))], [guest(0)], [])
        with pytest.raises(LedgerError, match="lacks its guest"):
            ledger.record([record], [], [])
        for table in ("trials", "runs", "samples", "probes"):
            assert rows(tmp_path / "r", table) == 0, table
        second = replace(left, placement=of.planned[0].placements[1], fault=None, samples=())
        ledger.record([replace(record, runs=(left, second))], [guest(0)], [])
        assert ledger.read().trials == (replace(record, runs=(left, second)),)


def test_two_equal_placements_of_a_failed_trial_are_two_runs(tmp_path: Path) -> None:
    """One environment and one workload twice, in two guests; only the ordinals differ."""
    equal = tuple(Placement("box", "w", guest=1 + number, ordinal=number) for number in range(2))
    trial = Trial(0, 0, 0, 0, equal)
    (left,) = lied(trial).runs
    second = replace(left, placement=equal[1], guest_id="g1", fault=None)
    record = replace(lied(trial), runs=(left, second))
    of = replace(campaign(0), planned=(trial,))
    with Ledger.create(tmp_path / "r", of) as ledger:
        ledger.record([record], [guest(0), guest(1)], [])
        assert ledger.read() == expected(of, [record], [guest(0), guest(1)], [])


def test_ordinals_guests_roles_and_peers_come_back(tmp_path: Path) -> None:
    placements = (
        Placement("box", "w", "service", guest=3, ordinal=0),
        Placement("box", "w", "measured", guest=1, ordinal=1, uses=(0,)),
        Placement("box", "w", "load", guest=1, ordinal=2),
        Placement("native", "w", "measured", guest=2, ordinal=3),
    )
    trial = Trial(0, 0, 0, 0, placements)
    of = replace(campaign(0), planned=(trial,))
    service, *others = done(trial).runs
    record = replace(done(trial), runs=(replace(service, score=None), *others))
    with Ledger.create(tmp_path / "r", of) as ledger:
        ledger.record([record], [guest(0)], [])
        back = ledger.read()
    assert back.planned == (trial,)
    assert back.trials == (record,)
    assert [run.placement for run in back.trials[0].runs] == list(placements)
    assert [run.placement.ordinal for run in back.trials[0].scored] == [1, 2, 3]


def test_only_a_service_of_a_trial_that_is_done_has_no_score(tmp_path: Path) -> None:
    of = campaign()
    record = done(of.planned[0])
    without = replace(record, runs=tuple(replace(run, score=None) for run in record.runs))
    with Ledger.create(tmp_path / "r", of) as ledger:
        with pytest.raises(ValueError, match="a run of a trial that is done has a score"):
            ledger.record([without], [guest(0)], [])
        assert ledger.finished() == set()


def test_what_fails_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    of = campaign()
    with Ledger.create(tmp_path / "r", of) as ledger:
        record = done(of.planned[0])
        first, second = record.runs
        bad = replace(second.samples[-1], work=None)  # type: ignore[arg-type]
        broken = replace(record, runs=(first, replace(second, samples=(*second.samples[:-1], bad))))
        with pytest.raises(LedgerError):
            ledger.record([broken], [guest(0)], [LINE])
        for table in ("trials", "runs", "samples", "probes", "guests"):
            assert rows(tmp_path / "r", table) == 0, table
        ledger.record([record], [guest(0)], [LINE])
        assert ledger.read() == expected(of, [record], [guest(0)], [LINE])


def test_several_trials_are_one_transaction(tmp_path: Path) -> None:
    """Trials that took turns: what is wrong with the second leaves nothing of the first."""
    of = campaign()
    first, second, other = (done(trial) for trial in of.planned[:3])
    guests = [guest(0), guest(1)]
    run, load = second.runs
    no_work = replace(run.samples[-1], work=None)  # type: ignore[arg-type]
    broken = replace(second, runs=(replace(run, samples=(*run.samples[:-1], no_work)), load))
    with Ledger.create(tmp_path / "r", of) as ledger:
        before = rows(tmp_path / "r", "entries")
        with pytest.raises(LedgerError, match="trial 0, 1 cannot be recorded"):
            ledger.record([first, broken], guests, [LINE])
        with pytest.raises(ValueError, match="has a score"):
            ledger.record([first, replace(second, runs=(replace(run, score=None), load))], guests, [LINE])
        for table in ("trials", "runs", "samples", "probes", "guests"):
            assert rows(tmp_path / "r", table) == 0, table
        assert rows(tmp_path / "r", "entries") == before
        ledger.record([first, second], guests, [LINE])
        with pytest.raises(LedgerError, match="trial 2, 1 cannot be recorded"):
            ledger.record([other, second], [guest(2)], [])
        assert ledger.read() == expected(of, [first, second], guests, [LINE])


def test_only_what_failed_before_is_replaced_among_several(tmp_path: Path) -> None:
    of = campaign()
    with Ledger.create(tmp_path / "r", of) as ledger:
        ledger.record([failed(of.planned[0])], [], [])
        ledger.record([done(trial) for trial in of.planned[:2]], [guest(0), guest(1)], [], again={0})
        assert ledger.read().trials == tuple(done(trial) for trial in of.planned[:2])


def test_turns_and_slices_come_back(tmp_path: Path) -> None:
    of = campaign(4)
    with Ledger.create(tmp_path / "r", of) as ledger:
        ledger.record([done(of.planned[0])], [guest(0)], [])
        ledger.record([done(of.planned[2])], [guest(2)], [])
    with Ledger.open(tmp_path / "r") as ledger:
        back = ledger.read()
    assert [trial.turns for trial in back.planned] == [0, 0, None, 1]
    slices = [[sample.slice for sample in record.runs[0].samples] for record in back.trials]
    assert slices == [list(range(-1, 19)), [None] * 20]


def test_text_that_is_no_text_is_kept_as_well_as_it_can_be(tmp_path: Path) -> None:
    of = campaign()
    with Ledger.create(tmp_path / "r", of) as ledger:
        odd = Failure(FailureKind.AGENT, "it said \ud800 and \x00")
        ledger.record([replace(failed(of.planned[0]), failure=odd)], [], [LINE])
        ledger.record(
            [failed(of.planned[1])],
            [replace(guest(1), effective={"said": "\udcff"})],
            [replace(LINE, argv=("\udcff",))],
        )
        back = ledger.read()
    assert back.trials[0].reason == "it said ? and \x00"
    assert back.guests[0].effective == {"said": "\udcff"}
    assert back.commands[-1].argv == ("\udcff",)


def test_reading_beside_a_writer(tmp_path: Path) -> None:
    of = campaign()
    with Ledger.create(tmp_path / "r", of) as writer, Ledger.open(tmp_path / "r") as reader:
        for trial in of.planned:
            writer.record([done(trial)], [guest(trial.index)], [])
            assert reader.finished() == set(range(trial.index + 1))
        assert reader.read() == writer.read()


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    of = campaign()
    Ledger.create(tmp_path / "r", of).close()
    with Ledger.open(tmp_path / "r") as reader, pytest.raises(Exception, match="read-only"):
        reader.record([failed(of.planned[0])], [], [])


def test_closing_twice_and_leaving_one_file(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "r", campaign())
    ledger.close()
    ledger.close()
    assert {path.name for path in (tmp_path / "r").iterdir()} == {"ledger.sqlite", "plan.yaml", "lock"}
