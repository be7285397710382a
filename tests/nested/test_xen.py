"""Xen under emulation: dom0 as an environment, and paravirtualized guests that libvirt makes for the kind libvirt."""

from __future__ import annotations

import json
import sys

import pytest

from tests.nested.outer_machine import conformance_of, run_inside
from tests.nested.xen_host import DAEMONS, WORDS, xen
from virtometer.environments.base import LabContext
from virtometer.environments.images.machines import guest_kernel

PLAN = """
virtometer: 1
name: xen
question: What does a paravirtualized guest of Xen cost, compared with dom0?
baseline: dom0
environments:
  - {name: dom0, kind: native}
  - {name: guest, kind: libvirt, settings: {memory: 256M, cpus: 1}}
workloads:
  - {name: linpack, workload: linpack, op: classic, parameters: {size: 100}}
  - {name: system call, workload: os, op: system-call}
blocks: 2
seconds: 0.3
fresh: block
control: false
"""
_SUMMARY = """
import json
found = json.load(open("/inside/results.json"))
print(json.dumps([found["trials"], found["guests"]]))
"""
COMMANDS = f"""{DAEMONS}
cat > /inside/plan.yaml <<'end'{PLAN}end
cat > /inside/summary.py <<'end'{_SUMMARY}end
laboratory() {{ {sys.executable} -m virtometer "$@" < /dev/null 2>&1 | sed 's/^/said: /' > /dev/ttyS1; }}
domains() {{ echo "$1: $(virsh -q list --all --name | tr '\\n' ' ')" > /dev/ttyS1; }}
laboratory run /inside/plan.yaml --out /inside/results
domains after
{sys.executable} -m virtometer run /inside/plan.yaml --out /inside/killed < /dev/null > /dev/null 2>&1 & killed=$!
until virsh -q list --name | grep -q virtometer-v; do kill -0 $killed || break; sleep 0.2; done
kill -KILL $killed
domains killed
laboratory run /inside/plan.yaml --only "system call" --blocks 1 --out /inside/next
domains swept
{sys.executable} -m virtometer report /inside/results --format json > /inside/results.json
echo "campaign: $({sys.executable} /inside/summary.py)" > /dev/ttyS1
"""


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_dom0_keeps_the_promises_of_an_environment(lab: LabContext) -> None:
    host = xen(lab)
    # The layer in memory has no O_DIRECT.
    cases = conformance_of(
        "native and not its_contents", lab, layers=[host.layer], hypervisor=host.hypervisor, words=WORDS
    )
    assert "test_two_guests_at_once[native]" in cases
    assert set(cases.values()) <= {"passed", "skipped"}, cases
    assert sum(how == "passed" for how in cases.values()) >= 20


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_guests_of_xen_are_measured_and_none_is_left(lab: LabContext) -> None:
    guest_kernel(lab.cache, lab.journal, lab.programs)  # the outer machine has no network to fetch it
    host = xen(lab)
    done = run_inside(COMMANDS, lab, 900, layers=[host.layer], hypervisor=host.hypervisor, words=WORDS)
    lines = dict(line.split(": ", 1) for line in done.answer.splitlines() if ": " in line)
    assert "campaign" in lines, done.console[-6000:]
    assert lines["after"].split() == ["Domain-0"]
    [_, left] = lines["killed"].split()
    assert left.startswith("virtometer-v"), "the laboratory was killed while its guest ran"
    assert lines["swept"].split() == ["Domain-0"], done.answer
    trials, guests = json.loads(lines["campaign"])
    assert [(one["status"], one["reason"]) for one in trials] == [("done", "")] * 8, done.answer
    of_xen = [one["given"] for one in guests if one["kind"] == "libvirt"]
    assert len(of_xen) == 2
    for facts in of_xen:
        assert facts["domain_type"] == "xen"
        assert facts["uri"] == "xen:///system"
        assert facts["processors"].startswith("unknown: "), "dom0 does not see what its guests use as processes"
