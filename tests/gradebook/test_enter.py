"""Verdict files into a gradebook: what differs is entered, in batches; what fails is told and kept."""

from datetime import datetime

import pytest
from msgspec.structs import replace as with_fields
from sqlalchemy.exc import DataError, OperationalError

from autograder import ExerciseResult, NamedMistake, write_verdict
from autograder.classroom.roster import Person
from autograder.engine import Graded, ResultsFolder, RunSettings, Submission
from autograder.engine.courses import CHECK
from autograder.engine.files import TIMESTAMP
from autograder.engine.grading.graded import empty
from autograder.engine.notebooks import Cell, read_submission
from autograder.engine.verdicts import read_counted
from autograder.engine.verdicts.history import add_to_history
from autograder.gradebook.grades import read_results
from autograder.gradebook.sync.enter import GradebookSync
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse
from autograder.gradebook.sync.tables import marks_in

pytestmark = pytest.mark.database

DUE, IN_TIME, LATE = (datetime(2026, 11, day, 18) for day in (20, 19, 22))


class Course(NbgraderCourse):
    """A course that keeps what was entered, unless it has an error to raise."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.batches: list[list] = []
        self.error: Exception | None = None  # the gradebook's
        self.odd: dict[str, Exception] = {}  # by student

    def gradebook(self):
        if self.error:
            raise self.error
        return super().gradebook()

    def enter(self, assignment, records) -> None:
        for error in filter(None, (self.odd.get(one.verdict.student) for one in records)):
            raise error
        super().enter(assignment, records)
        self.batches.append(records)

    @property
    def entered(self) -> list[str]:
        return [one.verdict.student for batch in self.batches for one in batch]


def locked(words: str = "database is locked") -> OperationalError:
    return OperationalError("INSERT", {}, Exception(words))


@pytest.fixture
def course(empty_book) -> Course:
    return Course(empty_book.assignment.course)


@pytest.fixture
def results(empty_book, tmp_path) -> ResultsFolder:
    return ResultsFolder(tmp_path / "results", empty_book.assignment)


@pytest.fixture
def put(results):
    """Write verdicts on so many students, or on this one, who wrote `text`: a point for each exercise."""
    assignment = results.assignment
    points = [
        ExerciseResult(one.id, "answered", 1.0, one.points, [], []) for one in assignment.exercises
    ]
    settings, released = RunSettings(assignment, seed=1), assignment.release

    def write(count: int = 0, student: str = "", submitted=None, text: str = "", **fields) -> None:
        for who in [student] if student else [f"s{number:03}" for number in range(count)]:
            submission = read_submission(assignment, who, released)
            if text:
                submission = Submission([*submission.cells, Cell("own", "code", text)], who)
            verdict = empty(settings, submission, "graded")
            verdict = with_fields(verdict, **{"exercises": points} | fields)
            results.put(Graded(verdict, {}, [], submission), submitted)

    return write


@pytest.fixture
def gradebook(course, results, tmp_path) -> GradebookSync:
    return GradebookSync(course, results, tmp_path, {}, {"s000": Person("s000", "Ada Softmax")})


def test_verdicts_enter_in_batches_and_once_and_then_what_differs(
    gradebook, course, put, monkeypatch
):
    monkeypatch.setattr("autograder.gradebook.sync.enter.BATCH", 2)
    put(3)
    assert gradebook.enter() == [] and gradebook.count == 3
    assert [len(batch) for batch in course.batches] == [2, 1]
    assert course.batches[0][0].person.name == "Ada Softmax"
    assert gradebook.enter() == [] and gradebook.count == 3
    put(student="s001", text="# more")
    assert gradebook.enter() == [] and course.entered[3:] == ["s001"]


def test_a_student_is_told_what_is_gone_since_an_earlier_submission(
    gradebook, course, put, results
):
    mistake = NamedMistake("unscaled", "Not scaled.")
    put(student="s001")
    verdict = results.verdict("s001")
    first, *others = verdict.exercises
    before = with_fields(verdict, exercises=[with_fields(first, mistakes=[mistake]), *others])
    before = with_fields(before, stamp=with_fields(verdict.stamp, submission="other"))
    add_to_history(results.results, before)
    gradebook.enter()
    assert course.batches[0][0].verdict.exercises[0].gone == [mistake]
    assert not results.verdict("s001").exercises[0].gone


def test_while_the_gradebook_is_locked_all_wait_and_are_told(gradebook, course, put):
    put(3)
    course.error = locked()
    (sentence,) = gradebook.enter()
    assert sentence.startswith("The gradebook did not take 3 verdicts (")
    assert "database is locked" in sentence and "grade again to enter them" in sentence
    assert len(gradebook.waiting) == 3 and gradebook.penalties() == {}
    course.error = None
    assert gradebook.enter() == [] and len(course.entered) == 3 and not gradebook.waiting
    course.error = locked()
    assert gradebook.penalties() == {} and gradebook.notes == [
        "Nobody's lateness can be read ((builtins.Exception) database is locked). Grade again for that."
    ]
    (sentence,) = gradebook.enter_penalties("sheet", {})
    assert sentence.startswith("The gradebook did not take the penalties (")


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
    put(5)
    (sentence,) = gradebook.enter()
    assert course.entered == ["s000", "s001", "s002", "s004"]
    assert sentence.startswith("The gradebook did not take the verdict on s003 (")
    course.odd = {}
    assert gradebook.enter() == [] and course.entered[-1] == "s003"


def test_where_the_gradebook_is_locked_meanwhile_the_rest_waits(gradebook, course, put):
    course.odd = {"s001": ValueError("odd"), "s002": locked()}
    put(3)
    odd, waiting = gradebook.enter()
    assert "the verdict on s001 (odd)" in odd and "1 verdict (" in waiting
    assert course.entered == ["s000"] and gradebook.waiting == {"s002"}


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
        ("unreadable", "namespaces", True),  # the one that was graded before counts
        ("not_graded", "namespaces", False),
    ],
)
def test_only_what_was_graded_behind_walls_belongs_into_a_gradebook(
    gradebook, course, put, results, state, sandbox, enters
):
    put(2)
    (results.folder / "s001.json").write_text("{")  # a damaged verdict is passed over
    stamp = with_fields(results.verdict("s000").stamp, sandbox=sandbox)
    put(student="s000", state=state, stamp=stamp)
    assert gradebook.enter() == [] and course.entered == ["s000"] * enters


@pytest.mark.parametrize("is_there", [True, False])
def test_the_time_is_the_one_beside_the_submission_or_the_one_that_was_kept(
    gradebook, course, put, tmp_path, is_there
):
    put(student="s001", submitted=IN_TIME)
    if is_there:
        gradebook.folders["s001"] = tmp_path
        (tmp_path / TIMESTAMP).write_text("2026-11-03 09:30:00 UTC")
    gradebook.enter()
    wanted = datetime(2026, 11, 3, 9, 30) if is_there else IN_TIME
    assert course.batches[0][0].submitted == wanted
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


def test_what_was_given_by_hand_stays(gradebook, empty_book, put, results):
    put(student="s001")
    assert gradebook.enter() == [] and gradebook.count == 1
    empty_book.mark("s001", 2.0, comment="Well said.")
    assert gradebook.enter() == [] and gradebook.count == 1
    first, *others = results.verdict("s001").exercises
    put(student="s001", exercises=[with_fields(first, points=0.5), *others])
    assert gradebook.enter() == [] and gradebook.count == 2
    assert empty_book.given("s001") == (2.0, None, "Well said.")
    with empty_book.course.gradebook() as rows:
        cells = {one.name: one for one in marks_in(rows.db, results.assignment.id)["s001"].cells}
    assert cells[CHECK + first.id].automatic == 0.5


def test_names_of_the_platform_are_entered_and_names_given_by_hand_stay(gradebook, course, put):
    ada = Person("s000", "Ada Maria Softmax", "ada@uni.example")
    gradebook.people = {"s000": ada, "s001": Person("s001")}
    put(2)
    gradebook.enter()
    with course.gradebook() as rows:
        students = map(rows.find_student, ("s000", "s001"))
        names = [(one.first_name, one.last_name, one.email) for one in students]
        assert names == [("Ada Maria", "Softmax", "ada@uni.example"), (None, None, None)]
        rows.update_or_create_student("s000", last_name="Residual")
    put(student="s000", text="# more")
    gradebook.enter()
    with course.gradebook() as rows:
        assert course.entered[-1] == "s000" and rows.find_student("s000").last_name == "Residual"


@pytest.fixture
def enter_two(course, results, put, tmp_path):
    """Hand in twice, in time and late; enter what counts by this rule."""
    id = results.assignment.id
    with course.gradebook() as rows:
        rows.update_or_create_assignment(id, duedate=DUE)

    def run(counts: str, first: float, second: float) -> GradebookSync:
        course.config.LatePolicy.update({"percent_per_day": 10, "counts": counts})
        put(student="ada", points=first, submitted=IN_TIME, text="# 1")
        put(student="ada", points=second, submitted=LATE, text="# 2")
        return GradebookSync(course, results, tmp_path, {})

    return run


@pytest.mark.parametrize(
    ("counts", "first", "second", "is_newest"),
    [
        ("newest", 3.0, 2.0, True),
        ("in time", 1.0, 2.0, False),
        ("best", 3.0, 2.0, False),
        ("best", 1.0, 4.0, True),
    ],
)
def test_the_verdict_that_counts_is_entered_with_its_own_time(
    enter_two, course, results, counts, first, second, is_newest
):
    sync = enter_two(counts, first, second)
    assert sync.enter() == [] and sync.enter() == [], "it is entered once"
    ((record,),) = course.batches
    assert record.submission.cells[-1].source == ("# 2" if is_newest else "# 1")
    assert record.submitted == (LATE if is_newest else IN_TIME)
    assert bool(record.why) is not is_newest and len(sync.notes) == (not is_newest)
    (verdict,) = read_results(results.results, results.assignment.id).verdicts
    assert verdict.points == (second if is_newest else first), "what is given back is what counts"
    course.error = locked()
    (sentence,) = sync.enter()
    assert "did not take 1 verdict (" in sentence and sync.waiting == {"ada"}
    counted = read_counted(results.results, results.assignment.id)
    assert bool(counted) is not is_newest, "what counted before still does"


def test_practice_never_counts_instead_of_a_grade(enter_two, course, results, put):
    put(student="ada", points=4.0, submitted=IN_TIME, text="# 0")
    verdict = results.verdict("ada")
    practice = with_fields(verdict, stamp=with_fields(verdict.stamp, sandbox="practice"))
    write_verdict(results.folder / "ada.json", practice)
    assert enter_two("best", 3.0, 2.0).enter() == []
    ((record,),) = course.batches
    assert record.submission.cells[-1].source == "# 1"


def test_staff_choose_for_one_student_by_the_time(enter_two, course, results):
    line = f"ada,{results.assignment.id},{IN_TIME.isoformat(' ', 'minutes')}+00:00"
    (course.root / "counts.csv").write_text(f"student,assignment,counts\n{line}\n")
    sync = enter_two("newest", 1.0, 4.0)
    assert sync.enter() == []
    ((record,),) = course.batches
    assert (record.verdict.points, record.submitted) == (1.0, IN_TIME)
    assert "as staff chose" in record.why and sync.notes == [f"ada: {record.why}"]
