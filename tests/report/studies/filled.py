"""A study beside a campaign of known values, for its formats."""

from __future__ import annotations

from tests.analysis.simulated_campaigns import Place, Work
from tests.analysis.studies.hand_made import ALONE, NATIVE, levels, linpack, made, named
from virtometer.analysis.studies.cells import StudySection
from virtometer.analysis.studies.results import StudyResults, results
from virtometer.model import Placement, Trial
from virtometer.studies.data import studies

ODD = 'box & <b>"x"</b> 50% $a_b^c{}~\\'


def filled() -> StudyResults:
    """Linpack of tsiouprou2010: half as fast in a guest with an odd name, at two sizes."""
    works = [linpack(1000, 1e9), linpack(4000, 1e9)]
    places = [NATIVE, Place(ODD, "lxc", {"": 0.5})]
    return results(studies()["tsiouprou2010"], [made(places, works, levels(places, works))])


def with_short_form() -> StudyResults:
    """Linpack of tsiouprou2010: the small size in short form, and the large one in full."""
    places = [NATIVE, Place("box", "lxc", {"": 0.5})]
    small, large = ([linpack(size, 1e9)] for size in (1000, 4000))
    short = named(
        made(places, small, levels(places, small)), "tsiouprou2010 linpack", ["windows of 1 s instead of 9 s"]
    )
    whole = named(made(places, large, levels(places, large)), "tsiouprou2010 parallel-linpack")
    return results(studies()["tsiouprou2010"], [short, whole])


SIZES = (4096, 32768, 262144, 1048576, 4194304)
GROWING = {"name": "growing", "type": "together", "environment": "box", "guests": [1, 2, 3]}


def with_parameters() -> StudyResults:
    """The network of lemberger2010: tools double the speed with 64 bits, and treble it with 32 bits."""
    places = [NATIVE, Place("native 32", "native", settings={"bits": 32})]
    for device, bits, efficiency in (("e1000", 64, 0.4), ("virtio", 64, 0.8), ("e1000", 32, 0.2), ("virtio", 32, 0.6)):
        disk = "ide" if device == "e1000" else "virtio"
        settings = {"disk_device": disk, "network_device": device, "bits": bits}
        places.append(Place(f"{device} {bits}", "qemu", {"": efficiency}, settings=settings))
    works = [
        Work(f"net {way} {size}", "net", "stream", "B/s", 1e8, parameters={"size": size, "direction": way})
        for way in ("send", "receive")
        for size in SIZES
    ]
    return results(studies()["lemberger2010"], [made(places, works, levels(places, works))])


def with_groups(study: str = "tsiouprou2010") -> StudyResults:
    """Guests at once: two keep nearly all of their speed, three share two processors, and the last has less."""
    works = [linpack(4000, 1e9), Work("write", "disk", "write", "B/s", 1e8, parameters={"size": 1 << 20})]

    def rate(placement: Placement, trial: Trial) -> float:
        guests = len(trial.placements)
        return 1e9 * {1: 1.0, 2: 0.95, 3: 0.5 if placement.guest == 3 else 0.6}[guests]

    box = Place("box", "lxc") if study == "tsiouprou2010" else Place("box", "qemu")
    return results(studies()[study], [made([NATIVE, box], works, rate, [GROWING, ALONE])])


def with_tools() -> StudyResults:
    """The network of zupka2008 in three environments, two of which are alike."""
    works = [Work("stream", "net", "stream", "B/s", 1e8, parameters={"size": 16384})]
    places = [NATIVE, Place("slow", "qemu", {"": 0.1}), Place("box", "lxc", {"": 0.9}), Place("pod", "runc", {"": 0.9})]
    return results(studies()["zupka2008"], [made(places, works, levels(places, works))])


def printed(study: str = "tsiouprou2010") -> StudyResults:
    """A study without campaigns."""
    return results(studies()[study], [])


def section(of: StudyResults, item: str) -> StudySection:
    return next(one for one in of.sections if one.item.item == item)
