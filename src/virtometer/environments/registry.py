"""Every environment kind, at a glance, in the order in which reports show them. Importing does no work."""

from __future__ import annotations

from virtometer.environments.base import Environment
from virtometer.environments.bubblewrap import Bubblewrap
from virtometer.environments.gvisor import Gvisor
from virtometer.environments.native import Native
from virtometer.environments.runc import Runc

KINDS: dict[str, type[Environment]] = {
    "native": Native,
    "bubblewrap": Bubblewrap,
    "runc": Runc,
    "gvisor": Gvisor,
}
