"""Late submissions: what a day costs, who may be late, and that both ways into the gradebook agree."""

import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from downloads import zipped
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI

from autograder._commands.main import main
from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.engine import ResultsFolder
from autograder.engine.courses import CONFIG, make_course, read_course
from autograder.engine.files import TIMESTAMP
from autograder.gradebook.commands.penalties import ClassPenalties
from autograder.gradebook.sync.enter import GradebookSync
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse
from autograder.gradebook.sync.tables import read_lateness

pytestmark = [pytest.mark.walls, pytest.mark.database]

DUE = "2026-11-20 18:00:00 UTC"
POLICY = """
c.LatePolicy.percent_per_day = 10
c.LatePolicy.grace_minutes = 30
c.LatePolicy.most_percent = 50
"""


@pytest.fixture
def folder(tmp_path, course) -> Path:
    return make_course(tmp_path, course, POLICY).root


@pytest.fixture
def total(assignment) -> float:
    """All points of the assignment, those given by hand included."""
    return sum(cell.points for cell in assignment.cells)


@pytest.fixture
def gradebook(folder) -> NbgraderCourse:
    return NbgraderCourse(read_course(folder))


@pytest.fixture
def grade(folder, assignment):
    """Grade the course's submissions; return the status."""

    def run(*more: str) -> int:
        return main([*grade_words(folder, assignment), *more])

    return run


@pytest.fixture
def charged(gradebook, assignment, total):
    """Return how many days each student pays for, of those who pay."""

    def read() -> dict[str, int]:
        with Gradebook(gradebook.db_url) as rows:
            penalties = {
                one.student.id: one.notebooks[0].late_submission_penalty
                for one in rows.assignment_submissions(assignment.id)
            }
        days = {student: round(10 * (points or 0) / total) for student, points in penalties.items()}
        assert all(round(total * days[one] / 10, 2) == (penalties[one] or 0) for one in days)
        return {student: count for student, count in days.items() if count}

    return read


@pytest.fixture
def extension(gradebook, assignment):
    """Return what the gradebook has for a student's extension."""

    def read(student: str) -> timedelta | None:
        with Gradebook(gradebook.db_url) as rows:
            return rows.find_submission(assignment.id, student).extension

    return read


def set_due_date(folder: Path, assignment, when: str | None = DUE) -> None:
    gradebook = NbgraderCourse(read_course(folder))
    gradebook.register(assignment)
    with Gradebook(gradebook.db_url, gradebook.folders.course_id) as rows:
        rows.update_or_create_assignment(assignment.id, duedate=when)


@pytest.fixture(scope="module")
def graded_class(tmp_path_factory, course, assignment, solved) -> Path:
    """Three solutions, in time, an hour, and a day and an hour late; graded without penalties."""
    folder = make_course(tmp_path_factory.mktemp("class"), course, POLICY).root
    set_due_date(folder, assignment)
    for student, time in (
        ("s001", "2026-11-20 18:29:00 UTC"),
        ("s002", "2026-11-20 19:00:00 UTC"),
        ("s003", "2026-11-21 20:00:00 +0100"),
    ):
        place = folder / "submitted" / student / assignment.id
        write_submission(assignment, place, SampleSubmission(solved, ""))
        (place / TIMESTAMP).write_text(time)
    assert main([*grade_words(folder, assignment), "--no-penalties"]) == 0
    return folder


@pytest.fixture
def late_class(graded_class, folder, course) -> Path:
    """A copy of it."""
    shutil.copytree(graded_class, folder, dirs_exist_ok=True)
    return make_course(folder, course, POLICY).root


def grade_words(folder: Path, assignment) -> list[str]:
    words = f"grade {folder}/submitted --assignment {assignment.id} --jobs 1"
    return f"{words} --results {folder}/results --course {folder}".split()


def row_of(student: str, said: str) -> list[str]:
    """The cells of a student's row in the table that `grade` prints."""
    return next(line.split() for line in said.splitlines() if line.split()[:1] == [student])


PLATFORM = {"s002": 1, "s003": 2}  # days begun, by the platform's times


@pytest.mark.parametrize(
    ("file", "lines", "days", "words"),
    [
        ("extensions.csv", "s003,{id},2026-11-21\ns002,another,2027-01-01", {"s002": 1}, []),
        (
            "late.csv",
            "s001,{id},2026-11-22 18:29\ns003,{id},2026-11-20 17:00+00:00\n"
            "s999,{id},2026-11-20 17:00Z\ns001,no-sheet,2026-11-20 17:00Z",
            {"s001": 2, "s002": 1},
            [
                "s003: no points less. So far: ",
                "2 penalties are entered",
                "s001: `late.csv` says 2026-11-22 18:29 UTC, the platform 2026-11-20 18:29 UTC",
                "`late.csv` names no zone in 1 line: read as UTC",
                "`late.csv`, line 4: nobody has handed in as `s999`.",
                "`late.csv`, line 5: there is no assignment `no-sheet`.",
            ],
        ),
        (
            "counts.csv",
            "s0l1,{id},best",
            PLATFORM,
            ["`counts.csv`, line 2: nobody has handed in as `s0l1`"],
        ),
    ],
)
def test_a_file_changes_penalties_without_grading_again_and_is_taken_back(
    late_class, assignment, grade, charged, extension, capfd, file, lines, days, words
):
    assert grade() == 0 and charged() == PLATFORM
    column = {"extensions.csv": "until", "late.csv": "submitted", "counts.csv": "counts"}[file]
    heading = f"student,assignment,{column}\n"
    (late_class / file).write_text(heading + lines.replace("{id}", assignment.id) + "\n")
    capfd.readouterr()
    assert grade() == 0 and charged() == days
    said = capfd.readouterr().out
    assert [one for one in ["0 graded, 3 as they were", *words] if one not in said] == []
    assert extension("s003") is None
    (late_class / file).unlink()
    assert grade() == 0 and charged() == PLATFORM


def test_an_extension_that_was_granted_by_hand_stays(
    late_class, gradebook, assignment, grade, charged, extension
):
    grade()
    granted = timedelta(days=9, microseconds=1)
    with Gradebook(gradebook.db_url) as rows:
        rows.find_submission(assignment.id, "s003").extension = granted
        rows.db.commit()
    file = late_class / "extensions.csv"
    for lines, days in (
        (f"s002,{assignment.id},2026-11-21\n", {}),
        (f"s003,{assignment.id},2026-11-21 18:20+00:00\n", {"s002": 1, "s003": 1}),
        ("", {"s002": 1}),
    ):
        file.write_text(f"student,assignment,until\n{lines}")
        grade()
        assert charged() == days and extension("s003") == granted


def test_nbgraders_own_button_takes_the_same(late_class, gradebook, assignment, charged):
    (late_class / "extensions.csv").write_text(
        f"student,assignment,until\ns003,{assignment.id},2026-11-21 18:20+00:00\n"
    )
    api = NbGraderAPI(config=gradebook.config)
    for student in ("s002", "s003"):
        assert api.autograde(assignment.id, student)["success"]
    assert charged() == {"s002": 1, "s003": 1}
    (late_class / "late.csv").write_text(
        f"student,assignment,submitted\ns002,{assignment.id},2026-11-22 18:20+00:00\n"
    )
    assert api.autograde(assignment.id, "s002")["success"]
    assert charged() == {"s002": 2, "s003": 1}
    assert api.get_submitted_timestamp(assignment.id, "s002") == datetime(2026, 11, 22, 18, 20)
    (late_class / "late.csv").write_text("nonsense")
    assert api.get_submitted_timestamp(assignment.id, "s002") == datetime(2026, 11, 20, 19)
    (late_class / "late.csv").unlink()
    set_due_date(late_class, assignment, None)
    done = api.autograde(assignment.id, "s002")
    assert done["success"] and "has no due date, so nobody is late" in done["log"]
    assert charged() == {"s003": 1}


def test_penalties_are_listed_with_the_calculation_and_may_be_left_out(
    late_class, grade, charged, total, capfd
):
    assert grade("--no-penalties") == 0
    said = capfd.readouterr().out
    assert (
        "s003: Handed in 2026-11-21 19:00 UTC, 1 day 1 hour after the due date, 2026-11-20 18:00 UTC: "
        f"2 days begun after 30 minutes of grace, 2 days at 10 % of {total:g} points: "
        f"{0.2 * total:g} points less." in said
    )
    assert f"-{0.2 * total:g}" in row_of("s003", said)
    assert "2 penalties are not entered" in said and charged() == {}
    grade()
    capfd.readouterr()
    grade("--no-penalties")
    assert charged() == PLATFORM and "entered" not in capfd.readouterr().out


@pytest.mark.parametrize("due", ["2026-11-30 18:00:00 UTC", None])
@pytest.mark.parametrize("options", [[], ["--no-penalties"]])
def test_a_due_date_that_was_moved_changes_the_penalties_and_one_that_is_missing_is_told(
    late_class, assignment, grade, charged, capfd, due, options
):
    grade()
    set_due_date(late_class, assignment, due)
    capfd.readouterr()
    grade(*options)
    assert ("has no due date, so nobody is late" in capfd.readouterr().out) is (due is None)
    assert charged() == (PLATFORM if options else {})


def test_without_a_time_there_is_no_penalty_and_that_is_told_once(
    late_class, assignment, grade, charged, capfd
):
    submitted = late_class / "submitted"
    (submitted / "s002" / assignment.id / TIMESTAMP).unlink()
    (submitted / "s003" / assignment.id / TIMESTAMP).write_text("yesterday, honestly")
    assert grade() == 0
    said = capfd.readouterr().out
    assert said.count("No time of handing in is known of s002, s003: no penalty.") == 1
    assert "Taken as handed in without a time" in said and "honestly" not in said
    assert charged() == {}


def test_late_days_are_spent_and_the_rest_costs(
    late_class, gradebook, assignment, grade, charged, capfd
):
    with (late_class / CONFIG).open("a") as config:
        config.write("c.LatePolicy.late_days = 1\n")
    assert grade() == 0
    said = capfd.readouterr().out
    assert charged() == {"s003": 1}
    assert "1 late day used (0 of 1 left), no points less." in said
    assert row_of("s002", said)[-3:] == ["0", "0", "answered"]
    lateness = read_lateness(gradebook.db_url, read_course(late_class), assignment.id)
    used = {student: one.late_days_used for student, one in lateness.judged.items()}
    assert used == {"s001": 0, "s002": 1, "s003": 1}


def test_late_days_that_another_assignment_used_are_gone(
    late_class, gradebook, assignment, grade, charged
):
    with (late_class / CONFIG).open("a") as config:
        config.write("c.LatePolicy.late_days = 2\n")
    grade()
    assert charged() == {}
    submitted = late_class / "submitted"
    folders = {one: submitted / one / assignment.id for one in ("s001", "s002", "s003")}
    course = NbgraderCourse(read_course(late_class))
    results = ResultsFolder(late_class / "results", assignment)
    with Gradebook(gradebook.db_url) as rows:
        rows.add_assignment("other", duedate="2026-11-13 18:00:00 UTC")
        rows.add_submission("other", "s003", timestamp="2026-11-14 12:00:00 UTC")
        rows.add_assignment("to come")
        rows.add_assignment("undated")
        rows.add_submission("undated", "s003", timestamp="2026-11-14 12:00:00 UTC")
        rows.add_assignment("later", duedate="2026-11-25 18:00:00 UTC")
        rows.add_notebook("later", "later")
        rows.add_grade_cell("x", "later", "later", max_score=20, cell_type="code")
        rows.add_submission("later", "s003", timestamp="2026-11-26 12:00:00 UTC")
        rows.db.commit()
    entered = ClassPenalties(GradebookSync(course, results, submitted, folders), submitted)
    count, heading, line, count_of_others = entered.enter(True)[0]
    assert count == "1 penalty is entered into the gradebook, as listed."
    assert heading == f"later, now that late days of {assignment.id} are known:"
    assert line.startswith("s003: ") and "1 day at 10 %" in line and count_of_others == count
    assert charged() == {"s003": 1}
    assert entered.enter(True)[0][1:] == [], "the other assignment's is right now"
    assert "No due date, so no late day used: undated." in entered.reasons()


def test_who_the_platform_calls_late_without_a_time_is_named(
    late_class, assignment, grade, charged, capfd, tmp_path
):
    submitted = late_class / "submitted"
    solution = (submitted / "s001" / assignment.id / f"{assignment.id}.ipynb").read_bytes()
    download = tmp_path / "canvas.zip"
    download.write_bytes(zipped({f"softmaxada_LATE_5_100_{assignment.id}.ipynb": solution}))
    words = ["--into", str(submitted), "--course", str(late_class), "--assignment", assignment.id]
    file = late_class / "late.csv"
    assert main(["collect", str(download), *words, "--late-template", str(file)]) == 0
    told = "Late, as the platform says, which does not say when: softmaxada-5."
    assert told in capfd.readouterr().out
    grade()
    said = capfd.readouterr().out
    assert "?" in row_of("softmaxada-5", said) and charged() == PLATFORM
    assert f"{told} No penalty before late.csv" in said
    file.write_text(
        file.read_text().replace(f"{assignment.id},", f"{assignment.id},2026-11-20 19:00Z")
    )
    grade()
    assert "does not say when" not in capfd.readouterr().out
    assert charged() == PLATFORM | {"softmaxada-5": 1}


def test_a_damaged_file_is_told_line_by_line_before_anything_is_graded(
    late_class, grade, charged, capfd, assignment
):
    lines = f"s1,{assignment.id},\x1b[31mred\ns2,{assignment.id},2026-11-20\n"
    (late_class / "late.csv").write_text(f"student,assignment,submitted\n{lines}")
    shutil.rmtree(late_class / "results")
    assert grade() == 2
    said = capfd.readouterr().err
    assert "line 2: `\\x1b[31mred` is no time" in said and "line 3: `2026-11-20` is no" in said
    assert not (late_class / "results" / assignment.id / "s001.json").exists()
    assert charged() == {}
