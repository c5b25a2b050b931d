"""Choose the questions for a student."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from math import ceil
from typing import NamedTuple

from autograder.desk.viva import changed, gone
from autograder.desk.viva.calls import read_calls
from autograder.desk.viva.question import VivaQuestion
from autograder.desk.viva.traced import SAME, SHAPE, traced
from autograder.engine import AutograderError, ResultsFolder, grading, texts

MOST = 5  # questions
MOST_OF_ONE = 2  # questions on an exercise, if the assignment has five exercises or more


class Viva(NamedTuple):
    """The questions for a student on an assignment."""

    student: str
    assignment: str
    questions: list[VivaQuestion]
    without: list[str]  # kinds of question that are missing, in words


def ask(grader: grading.Grader, results: ResultsFolder, student: str) -> Viva:
    """Return at most five questions for an oral exam on a student's code, which is run and graded
    again. Raises `AutograderError` if the student has no graded submission or it cannot be graded
    now, `GraderError` if the catalogue or `viva.md` has an error.
    """
    verdict, id = results.verdict(student), grader.assignment.id
    answers = results.answers(verdict) if verdict and verdict.state == "graded" else None
    if verdict is None or answers is None:
        reason = (verdict.reason if verdict else "") or "run `grade` first."
        raise AutograderError(f"{student} has no graded submission of `{id}`: {reason}")
    seeded, submission = replace(grader, seed=changed.SEEDS[0]), answers.submission
    base = seeded.grade_submission(submission)
    if base.verdict.state != "graded":
        raise AutograderError(f"{student}: {base.verdict.reason} Run it again.", texts.NOT_GRADED)
    calls = read_calls(grader.assignment)
    traces = list(traced(seeded, submission, calls)) if calls else []
    source = {cell.id: cell.source for cell in submission.cells}
    kinds = {
        gone.KIND: gone.gone_mistakes(results, verdict, source),
        changed.KIND: changed.changed_lines(grader, submission, base),
        SHAPE: (question for question in traces if question.kind == SHAPE),
        SAME: (question for question in traces if question.kind == SAME),
    }
    per_exercise = max(MOST_OF_ONE, ceil(2 * MOST / len(grader.assignment.exercises)))
    chosen = choose(kinds, per_exercise)
    without = [kind for kind in kinds if kind not in {question.kind for question in chosen}]
    return Viva(student, id, chosen, without)


def choose(kinds: Mapping[str, Iterator[VivaQuestion]], per_exercise: int) -> list[VivaQuestion]:
    """Return at most MOST questions, taken from each kind in turn, at most `per_exercise` on an
    exercise, and a single question on a line. `kinds`: the questions by kind, taken only as far as
    needed.
    """
    chosen: list[VivaQuestion] = []
    for questions in [*kinds.values()] * MOST:
        asked_lines = {line for question in chosen for line in question.marked}
        full = {
            id
            for id, count in Counter(question.exercise for question in chosen).items()
            if count >= per_exercise
        }
        if len(chosen) < MOST:
            candidates = (question for question in questions if question.exercise not in full)
            chosen += [
                *islice(
                    (question for question in candidates if not question.marked & asked_lines), 1
                )
            ]
    return chosen
