"""Prepare what every environment kind starts its guests from; one line for each kind where that did not work."""

import sys

from virtometer.errors import MissingProgram
from virtometer.runner.lab.doctor import prepare_all

# What is missing was said when the packages were looked at.
faults = [(kind, cause) for kind, cause in prepare_all() if not isinstance(cause, MissingProgram)]
for kind, cause in faults:
    print(f"setup:     {kind}: {cause.sentence}")
sys.exit(bool(faults))
