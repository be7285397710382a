"""From a campaign to findings. Pure: no file, no clock, no random number; one statistical method a file.

`conclude` joins the methods to findings, `whole` adds all else that reports show. docs/methods/ defines every number.
"""

from virtometer.analysis.score.raw import by_guest_clocks
from virtometer.analysis.whole import Analysis, analyse

__all__ = ["Analysis", "analyse", "by_guest_clocks"]
