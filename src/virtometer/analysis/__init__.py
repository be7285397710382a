"""From a campaign to findings. Pure: no file, no clock, no random number; one statistical method a file.

`conclude` joins the methods to findings, `of_campaign` adds all else that reports show. docs/methods/ defines every
number.

What analyses a campaign is imported when it is first used: printed tables need none of it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from virtometer.analysis.of_campaign import Analysis, analyse
    from virtometer.analysis.score.raw import by_guest_clocks

__all__ = ["Analysis", "analyse", "by_guest_clocks"]


def __getattr__(name: str) -> object:
    """One of the names above. Raises AttributeError for any other."""
    match name:
        case "Analysis" | "analyse":
            from virtometer.analysis import of_campaign

            return getattr(of_campaign, name)
        case "by_guest_clocks":
            from virtometer.analysis.score import raw

            return raw.by_guest_clocks
        case _:
            raise AttributeError(f"module {__name__} has no attribute {name}")
