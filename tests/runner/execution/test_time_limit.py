"""What takes too long with a guest's text is ended, and the process goes on as before."""

from __future__ import annotations

import re
import signal
import threading
import time

import pytest

from virtometer.errors import UsageError
from virtometer.runner.execution.time_limit import within


@pytest.mark.parametrize("pattern", ["(a+)+$", "(?:a|a)*b", "(.*)(.*)(.*)(.*)(.*)x"])
def test_a_regular_expression_that_takes_ages_is_ended(pattern: str) -> None:
    begun, handler, timer = time.monotonic(), signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)
    with pytest.raises(UsageError), within(0.2, "reading"):
        re.search(pattern, "a" * 4000 + "!")
    took = time.monotonic() - begun
    assert took < 5
    # The timer of a test goes on as before.
    assert signal.getsignal(signal.SIGALRM) is handler
    assert signal.getitimer(signal.ITIMER_REAL)[0] == pytest.approx(max(timer[0] - took, 0), abs=1)


def test_what_ends_in_time_is_not_disturbed_later() -> None:
    with within(0.05, "reading"):
        pass
    time.sleep(0.1)


def test_beside_the_main_thread_there_is_no_limit() -> None:
    done = []

    def read() -> None:
        with within(0.01, "reading"):
            time.sleep(0.05)
            done.append(1)

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    assert done == [1]
