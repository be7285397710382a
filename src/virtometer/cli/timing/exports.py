"""Files that `virtometer time` writes beside its results directory, for hyperfine's readers, and for CI."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from virtometer.errors import LedgerError, StorageError, UsageError

if TYPE_CHECKING:
    from virtometer.analysis import Analysis

_STANDARD_OUTPUT = "-"


@dataclass(frozen=True, slots=True)
class Exports:
    """The files, by format; None is standard output."""

    files: Mapping[str, Path | None]

    @property
    def to_output(self) -> bool:
        """Whether standard output gets a document, so that the table has to go elsewhere."""
        return None in self.files.values()

    def write(self, analysis: Analysis, values: Mapping[str, Mapping[str, str]]) -> None:
        """Write all files. values: of the parameters of each command, by its name.

        Raises StorageError or LedgerError for a file that cannot be written any more.
        """
        if not self.files:
            return
        from virtometer.cli.parts.encoding import put_document
        from virtometer.report import render
        from virtometer.report.formats.hyperfine import MAKERS, results
        from virtometer.store.output import write_named

        found = results(analysis, values)
        for name, path in self.files.items():
            text = MAKERS[name](found) if name in MAKERS else render(analysis, name)
            if path is None:
                put_document(text)
            else:
                write_named(path, text)


def exports(given: Mapping[str, str | None]) -> Exports:
    """The files of the options, checked before anything is measured. given: by format; None: not wanted.

    Raises UsageError where two documents would go to one place, and StorageError or LedgerError for a file that cannot
    be written.
    """
    files: dict[str, Path | None] = {}
    for name, text in given.items():
        if text is None:
            continue
        path = None if text == _STANDARD_OUTPUT else Path(text).absolute()
        if path in files.values():
            where = "standard output" if path is None else str(path)
            raise UsageError(f"two exports go to {where}", advice="give each of them a place of its own")
        if not text:
            raise UsageError(f"--export-{name} has no file")
        if path is not None:
            _refuse_unwritable(Path(text))
        files[name] = path
    return Exports(files)


def _refuse_unwritable(path: Path) -> None:
    if path.is_dir():
        raise StorageError(f"{path} is a directory; name a file in it")
    if not path.parent.is_dir():
        raise LedgerError(f"the directory {path.parent} does not exist")
    try:
        if path.exists() and not path.is_file():  # it is written through
            if not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return
        with tempfile.TemporaryFile(dir=path.parent):  # a regular file is replaced by a new one beside it
            pass
    except OSError as cause:
        raise StorageError(f"{path} cannot be written: {cause.strerror}") from cause
