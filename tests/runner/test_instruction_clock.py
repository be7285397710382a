"""An emulated machine whose clock counts instructions: what is corrected agrees with the host's stopwatch."""

import pytest

from tests.environments.booted import bench, greet, require
from tests.runner.watched import measured
from virtometer.environments.qemu import Qemu, QemuSettings


@pytest.fixture
def qemu(tmp_path):
    with bench(tmp_path, disk=False) as one:
        environment = Qemu(one)
        require(environment.check())
        environment.prepare(QemuSettings())
        yield environment


@pytest.mark.slow
@pytest.mark.parametrize("icount", ["auto", "shift=2,sleep=off"])
def test_throughput_agrees_with_the_hosts_stopwatch(qemu, icount):
    guest = qemu.start(QemuSettings.model_validate({"icount": icount, "cpus": 1}), "counts")
    try:
        session = greet(guest)
        fitted, samples, stopwatch_s = measured(session, 4.0)
        session.bye(10)
        session.close()
    finally:
        guest.stop()
    work = sum(sample.work for sample in samples)
    lasted_ns = sum(sample.end_ns - sample.start_ns for sample in samples)
    corrected = work / (lasted_ns * 1e-9 * fitted.rate)
    # Next to nothing lies between these samples, so that the whole run is the work.
    assert corrected == pytest.approx(work / stopwatch_s, rel=0.01)
    assert abs(corrected / (work / stopwatch_s) - 1) <= fitted.relative_bound < 0.05
