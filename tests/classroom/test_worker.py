"""What a worker does by itself: it claims a processor, says what it grades with, and outlives bugs."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from autograder.classroom import worker
from autograder.classroom.errors import NoWalls
from autograder.engine.fingerprint import RunSettings, grader_hash, versions_hash
from autograder.engine.process import SandboxError
from autograder.engine.submission import Submission


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


def test_each_worker_claims_a_processor_that_nobody_has(affinity, claim):
    claim(), claim()
    first, second = sorted(os.sched_getaffinity(0))
    assert affinity == [{first}, {second}]


def test_a_worker_claims_one_processor_only(affinity, claim):
    claim()
    worker.claim_a_processor()
    assert len(affinity) == 1


def test_where_all_are_claimed_a_worker_goes_where_it_likes(affinity, claim):
    claim(), claim()
    assert claim() == [] and len(affinity) == 2


def test_a_claim_ends_with_the_worker_that_has_it(affinity, claim):
    os.close(claim().pop())
    claim()
    assert affinity[0] == affinity[1]


def test_a_process_that_grades_itself_is_kept_on_a_processor_as_long_as_that_lasts(
    affinity, claim, monkeypatch
):
    monkeypatch.setattr(worker, "_claim", [])
    all_of_them = os.sched_getaffinity(0)
    with worker.on_one_processor():
        assert affinity == [{min(all_of_them)}]
    assert affinity[1:] == [all_of_them]
    claim()
    assert affinity[2:] == [{min(all_of_them)}]  # nobody has it any more


@pytest.fixture
def no_claim(monkeypatch) -> None:
    """Leave this process on all of its processors."""
    monkeypatch.setattr(worker, "claim_a_processor", lambda: None)


def test_a_worker_reports_what_it_grades_with(small, no_claim, monkeypatch):
    monkeypatch.setattr("autograder.engine.grade.prepare", lambda settings: None)
    versions = worker.report_versions(RunSettings(small, sandbox="practice"))
    assert versions == worker.WorkerVersions(grader_hash(small), versions_hash(), "practice")


def test_a_worker_without_walls_says_so(small, no_claim, monkeypatch):
    def refuse(settings: RunSettings) -> None:
        raise SandboxError("no namespaces")

    monkeypatch.setattr("autograder.engine.grade.prepare", refuse)
    with pytest.raises(NoWalls, match="no namespaces"):
        worker.report_versions(RunSettings(small))


def test_a_bug_of_ours_costs_one_submission_its_verdict_and_no_other(small, monkeypatch):
    closed = []

    def fail(submission: Submission) -> None:
        raise ZeroDivisionError("division by zero")

    walls = SimpleNamespace(close=lambda: closed.append(True))
    grader = SimpleNamespace(grade_submission=fail, walls=walls)
    monkeypatch.setattr(worker, "prepare_worker", lambda settings: grader)
    verdict = worker.grade(RunSettings(small), Submission([], "s001")).verdict
    assert (verdict.student, verdict.state) == ("s001", "not_graded") and closed == [True]
    assert verdict.reason == "a fault of the grader (ZeroDivisionError: division by zero)"


@pytest.mark.slow
def test_the_process_that_runs_a_class_does_not_import_torch():
    code = (
        "import sys, autograder.cli.grade, autograder.classroom.scheduler, "
        "autograder.classroom.dask_cluster; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
