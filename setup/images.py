"""Prepare what every environment kind starts its guests from; one line for each kind where that did not work."""

import sys

from virtometer.runner.doctor import prepare_all

faults = [(kind, fault) for kind, fault in prepare_all() if fault]
for kind, fault in faults:
    print(f"setup:     {kind}: {fault}")
sys.exit(bool(faults))
