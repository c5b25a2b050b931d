"""Which submission's verdict enters the gradebook, where a student has handed in several."""

from datetime import datetime
from pathlib import Path

import pytest
from msgspec.structs import replace as with_fields
from sqlalchemy.exc import OperationalError
from traitlets.config import Config

from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, empty
from autograder.engine.history import read_counted
from autograder.engine.results import ResultsFolder
from autograder.engine.submission import Cell, Submission
from autograder.gradebook.enter import GradebookSync
from autograder.gradebook.late import LateRules
from autograder.gradebook.late_policy import LatePolicy
from autograder.platforms.grades import read_results

DUE = datetime(2026, 11, 20, 18)
IN_TIME, LATE = datetime(2026, 11, 20, 17), datetime(2026, 11, 22, 9)


class Course:
    """Takes records, and keeps which it has."""

    def __init__(self, root: Path, counts: str):
        self.root = root
        self.counts = counts
        self.entered: dict[str, tuple] = {}  # points and time, by student
        self.records: list = []

    def late_rules(self) -> LateRules:
        settings = {"percent_per_day": 10, "counts": self.counts}
        return LateRules(LatePolicy(config=Config(LatePolicy=settings)), self.root)

    def rows(self, assignment) -> dict:
        return {}

    hand_ins = lambda self, assignment, rules: {}  # noqa: E731
    due_dates = lambda self, assignment: {assignment.id: DUE}  # noqa: E731

    def agrees_with(self, verdict, row, submitted, why) -> bool:
        known = self.entered.get(verdict.student) == (verdict.points, submitted)
        return known and self.records[-1].why == why

    def enter(self, assignment, records) -> None:
        for one in records:
            self.entered[one.verdict.student] = one.verdict.points, one.submitted
            self.records.append(one)


@pytest.fixture
def enter(small, tmp_path):
    """Hand in twice; enter what counts by this rule; return what the gradebook has then."""
    results = ResultsFolder(tmp_path / "results", small)

    def run(counts: str, first: float, second: float) -> tuple[Course, GradebookSync]:
        for text, points, when in (("# 1", first, IN_TIME), ("# 2", second, LATE)):
            submission = Submission([Cell("own", "code", text)], "ada")
            verdict = empty(RunSettings(small, seed=1), submission, "graded")
            graded = Graded(with_fields(verdict, points=points), {}, [], submission)
            results.put(graded, when)
        course = Course(tmp_path, counts)
        sync = GradebookSync(course, results, tmp_path, {})
        assert sync.enter() == []
        return course, sync

    return run


@pytest.mark.parametrize(
    ("counts", "first", "second", "entered"),
    [
        ("newest", 3.0, 2.0, (2.0, LATE)),
        ("in time", 1.0, 2.0, (1.0, IN_TIME)),
        ("best", 3.0, 2.0, (3.0, IN_TIME)),
        ("best", 1.0, 4.0, (4.0, LATE)),
    ],
)
def test_the_verdict_that_counts_is_entered_with_its_own_time(
    enter, counts, first, second, entered
):
    course, sync = enter(counts, first, second)
    assert course.entered == {"ada": entered}
    (record,) = course.records
    assert record.submission.cells[0].source == ("# 2" if entered[1] == LATE else "# 1")
    is_newest = entered[1] == LATE
    assert bool(record.why) is not is_newest and len(sync.notes) == (not is_newest)
    assert sync.enter() == [] and len(course.records) == 1, "it is entered once"
    (verdict,) = read_results(sync.results.results, None).verdicts
    assert verdict.points == entered[0], "what is given back is what counts"


def test_a_gradebook_that_cannot_be_read_is_told_and_all_wait(enter, monkeypatch):
    def locked(*_):
        raise OperationalError("SELECT", {}, Exception("database is locked"))

    course, sync = enter("best", 3.0, 2.0)
    monkeypatch.setattr(Course, "hand_ins", locked)
    course.entered.clear()
    (sentence,) = sync.enter()
    assert "did not take 1 verdict (" in sentence and "database is locked" in sentence
    assert sync.waiting == {"ada"} and not course.entered
    assert read_counted(sync.results.results, sync.assignment.id), "what counted before still does"


def test_staff_choose_for_one_student_by_the_time(enter, tmp_path):
    line = f"ada,small-sheet,{IN_TIME.isoformat(' ', 'minutes')}+00:00"
    (tmp_path / "counts.csv").write_text(f"student,assignment,counts\n{line}\n")
    course, sync = enter("newest", 1.0, 4.0)
    assert course.entered == {"ada": (1.0, IN_TIME)}
    assert "as staff chose" in course.records[0].why and sync.notes == [
        f"ada: {course.records[0].why}"
    ]
