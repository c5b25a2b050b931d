"""A candidate's time is what it ran, slept, or kept its threads busy: not what it waited."""

import os
import subprocess
import sys
import time

import pytest

from autograder.engine.sandbox import usage

pytestmark = pytest.mark.slow

BUSY = "import time\nprint(flush=True)\nwhile True: pass"
SLEEPS = "import time\nprint(flush=True)\ntime.sleep(1000)"
SECONDS = 1.0


@pytest.fixture
def started():
    """Start programs on one processor; each has begun when this returns its process number."""
    running = []

    def start(program: str) -> int:
        one = min(os.sched_getaffinity(0))
        code = f"import os\nos.sched_setaffinity(0, {{{one}}})\n{program}"
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        running.append(process)
        process.stdout.readline()
        return process.pid

    yield start
    for process in running:
        process.kill()
        process.wait()
        process.stdout.close()


def watched(pid: int) -> tuple:
    """The time that a process has used when so many seconds have passed, and what it was made of."""
    reader = usage.UsageReader(pid)
    begin = reader.read()
    time.sleep(SECONDS)
    end = reader.read()
    reader.close()
    return end.since(begin), begin, end


def test_beside_others_it_uses_what_it_runs(started):
    busy = [started(BUSY) for _ in range(5)]
    used, begin, end = watched(busy[0])
    assert 0 < used < 0.6 * (end.wall - begin.wall)
    assert end.longest_wait(begin).waited > 0.4 * (end.wall - begin.wall)


def test_who_sleeps_beside_others_uses_all_that_passes(started):
    sleeper = started(SLEEPS)
    for _ in range(3):
        started(BUSY)
    used, begin, end = watched(sleeper)
    assert used > 0.9 * (end.wall - begin.wall - (end.ours - begin.ours))
