"""The workers of this machine: lost ones, ones that hang, and ones that do not come up."""

import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from types import SimpleNamespace

import psutil
import pytest
import worker_tasks

from autograder.classroom.local_pool import LocalPool, local_pool
from autograder.classroom.pool import WorkItem, outcomes
from autograder.classroom.worker import NoWorkers, Unchanged
from autograder.engine import limits, sandbox
from tests.benchmarks.checkout import CHECKOUT

pytestmark = pytest.mark.walls

NAMES = ["s001", "poison", *(f"s{number:03}" for number in range(2, 8))]
RUN = """
import sys
sys.path.insert(0, "tests")
import worker_tasks
from autograder.classroom.local_pool import local_pool
with local_pool("require", 2) as pool:
    print([pool.submit(worker_tasks.name, student).result() for student in ("a", "b")], flush=True)
    pool.submit(worker_tasks.never_ends, "a").result()
"""


def run(task) -> dict:
    """Have a task done for all students by two workers; return what came of it, by student."""
    with local_pool(limits.REQUIRE, 2) as pool:
        items = (WorkItem(name, task, (name,)) for name in NAMES)
        done = [(item.student, outcome) for item, outcome in outcomes(pool, items)]
    assert len(done) == len(NAMES)
    return {
        student: outcome.submission if isinstance(outcome, Unchanged) else outcome.why
        for student, outcome in done
    }


def workers() -> list[psutil.Process]:
    """What the forkserver below this process has forked."""
    return [
        worker
        for child in psutil.Process().children()
        if child.status() != psutil.STATUS_ZOMBIE
        and "forkserver import main" in " ".join(child.cmdline())
        for worker in child.children()
    ]


ONCE = worker_tasks.kills_the_forkserver, worker_tasks.dies_unseen  # where a file says so


@pytest.mark.filterwarnings(  # of a broken pool's own thread, which was starting a process
    "ignore::pytest.PytestUnhandledThreadExceptionWarning"
)
@pytest.mark.parametrize(
    ("task", "failed", "why"),
    [
        (worker_tasks.computes, "", ""),
        (worker_tasks.kills_its_worker, "poison", "workers were lost"),
        (worker_tasks.hangs, "poison", "workers were lost"),
        (worker_tasks.raises, "poison", "a worker failed: ZeroDivisionError: odd"),
        (worker_tasks.cannot_be_pickled, "poison", ""),
        (worker_tasks.kills_the_forkserver, "", ""),
        (worker_tasks.dies_unseen, "s002", "of another form"),
    ],
)
def test_what_happens_with_one_student_costs_no_other(tmp_path, monkeypatch, task, failed, why):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s003").touch()
    results = run(task)
    if failed:
        assert why in results.pop(failed)
    assert results == {name: name for name in NAMES if name != failed}
    assert (tmp_path / "s003").exists() is (task not in ONCE)
    assert not psutil.wait_procs(workers(), timeout=10)[1], "no worker is left"


class BreakablePool:
    """Takes the place of pebble's pool, as one that each lost worker breaks."""

    def __init__(self, *_: object, **__: object):
        self.active = True

    def schedule(self, function, arguments, named) -> Future:
        if not self.active:
            raise RuntimeError("the pool is broken")
        future = Future()
        self.active = arguments != ("poison",)
        if self.active:
            future.set_result(function(*arguments, **named))
        else:
            future.set_exception(BrokenProcessPool("a worker was lost"))
        return future

    def stop(self) -> None:
        pass

    join = stop


def test_a_student_who_breaks_the_whole_pool_at_each_attempt_does_not_end_the_run(monkeypatch):
    monkeypatch.setattr("autograder.classroom.local_pool.ProcessPool", BreakablePool)
    arrivals = "poison", None, "s001"  # the second one later: none is done between the attempts
    items = (name and WorkItem(name, worker_tasks.finds_unchanged, (name,)) for name in arrivals)
    with LocalPool(2, "") as pool:
        results = {item.student: outcome for item, outcome in outcomes(pool, items)}
    assert "workers were lost" in results.pop("poison").why
    assert results == {"s001": Unchanged("s001")}


def test_workers_that_do_not_come_up_are_not_waited_for(monkeypatch):
    monkeypatch.setattr("autograder.classroom.local_pool._begin", worker_tasks.ends_at_once)
    with pytest.raises(NoWorkers, match="cannot be started here: .*--jobs 1"):
        run(worker_tasks.finds_unchanged)


def test_workers_that_are_lost_while_idle_are_replaced():
    with local_pool(limits.REQUIRE, 1) as pool:
        for turn in "abcd":  # more often than there are attempts at starting them
            assert pool.submit(worker_tasks.name, turn).result() == turn
            for worker in workers():
                worker.kill()
            time.sleep(0.5)


def test_a_process_that_hosts_workers_and_is_killed_leaves_nothing_running():
    command = [sys.executable, "-c", RUN]
    host = subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE)
    try:
        assert host.stdout.readline() == b"['a', 'b']\n"
        below = psutil.Process(host.pid).children(recursive=True)
        assert len(below) >= 4  # forkserver, two workers, the warm parent
    finally:
        host.send_signal(signal.SIGKILL)
        host.communicate()
    assert not psutil.wait_procs(below, timeout=20)[1]


def test_a_warm_parent_that_ends_at_once_is_noticed_where_it_is_needed(monkeypatch):
    ours, theirs = socket.socketpair()
    theirs.close()
    ended = SimpleNamespace(control=ours, end=ours.close)
    monkeypatch.setattr("autograder.engine.sandbox.started.start_parent", lambda level: ended)
    parent = sandbox.ListeningParent(limits.NAMESPACES)
    assert sandbox.warm_parent.connect(parent.address, limits.NAMESPACES) is None
    parent.end()
    assert ours.fileno() == -1
