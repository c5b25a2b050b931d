"""Many submissions: find them, grade those that changed, keep the verdicts, write the table."""

import csv
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

from autograder.assignment import Assignment
from autograder.grade import Graded, Grader
from autograder.replacing import replacing
from autograder.verdict import STUDENT, Verdict, read_verdict


class NoSubmissions(Exception):
    """There is nothing to grade here; the message says what was looked for, and where."""


@dataclass(frozen=True)
class Entry:
    """One submission: whose, and where its notebook is, or should be."""

    student: str
    notebook: Path


def find_submissions(place: Path, assignment: Assignment) -> list[Entry]:
    """Return the submissions in a folder of nbgrader's layout, or the one in a notebook file.

    Raises `NoSubmissions`.
    """
    if place.is_file():
        return [Entry(_student_of(place, assignment), place)]
    if not place.is_dir():
        raise NoSubmissions(f"There is no folder or notebook `{place}`.")
    entries = [
        Entry(folder.name, _notebook_in(folder / assignment.id, assignment))
        for folder in sorted(place.iterdir())
        if not folder.name.startswith(".") and os.path.lexists(folder / assignment.id)
    ]
    if not entries:
        raise NoSubmissions(
            f"No submission of `{assignment.id}` is in `{place}`: looked for "
            f"{place}/<student>/{assignment.id}/{assignment.id}.ipynb{_did_you_mean(place)}."
        )
    return entries


def _did_you_mean(place: Path) -> str:
    for other in (place / "submitted", place.parent, place.parent.parent):
        if other.name == "submitted" and other.is_dir():
            return f"; did you mean `{other}`?"
    return ""


def in_layout(place: Path, assignment: Assignment) -> bool:
    """Whether submissions come as nbgrader keeps them, and not as one notebook from anywhere."""
    return place.is_dir() or place.absolute().parent.name == assignment.id


def _student_of(notebook: Path, assignment: Assignment) -> str:
    """The student's folder in nbgrader's layout, else the notebook's own name."""
    known = in_layout(notebook, assignment)
    return notebook.absolute().parent.parent.name if known else notebook.stem


def _notebook_in(folder: Path, assignment: Assignment) -> Path:
    """The assignment's notebook, or the only one there is, whatever its name."""
    expected = folder / f"{assignment.id}.ipynb"
    if os.path.lexists(expected) or folder.is_symlink() or not folder.is_dir():
        return expected
    others = list(folder.glob("*.ipynb"))
    return others[0] if len(others) == 1 else expected


def verdict_path(results: Path, assignment: Assignment, student: str) -> Path:
    return results / assignment.id / f"{student}.json"


def placed(entries: Iterable[Entry]) -> tuple[list[Entry], list[str]]:
    """Split off the folders whose name cannot be a student's id, as sentences."""
    good, refused = [], []
    for entry in entries:
        if STUDENT.fullmatch(entry.student):
            good.append(entry)
        else:
            refused.append(
                f"`{entry.student!r}` cannot be a student's id (letters, digits, . _ @ -, at most 64): "
                "rename the folder and grade again."
            )
    return good, refused


def unchanged(entry: Entry, grader: Grader, results: Path) -> Verdict | None:
    """Return the kept verdict if grading again would say the same."""
    kept = read_verdict(verdict_path(results, grader.assignment, entry.student))
    return kept if kept and grader.would_say_the_same(kept, entry.notebook) else None


def grade_all(entries: list[Entry], grader: Grader, jobs: int) -> Iterator[Graded]:
    """Yield what comes out, in the order in which it does, from this process or from `jobs` others."""
    if jobs == 1:
        yield from (grader.grade(entry.student, entry.notebook) for entry in entries)
        return
    grader.walls.close()  # each worker has its own
    spawn = get_context("spawn")
    mine = grader, spawn.Value("i", 0)
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=_settle, initargs=mine) as pool:
        futures = {pool.submit(_grade, entry): entry for entry in entries}
        try:
            for future in as_completed(futures):
                error = future.exception()
                if error is None:
                    yield future.result()
                else:  # a worker that ends takes what waits for the others with it
                    reason = f"a worker failed ({type(error).__name__}: {error}). Grade again, perhaps with fewer jobs."
                    yield grader.not_graded(futures[future].student, reason)
        finally:
            pool.shutdown(cancel_futures=True)


_settled: dict[str, Grader] = {}  # in a worker: its own grader, with its own warm parent


def _settle(grader: Grader, turns: Synchronized) -> None:
    """Begin as a worker, on a processor of its own if there are enough."""
    with turns.get_lock():
        turn, turns.value = turns.value, turns.value + 1
    stay_on_one_processor(turn)
    _settled["grader"] = grader


def stay_on_one_processor(turn: int) -> None:
    """Keep this process on one processor, and with it its candidates, who cannot leave it.

    Threads without end then slow down the worker that they were handed to, and no neighbour; and
    questions and answers, which take turns, need not wake up another processor each time.
    """
    if hasattr(os, "sched_setaffinity"):  # Linux
        processors = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {processors[turn % len(processors)]})


def _grade(entry: Entry) -> Graded:
    return _settled["grader"].grade(entry.student, entry.notebook)


def write_table(path: Path, verdicts: list[Verdict], assignment: Assignment) -> None:
    """Write grades.csv: a row a student, a column an exercise, empty where nothing was graded."""
    names = [exercise.id for exercise in assignment.exercises]
    with replacing(path) as file:
        table = csv.writer(file)
        table.writerow(["student", "state", "points", "max_points", *names])
        for verdict in sorted(verdicts, key=lambda verdict: verdict.student):
            points = {exercise.id: exercise.points for exercise in verdict.exercises}
            total = "" if verdict.state == "not_graded" else verdict.points
            row = [verdict.student, verdict.state, total, verdict.max_points]
            table.writerow(row + [points.get(name, "") for name in names])


def kept_verdicts(results: Path, assignment: Assignment) -> list[Verdict]:
    """All verdicts of the assignment, by student."""
    files = sorted((results / assignment.id).glob("*.json"))
    return [verdict for file in files if (verdict := read_verdict(file))]
