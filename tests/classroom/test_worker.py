"""What a worker does by itself: it claims a processor, reads before it grades, and outlives bugs."""

import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from autograder.classroom import worker
from autograder.classroom.worker import Task
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, empty
from autograder.engine.process import Limits, SandboxError


@pytest.fixture
def affinity(monkeypatch) -> list[set[int]]:
    """Two processors of this test's own; the list says on which it was to stay, turn by turn."""
    kept: list[set[int]] = []
    first = 1_000_000 + 2 * os.getpid()
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {first, first + 1})
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


def test_each_worker_claims_one_processor_that_nobody_has(affinity, claim):
    claim()
    worker.claim_a_processor()
    claim()
    assert affinity == [{one} for one in sorted(os.sched_getaffinity(0))]
    assert claim() == [] and len(affinity) == 2, "where all are claimed, it goes where it likes"


def test_a_claim_ends_with_the_worker_that_has_it(affinity, claim):
    os.close(claim().pop())
    claim()
    assert affinity[0] == affinity[1]


@pytest.fixture
def alarms(monkeypatch) -> list[int]:
    """The alarms that were set, in seconds; pytest's own clock goes on."""
    found: list[int] = []
    monkeypatch.setattr(signal, "alarm", found.append)
    return found


@pytest.fixture
def grade(small, monkeypatch, alarms):
    """Grade bytes as a worker; each that comes to a grader is in `graded`."""
    settings = RunSettings(small, seed=1)
    walls = SimpleNamespace(close=lambda: graded.append("walls are closed"))
    graded: list[str] = []

    def grade_submission(submission) -> Graded:
        graded.append(submission.student)
        if submission.student == "odd":
            raise ZeroDivisionError("division by zero")
        return Graded(empty(settings, submission, "graded"), {}, ["run"], submission)

    grader = SimpleNamespace(grade_submission=grade_submission, walls=walls)
    monkeypatch.setattr(worker, "prepare_worker", lambda settings: grader)

    def run(data: bytes, stamp=None, student: str = "s001"):
        graded.clear()
        return worker.grade(settings, Task(student, "n.ipynb", data, stamp)), [*graded]

    return run


def test_what_has_a_current_verdict_is_read_and_not_graded(small, grade, alarms):
    notebook = small.release.read_bytes()
    made, graded = grade(notebook)
    assert graded == ["s001"] and made.runs == [] and made.verdict.state == "graded"
    stamp = made.verdict.stamp
    assert grade(notebook, stamp) == (stamp.submission, [])
    assert grade(notebook + b"\n", stamp.by_wall_clock()) == (stamp.submission, [])
    assert grade(notebook.replace(b"NotImplementedError", b"ValueError"), stamp)[1] == ["s001"]
    assert alarms == [Limits().alarm_seconds, 0] * 4, "a worker that hangs is ended by the kernel"


def test_what_cannot_be_read_needs_no_walls(grade):
    made, graded = grade(b"{")
    assert made.verdict.state == "unreadable" and "JSON is damaged" in made.verdict.reason
    assert graded == [] and grade(b"{", made.verdict.stamp)[0] == made.verdict.stamp.submission


def test_a_bug_of_ours_costs_one_submission_its_verdict_and_the_walls_are_built_anew(small, grade):
    made, graded = grade(small.release.read_bytes(), student="odd")
    assert (made.verdict.student, made.verdict.state) == ("odd", "not_graded")
    assert made.verdict.reason == "a fault of the grader (ZeroDivisionError: division by zero)"
    assert graded == ["odd", "walls are closed"]


def test_a_worker_without_walls_says_so(small, monkeypatch, alarms):
    def refuse(settings: RunSettings) -> None:
        raise SandboxError("no namespaces")

    monkeypatch.setattr("autograder.engine.grade.prepare", refuse)
    with pytest.raises(SandboxError, match="no namespaces"):
        worker.grade(RunSettings(small), Task("s001", "n", small.release.read_bytes()))


@pytest.mark.slow
def test_the_process_that_runs_a_class_does_not_import_torch():
    code = (
        "import sys, autograder.cli.grade, autograder.cli.enter, autograder.classroom.local_pool, "
        "autograder.classroom.dask_cluster; "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
