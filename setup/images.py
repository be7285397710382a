"""Prepare what every environment kind starts its guests from; one line for each kind where that did not work."""

import sys

from virtometer.runner.doctor import prepare_all

# What is missing was said when the packages were looked at.
faults = [(kind, fault) for kind, fault in prepare_all() if fault and not fault.endswith("is not installed")]
for kind, fault in faults:
    print(f"setup:     {kind}: {fault}")
sys.exit(bool(faults))
