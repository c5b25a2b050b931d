"""Ours: `python -m autograder grade`, gradebook included."""

import sys
from pathlib import Path

from autograder import Assignment, read_verdict
from autograder.engine.courses import make_course
from tests.benchmarks.peers.contender import Full, Prepared, environment
from tests.benchmarks.peers.job import SCHEDULER, Job
from tests.benchmarks.peers.students import Student, hand_in


def prepare(
    assignment: Assignment, students: list[Student], top: Path, folder: Path, jobs: int
) -> Prepared:
    """Lay out the class and a course for a run on this machine."""
    return _prepare(assignment, students, top, folder, ["--jobs", str(jobs)])


def prepare_for_cluster(
    assignment: Assignment, students: list[Student], top: Path, folder: Path, workers: int
) -> Prepared:
    """Lay out the class and a course for a run on a Dask cluster."""
    return _prepare(assignment, students, top, folder, ["--scheduler", SCHEDULER], workers)


def _prepare(
    assignment: Assignment,
    students: list[Student],
    top: Path,
    folder: Path,
    how: list[str],
    dask_workers: int = 0,
) -> Prepared:
    hand_in(assignment, students, folder / "submitted", demos=True)
    make_course(folder, assignment.course)
    results = folder / "results"
    command = [sys.executable, "-m", "autograder", "grade", "submitted", *how]
    command += ["--assignment", assignment.id, "--results", "results", "--course", "."]

    def verdicts() -> list[Path]:
        return list((results / assignment.id).glob("*.json"))

    def full() -> Full:
        kept = [verdict for path in verdicts() if (verdict := read_verdict(path))]
        return {
            (verdict.student, exercise.id): exercise.points == exercise.max_points
            for verdict in kept
            for exercise in verdict.exercises
        }

    job = Job([command], folder, environment(top), dask_workers=dask_workers)
    return Prepared(job, lambda: len(verdicts()), full)
