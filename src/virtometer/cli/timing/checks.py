"""The result of a run and what is checked of it, as `virtometer time` takes them. PURE."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from virtometer.errors import UsageError
from virtometer.workloads.printed_value import PrintedValue

_ADVICE = "for example: --value 'rate: ([0-9.]+)' --unit MB/s --better higher"


def checks(
    value: str | None, unit: str | None, better: str | None, files: Sequence[str], elsewhere: str | None
) -> dict[str, str | None]:
    """Parameters of the workload; None for what was not given. Raises UsageError for options that do not fit.

    elsewhere: where the output goes; None: it is read.
    """
    if any("\0" in path or not path for path in files):
        raise UsageError("--check-file takes the path of a file")
    made = {"value": value, "unit": unit, "better": better, "check_files": shlex.join(files) or None}
    if value is None:
        if unit is not None or better is not None:
            raise UsageError("--unit and --better are those of --value, which is not given", advice=_ADVICE)
        return made
    if unit is None or better not in ("higher", "lower"):
        raise UsageError("--value needs --unit, and --better with higher or lower", advice=_ADVICE)
    if elsewhere is not None:
        raise UsageError(f"--value needs the output, which --output {elsewhere} takes")
    try:
        PrintedValue(value, unit, "higher" if better == "higher" else "lower")
    except ValueError as cause:
        raise UsageError(f"--value: {cause}", advice=_ADVICE) from cause
    return made
