"""Verdict files into a gradebook: what differs is entered, in batches; what fails is told and kept."""

from datetime import datetime
from pathlib import Path

import pytest
from msgspec.structs import replace as with_fields
from sqlalchemy.exc import DataError, OperationalError

from autograder.engine.assignment import CHECK
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, empty
from autograder.engine.history import add_to_history
from autograder.engine.results import ResultsFolder
from autograder.engine.submission import read_submission
from autograder.engine.verdict import ExerciseResult, NamedMistake, Verdict
from autograder.gradebook.enter import BATCH, GradebookSync
from autograder.gradebook.late import LateRules
from autograder.gradebook.late_files import PolicyError
from autograder.gradebook.late_policy import LatePolicy
from autograder.gradebook.preprocessors import may_be_entered
from autograder.people import Person
from autograder.times import TIMESTAMP

WHEN = datetime(2026, 11, 2, 9, 30)


class Course:
    """Takes records, unless it has an error to raise."""

    def __init__(self) -> None:
        self.batches: list[list] = []
        self.error: Exception | None = None
        self.odd: dict[str, Exception] = {}  # by student
        self.known: dict[str, tuple] = {}  # what is entered, by student

    def prepare(self) -> None:
        pass

    def late_rules(self) -> LateRules:
        return LateRules(LatePolicy(), Path("no course"))

    def rows(self, assignment) -> dict:
        if self.error:
            raise self.error
        return {}

    penalties = enter_penalties = due_dates = lambda self, assignment, *_: self.rows(assignment)

    def agrees_with(self, verdict: Verdict, row: object, submitted: datetime | None, *_) -> bool:
        return not may_be_entered(verdict) or self.known.get(verdict.student) == (
            verdict,
            submitted,
        )

    def enter(self, assignment, records) -> None:
        for error in (self.error, *(self.odd.get(one.verdict.student) for one in records)):
            if error:
                raise error
        self.batches.append(list(records))
        self.known |= {one.verdict.student: (one.verdict, one.submitted) for one in records}

    @property
    def entered(self) -> list[str]:
        return [one.verdict.student for batch in self.batches for one in batch]


def locked(words: str = "database is locked") -> OperationalError:
    return OperationalError("INSERT", {}, Exception(words))


@pytest.fixture
def results(small, tmp_path) -> ResultsFolder:
    return ResultsFolder(tmp_path / "results", small)


@pytest.fixture
def put(small, results):
    """Write verdicts on so many students, or on this one."""
    submission = read_submission(small, "s", small.release)

    def write(count: int = 0, student: str = "", submitted: datetime | None = None, **fields):
        for who in [student] if student else [f"s{number:03}" for number in range(count)]:
            verdict = empty(RunSettings(small, seed=1), submission, "graded")
            verdict = with_fields(verdict, student=who, **fields)
            results.put(Graded(verdict, {}, [], submission), submitted)

    return write


@pytest.fixture
def course() -> Course:
    return Course()


@pytest.fixture
def gradebook(course, results, tmp_path) -> GradebookSync:
    return GradebookSync(course, results, tmp_path, {}, {"s000": Person("s000", "Ada Softmax")})


def test_verdicts_enter_in_batches_and_once(gradebook, course, put):
    put(BATCH + 1)
    assert gradebook.enter() == [] and gradebook.count == BATCH + 1
    assert [len(batch) for batch in course.batches] == [BATCH, 1]
    assert course.batches[0][0].person.name == "Ada Softmax"
    assert gradebook.enter() == [] and gradebook.count == BATCH + 1


def test_what_differs_is_entered_again_and_nothing_else(gradebook, course, put):
    put(3)
    gradebook.enter()
    put(student="s001", points=0.5)
    gradebook.enter()
    assert course.entered == ["s000", "s001", "s002", "s001"]


def test_a_student_is_told_what_is_gone_since_an_earlier_submission(
    gradebook, course, put, results
):
    mistake = NamedMistake("unscaled", "Not scaled.")
    answered = ExerciseResult("softmax", "answered", 1.0, 2.0, [], [])
    put(student="s001", exercises=[answered])
    verdict = results.verdict("s001")
    before = with_fields(verdict, exercises=[with_fields(answered, mistakes=[mistake])])
    before = with_fields(before, stamp=with_fields(verdict.stamp, submission="other"))
    add_to_history(results.results, before)
    gradebook.enter()
    assert course.batches[0][0].verdict.exercises[0].gone == [mistake]
    assert not results.verdict("s001").exercises[0].gone


def test_where_the_gradebook_is_locked_all_wait_and_are_told(gradebook, course, put):
    put(BATCH + 2)
    course.error = locked()
    (sentence,) = gradebook.enter()
    assert sentence.startswith(f"The gradebook did not take {BATCH + 2} verdicts (")
    assert "database is locked" in sentence and "grade again to enter them" in sentence
    assert len(gradebook.waiting) == BATCH + 2
    course.error = None
    assert gradebook.enter() == [] and len(course.entered) == BATCH + 2 and not gradebook.waiting


@pytest.mark.parametrize(
    "error",
    [
        UnicodeEncodeError("utf-8", "\udcff", 0, 1, "no text"),
        DataError("INSERT", {}, Exception("too long")),
        locked("disk I/O error"),
        IsADirectoryError("in the way"),
        ValueError("no notebook"),
        RecursionError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_one_odd_record_keeps_no_other_out(gradebook, course, put, error):
    course.odd["s003"] = error
    put(BATCH)
    (sentence,) = gradebook.enter()
    assert course.entered == [f"s{number:03}" for number in range(BATCH) if number != 3]
    assert sentence.startswith("The gradebook did not take the verdict on s003 (")
    course.odd = {}
    assert gradebook.enter() == [] and course.entered[-1] == "s003"


def test_where_the_gradebook_is_locked_meanwhile_the_rest_waits(gradebook, course, put):
    course.odd = {"s001": ValueError("odd"), "s002": locked()}
    put(3)
    odd, waiting = gradebook.enter()
    assert "the verdict on s001 (odd)" in odd and "1 verdict (" in waiting
    assert course.entered == ["s000"] and gradebook.waiting == {"s002"}


def test_a_damaged_file_of_extensions_is_of_all_and_tried_once(gradebook, course, put):
    course.error = PolicyError("line 2 is no time")
    course.rows = lambda assignment: {}
    put(2)
    (sentence,) = gradebook.enter()
    assert "2 verdicts (line 2 is no time)" in sentence


@pytest.mark.parametrize("damage", [None, "{"])
def test_cells_that_are_gone_are_told_and_keep_no_other_out(
    gradebook, course, put, results, damage
):
    put(2)
    (kept, _) = sorted((results.folder / "cells").iterdir())
    kept.unlink() if damage is None else kept.write_text(damage)
    (sentence,) = gradebook.enter()
    assert "the verdict on s000 (what its cells said is not kept" in sentence
    assert course.entered == ["s001"] and set(gradebook.refused) == {"s000"}


@pytest.mark.parametrize(
    ("state", "sandbox", "enters"),
    [
        ("graded", "namespaces", True),
        ("graded", "practice", False),
        ("unreadable", "namespaces", False),
        ("not_graded", "namespaces", False),
    ],
)
def test_only_what_was_graded_behind_walls_belongs_into_a_gradebook(
    gradebook, course, put, results, state, sandbox, enters
):
    put(1)
    verdict = results.verdict("s000")
    stamp = with_fields(verdict.stamp, sandbox=sandbox)
    put(student="s000", state=state, stamp=stamp)
    assert gradebook.enter() == [] and bool(course.entered) is enters


def test_a_damaged_verdict_is_passed_over(gradebook, course, put, results):
    put(2)
    (results.folder / "s000.json").write_text("{")
    assert gradebook.enter() == [] and course.entered == ["s001"]


@pytest.mark.parametrize("is_there", [True, False])
def test_the_time_is_the_one_beside_the_submission_or_the_one_that_was_kept(
    gradebook, course, put, tmp_path, is_there
):
    put(student="s001", submitted=WHEN)
    if is_there:
        gradebook.folders["s001"] = tmp_path
        (tmp_path / TIMESTAMP).write_text("2026-11-03 09:30:00 UTC")
    gradebook.enter()
    assert course.batches[0][0].submitted == (WHEN.replace(day=3) if is_there else WHEN)
    (tmp_path / TIMESTAMP).write_text("2026-11-04 09:30:00 UTC")
    gradebook.enter()
    assert len(course.entered) == 1 + is_there, "another time is entered, too"


def test_a_time_that_is_none_is_noted_once(gradebook, course, put, tmp_path):
    (tmp_path / TIMESTAMP).write_text("yesterday, honestly")
    gradebook.folders |= {"s000": tmp_path, "s001": tmp_path}
    put(2)
    gradebook.enter(), gradebook.enter()
    (note,) = gradebook.notes
    assert note.endswith("Taken as handed in without a time.")
    assert [one.submitted for one in course.batches[0]] == [None, None]


def test_without_a_course_there_is_nothing_to_enter(results, put, tmp_path):
    put(2)
    gradebook = GradebookSync(None, results, tmp_path, {})
    gradebook.prepare()
    assert gradebook.enter() == gradebook.enter_penalties() == [] and gradebook.penalties() == {}


def test_penalties_that_cannot_be_read_are_told_and_stop_nothing(gradebook, course):
    course.error = locked()
    assert gradebook.penalties() == {}
    assert gradebook.notes == [
        "Nobody's lateness can be read ((builtins.Exception) database is locked). Grade again for that."
    ]
    (sentence,) = gradebook.enter_penalties()
    assert sentence.startswith("The gradebook did not take the penalties (")


@pytest.mark.database
def test_what_was_given_by_hand_stays(empty_book, tmp_path, put, results):
    results = ResultsFolder(results.results, empty_book.assignment)
    checks = [
        ExerciseResult(one.id, "answered", 1.0, one.points, [], [])
        for one in empty_book.assignment.exercises
    ]
    put(student="s001", exercises=checks)
    gradebook = GradebookSync(empty_book.course, results, tmp_path, {})
    assert gradebook.enter() == [] and gradebook.count == 1
    empty_book.mark("s001", 2.0, comment="Well said.")
    assert gradebook.enter() == [] and gradebook.count == 1
    better = [with_fields(checks[0], points=0.5), *checks[1:]]
    put(student="s001", exercises=better)
    assert gradebook.enter() == [] and gradebook.count == 2
    assert empty_book.given("s001") == (2.0, None, "Well said.")
    row = empty_book.course.rows(empty_book.assignment)["s001"]
    assert row.points[CHECK + checks[0].id] == 0.5
