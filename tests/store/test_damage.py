"""Damaged ledgers: what is read is what was recorded, or one sentence says that it is not."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from tests.store.ledgers import made, made_small, outcome
from virtometer.store import names


@pytest.mark.parametrize("seed", range(8))
def test_a_flipped_bit_is_noticed_or_without_effect(tmp_path: Path, seed: int) -> None:
    right = made(tmp_path / "r")
    ledger = tmp_path / "r" / names.LEDGER
    whole = ledger.read_bytes()
    dice = random.Random(seed)
    noticed = 0
    for _ in range(30):
        position = dice.randrange(len(whole))
        damaged = bytearray(whole)
        damaged[position] ^= 1 << dice.randrange(8)
        ledger.write_bytes(damaged)
        found = outcome(tmp_path / "r")
        assert isinstance(found, str) or found == right, f"a bit of byte {position}"
        noticed += isinstance(found, str)
    assert noticed > 0


@pytest.mark.parametrize("part", range(4))
def test_the_highest_bit_of_every_byte_of_the_list_of_tables(tmp_path: Path, part: int) -> None:
    """The list of tables is SQL text, which SQLite quotes in its messages: with this bit it is no UTF-8 any more."""
    right = made_small(tmp_path / "r")
    ledger = tmp_path / "r" / names.LEDGER
    whole = ledger.read_bytes()
    size = int.from_bytes(whole[16:18])
    pages = {0, *(found.start() // size for found in re.finditer(rb"CREATE TABLE", whole))}
    positions = [page * size + byte for page in sorted(pages) for byte in range(size) if whole[page * size + byte]]
    assert len(positions) > 4000
    for position in positions[part::4]:
        damaged = bytearray(whole)
        damaged[position] ^= 0x80
        ledger.write_bytes(damaged)
        found = outcome(tmp_path / "r")
        assert isinstance(found, str) or found == right, f"byte {position}"


@pytest.mark.parametrize("bit", [0, 1])
def test_a_table_of_another_name(tmp_path: Path, bit: int) -> None:
    right = made_small(tmp_path / "r")
    ledger = tmp_path / "r" / names.LEDGER
    whole = ledger.read_bytes()
    for start in (found.start() for found in re.finditer(rb"table\w+CREATE TABLE|tablecampaign", whole)):
        for position in range(start, start + 40):
            damaged = bytearray(whole)
            damaged[position] ^= 1 << bit
            ledger.write_bytes(damaged)
            found = outcome(tmp_path / "r")
            assert isinstance(found, str) or found == right, f"byte {position}"


def test_a_truncated_ledger_is_noticed(tmp_path: Path) -> None:
    right = made(tmp_path / "r")
    ledger = tmp_path / "r" / names.LEDGER
    whole = ledger.read_bytes()
    dice = random.Random(1)
    for _ in range(40):
        ledger.write_bytes(whole[: dice.randrange(len(whole))])
        found = outcome(tmp_path / "r")
        assert isinstance(found, str) or found == right
