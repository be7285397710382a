"""Profiles of commands in the machine interface."""

from __future__ import annotations

from virtometer.report.machine.field import TYPES, Shape, by_name

Shape(
    "profile_share",
    "what one class of operations explains of the slowdown of a command",
    """
    name         text
    count        bound     of a run; of computing seconds of the processor
    a_second     bound     of the time natively
    native_s     bound?    what one costs natively, s; null of computing
    there_s      bound?    what one costs there, s; null of computing
    efficiency,efficiency_low,efficiency_high,efficiency_n=efficiency  ~positive  of the operation // of the interval of
        the efficiency; null below six blocks
    extra        number    additional time, as a share of the time natively of the command
    extra_low    number?   by the interval of the efficiency
    extra_high   number?
    """,
)
Shape(
    "profile_prediction",
    "how long a command takes in an environment, as its profile predicts it",
    """
    subject      text      environment
    measured,measured_low,measured_high,measured_n=measured  ~positive  time there / natively // of the interval
    predicted,predicted_low,predicted_high,predicted_n=predicted  ~number  time there / natively // of the interval
    rest         number    measured - predicted: what is unexplained, as a share of the time natively
    dominant     text      the class that explains most; empty where none explains 1 %
    shares       profile_share[]  the largest first
    unmeasured   text[]    classes whose operation does not work there
    """,
)
Shape(
    "profile_counts",
    "what one run of a command did on the host itself",
    """
    classes      number_by_name   system calls by class
    calls        number_by_name   system calls by name
    wall_s       bound     time natively, mean of the timed runs
    user_s       bound     mean of the timed runs
    system_s     bound     mean of the timed runs
    minor_faults  count    page faults that needed no disk
    major_faults  count    page faults that waited for a disk
    start_faults  count    page faults of an empty program, which are within minor_faults
    waits        count     voluntary switches
    preempted    count     involuntary switches
    read         count     bytes from disks
    written      count     bytes to disks
    sent         count     bytes through sockets
    received     count     bytes through sockets
    read_by_calls  count   bytes that calls read from files, from a disk or from memory
    counted_s    bound     time of the run under strace
    """,
    types={"number_by_name": by_name(TYPES["count"])},
)
Shape(
    "profile",
    "a command that was profiled",
    """
    workload     text
    native_s     bound     time of a run natively
    counts       profile_counts
    predictions  profile_prediction[]
    unpriced     count_by_name  system calls of classes without a price
    few          text[]    classes with too few to matter
    """,
    types={"count_by_name": by_name(TYPES["count"])},
)
