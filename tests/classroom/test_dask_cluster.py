"""A cluster of Dask's: who may grade, what a lost worker costs, and what is said of it."""

import os
import shutil
import sys
import time
from concurrent.futures import wait

import pytest
import worker_tasks
from distributed import Client
from submissions import hand_in_comments

from autograder._commands.main import main
from autograder.classroom import dask_cluster
from autograder.classroom.dask_cluster import CONFIG, dask_executor
from autograder.classroom.dask_worker import WorkerCheck
from autograder.classroom.pool import WorkItem, outcomes
from autograder.classroom.worker import Failed, LostWorkers, NoWorkers, Unchanged
from autograder.engine import RunSettings
from tests.benchmarks.checkout import CHECKOUT
from tests.benchmarks.cluster import running_cluster

pytestmark = [
    pytest.mark.slow,
    pytest.mark.walls,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

NOBODY = "tcp://127.0.0.1:9"
NAMES = ["s001", "poison", *(f"s{number:03}" for number in range(2, 8))]
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def with_worker(small, tmp_path_factory):
    """A cluster with a worker, which outlives the runs on it."""
    with running_cluster(0, tmp_path_factory.mktemp("dask"), ENVIRONMENT) as cluster:
        cluster.start_worker("worker", course=small.course.root)
        yield cluster


@pytest.fixture
def cluster(tmp_path):
    """A scheduler of the test's own, with no worker yet."""
    with running_cluster(0, tmp_path / "dask", ENVIRONMENT) as cluster:
        yield cluster


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def executor(small, told):
    """The executor of a run on a cluster, to which so many workers come."""

    def make(cluster, workers: int = 0):
        for number in range(workers):
            cluster.start_worker(f"worker-{number + 1}", course=small.course.root)
        return dask_executor(cluster.address, RunSettings(small, seed=1), told.append)

    return make


def results(pool, function, names=NAMES) -> dict:
    """What comes of an item for each student."""
    items = (WorkItem(name, function, (name,)) for name in names)
    found = [(item.student, outcome) for item, outcome in outcomes(pool, items)]
    assert len(found) == len(names)
    return dict(found)


def until(happens, seconds: float = 200.0) -> None:
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("address", [NOBODY, "nonsense://"])
def test_a_scheduler_that_is_not_there_is_wrong_usage(address, small, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 0.5)
    hand_in_comments(small, tmp_path / "submitted", ["s001"])
    words = ["grade", str(tmp_path / "submitted"), "--assignment", small.id, "--no-gradebook"]
    words += ["--course", str(small.course.root), "--results", str(tmp_path / "results")]
    assert main([*words, "--scheduler", address]) == 2
    said = "".join(capfd.readouterr())
    assert f"No Dask scheduler answers at `{address}`" in said and said.count("\n") == 2


def test_a_run_has_each_outcome_and_leaves_nothing_at_the_scheduler(with_worker, executor):
    def plugins(dask_scheduler):
        return [one for one in dask_scheduler.worker_plugins if one.startswith("autograder")]

    def modules(dask_scheduler):
        return [name for name in sys.modules if name.startswith(("autograder", "worker_tasks"))]

    with Client(with_worker.address, set_as_default=False) as client:
        with executor(with_worker) as ready:
            found = results(ready, worker_tasks.raises, ["poison"])["poison"]
            assert found == Failed("a worker failed: ZeroDivisionError: odd")
            cannot_be_sent = ready.submit(len, lambda: None)
            assert ready.submit(len, "two").result(timeout=60) == 3
            reason = str(cannot_be_sent.exception(timeout=60))
            assert "pickle" in reason or "local object" in reason  # the latter since Python 3.13
            assert len(client.run_on_scheduler(plugins)) == 1
        assert client.run_on_scheduler(plugins) == []
        assert client.run_on_scheduler(modules) == [], "a scheduler needs nothing of this package"


def test_a_worker_that_answers_at_once_is_heard(with_worker, executor, monkeypatch):
    """As it does when it has graded before: sooner than a subscription reaches the scheduler."""
    with executor(with_worker):
        monkeypatch.setattr(dask_cluster, "START_SECONDS", 5.0)
    for _ in range(10):
        with executor(with_worker) as ready:
            assert ready.workers == 1


def test_workers_of_another_version_are_told_and_retired(
    with_worker, executor, small, told, tmp_path
):
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(CHECKOUT / "autograder", tmp_path / "autograder", ignore=skipped)
    shutil.copytree(small.course.root, tmp_path / "course")
    with (tmp_path / "autograder/engine/grading/grade.py").open("a") as file:
        file.write("# later\n")
    with executor(with_worker) as ready:
        with_worker.start_worker("late", checkout=tmp_path, course=tmp_path / "course")
        until(lambda: ready.workers == 1 and len(told) == 2)
    assert "is retired: its graders are another version" in told[1]
    assert with_worker.programs["late"].wait(60) == 0


def test_where_no_worker_can_grade_the_reason_is_told(
    cluster, executor, told, tmp_path, monkeypatch
):
    with monkeypatch.context() as patched:
        patched.setattr(dask_cluster, "NO_WORKER_SECONDS", 0.1)
        with pytest.raises(NoWorkers, match="start some with `dask worker`"), executor(cluster):
            pass
    (tmp_path / "autograder.py").write_text("raise ModuleNotFoundError('no autograder here')")
    cluster.start_worker("without", checkout=tmp_path)
    with pytest.raises(NoWorkers, match="it cannot begin"), executor(cluster):
        pass
    assert "start it in a checkout like the one here" in told[0]


def test_a_scheduler_that_is_lost_ends_what_is_in_flight(cluster, executor):
    cluster.start_worker("cheap", "--preload", "tests.hosts.cheap", "--no-nanny")
    with executor(cluster) as ready:
        futures = [ready.submit(time.sleep, 600) for _ in range(3)]
        cluster.programs["scheduler"].kill()
        wait(futures, 60)
        for future in futures:
            with pytest.raises(NoWorkers, match="The scheduler is gone"):
                future.result(timeout=1)
        with pytest.raises(NoWorkers, match="The scheduler is gone"):
            until(lambda: ready.workers == 0)


@pytest.mark.long
def test_a_worker_that_never_says_whether_it_can_grade_is_not_waited_for(
    executor, cluster, monkeypatch
):
    monkeypatch.setattr(dask_cluster, "START_SECONDS", 1.0)
    monkeypatch.setattr(WorkerCheck, "setup", lambda self, worker: None)
    ready = executor(cluster, 1)
    cluster.wait_for(1)
    with pytest.raises(NoWorkers, match="does not say whether it can grade"), ready:
        pass


@pytest.mark.long
def test_a_submission_that_ends_its_workers_costs_its_neighbours_nothing(cluster, executor):
    with executor(cluster, 2) as ready:
        found = results(ready, worker_tasks.kills_its_worker)
    assert "4 workers were lost while they graded it" in found.pop("poison").why
    assert found == {name: Unchanged(name) for name in NAMES if name != "poison"}


@pytest.mark.long
def test_a_worker_that_is_stuck_ends_itself(cluster, executor):
    with executor(cluster, 1) as ready:
        future = ready.submit(worker_tasks.is_stuck, 1)
        with pytest.raises(LostWorkers, match="4 workers were lost"):
            future.result(timeout=120)
        assert ready.submit(os.getpid).result(timeout=60) != os.getpid()


@pytest.mark.long
def test_little_is_kept_of_what_was_submitted(cluster, executor):
    def tasks(dask_scheduler):
        return len(dask_scheduler.tasks)

    kept = CONFIG["distributed.admin.low-level-log-length"]
    with executor(cluster, 1) as ready:
        for _ in range(3):
            futures = [ready.submit(len, os.urandom(100_000)) for _ in range(kept)]
            assert {one.result(timeout=60) for one in futures} == {100_000}
        del futures
        assert len(ready.client.scheduler_comm.recent_message_log) <= kept
        until(lambda: not ready.client.futures and not ready.client.run_on_scheduler(tasks))
