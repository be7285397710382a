"""Sizes in a plan as multiples of the host's last-level cache: `4x llc`, or `4x llc, at most 128M`. PURE.

They become bytes when the plan is read, from the host's cache and not from what guests see: all guests get the same.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from virtometer.design.plan.document import Document
from virtometer.model import parse_size
from virtometer.visible import visible
from virtometer.workloads.registry import WORKLOADS

_MULTIPLE = re.compile(
    r"\s*([0-9]{1,6}(?:\.[0-9]{1,6})?)\s*x\s*llc\s*(?:,\s*at\s+most\s+([0-9]{1,9}[KMGT]?)(?:I?B)?\s*)?",
    re.IGNORECASE | re.ASCII,
)
_WHOLE = 4096
"""Bytes of which the size is a multiple: every element and stride divides it that is not larger."""


def in_bytes(document: Document, last_cache_bytes: int | None) -> Document:
    """The document with bytes in place of multiples of the cache.

    The factors of its workloads are expanded. last_cache_bytes: of the host's last-level cache; None where the host
    reports none.
    """
    workloads = document.value.get("workloads")
    if not isinstance(workloads, list):
        return document
    changed: list[Any] = []
    for number, workload in enumerate(workloads):
        parameters = workload.get("parameters") if isinstance(workload, dict) else None
        described = WORKLOADS.get(str(workload.get("workload"))) if isinstance(workload, dict) else None
        if isinstance(parameters, dict) and described is not None:
            parameters = dict(parameters)
            for name in described.cache_sizes & parameters.keys():
                given = parameters[name]
                match = _MULTIPLE.fullmatch(given) if isinstance(given, str) else None
                if match is None:
                    continue
                if last_cache_bytes is None:
                    sentence = (
                        f"'{name}' is {visible(given.strip())}, but this host reports no last-level cache in "
                        "/sys/devices/system/cpu/cpu0/cache; write a number of bytes, such as 128M"
                    )
                    document.refuse([(("workloads", number, "parameters", name), sentence)])
                    continue
                parameters[name] = _bytes(float(match[1]) * last_cache_bytes, match[2])
            workload = {**workload, "parameters": parameters}
        changed.append(workload)
    return replace(document, value={**document.value, "workloads": changed})


def _bytes(multiple: float, most: str | None) -> int:
    """The multiple in whole pages, or `most` where that is less."""
    bound = multiple if most is None else parse_size(most)
    assert isinstance(bound, int | float)
    return int(min(multiple, bound)) // _WHOLE * _WHOLE
