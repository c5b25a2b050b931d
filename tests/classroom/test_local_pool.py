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

from autograder.classroom import local_pool as module
from autograder.classroom.local_pool import LocalPool, local_pool
from autograder.classroom.pool import WorkItem, outcomes
from autograder.classroom.worker import NoWorkers, Unchanged
from autograder.engine.limits import NAMESPACES, REQUIRE
from autograder.engine.sandbox import started
from autograder.engine.sandbox.warm_parent import connect
from tests.benchmarks.checkout import CHECKOUT

pytestmark = pytest.mark.walls

NAMES = ["s001", "poison", *(f"s{number:03}" for number in range(2, 8))]
RUN = """
import sys
sys.path.insert(0, "tests")
import worker_tasks
from autograder.classroom.local_pool import LocalPool, local_pool
with local_pool("require", 2) as pool:
    print([pool.submit(worker_tasks.name, one).result() for one in ("a", "b")], flush=True)
    pool.submit(worker_tasks.never_ends, "a").result()
"""


def run(task, names=NAMES) -> dict:
    """Have a task done for these students by two workers; return what came of it, by student."""
    with local_pool(REQUIRE, 2) as pool:
        items = (WorkItem(one, task, (one,)) for one in names)
        found = [(item.student, outcome) for item, outcome in outcomes(pool, items)]
    assert len(found) == len(names)
    return {
        student: outcome.submission if isinstance(outcome, Unchanged) else outcome.why
        for student, outcome in found
    }


def workers() -> list[psutil.Process]:
    """What the forkserver below this process has forked."""
    return [
        worker
        for one in psutil.Process().children()
        if "forkserver import main" in " ".join(one.cmdline())
        for worker in one.children()
    ]


def test_each_call_has_its_outcome_and_no_worker_is_left():
    assert run(worker_tasks.computes) == {one: one for one in NAMES}
    assert not psutil.wait_procs(workers(), timeout=10)[1]


@pytest.mark.parametrize(
    ("task", "why"),
    [
        (worker_tasks.kills_its_worker, "workers were lost"),
        (worker_tasks.hangs, "workers were lost"),
        (worker_tasks.raises, "a worker failed: ZeroDivisionError: odd"),
        (worker_tasks.cannot_be_pickled, ""),
    ],
)
def test_what_happens_with_one_student_costs_no_other(task, why):
    found = run(task)
    assert why in found.pop("poison")
    assert found == {one: one for one in NAMES if one != "poison"}


@pytest.mark.filterwarnings(  # of the broken pool's own thread, which was starting a process
    "ignore::pytest.PytestUnhandledThreadExceptionWarning"
)
def test_where_the_forkserver_is_lost_others_go_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s003").touch()
    assert run(worker_tasks.kills_the_forkserver) == {one: one for one in NAMES}
    assert not (tmp_path / "s003").exists()


def test_a_worker_that_dies_before_it_is_known_what_it_took_is_not_waited_for(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s003").touch()
    found = run(worker_tasks.dies_unseen)
    assert "of another form" in found.pop("s002")
    assert found == {one: one for one in NAMES if one != "s002"}
    assert not (tmp_path / "s003").exists()


def test_workers_that_do_not_come_up_are_not_waited_for(monkeypatch):
    monkeypatch.setattr(module, "_begin", worker_tasks.ends_at_once)
    with pytest.raises(NoWorkers, match="cannot be started here: .*--jobs 1"):
        run(worker_tasks.finds_unchanged)


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
    monkeypatch.setattr(module, "ProcessPool", BreakablePool)
    arrivals = "poison", None, "s001"  # the second one later: none is done between the attempts
    items = (one and WorkItem(one, worker_tasks.finds_unchanged, (one,)) for one in arrivals)
    with LocalPool(2, "") as pool:
        found = {item.student: outcome for item, outcome in outcomes(pool, items)}
    assert "workers were lost" in found.pop("poison").why and found == {"s001": Unchanged("s001")}


def test_workers_that_are_lost_while_idle_are_replaced():
    with local_pool(REQUIRE, 1) as pool:
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


def test_a_warm_parent_that_ends_at_once_is_found_out_by_who_needs_it(monkeypatch):
    ours, theirs = socket.socketpair()
    theirs.close()
    parent = SimpleNamespace(control=ours, end=ours.close)
    monkeypatch.setattr(started, "start_parent", lambda level: parent)
    parent = started.ListeningParent(NAMESPACES)
    assert connect(parent.address, NAMESPACES) is None
    parent.end()
    assert ours.fileno() == -1
