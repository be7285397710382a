"""Values as JSON has them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from functools import lru_cache
from typing import Any

from virtometer.visible import visible

_LISTS = (tuple, list)


def plain(value: Any) -> Any:  # noqa: ANN401 - anything that a ledger may hold goes in
    """Turn mappings, sequences, dataclasses and enumerations into what JSON has; numbers not finite become null.

    In texts hidden characters become visible, as they did where the texts came from: a ledger may have been changed.
    """
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return visible(str(value), keep="\n\t\r")
    if isinstance(value, _LISTS):  # most values that are no text and no number, and found at once to be so
        return [plain(inner) for inner in value]
    if isinstance(value, Mapping):
        return {_key(key): plain(inner) for key, inner in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Sequence | set | frozenset):
        return [plain(inner) for inner in value]
    return str(value)


@lru_cache(maxsize=1024, typed=True)
def _key(key: object) -> str:
    """As `plain`: rows have the same keys again and again."""
    return visible(str(key), keep="\n\t\r")
