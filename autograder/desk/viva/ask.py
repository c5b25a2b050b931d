"""Choose the questions for one student."""

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
MOST_OF_ONE = 2  # on an exercise, of an assignment with five or more


class Viva(NamedTuple):
    """The questions for one student on one assignment; `without` lists the kinds of question that
    are not among them, in words.
    """

    student: str
    assignment: str
    questions: list[VivaQuestion]
    without: list[str]


def ask(grader: grading.Grader, results: ResultsFolder, student: str) -> Viva:
    """Return the questions for an oral exam on a student's code: at most five, and fewer if the
    code gives fewer. The student's code is run and graded anew.

    Raise `AutograderError` if the student has no graded submission, or if it cannot be graded now;
    `GraderError` if the catalogue or `viva.md` has an error.
    """
    verdict, id = results.verdict(student), grader.assignment.id
    answers = results.answers(verdict) if verdict and verdict.state == "graded" else None
    if verdict is None or answers is None:
        why = (verdict.reason if verdict else "") or "run `grade` first."
        raise AutograderError(f"{student} has no graded submission of `{id}`: {why}")
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
        SHAPE: (one for one in traces if one.kind == SHAPE),
        SAME: (one for one in traces if one.kind == SAME),
    }
    most = max(MOST_OF_ONE, ceil(2 * MOST / len(grader.assignment.exercises)))
    chosen = choose(kinds, most)
    without = [kind for kind in kinds if kind not in {one.kind for one in chosen}]
    return Viva(student, id, chosen, without)


def choose(kinds: Mapping[str, Iterator[VivaQuestion]], most: int) -> list[VivaQuestion]:
    """Return at most MOST questions, taken from each kind in turn, and at most `most` on an
    exercise; a question on a line that a chosen question is already about is skipped.

    `kinds`: the questions by kind, taken from each iterator only as far as needed.
    """
    chosen: list[VivaQuestion] = []
    for questions in [*kinds.values()] * MOST:
        asked = {place for one in chosen for place in one.marked}
        full = {id for id, count in Counter(x.exercise for x in chosen).items() if count >= most}
        if len(chosen) < MOST:
            others = (one for one in questions if one.exercise not in full)
            chosen += [*islice((one for one in others if not one.marked & asked), 1)]
    return chosen
