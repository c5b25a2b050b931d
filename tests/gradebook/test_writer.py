"""Verdicts enter in batches; what was not entered waits, and is told at the end."""

from pathlib import Path

import msgspec
import pytest
from sqlalchemy.exc import DataError, OperationalError

from autograder.engine.submission import Submission
from autograder.engine.verdict import Stamp, Verdict
from autograder.gradebook.late import LateRules
from autograder.gradebook.late_files import PolicyError
from autograder.gradebook.late_policy import LatePolicy
from autograder.gradebook.preprocessors import may_be_entered
from autograder.gradebook.writer import BATCH, GradebookWriter
from autograder.people import Person

STAMP = Stamp(grader="g", submission="a", torch="2", python="3", seed=1, sandbox="namespaces")


class Course:
    """Takes records, unless it has an error to raise."""

    def __init__(self) -> None:
        self.batches: list[list] = []
        self.error: Exception | None = None
        self.odd: dict[str, Exception] = {}  # by student

    def prepare(self) -> None:
        pass

    def late_rules(self) -> LateRules:
        return LateRules(LatePolicy(), Path("no course"))

    def rows(self, assignment) -> dict:
        if self.error:
            raise self.error
        return {}

    def penalties(self, assignment, rules, students) -> dict:
        return self.rows(assignment)

    def enter_penalties(self, assignment, rules, students) -> None:
        self.rows(assignment)

    def enter(self, assignment, records) -> None:
        if self.error:
            raise self.error
        for one in records:
            if one.verdict.student in self.odd:
                raise self.odd[one.verdict.student]
        self.batches.append(list(records))


def locked(words: str = "database is locked") -> OperationalError:
    return OperationalError("INSERT", {}, Exception(words))


@pytest.fixture
def course() -> Course:
    return Course()


@pytest.fixture
def writer(course, small, tmp_path) -> GradebookWriter:
    folders = {f"s{number:03}": tmp_path for number in range(BATCH + 1)}
    return GradebookWriter(
        course, small, tmp_path, folders, {"s000": Person("s000", "Ada Softmax")}
    )


def add(writer: GradebookWriter, count: int) -> None:
    """Add verdicts on this many students."""
    for number in range(count):
        student = f"s{number:03}"
        verdict = Verdict(student, "sheet", "graded", 0.0, 1.0, [], [], 0.1, STAMP)
        writer.add(verdict, Submission([], student), {})


def test_verdicts_enter_in_batches_and_the_rest_at_the_end(writer, course):
    add(writer, BATCH + 1)
    assert [len(batch) for batch in course.batches] == [BATCH]
    assert writer.finish() == []
    assert [len(batch) for batch in course.batches] == [BATCH, 1]
    assert course.batches[0][0].person.name == "Ada Softmax"


def test_what_does_not_enter_waits_and_is_told(writer, course):
    course.error = locked()
    add(writer, 2)
    (sentence,) = writer.finish()
    assert sentence.startswith("The gradebook did not take 2 verdicts (")
    assert "database is locked" in sentence and "grade again to enter them" in sentence
    course.error = None
    assert writer.finish() == [] and len(course.batches[0]) == 2


@pytest.mark.parametrize(
    "error",
    [
        UnicodeEncodeError("utf-8", "\udcff", 0, 1, "no text"),
        DataError("INSERT", {}, Exception("too long")),
        OperationalError("INSERT", {}, Exception("disk I/O error")),
        IsADirectoryError("in the way"),
        ValueError("no notebook"),
        RecursionError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_one_odd_record_keeps_no_other_out(writer, course, error):
    course.odd["s003"] = error
    add(writer, BATCH)
    entered = [one.verdict.student for batch in course.batches for one in batch]
    assert entered == [f"s{number:03}" for number in range(BATCH) if number != 3]
    (sentence,) = writer.finish()
    assert sentence.startswith("The gradebook did not take the verdict on s003 (")


def test_where_the_gradebook_is_locked_meanwhile_the_rest_waits(writer, course):
    course.odd = {"s001": ValueError("odd"), "s002": locked()}
    add(writer, 3)
    odd, waiting = writer.finish()
    assert "the verdict on s001 (odd)" in odd and "1 verdict (" in waiting
    course.odd = {}
    assert len(writer.finish()) == 1
    assert [one.verdict.student for batch in course.batches for one in batch] == ["s000", "s002"]


def test_a_damaged_file_of_extensions_is_of_all_and_tried_once(writer, course):
    course.error = PolicyError("line 2 is no time")
    add(writer, 2)
    (sentence,) = writer.finish()
    assert "2 verdicts (line 2 is no time)" in sentence


def test_a_gradebook_that_cannot_be_read_at_the_beginning_is_taken_as_empty(course, small):
    course.error = locked()
    assert GradebookWriter(course, small, Path(), {}, {}).rows == {}
    course.error = locked("disk I/O error")  # entering into it will say so
    assert GradebookWriter(course, small, Path(), {}, {}).rows == {}


def test_what_cannot_be_read_never_enters(writer, course):
    verdict = Verdict("s000", "sheet", "unreadable", 0.0, 1.0, [], [], 0.1, STAMP)
    writer.add(verdict, Submission([], "s000", unreadable="its JSON is damaged."), {})
    assert writer.finish() == [] and course.batches == []


@pytest.mark.parametrize(
    ("state", "sandbox", "enters"),
    [
        ("graded", "namespaces", True),
        ("graded", "practice", False),
        ("unreadable", "namespaces", False),
        ("not_graded", "namespaces", False),
    ],
)
def test_only_what_was_graded_behind_walls_belongs_into_a_gradebook(state, sandbox, enters):
    stamp = msgspec.structs.replace(STAMP, sandbox=sandbox)
    assert may_be_entered(Verdict("s000", "x", state, 0.0, 1.0, [], [], 0.1, stamp)) is enters


def test_a_time_that_is_none_is_noted_once(writer, course, tmp_path):
    (tmp_path / "timestamp.txt").write_text("yesterday, honestly")
    add(writer, 2)
    writer.finish()
    (note,) = writer.notes
    assert note.endswith("Taken as handed in without a time.")
    assert [one.submitted for one in course.batches[0]] == [None, None]


def test_without_a_course_there_is_nothing_to_enter(small):
    writer = GradebookWriter(None, small, Path(), {}, {})
    add(writer, BATCH)
    assert writer.waiting == [] and writer.finish() == []
    verdict = Verdict("s000", "sheet", "graded", 0.0, 1.0, [], [], 0.1, STAMP)
    assert writer.agrees_with(verdict)


def test_penalties_that_cannot_be_read_are_told_and_stop_nothing(writer, course):
    course.error = locked()
    assert writer.penalties() == {}
    assert writer.notes == [
        "Nobody's lateness can be read ((builtins.Exception) database is locked). Grade again for that."
    ]
    (sentence,) = writer.enter_penalties()
    assert sentence.startswith("The gradebook did not take the penalties (")
