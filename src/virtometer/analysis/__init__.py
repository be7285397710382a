"""From a campaign to findings. Pure: no file, no clock, no random number; imports only model, errors and clock.

One statistical method a file: `interval` (Student 1908), `equivalence` (Schuirmann 1987), `difference` (paired t on
logs), `holm` (Holm 1979), `precision` (power of these), `levels` (averages of the memory's levels). `score`, `blocks`,
`cost`, `conditions` and `absence` say what goes into them, `conclude` puts them together. METHODOLOGY.md defines every
number.
"""

from virtometer.analysis.conclude import findings
from virtometer.analysis.raw import by_guest_clocks
from virtometer.analysis.running import Running, running

__all__ = ["Running", "by_guest_clocks", "findings", "running"]
