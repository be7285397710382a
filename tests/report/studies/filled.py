"""A study beside a campaign of known values, for its formats."""

from __future__ import annotations

from tests.analysis.simulated_campaigns import Place
from tests.analysis.studies.hand_made import NATIVE, levels, linpack, made
from virtometer.analysis.studies.cells import StudySection
from virtometer.analysis.studies.results import StudyResults, results
from virtometer.studies.data import studies

ODD = 'box & <b>"x"</b> 50% $a_b^c{}~\\'


def filled() -> StudyResults:
    """Linpack of tsiouprou2010: half as fast in a guest with an odd name, at two sizes."""
    works = [linpack(1000, 1e9), linpack(4000, 1e9)]
    places = [NATIVE, Place(ODD, "lxc", {"": 0.5})]
    return results(studies()["tsiouprou2010"], [made(places, works, levels(places, works))])


def printed(study: str = "tsiouprou2010") -> StudyResults:
    """A study without campaigns."""
    return results(studies()[study], [])


def section(of: StudyResults, item: str) -> StudySection:
    return next(one for one in of.sections if one.item.item == item)
