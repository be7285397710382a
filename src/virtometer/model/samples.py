"""Samples, one by one and in columns: a campaign may have a million, and most analyses need a few numbers of each.

numpy is imported where columns are made: the model is imported by every command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_SLICE = -(1 << 63)
"""In the column `slice`: the work was not done in slices."""


class Excluded(StrEnum):
    """Why a sample is not used."""

    OUTSIDE = "outside"  # of the stretch in which all measured placements overlap
    CLOCK_ERROR = "clock-error"  # its duration is not known well enough
    FAILED_TRIAL = "failed-trial"
    LONG_WINDOW = "long-window"  # compared with other long windows, not with slices
    SLICE = "slice"  # of work that is slower or faster in long windows, which are compared then
    DISTURBED = "disturbed"  # others had the guest's processor for a part of its slice
    WARM_UP = "warm-up"  # the beginning of a slice, whose caches hold what others worked on


_BY_DESIGN = (Excluded.LONG_WINDOW, Excluded.SLICE, Excluded.WARM_UP)


@dataclass(frozen=True, slots=True)
class Sample:
    """One iteration of a kernel, in guest time, as the agent sent it. `mark` is the reason in words where excluded.

    slice: where the work was done in slices, the number of the round, the same in all guests that took turns in it;
    below 0: a long window. None: the work was not done in slices.
    """

    start_ns: int
    end_ns: int
    work: int
    check: str
    excluded: Excluded | None = None
    mark: str = ""
    slice: int | None = None

    @property
    def used(self) -> bool:
        """Whether it counts."""
        return self.excluded is None

    @property
    def unused(self) -> bool:
        """Whether it is excluded for a fault, and not by the design of slices and long windows."""
        return self.excluded is not None and self.excluded not in _BY_DESIGN


_REASONS = tuple(Excluded)
_CODES = {reason: code for code, reason in enumerate(_REASONS)}
_USED = -1


@dataclass(frozen=True, slots=True, eq=False)
class SampleColumns:
    """The numbers of samples, one array each (int64). excluded_code: of the reason, below 0 where it is used."""

    start_ns: NDArray[np.int64]
    end_ns: NDArray[np.int64]
    work: NDArray[np.int64]
    slice: NDArray[np.int64]
    excluded_code: NDArray[np.int8]

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for column in (self.start_ns, self.end_ns, self.work, self.slice, self.excluded_code):
            column.setflags(write=False)

    @property
    def used(self) -> NDArray[np.bool_]:
        """Whether each counts."""
        return self.excluded_code < 0

    @property
    def reasons(self) -> list[Excluded | None]:
        """Why each is excluded; None where it is used."""
        return [None if code < 0 else _REASONS[code] for code in self.excluded_code.tolist()]

    @property
    def unused(self) -> NDArray[np.bool_]:
        """Whether each is excluded for a fault, as `Sample.unused`."""
        found = self.excluded_code >= 0
        for reason in _BY_DESIGN:
            found &= self.excluded_code != _CODES[reason]
        return found

    @property
    def in_long_windows(self) -> NDArray[np.bool_]:
        """Whether each belongs to a long window beside slices."""
        found: NDArray[np.bool_] = (self.slice < 0) & (self.slice != NO_SLICE)
        return found

    @property
    def only_long_windows(self) -> bool:
        """Whether all samples that are used belong to long windows."""
        return bool(self.in_long_windows[self.used].all())

    def excluded_by(self, reason: Excluded) -> NDArray[np.bool_]:
        """Whether each is excluded for this reason."""
        found: NDArray[np.bool_] = self.excluded_code == _CODES[reason]
        return found

    def lasted_s(self, rate: float) -> NDArray[np.float64]:
        """How long each lasted, in host seconds. `rate`: host seconds per guest second."""
        return (self.end_ns - self.start_ns).astype("float64") * rate * 1e-9

    def work_of(self, which: NDArray[np.bool_]) -> int:
        """The work of some samples. Exact: their sum may be more than an array's number holds."""
        return sum(self.work[which].tolist())


class Samples(Sequence[Sample]):
    """Samples that are kept as columns: each is made when it is read. Equal to a tuple of the same samples."""

    __slots__ = ("columns", "texts")

    def __init__(self, columns: SampleColumns, texts: Callable[[], Sequence[tuple[str, str]]]) -> None:
        """`texts`: check value and mark of each, asked for where a sample is read."""
        self.columns = columns
        self.texts = texts

    def __len__(self) -> int:
        return len(self.columns.start_ns)

    @overload
    def __getitem__(self, index: int) -> Sample: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Sample, ...]: ...

    def __getitem__(self, index: int | slice) -> Sample | tuple[Sample, ...]:
        if isinstance(index, slice):
            return tuple(self._some(index))
        at = range(len(self))[index]
        return next(self._some(slice(at, at + 1)))

    def __iter__(self) -> Iterator[Sample]:
        return self._some(slice(None))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple | Samples) and len(self) == len(other) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def _some(self, where: slice) -> Iterator[Sample]:
        of = self.columns
        numbers = (column[where].tolist() for column in (of.start_ns, of.end_ns, of.work, of.slice))
        others = (of.reasons[where], self.texts()[where])
        for start_ns, end_ns, work, number, reason, (check, mark) in zip(*numbers, *others, strict=True):
            yield Sample(start_ns, end_ns, work, check, reason, mark, None if number == NO_SLICE else number)


def columns_of(samples: Sequence[Sample]) -> SampleColumns:
    """The columns of samples; OverflowError for a number of more than 64 bits."""
    if isinstance(samples, Samples):
        return samples.columns
    import numpy as np

    count = len(samples)
    return SampleColumns(
        np.fromiter((one.start_ns for one in samples), np.int64, count),
        np.fromiter((one.end_ns for one in samples), np.int64, count),
        np.fromiter((one.work for one in samples), np.int64, count),
        np.fromiter((NO_SLICE if one.slice is None else one.slice for one in samples), np.int64, count),
        np.fromiter((reason_code(one.excluded) for one in samples), np.int8, count),
    )


def texts_of(samples: Sequence[Sample]) -> Sequence[tuple[str, str]]:
    """Check value and mark of each."""
    return samples.texts() if isinstance(samples, Samples) else [(one.check, one.mark) for one in samples]


def first_slice(samples: Sequence[Sample]) -> int | None:
    """The slice of the first sample; None without one, or where the work was not done in slices."""
    if not samples:
        return None
    if isinstance(samples, Samples):
        number = int(samples.columns.slice[0])
        return None if number == NO_SLICE else number
    return samples[0].slice


def reason_code(reason: Excluded | None) -> int:
    """The number in the column `excluded_code`; None: the sample is used."""
    return _USED if reason is None else _CODES[reason]
