"""From a campaign to findings. Pure: no file, no clock, no random number; imports only model, errors and clock.

One statistical method a file: `student` (Student 1908; `interval` has all methods of intervals), `equivalence`
(Schuirmann 1987), `holm` (Holm 1979), `precision` (power of these), `levels` (averages
of the memory's levels), `knee` (where latency rises with the load). `score`, `blocks`, `cost`, `conditions` and
`missing` say what goes into them, `conclude` puts them together, `whole` adds all else that reports show.
METHODOLOGY.md defines every number.
"""

from virtometer.analysis.score.raw import by_guest_clocks
from virtometer.analysis.whole import Analysis, analyse

__all__ = ["Analysis", "analyse", "by_guest_clocks"]
