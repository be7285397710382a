"""ApacheBench against a web server that the plan names (the published Z-B10: ab -n 10000 -c 5)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from virtometer.errors import UsageError
from virtometer.workloads.base import Operation, Parameters, Place, Reading
from virtometer.workloads.tool import Tool

_RATE = re.compile(r"^Requests per second:\s+([0-9.]+) \[#/sec\]", re.MULTILINE)
_DONE = re.compile(r"^Complete requests:\s+([0-9]+)$", re.MULTILINE)
_FAILED = re.compile(r"^(?:Failed requests|Non-2xx responses):\s+([1-9][0-9]*)$", re.MULTILINE)


def _address(url: str) -> str:
    if not re.fullmatch(r"https?://[^\s]+/[^\s]*", url):
        raise ValueError("an address has the form http://HOST/PATH, without blanks")
    return url


class AbParameters(Parameters):
    """Options of ab."""

    url: Annotated[str, Field(max_length=500), AfterValidator(_address)] = Field(
        default="http://127.0.0.1/index.html",
        description="address that is asked for, as the guest sees it: http://HOST/PATH",
    )
    requests: Annotated[int, Field(ge=1, le=10_000_000)] = Field(default=10_000, description="requests in all")
    concurrency: Annotated[int, Field(ge=1, le=20_000)] = Field(default=5, description="requests at once")


class Ab(Tool[AbParameters]):
    """Requests per second."""

    name = "ab"
    meaning = "the tool ab (ApacheBench), against a web server that the plan names"
    program = "ab"
    package = "apache2-utils"
    version_option = "-V"
    operations: ClassVar = {"get": Operation("1/s", "higher", "requests")}
    parameters = AbParameters

    def options(self, op: str, parameters: AbParameters, place: Place) -> Sequence[str]:
        """Quiet, so that nothing but the result is printed."""
        return ["-q", "-n", str(parameters.requests), "-c", str(parameters.concurrency), parameters.url]

    def read(self, op: str, output: str) -> Reading:
        """The mean rate. Requests that failed are no requests."""
        rate, done = _RATE.search(output), _DONE.search(output)
        if rate is None or done is None:
            raise UsageError("ab did not print its result")
        if failed := _FAILED.search(output):
            raise UsageError(f"{failed[1]} of {done[1]} requests of ab failed")
        try:
            return Reading(float(rate[1]), int(done[1]))
        except ValueError as cause:
            raise UsageError("ab printed a number that cannot be") from cause
