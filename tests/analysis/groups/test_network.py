"""The network as a matrix: asymmetry, guests that are not alike, and pairs that measured themselves."""

from __future__ import annotations

import numpy as np

from tests.analysis.groups.injected import LEAST, REPETITIONS, covered, member, noisy, trial
from tests.sentences import Said
from virtometer.analysis.groups.members import GroupTrial
from virtometer.analysis.groups.network import LABORATORY, by_address, itself, network
from virtometer.model import Estimate

NAMES = ["box", "box #2", "box #3"]


def trials(rng: np.random.Generator, rates: dict[tuple[str, str], float], sd: float = 0.02) -> list[GroupTrial]:
    made = []
    for block in range(8):
        host = noisy(rng, 0.05)
        for (source, target), rate in rates.items():
            number = NAMES.index(source) + 1
            one = member(rate * host * noisy(rng, sd), number, workload="stream", unit="B/s")
            services = {} if target == LABORATORY else {source: target}
            made.append(trial(block, [one], scenario="net", type="matrix", services=services))
    return made


def matrix_of(rng: np.random.Generator, rates: dict[tuple[str, str], float]) -> tuple[list[str], bool]:
    """The notes, and whether all rates lie within their intervals."""
    (found,) = network(trials(rng, rates), "net", "matrix")
    inside = True
    for (source, target), rate in rates.items():
        cell = found.cell(source, target)
        assert cell is not None
        inside = inside and covered(cell.low, rate, cell.high)
    return list(found.notes), inside


def even(rate: float = 1e9) -> dict[tuple[str, str], float]:
    return {(a, b): rate * (4 if a == b else 1) for a in NAMES for b in NAMES}


def test_rates_of_all_pairs_lie_within_their_intervals() -> None:
    rng = np.random.default_rng(71)
    assert sum(matrix_of(rng, even())[1] for _ in range(REPETITIONS)) >= LEAST


def test_an_even_network_is_called_asymmetric_in_at_most_one_of_twenty() -> None:
    rng = np.random.default_rng(72)
    assert sum(bool(matrix_of(rng, even())[0]) for _ in range(REPETITIONS)) <= 8


def test_an_injected_asymmetry_is_found() -> None:
    rng = np.random.default_rng(73)
    rates = even() | {("box", "box #2"): 0.8e9}
    found = [matrix_of(rng, rates)[0] for _ in range(REPETITIONS)]
    assert sum(any("box #2 to box is 1.2" in note for note in notes) for notes in found) >= LEAST


def test_a_pair_that_measured_itself_is_found() -> None:
    rng = np.random.default_rng(74)
    rates = even() | {("box #3", "box"): 3.9e9}
    found = [matrix_of(rng, rates)[0] for _ in range(REPETITIONS)]
    assert sum(any("box #3 to box looks like" in note for note in notes) for notes in found) >= LEAST


def test_the_published_matrix_has_the_pair_that_measured_itself() -> None:
    # klein2008, table 3.2, MB/s: source to target. vm4 to node7 has the rate of vm4 to itself.
    table = {
        ("node6", "node6"): 323, ("vm2", "node6"): 161, ("node7", "node6"): 78, ("vm3", "node6"): 112,
        ("vm4", "node6"): 112, ("node6", "vm2"): 35, ("vm2", "vm2"): 337, ("node7", "vm2"): 35, ("vm3", "vm2"): 29,
        ("vm4", "vm2"): 29, ("node6", "node7"): 112, ("vm2", "node7"): 89, ("node7", "node7"): 322,
        ("vm3", "node7"): 28, ("vm4", "node7"): 293, ("node6", "vm3"): 37, ("vm2", "vm3"): 30, ("node7", "vm3"): 32,
        ("vm3", "vm3"): 338, ("vm4", "vm3"): 3, ("node6", "vm4"): 38, ("vm2", "vm4"): 30, ("node7", "vm4"): 32,
        ("vm3", "vm4"): 2, ("vm4", "vm4"): 294,
    }  # fmt: skip
    notes = itself({pair: Estimate(float(rate), None, None, 1) for pair, rate in table.items()})
    assert len(notes) == 1 and notes[0].startswith("vm4 to node7 looks like")


def test_an_address_of_the_source_itself_is_reported(said: Said) -> None:
    addresses = {("box", "box #2"): "127.0.0.1:5000", ("box", "box"): "127.0.0.1:5000", ("a", "b"): "10.0.0.2:5000"}
    (note,) = by_address(addresses)
    assert note.startswith("box to box #2 ") and "127.0.0.1:5000" in note
    said(note)
    assert by_address({("a", "b"): "[::1]:80"}) and not by_address({("a", "b"): "[fe80::1]:80"})
    one = member(1.0, workload="stream")
    of = [
        trial(block, [one], type="pair", services={"box": "box #2"}, addresses={"box": "127.0.0.1:9"})
        for block in range(2)
    ]
    assert "measured itself" in network(of, "net", "pair")[0].notes[0]


def test_the_laboratory_is_the_last_column_and_what_was_not_measured_is_empty() -> None:
    rates = {("box", LABORATORY): 2e9, ("box", "box #2"): 1e9, ("box #2", "box"): 1e9}
    (found,) = network(trials(np.random.default_rng(75), rates), "net", "pair")
    assert found.columns == ("box", "box #2", LABORATORY) and found.rows == ("box", "box #2")
    assert found.cell("box", "box") is None and found.cell("box #2", LABORATORY) is None


def test_times_are_turned_so_that_less_is_better() -> None:
    of = [
        trial(block, [member(rate, number, workload="rr", unit="s")], type="pair", services={name: target})
        for block in range(6)
        for rate, number, name, target in ((1e4 + block, 1, "box", "box #2"), (2e4 - block, 2, "box #2", "box"))
    ]
    (found,) = network(of, "net", "pair")
    assert found.of.better == "lower"
    assert "box #2 to box is 2 times as fast as box to box #2" in found.notes[0]
