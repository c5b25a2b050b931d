"""What a worker does by itself: it claims a processor, and is ended if it hangs."""

import os
import subprocess
import sys

import pytest

from autograder import SandboxError
from autograder.classroom import worker
from autograder.classroom.worker import Task
from autograder.engine import RunSettings
from autograder.engine.limits import Limits

FIRST = 1_000_000 + 2 * os.getpid()  # a number that is no processor's


@pytest.fixture
def affinity(monkeypatch) -> list[set[int]]:
    """Two processors of this test's own; the list says on which it was to stay, turn by turn."""
    kept: list[set[int]] = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {FIRST, FIRST + 1})
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, wanted: kept.append(wanted))
    return kept


@pytest.fixture
def claim(monkeypatch):
    """Claim a processor as another worker; return its claim."""
    claims: list[list[int]] = []

    def make() -> list[int]:
        claims.append([])
        monkeypatch.setattr(worker, "_claim", claims[-1])
        worker.claim_a_processor()
        return claims[-1]

    yield make
    for descriptor in (one for claim in claims for one in claim):
        os.close(descriptor)


def test_each_worker_claims_one_processor_as_long_as_it_lives(affinity, claim):
    first = claim()
    worker.claim_a_processor()
    claim()
    assert affinity == [{FIRST}, {FIRST + 1}]
    assert claim() == [] and len(affinity) == 2, "where all are claimed, it goes where it likes"
    os.close(first.pop())
    claim()
    assert affinity[2] == affinity[0]


def test_a_worker_is_ended_if_it_hangs_and_sends_back_no_more_than_is_kept(pool, small):
    task = Task("s001", "n.ipynb", small.release.read_bytes())
    made = pool.submit(worker.grade, RunSettings(small, seed=1), task).result()
    assert made.verdict.state == "graded" and made.runs == []
    assert pool.alarms == [Limits().alarm_seconds, 0]


def test_a_worker_without_walls_says_so(small, monkeypatch):
    def refuse(settings: RunSettings, *_) -> None:
        raise SandboxError("no namespaces")

    monkeypatch.setattr("autograder.engine.grading.grade.prepare", refuse)
    with pytest.raises(SandboxError, match="no namespaces"):
        worker.prepare_worker(RunSettings(small))


@pytest.mark.slow
def test_the_process_that_runs_a_class_does_not_import_torch():
    code = (
        "import sys, autograder.gradebook.commands.grade, autograder.gradebook.commands.enter, autograder.classroom.local_pool, "
        "autograder.classroom.dask_cluster; "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
