"""What the gradebook is asked for does not grow with those who are in it already."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from nbgrader.api import Gradebook
from sqlalchemy import event, func, select
from sqlalchemy.engine import Engine

from autograder.engine import ResultsFolder, RunSettings
from autograder.engine.courses import make_course
from autograder.engine.notebooks import read_submission
from autograder.gradebook.sync.enter import GradebookSync
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse, Record
from autograder.gradebook.sync.own_tables import EnteredAnswer
from tests.benchmarks.many import canned

pytestmark = pytest.mark.database
BATCH = 5
LARGE = 60  # students that come between the batches that are compared
STEP = 50  # instructions of SQLite's machine, counted together


@pytest.fixture
def course(small_course, tmp_path) -> NbgraderCourse:
    return NbgraderCourse(make_course(tmp_path, small_course))


@pytest.fixture
def records(small) -> Callable[[int, int], list[Record]]:
    """Make records of students with these numbers."""
    submission = read_submission(small, "s", small.release)
    settings = RunSettings(small, seed=1)

    def make(first: int, count: int) -> list[Record]:
        made = []
        for number in range(first, first + count):
            one = replace(submission, student=f"s{number:03}")
            graded = canned(settings, one)
            made.append(Record(graded.verdict, one, graded.outputs))
        return made

    return make


class Work:
    """What a database had to do."""

    def __init__(self) -> None:
        self.statements = 0
        self.steps = 0  # of SQLite's machine, in units of STEP

    def step(self) -> int:
        self.steps += 1
        return 0


@contextmanager
def counted() -> Iterator[Work]:
    """Count the work of all connections that are opened within the block."""
    work = Work()

    def connected(connection, _):
        connection.set_progress_handler(work.step, STEP)

    def executed(*_):
        work.statements += 1

    event.listen(Engine, "connect", connected)
    event.listen(Engine, "before_cursor_execute", executed)
    try:
        yield work
    finally:
        event.remove(Engine, "connect", connected)
        event.remove(Engine, "before_cursor_execute", executed)


def test_a_batch_is_no_more_work_in_a_large_class(course, small, records):
    course.enter(small, records(0, 1))
    with counted() as in_small_class:
        course.enter(small, records(100, BATCH))
    course.enter(small, records(200, LARGE))
    with counted() as in_large_class:
        course.enter(small, records(300, BATCH))
    assert in_small_class.steps > 0
    assert in_large_class.statements <= in_small_class.statements * 1.2
    assert in_large_class.steps <= in_small_class.steps * 1.2


def test_a_class_is_read_in_as_many_statements_as_one_student_and_in_linear_time(
    course, small, records, tmp_path
):
    sync = GradebookSync(course, ResultsFolder(tmp_path / "results", small), tmp_path, {})
    found = []
    students: list[str] = []
    for first, count in ((0, 1), (100, LARGE), (200, LARGE)):
        course.enter(small, records(first, count))
        students += [f"s{number:03}" for number in range(first, first + count)]
        sync.folders = dict.fromkeys(students, tmp_path)
        with counted() as work:
            penalties = sync.penalties()
            assert sync.enter_penalties(small.id, penalties) == []
        assert penalties.keys() == set(students)
        assert all(one.is_right for one in penalties.values())
        found.append(work)
    one, many, twice = found
    assert one.statements == many.statements == twice.statements
    assert twice.steps - many.steps <= 1.2 * (many.steps - one.steps)


def test_answers_of_submissions_that_are_gone_are_forgotten_with_the_next_run(
    course, small, records
):
    def answers() -> int:
        with Gradebook(course.db_url) as gradebook:
            return gradebook.db.scalar(select(func.count()).select_from(EnteredAnswer))

    course.enter(small, records(0, 2))
    both = answers()
    with Gradebook(course.db_url) as gradebook:
        gradebook.remove_submission(small.id, "s001")
    later = NbgraderCourse(small.course, course.db_url)
    later.config.CourseDirectory.root = course.config.CourseDirectory.root
    later.folders = course.folders
    later.enter(small, records(0, 1))
    assert answers() == both // 2
