"""A cluster of Dask's: who may grade, what a lost worker costs, and what is said of it."""

import os
import shutil
import sys
import time
from concurrent.futures import wait
from pathlib import Path

import pytest
import worker_tasks
from distributed import Client

from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.classroom import dask_cluster
from autograder.classroom.dask_cluster import CONFIG, dask_executor
from autograder.classroom.dask_worker import WorkerCheck
from autograder.classroom.pool import Call, outcomes
from autograder.classroom.worker import LostWorkers, NoScheduler, NoWorkers
from autograder.cli.main import main
from autograder.engine.fingerprint import RunSettings
from tests.benchmarks.cluster import running_cluster

pytestmark = [
    pytest.mark.slow,
    pytest.mark.walls,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

NOBODY = "tcp://127.0.0.1:9"
NAMES = ["s001", "poison", *(f"s{number:03}" for number in range(2, 8))]


@pytest.fixture
def cluster(tmp_path):
    """A scheduler, with no worker yet."""
    with running_cluster(0, tmp_path / "dask", os.environ | {"OMP_NUM_THREADS": "1"}) as cluster:
        yield cluster


@pytest.fixture
def settings(small) -> RunSettings:
    return RunSettings(small, seed=1)


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def executor(cluster, settings, told):
    """Start workers; give the executor."""

    def make(workers: int = 1):
        for number in range(workers):
            cluster.start_worker(f"worker-{number + 1}", course=settings.assignment.course.root)
        return dask_executor(cluster.address, settings, told.append)

    return make


def results(pool, function, *first, names=NAMES) -> dict:
    """What comes of a call for each student, whose name is the last argument."""
    calls = (Call(name, function, (*first, name)) for name in names)
    found = [(call.student, outcome) for call, outcome in outcomes(pool, calls)]
    assert len(found) == len(names)
    return dict(found)


def test_a_scheduler_that_is_not_there_is_named(settings, monkeypatch):
    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 0.5)
    with pytest.raises(NoScheduler, match=f"No Dask scheduler answers at `{NOBODY}`"):
        dask_executor(NOBODY, settings, print).__enter__()


def test_a_scheduler_that_is_not_there_is_wrong_usage(small, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 0.5)
    folder = tmp_path / "submitted" / "s001" / small.id
    write_submission(small, folder, SampleSubmission(small.solutions, ""))
    words = ["grade", str(tmp_path / "submitted"), "--assignment", small.id, "--no-gradebook"]
    words += ["--course", str(small.course.root), "--results", str(tmp_path / "results")]
    assert main([*words, "--scheduler", NOBODY]) == 2
    said = "".join(capfd.readouterr())
    assert f"No Dask scheduler answers at `{NOBODY}`" in said and said.count("\n") == 2
    assert main([*words, "--scheduler", "nonsense://"]) == 2


def test_a_scheduler_without_workers_says_so(executor, monkeypatch):
    monkeypatch.setattr(dask_cluster, "NO_WORKER_SECONDS", 0.1)
    with pytest.raises(NoWorkers, match="start some with `dask worker`"), executor(0):
        pass


@pytest.mark.long
def test_a_worker_that_never_says_whether_it_can_grade_is_not_waited_for(
    executor, cluster, monkeypatch
):
    monkeypatch.setattr(dask_cluster, "START_SECONDS", 1.0)
    monkeypatch.setattr(WorkerCheck, "setup", lambda self, worker: None)
    ready = executor()
    cluster.wait_for(1)
    with pytest.raises(NoWorkers, match="does not say whether it can grade"), ready:
        pass


def test_a_worker_that_answers_at_once_is_heard(cluster, settings, monkeypatch):
    """As it does when it has graded before: sooner than a subscription reaches the scheduler."""
    monkeypatch.setattr(dask_cluster, "START_SECONDS", 5.0)
    cluster.start_worker("quick", "--preload", "tests.hosts.cheap", "--no-nanny")
    cluster.wait_for(1)
    for _ in range(10):
        with dask_executor(cluster.address, settings, bool) as ready:
            assert ready.workers == 1


@pytest.mark.long
def test_a_submission_that_ends_its_workers_costs_its_neighbours_nothing(executor):
    with executor(2) as ready:
        found = results(ready, worker_tasks.kills_its_worker)
    error = found.pop("poison")
    assert isinstance(error, LostWorkers) and "4 workers were lost while they graded it" in str(
        error
    )
    assert found == {name: name for name in NAMES if name != "poison"}


@pytest.mark.long
def test_a_worker_that_is_stuck_ends_itself(executor):
    with executor() as ready:
        future = ready.submit(worker_tasks.is_stuck, 1)
        with pytest.raises(LostWorkers, match="4 workers were lost"):
            future.result(timeout=120)
        assert ready.submit(os.getpid).result(timeout=60) != os.getpid()


def test_what_a_task_raises_comes_as_it_is(executor):
    with executor() as ready:
        found = results(ready, worker_tasks.raises, names=["s001"])
    assert isinstance(found["s001"], ZeroDivisionError) and str(found["s001"]) == "odd"


@pytest.mark.long
def test_what_one_host_cannot_grade_is_tried_on_another(cluster, executor, settings, told):
    with executor() as ready:
        cluster.start_worker("other", "--host", "127.0.0.2", course=settings.assignment.course.root)
        until(lambda: ready.workers == 2)
        (bad, *_) = sorted(ready.usable)  # on 127.0.0.1
        found = results(ready, worker_tasks.fails_on_one_host, settings)
        until(lambda: ready.workers == 1)
    assert {one.verdict.state for one in found.values()} == {"graded"}
    assert [one for one in told if "is retired" in one and bad in one and "no space left" in one]


def test_a_scheduler_needs_nothing_of_this_package(executor, cluster):
    def modules(dask_scheduler):
        return [name for name in sys.modules if name.startswith(("autograder", "worker_tasks"))]

    with executor() as ready:
        results(ready, worker_tasks.raises, names=NAMES[:2])
        with Client(cluster.address, set_as_default=False) as client:
            assert client.run_on_scheduler(modules) == []


@pytest.mark.long
def test_little_is_kept_of_what_was_submitted(executor, cluster):
    kept = CONFIG["distributed.admin.low-level-log-length"]
    with executor() as ready:
        for _ in range(3):
            futures = [ready.submit(len, os.urandom(100_000)) for _ in range(kept)]
            assert {one.result(timeout=60) for one in futures} == {100_000}
        del futures
        assert len(ready.client.scheduler_comm.recent_message_log) <= kept
        until(lambda: not ready.client.futures)
        until(
            lambda: (
                not ready.client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
            )
        )


def test_workers_of_another_version_are_told_and_retired(executor, cluster, small, told, tmp_path):
    root = Path(dask_cluster.__file__).parents[2]
    copy = tmp_path / "other"
    shutil.copytree(
        root / "autograder", copy / "autograder", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(small.course.root, copy / "course")
    with (copy / "autograder/engine/grade.py").open("a") as file:
        file.write("# later\n")
    cluster.start_worker("other", checkout=copy, course=copy / "course")
    with pytest.raises(NoWorkers, match="its graders are another version"), executor(0):
        pass
    assert len(told) == 1 and "is retired: its graders are another version" in told[0]
    assert cluster.programs["other"].wait(60) == 0
    with executor() as ready:
        cluster.start_worker("late", checkout=copy, course=copy / "course")
        until(lambda: ready.workers == 1 and len(told) == 3)
        assert cluster.programs["late"].wait(60) == 0
    assert [one for one in told if "is retired: its graders are another version" in one] == told[
        ::2
    ]


def test_a_worker_without_this_package_is_told(cluster, executor, tmp_path, told):
    (tmp_path / "autograder.py").write_text("raise ModuleNotFoundError('no autograder here')")
    cluster.start_worker("without", checkout=tmp_path)
    with pytest.raises(NoWorkers, match="it cannot begin"), executor(0):
        pass
    assert "start it in a checkout like the one here" in told[0]


def test_what_cannot_be_sent_is_one_students(executor):
    with executor() as ready:
        odd = ready.submit(len, lambda: None)
        assert ready.submit(len, "two").result(timeout=60) == 3
        assert "pickle" in str(odd.exception(timeout=60))


def test_a_run_leaves_nothing_at_the_scheduler(cluster, executor):
    def plugins(dask_scheduler):
        return [one for one in dask_scheduler.worker_plugins if one.startswith("autograder")]

    with Client(cluster.address, set_as_default=False) as client:
        with executor():
            assert len(client.run_on_scheduler(plugins)) == 1
        assert client.run_on_scheduler(plugins) == []


def test_a_scheduler_that_is_lost_ends_what_is_in_flight(cluster, executor):
    with executor() as ready:
        futures = [ready.submit(time.sleep, 600) for _ in range(3)]
        cluster.programs["scheduler"].kill()
        wait(futures, 60)
        for future in futures:
            with pytest.raises(NoWorkers, match="The scheduler is gone"):
                future.result(timeout=1)
        with pytest.raises(NoWorkers, match="The scheduler is gone"):
            until(lambda: ready.workers == 0)


def until(happens, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.05)
