from pathlib import Path

import pytest

from virtometer.errors import StorageError
from virtometer.store import names


@pytest.mark.parametrize("name", [names.LEDGER, names.LOCK, names.PLAN, f"{names.LEDGER}-wal"])
def test_files_of_a_campaign_are_refused_also_through_a_link(tmp_path: Path, name: str) -> None:
    (tmp_path / names.LEDGER).touch()
    (tmp_path / "link").symlink_to(tmp_path / name)
    for path in (tmp_path / name, tmp_path / "link"):
        with pytest.raises(StorageError):
            names.refuse_campaign_file(path)


def test_the_same_names_are_free_where_no_campaign_is(tmp_path: Path) -> None:
    names.refuse_campaign_file(tmp_path / names.PLAN)


def test_other_names_are_free_beside_a_ledger_that_is_being_made(tmp_path: Path) -> None:
    (tmp_path / names.UNFINISHED).touch()
    names.refuse_campaign_file(tmp_path / "page.html")
    with pytest.raises(StorageError):
        names.refuse_campaign_file(tmp_path / names.PLAN)
