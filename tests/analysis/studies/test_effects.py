"""Effects of parameters: of printed cells by hand, and of a campaign with known ones."""

from __future__ import annotations

import math

import pytest

from tests.analysis.simulated_campaigns import Place, Work
from tests.analysis.studies.hand_made import HALF, SWING, Rate, first_blocks, levels, made
from virtometer.analysis import Analysis
from virtometer.analysis.studies.effects import EffectRow, EffectsFound, effects
from virtometer.analysis.studies.matching import Matcher
from virtometer.model import Placement, Trial
from virtometer.studies.data import items, values
from virtometer.studies.questions import Effects, Parameter
from virtometer.studies.sections import description

TOOLS = Parameter(name="tools", field="tools", levels=["off", "on"])
BITS = Parameter(name="bits", field="bits", levels=["32", "64"])
VIRTUALIZATION = Parameter(name="virtualization")
NET = {"item": ["appendix: Netz - Iometer Linux"], "role": ["guest"]}

# Printed, MB/s: 32 bit write, 32 bit read, 64 bit write, 64 bit read.
BARE = (52.97, 61.17, 48.91, 61.19)
OFF = (18.05, 14.16, 52.54, 61.49)
ON = (46.02, 62.19, 52.47, 61.36)
OFF_ASTERISK = (17.68, 14.05, 52.62, 61.51)
ON_ASTERISK = (45.99, 62.17, 52.55, 60.79)


def found_in(study: str, of: Effects, *analyses: Analysis) -> EffectsFound:
    cells = [one for item in items(study) for one in values(study, item)]
    return effects(of, cells, Matcher(description(study), analyses))


def row(of: tuple[EffectRow, ...], *names: str) -> EffectRow:
    return next(one for one in of if one.parameters == names)


def geometric(of: list[float]) -> float:
    return math.exp(math.fsum(map(math.log, of)) / len(of))


@pytest.fixture(scope="module")
def printed() -> EffectsFound:
    return found_in("lemberger2010", Effects(cells=NET, parameters=[VIRTUALIZATION, TOOLS, BITS]))


def test_the_effect_of_tools_is_that_of_all_printed_pairs(printed: EffectsFound) -> None:
    pairs = [on / off for on, off in zip((*ON, *ON_ASTERISK), (*OFF, *OFF_ASTERISK), strict=True)]
    then = row(printed.main, "tools").then
    assert then is not None and row(printed.main, "tools").now is None
    assert (then.ratio, then.low, then.high) == pytest.approx((geometric(pairs), min(pairs), max(pairs)))
    assert (then.pairs, then.same_sign, then.within) == (8, 0.5, 4)  # nothing with 64 bits
    assert then.verdict == "matters with others"


def test_the_effect_of_bits_is_one_of_efficiencies(printed: EffectsFound) -> None:
    pairs = [
        (of[at + 2] / BARE[at + 2]) / (of[at] / BARE[at])
        for of in (OFF, ON, OFF_ASTERISK, ON_ASTERISK)
        for at in (0, 1)
    ]
    then = row(printed.main, "bits").then
    assert then is not None and then.ratio == pytest.approx(geometric(pairs)) and then.pairs == 8
    as_values = found_in("lemberger2010", Effects(cells=NET, of="value", parameters=[BITS]))
    alone = row(as_values.main, "bits").then
    pairs = [of[at + 2] / of[at] for of in (OFF, ON, OFF_ASTERISK, ON_ASTERISK) for at in (0, 1)]
    assert alone is not None and alone.ratio == pytest.approx(geometric(pairs))


def test_virtualization_is_against_the_bare_machine(printed: EffectsFound) -> None:
    then = row(printed.main, "virtualization").then
    pairs = [one / bare for of in (OFF, ON, OFF_ASTERISK, ON_ASTERISK) for one, bare in zip(of, BARE, strict=True)]
    assert then is not None and then.ratio == pytest.approx(geometric(pairs)) and then.pairs == 16


def test_an_interaction_is_a_ratio_of_ratios(printed: EffectsFound) -> None:
    squares = [
        (on[at + 2] / off[at + 2]) / (on[at] / off[at])
        for on, off in ((ON, OFF), (ON_ASTERISK, OFF_ASTERISK))
        for at in (0, 1)
    ]
    crossed = row(printed.interactions, "tools", "bits")
    assert crossed.then is not None
    assert (crossed.then.ratio, crossed.then.pairs) == pytest.approx((geometric(squares), 4))
    assert (crossed.then.same_sign, crossed.then.verdict) == (1.0, "matters")
    assert [one.parameters for one in printed.interactions] == [("tools", "bits")]  # none with the bare machine


def test_a_small_effect_does_not_matter_and_the_largest_stands_first() -> None:
    of = Effects(cells={"item": ["5.1"], "metric": ["time"], "role": ["guest"]}, parameters=[BITS, VIRTUALIZATION])
    found = found_in("tsiouprou2010", of)
    pairs = [(0.332 / 0.333) / (0.351 / 0.351), (2.683 / 2.71) / (2.79 / 2.821),
             (20.533 / 20.654) / (20.885 / 20.961), (156.91 / 157.325) / (162.019 / 162.424)]  # fmt: skip
    then = row(found.main, "bits").then
    assert then is not None and then.ratio == pytest.approx(geometric(pairs)) and then.verdict == "does not matter"
    sizes = [abs(math.log(one.then.ratio)) for one in found.main if one.then]
    assert sizes == sorted(sizes, reverse=True) and len(sizes) == 2


def test_a_level_may_be_a_part_of_an_operation() -> None:
    access = Parameter(name="access", field="operation", levels=["sequential", "random"])
    of = Effects(cells={"item": ["5.3"], "role": ["guest"], "bits": ["64"]}, of="value", parameters=[access])
    then = row(found_in("tsiouprou2010", of).main, "access").then
    printed = {
        one.row: one.value or 0 for one in values("tsiouprou2010", "5.3") if one.role == "guest" and one.bits == 64
    }
    pairs = [printed[f"{way}, random"] / printed[f"{way}, not random"] for way in ("write", "read")]
    assert then is not None and then.pairs == 2 and then.ratio == pytest.approx(geometric(pairs))


def test_cells_that_slipped_decide_nothing() -> None:
    cells = {"item": ["appendix: RAM - RAMspeed Linux"], "role": ["guest"], "operation": ["int-read"]}
    found = found_in("lemberger2010", Effects(cells=cells, parameters=[VIRTUALIZATION, BITS, TOOLS]))
    assert [one.parameters for one in found.main] == [("tools",)]  # the bare machine's cells lost their points


SIZES = (4096, 32768, 262144, 1048576, 4194304)
WORKS = [
    Work(f"net {way} {size}", "net", "stream", "B/s", 1e8, parameters={"size": size, "direction": way})
    for way in ("send", "receive")
    for size in SIZES
]


def vm(name: str, device: str, bits: int, efficiency: float) -> Place:
    settings = {"disk_device": "ide" if device == "e1000" else "virtio", "network_device": device, "bits": bits}
    return Place(name, "qemu", {"": efficiency}, settings=settings)


PLACES = [
    Place("native", "native"),
    Place("native 32", "native", {"": 0.5}, settings={"bits": 32}),
    vm("emulated 64", "e1000", 64, 0.4),
    vm("virtio 64", "virtio", 64, 0.8),
    vm("emulated 32", "e1000", 32, 0.2),
    vm("virtio 32", "virtio", 32, 0.6),
]


def test_a_campaign_with_known_effects() -> None:
    of = Effects(cells=NET, parameters=[VIRTUALIZATION, TOOLS, BITS])
    found = found_in("lemberger2010", of, made(PLACES, WORKS, levels(PLACES, WORKS)))
    tools, bits, crossed = row(found.main, "tools").now, row(found.main, "bits").now, found.interactions[0].now
    assert tools is not None and bits is not None and crossed is not None
    assert tools.ratio.value == pytest.approx(math.sqrt(2 * 3)) and tools.verdict == "matters"
    assert tools.ratio.low == pytest.approx(tools.ratio.value)  # within blocks nothing swings
    assert bits.ratio.value == pytest.approx(math.sqrt((0.4 / (0.2 / 0.5)) * (0.8 / (0.6 / 0.5))))
    assert (crossed.ratio.value, crossed.pairs) == pytest.approx((2 / 3, 2))  # asterisks stand for nothing here
    whole = row(found.main, "virtualization").now
    assert whole is not None and whole.ratio.value == pytest.approx((0.4 * 0.8 * 0.2 / 0.5 * 0.6 / 0.5) ** 0.25)


SENDS, RECEIVES = WORKS[:5], WORKS[5:]
BARE_PLACES = PLACES[:2]
HALVES = [*BARE_PLACES, vm("emulated 64", "e1000", 64, 0.2), vm("virtio 64", "virtio", 64, 0.8)]


def swinging(places: list[Place], works: list[Work]) -> Rate:
    """Guests with virtio have the swing of hand-made campaigns twice, so that their efficiency has it once."""
    level = levels(places, works)

    def rate(placement: Placement, trial: Trial) -> float:
        part = SWING if placement.environment.startswith("virtio") else 0.0
        return level(placement, trial) * math.exp(part if trial.block % 2 else -part)

    return rate


def test_pairs_of_several_campaigns_make_one_effect() -> None:
    sends = made(PLACES, SENDS, swinging(PLACES, SENDS))
    receives = made(HALVES, RECEIVES, levels(HALVES, RECEIVES))
    found = found_in("lemberger2010", Effects(cells=NET, parameters=[VIRTUALIZATION, TOOLS, BITS]), sends, receives)
    tools = row(found.main, "tools").now
    assert tools is not None and tools.ratio.low is not None and tools.ratio.high is not None
    # Writes: 0.8 by 0.4 with 64 bits, 0.6 by 0.2 with 32 bits; reads: 0.8 by 0.2. Two of three pairs swing.
    mean, half = (2 * 3 * 4) ** (1 / 3), 2 / 3 * HALF
    assert (tools.ratio.value, tools.ratio.low, tools.ratio.high) == pytest.approx(
        (mean, mean * math.exp(-half), mean * math.exp(half)), rel=1e-5
    )
    assert (tools.pairs, tools.campaigns, tools.verdict) == (3, (0, 1), "matters")
    bits = row(found.main, "bits").now
    assert bits is not None and (bits.pairs, bits.campaigns) == (2, (0,))
    assert found.campaigns == (0, 1)
    alone = row(found_in("lemberger2010", Effects(cells=NET, parameters=[TOOLS]), sends).main, "tools").now
    assert alone is not None and alone.ratio.value == pytest.approx(math.sqrt(6)) and alone.campaigns == (0,)


def test_a_pair_is_never_across_campaigns() -> None:
    emulated, virtio = [*BARE_PLACES, PLACES[2]], [*BARE_PLACES, PLACES[3]]
    some = [made(places, SENDS, levels(places, SENDS)) for places in (emulated, virtio)]
    assert row(found_in("lemberger2010", Effects(cells=NET, parameters=[TOOLS]), *some).main, "tools").now is None


def test_an_interaction_is_from_a_campaign_that_has_all_four_cells() -> None:
    few = made(HALVES, SENDS, levels(HALVES, SENDS))  # 64 bits alone
    whole = made(PLACES, WORKS, levels(PLACES, WORKS))
    found = found_in("lemberger2010", Effects(cells=NET, parameters=[TOOLS, BITS]), few, whole)
    crossed, tools = found.interactions[0].now, row(found.main, "tools").now
    assert crossed is not None and tools is not None
    assert crossed.ratio.value == pytest.approx(2 / 3) and (crossed.pairs, crossed.campaigns) == (2, (1,))
    # The pair of writes with 64 bits is from the first campaign, the three others from the second one.
    assert tools.ratio.value == pytest.approx((4 * 2 * 3 * 3) ** 0.25) and tools.campaigns == (0, 1)


def test_a_campaign_with_too_few_blocks_does_not_take_part() -> None:
    sends = made(PLACES, SENDS, levels(PLACES, SENDS))
    receives = first_blocks(made(HALVES, RECEIVES, levels(HALVES, RECEIVES)), 5)
    tools = row(found_in("lemberger2010", Effects(cells=NET, parameters=[TOOLS]), sends, receives).main, "tools").now
    assert tools is not None and (tools.pairs, tools.campaigns) == (2, (0,)) and tools.ratio.low is not None


@pytest.mark.parametrize(
    ("bits", "marks", "verdict"),
    [
        ("32", ["none"], "one pair only"),  # 46.02 by 18.05
        ("32", ["none", "asterisk"], "matters"),
        ("64", ["none"], "one pair only"),  # 52.47 by 52.54
        ("64", ["none", "asterisk"], "does not matter"),
    ],
)
def test_one_printed_pair_decides_nothing(bits: str, marks: list[str], verdict: str) -> None:
    cells = {**NET, "operation": ["write"], "bits": [bits], "options.column_mark": marks}
    then = row(found_in("lemberger2010", Effects(cells=cells, parameters=[TOOLS])).main, "tools").then
    assert then is not None and (then.pairs, then.verdict) == (len(marks), verdict)


def test_an_interaction_of_one_pair_does_not_make_its_parameters_matter() -> None:
    cells = {**NET, "operation": ["write"], "options.column_mark": ["none"]}
    found = found_in("lemberger2010", Effects(cells=cells, parameters=[TOOLS, BITS]))
    crossed, tools = row(found.interactions, "tools", "bits").then, row(found.main, "tools").then
    assert crossed is not None and tools is not None
    assert (crossed.pairs, crossed.verdict) == (1, "one pair only")
    assert (tools.pairs, tools.verdict) == (2, "undecided")


def test_a_campaign_without_an_effect() -> None:
    places = [PLACES[0], vm("emulated 64", "e1000", 64, 0.79), vm("virtio 64", "virtio", 64, 0.8)]
    found = found_in(
        "lemberger2010", Effects(cells=NET, parameters=[TOOLS]), made(places, WORKS, levels(places, WORKS))
    )
    now = row(found.main, "tools").now
    assert now is not None and now.verdict == "does not matter" and now.ratio.value == pytest.approx(0.8 / 0.79)
