import json
from pathlib import Path

from virtometer.clock.iterations import NULL_ITERATIONS
from virtometer.link import messages
from virtometer.link.channel import MAX_LINE


def test_constants_are_those_of_the_contract() -> None:
    """The agent's tests read the same file."""
    contract = json.loads((Path(__file__).parents[2] / "contract" / "constants.json").read_text())
    assert contract == {
        "protocol": messages.PROTOCOL,
        "magic": messages.MAGIC,
        "line_bytes": MAX_LINE,
        "largest_integer": messages.EXACT,
        "samples_in_a_message": messages.SAMPLES,
        "null_iterations": NULL_ITERATIONS,
        "longest_lead_ns": messages.LONGEST_LEAD_NS,
    }
