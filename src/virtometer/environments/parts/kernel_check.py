"""Is there a kernel for machines, and where would it come from?"""

from __future__ import annotations

from virtometer.environments.base import Check, LabContext
from virtometer.environments.images.machines import METAPACKAGES, cached_kernel, resolve_kernel
from virtometer.errors import VirtometerError
from virtometer.installation import to_download


def check_kernel(lab: LabContext, check: Check) -> Check:
    """Add to a check that went well whether there is a kernel for the guests, or where it would come from."""
    if not check.works:
        return check
    kernel = cached_kernel(lab.cache)
    if kernel is not None:
        found = {**check.found, "guest_kernel": f"{kernel.package} {kernel.version}"}
        return Check(True, check.reason, found=found)
    try:
        package, version = resolve_kernel(lab.programs)
    except VirtometerError as cause:
        return Check(False, f"there is no kernel for the guests: {cause.sentence}", cause.advice)
    found = {**check.found, "guest_kernel": f"{package} {version}, to be downloaded once"}
    return Check(True, check.reason, to_download(METAPACKAGES["cloud"]), found)
