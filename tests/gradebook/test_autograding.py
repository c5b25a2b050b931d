"""`nbgrader autograde` and formgrader's button write what `grade` writes, and enter it."""

import contextlib
import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from converters import convert
from msgspec.structs import replace
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.converters import Autograde
from sqlalchemy.exc import OperationalError
from submissions import SHORT, entered_points, hand_in_comments

from autograder import Assignment, ExerciseResult, SandboxError
from autograder.authoring.sample_class import write_submission
from autograder.engine import Graded, ResultsFolder
from autograder.engine.courses import CONFIG, read_course
from autograder.engine.files import TIMESTAMP
from autograder.engine.grading import Grader, ungraded
from autograder.engine.grading.graded import empty
from autograder.engine.verdicts import read_counted, read_history, write_counted
from autograder.gradebook.sync.entering import GradebookAssignment
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse
from autograder.gradebook.sync.tables import marks_in, read_marks
from autograder.mistakes.exercises import diagnose_exercises

pytestmark = pytest.mark.database

ADA, BEN, CLEO, DAN = STUDENTS = ("ada", "ben", "cleo", "dan")


class Class:
    """Submissions in a course, graded by nbgrader's command with an examiner that costs nothing."""

    def __init__(self, assignment: Assignment):
        self.assignment, self.id = assignment, assignment.id
        self.root = assignment.course.root
        self.results = ResultsFolder(self.root / "results", assignment)
        self.notebooks = hand_in_comments(assignment, self.root / "submitted", STUDENTS)
        self.points = 1.0
        self.faults: dict[str, Exception] = {}  # what grading raises, by student
        self.graded: list[str] = []  # students, in order

    @property
    def course(self) -> NbgraderCourse:
        return NbgraderCourse(read_course(self.root))

    def prepare(self, settings, explain) -> "Class":
        self.settings = settings
        return self

    def grade_submission(self, submission) -> Graded:
        self.graded.append(submission.student)
        if fault := self.faults.get(submission.student):
            if not isinstance(fault, SandboxError):
                raise fault
            return ungraded(self.settings, submission, str(fault))
        if submission.unreadable:
            return Graded(empty(self.settings, submission, "unreadable", submission.unreadable))
        checks = [
            ExerciseResult(one.id, "answered", self.points, one.points, [], [])
            for one in self.assignment.exercises
        ]
        points = sum(one.points for one in checks)
        verdict = empty(self.settings, submission, "graded")
        return Graded(replace(verdict, exercises=checks, points=points), {}, [], submission)

    def autograde(self, student: str = "*", **options) -> tuple[str, str]:
        """Return what it ended with, and its messages; of whom it graded, only that is noted."""
        self.graded = []
        return convert(Autograde, self.course, self.assignment, student, **options)

    def entered(self) -> dict[str, float]:
        with self.course.gradebook() as gradebook:
            marks = marks_in(gradebook.db, self.id)
        return {student: mark.automatic for student, mark in marks.items()}

    def change(self, student: str) -> None:
        """Hand in something else."""
        notebook = self.notebooks[student]
        notebook.write_text(notebook.read_text().replace(f"# {student}", "# another"))

    def configure(self, lines: str) -> None:
        with (self.root / CONFIG).open("a") as config:
            config.write(f"\n{lines}\n")

    def due(self, when: datetime) -> None:
        self.course.register(self.assignment)
        with Gradebook(self.course.db_url) as gradebook:
            gradebook.find_assignment(self.id).duedate = when
            gradebook.db.commit()


@pytest.fixture
def handed_in(copied, monkeypatch) -> Class:
    made = Class(copied)
    monkeypatch.setattr("autograder.engine.grading.grade.prepare", made.prepare)
    return made


@pytest.fixture
def graded(handed_in) -> Class:
    assert handed_in.autograde()[0] == ""
    return handed_in


def test_verdict_files_gradebook_and_graded_notebooks_are_written(graded):
    whole = float(len(graded.assignment.exercises))
    assert graded.entered() == dict.fromkeys(STUDENTS, whole)
    for student in STUDENTS:
        assert graded.results.verdict(student).points == whole
        folder = graded.root / "autograded" / student / graded.id
        assert [one.name for one in folder.iterdir()] == [f"{graded.id}.ipynb"]


def test_a_second_time_takes_the_seed_of_the_verdict_before_which_goes_into_the_history(graded):
    before = graded.results.verdict(ADA)
    graded.points = 0.5
    assert graded.autograde(ADA)[0] == ""
    after = graded.results.verdict(ADA)
    assert after.points == before.points / 2 == graded.entered()[ADA]
    assert after.stamp.seed == before.stamp.seed
    assert read_history(graded.results.results, graded.id, ADA) == [before]


def test_without_force_only_what_is_new_or_changed_is_graded_and_what_is_missing_entered(graded):
    graded.change(BEN)
    with Gradebook(graded.course.db_url) as gradebook:
        gradebook.remove_student(CLEO)
    assert graded.autograde(force=False)[0] == "" and graded.graded == [BEN]
    assert graded.entered().keys() == {*STUDENTS}
    assert graded.autograde(force=False)[0] == "" and graded.graded == []


def test_what_fails_for_one_ends_none_of_the_others_and_takes_nothing_away(graded):
    before = {who: graded.results.verdict(who) for who in STUDENTS}
    shown = graded.root / "autograded" / ADA / graded.id / f"{graded.id}.ipynb"
    copy = shown.read_bytes()
    graded.points = 0.5
    graded.faults = {ADA: SandboxError("the walls fell"), CLEO: ZeroDivisionError("odd")}
    graded.notebooks[BEN].write_text("{")
    error, log = graded.autograde()
    ada, ben, cleo = error.splitlines()
    assert ada == "ada is left out, not_graded: the walls fell"
    assert ben.startswith("ben is left out, unreadable: ") and "JSON" in ben
    assert cleo == "'cleo': ZeroDivisionError: odd"
    assert ada in log and ben in log and log.count("There was an error processing") == 1
    after = {who: graded.results.verdict(who) for who in STUDENTS}
    assert [who for who in STUDENTS if after[who] != before[who]] == [DAN]
    assert graded.entered() == {who: after[who].points for who in STUDENTS}
    assert shown.read_bytes() == copy


def test_whoever_is_not_asked_for_or_excluded_is_left_alone(handed_in):
    handed_in.configure("c.CourseDirectory.student_id_exclude = 'ben'")
    write_counted(handed_in.results.results, handed_in.id, {CLEO: "another"})
    handed_in.autograde(ADA)
    assert handed_in.graded == [ADA] and handed_in.entered().keys() == {ADA}
    assert read_counted(handed_in.results.results, handed_in.id) == {CLEO: "another"}
    handed_in.autograde()
    assert handed_in.graded == [ADA, CLEO, DAN]


def test_nobody_is_added_where_the_course_does_not_want_it(graded):
    (graded.root / "submitted" / BEN).rename(graded.root / "submitted" / "dora")
    error, _ = graded.autograde(create_student=False)
    assert error.startswith("dora is left out: no student in the gradebook has this id")
    assert "dora" not in graded.entered() and graded.graded == [ADA, CLEO, DAN]


@pytest.mark.parametrize("why", ["Another run is grading into", "late.csv"])
def test_what_is_of_all_is_said_before_anything_is_graded(handed_in, why):
    with contextlib.ExitStack() as stack:
        if why == "late.csv":
            (handed_in.root / why).write_text("student,assignment,submitted\nada,x,soon\n")
        else:
            stack.enter_context(handed_in.results.exclusively())
        error, log = handed_in.autograde()
    assert why in error and error in log and handed_in.graded == [] and handed_in.entered() == {}


def test_a_locked_gradebook_ends_the_run_at_once_and_keeps_the_verdict(handed_in, monkeypatch):
    def locked(*_):
        raise OperationalError("INSERT", {}, Exception("database is locked"))

    with monkeypatch.context() as patched:
        patched.setattr(GradebookAssignment, "write", locked)
        error, log = handed_in.autograde()
    assert "did not take 1 verdict" in error and "database is locked" in error and error in log
    assert handed_in.graded == [ADA] and handed_in.results.verdict(ADA)
    handed_in.autograde(force=False)
    assert handed_in.graded == [BEN, CLEO, DAN] and handed_in.entered().keys() == {*STUDENTS}


def test_being_late_costs_what_the_policy_says_and_a_missing_due_date_is_told(handed_in):
    handed_in.configure("c.LatePolicy.percent_per_day = 10")
    (handed_in.notebooks[ADA].parent / TIMESTAMP).write_text("2026-01-11 09:00:00 UTC")
    (handed_in.notebooks[BEN].parent / TIMESTAMP).write_text("yesterday, honestly")
    (handed_in.root / "late.csv").write_text(
        f"student,assignment,submitted\ncleo,{handed_in.id},2026-01-12 09:00 UTC\n"
    )
    _, log = handed_in.autograde()
    assert f"`{handed_in.id}` has no due date, so nobody is late" in log
    assert log.count("Taken as handed in without a time.") == 1
    handed_in.due(datetime(2026, 1, 10, 18))
    assert "due date" not in handed_in.autograde()[1]
    api = NbGraderAPI(config=handed_in.course.config)
    assert api.get_submitted_timestamp(handed_in.id, CLEO) == datetime(2026, 1, 12, 9)
    with Gradebook(handed_in.course.db_url) as gradebook:
        found = {one.student.id: one for one in gradebook.find_assignment(handed_in.id).submissions}
        late = {who: one.late_submission_penalty or 0.0 for who, one in found.items()}
        times = {who: one.timestamp for who, one in found.items()}
    assert late == {ADA: 0.9, BEN: 0.0, CLEO: 1.8, DAN: 0.0}
    assert (times[ADA], times[BEN], times[CLEO]) == (
        datetime(2026, 1, 11, 9),
        None,
        datetime(2026, 1, 12, 9),
    )


def test_the_submission_that_counts_is_entered_also_where_it_is_not_the_newest(handed_in):
    handed_in.configure("c.LatePolicy.counts = 'best'")
    (handed_in.notebooks[ADA].parent / TIMESTAMP).write_text("2026-01-11 09:00:00 UTC")
    handed_in.autograde(ADA)
    best = handed_in.results.verdict(ADA).points
    handed_in.change(ADA)
    handed_in.points = 0.5
    error, log = handed_in.autograde(ADA)
    assert error == "" and "ada: The submission of 2026-01-11" in log
    assert handed_in.results.verdict(ADA).points < best == handed_in.entered()[ADA]


def test_hooks_and_settings_of_nbgraders_command_hold(handed_in):
    asked = []
    hooks = {
        f"{when}_convert_hook": lambda when=when, **words: asked.append((when, words["notebooks"]))
        for when in ("pre", "post")
    }
    course = handed_in.course
    course.config.CourseDirectory.autograded_directory = "elsewhere"  # as on its command line
    convert(Autograde, course, handed_in.assignment, ADA, permissions=664, **hooks)
    notebook = [str(handed_in.notebooks[ADA])]
    assert asked == [("pre", notebook), ("post", notebook)]
    graded = handed_in.root / "elsewhere" / ADA / handed_in.id / f"{handed_in.id}.ipynb"
    assert graded.stat().st_mode & 0o777 == 0o664
    assert not (handed_in.root / "autograded").exists()


@pytest.fixture
def submitted(folder, class_of_three, assignment) -> Path:
    """A course in which the three have handed in."""
    for student, submission in class_of_three.items():
        write_submission(assignment, folder / "submitted" / student / assignment.id, submission)
    return folder


@pytest.mark.walls
@pytest.mark.long
def test_nbgraders_own_command_and_formgraders_button_give_the_points_of_grade(
    gradebook, submitted, assignment, records
):
    program = Path(sys.executable).parent / "nbgrader"
    command = [program, "autograde", assignment.id, "--student", "s002"]
    done = subprocess.run(command, cwd=submitted, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result = NbGraderAPI(config=gradebook.config).autograde(assignment.id, "s001")
    assert result["success"], result["log"]
    for one in records[:2]:
        verdict = one.verdict
        assert entered_points(gradebook, assignment, verdict.student) == verdict.points


@pytest.mark.walls
def test_a_verdict_by_nbgraders_command_is_the_one_that_a_run_writes(
    gradebook, submitted, assignment, records, walls, monkeypatch, autograded
):
    """Rows, graded notebook and files are those of `NbgraderCourse.enter`, too."""
    gradebook.enter(assignment, records)
    before, student = read_marks(gradebook.db_url, assignment.id), records[1].verdict.student
    cells = autograded(student)
    grader = Grader(assignment, walls, SHORT, seed=5, explain=diagnose_exercises)
    monkeypatch.setattr("autograder.engine.grading.grade.prepare", lambda settings, explain: grader)
    gradebook.convert(Autograde, assignment, student_id=student)
    written = json.loads((submitted / "results" / assignment.id / f"{student}.json").read_text())
    seconds = {"seconds": written["seconds"]}
    assert written == records[1].verdict.to_json() | seconds
    assert read_marks(gradebook.db_url, assignment.id) == before and autograded(student) == cells
