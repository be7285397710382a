"""An error of the link whose reason is a guest's clock, with what is known of that."""

from __future__ import annotations

from virtometer.errors import LinkError
from virtometer.model import ClockFault


class ClockBelied(LinkError):
    """A guest's clock cannot be believed in one run."""

    def __init__(self, sentence: str, fault: ClockFault) -> None:
        """`sentence` says to a user what `fault` says to a program."""
        super().__init__(sentence)
        self.fault = fault
