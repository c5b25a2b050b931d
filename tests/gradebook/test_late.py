"""Late submissions: what a day costs, who may be late, and that both ways into the gradebook agree."""

import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from downloads import zipped
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI

from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.cli.main import main
from autograder.cli.penalties import ClassPenalties, enter_again
from autograder.engine.course import make_course, read_course
from autograder.gradebook.class_lateness import read_lateness
from autograder.gradebook.late import FROM_FILE
from autograder.gradebook.late_files import TimeError, submitted_at
from autograder.gradebook.nbgrader_course import NbgraderCourse
from autograder.gradebook.writer import GradebookWriter
from autograder.times import TIMESTAMP

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
def penalties(gradebook, assignment):
    """Return what lateness costs, by student."""

    def read() -> dict[str, float | None]:
        with Gradebook(gradebook.db_url) as rows:
            return {
                one.student.id: one.notebooks[0].late_submission_penalty
                for one in rows.assignment_submissions(assignment.id)
            }

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
    places = ["--results", str(folder / "results"), "--course", str(folder)]
    return [
        "grade",
        str(folder / "submitted"),
        "--assignment",
        assignment.id,
        "--jobs",
        "1",
        *places,
    ]


def test_penalties_follow_the_platforms_times(late_class, grade, penalties, total):
    assert grade() == 0
    day, two_days = round(0.1 * total, 2), round(0.2 * total, 2)
    assert penalties() == {"s001": None, "s002": day, "s003": two_days}


def test_an_extension_is_taken_over_without_grading_again(
    late_class, assignment, grade, penalties, total, capfd
):
    grade()
    (late_class / "extensions.csv").write_text(
        f"student,assignment,until\ns003,{assignment.id},2026-11-21\ns002,another,2027-01-01\n"
    )
    capfd.readouterr()
    assert grade() == 0
    assert "0 graded, 3 as they were" in capfd.readouterr().out
    assert penalties() == {"s001": None, "s002": round(0.1 * total, 2), "s003": None}


def test_nbgraders_own_button_takes_the_same(late_class, gradebook, assignment, penalties, total):
    (late_class / "extensions.csv").write_text(
        f"student,assignment,until\ns003,{assignment.id},2026-11-21 18:20+00:00\n"
    )
    api = NbGraderAPI(config=gradebook.config)
    for student in ("s002", "s003"):
        assert api.autograde(assignment.id, student)["success"]
    day = round(0.1 * total, 2)
    assert penalties() == {"s001": None, "s002": day, "s003": day}
    with Gradebook(gradebook.db_url) as rows:
        extended = rows.find_submission(assignment.id, "s003").extension
    assert extended == timedelta(days=1, minutes=20) + FROM_FILE
    (late_class / "late.csv").write_text(
        f"student,assignment,submitted\ns002,{assignment.id},2026-11-22 18:20+00:00\n"
    )
    assert api.autograde(assignment.id, "s002")["success"]
    assert penalties()["s002"] == 2 * day
    assert api.get_submitted_timestamp(assignment.id, "s002") == datetime(2026, 11, 22, 18, 20)
    (late_class / "late.csv").write_text("nonsense")
    assert api.get_submitted_timestamp(assignment.id, "s002") == datetime(2026, 11, 20, 19)


def test_an_extension_that_was_taken_out_of_the_file_is_taken_back(
    late_class, gradebook, assignment, grade, penalties, total
):
    file = late_class / "extensions.csv"
    file.write_text(f"student,assignment,until\ns003,{assignment.id},2026-11-30\n")
    grade()
    assert penalties()["s003"] is None
    file.write_text("student,assignment,until\n")
    grade()
    assert penalties()["s003"] == round(0.2 * total, 2)
    with Gradebook(gradebook.db_url) as rows:
        assert rows.find_submission(assignment.id, "s003").extension is None


def test_an_extension_that_was_given_by_hand_stays(
    late_class, gradebook, assignment, grade, penalties
):
    grade()
    with Gradebook(gradebook.db_url) as rows:
        rows.grant_extension(assignment.id, "s003", days=9)
    (late_class / "extensions.csv").write_text(
        f"student,assignment,until\ns002,{assignment.id},2026-11-21\n"
    )
    for _ in range(2):
        grade()
        assert penalties() == dict.fromkeys(("s001", "s002", "s003"))


def test_a_time_in_late_csv_changes_the_penalty_without_grading_again(
    late_class, assignment, grade, penalties, total, capfd
):
    grade()
    (late_class / "late.csv").write_text(
        f"student,assignment,submitted\ns001,{assignment.id},2026-11-22 18:29\n"
        f"s003,{assignment.id},2026-11-20 17:00+00:00\ns999,{assignment.id},2026-11-20 17:00Z\n"
        "s001,no-sheet,2026-11-20 17:00Z\n"
    )
    (late_class / "extensions.csv").write_text(
        f"student,assignment,until\ns0l1,{assignment.id},2026-11-30\n"
    )
    capfd.readouterr()
    assert grade() == 0
    said = capfd.readouterr().out
    assert "0 graded, 3 as they were" in said
    day, two_days = round(0.1 * total, 2), round(0.2 * total, 2)
    assert penalties() == {"s001": two_days, "s002": day, "s003": None}
    assert f"s003: no points less. So far: {two_days:g}." in said
    assert "2 penalties are entered" in said
    assert "s001: `late.csv` says 2026-11-22 18:29 UTC, the platform 2026-11-20 18:29 UTC" in said
    assert "`late.csv` names no zone in 1 line: read as UTC" in said
    assert "`late.csv`, line 4: s999 has handed in nothing." in said
    assert "`late.csv`, line 5: there is no assignment `no-sheet`." in said
    assert "`extensions.csv`, line 2: s0l1 has handed in nothing. Is that the id?" in said
    for name in ("late.csv", "extensions.csv"):
        (late_class / name).unlink()
    grade()
    assert penalties() == {"s001": None, "s002": day, "s003": two_days}


def test_penalties_are_listed_with_the_calculation_and_may_be_left_out(
    late_class, grade, penalties, total, capfd
):
    assert grade("--no-penalties") == 0
    said = capfd.readouterr().out
    assert (
        "s003: Handed in 2026-11-21 19:00 UTC, 1 day 1 hour after the due date, 2026-11-20 18:00 UTC: "
        f"2 days begun after 30 minutes of grace, 2 days at 10 % of {total:g} points: "
        f"{0.2 * total:g} points less." in said
    )
    row = next(line.split() for line in said.splitlines() if line.split()[:1] == ["s003"])
    assert f"-{0.2 * total:g}" in row
    assert "2 penalties are not entered" in said and penalties() == dict.fromkeys(penalties())
    grade()
    assert penalties()["s003"] == round(0.2 * total, 2)
    capfd.readouterr()
    grade("--no-penalties")
    assert penalties()["s003"] and "entered" not in capfd.readouterr().out


def test_a_due_date_that_was_moved_changes_the_penalties(late_class, assignment, grade, penalties):
    grade()
    set_due_date(late_class, assignment, "2026-11-30 18:00:00 UTC")
    grade()
    assert penalties() == {"s001": None, "s002": None, "s003": None}


def test_without_a_time_there_is_no_penalty_and_that_is_told_once(
    late_class, assignment, grade, penalties, capfd
):
    for student in ("s002", "s003"):
        (late_class / "submitted" / student / assignment.id / "timestamp.txt").unlink()
    grade()
    said = capfd.readouterr().out
    assert said.count("No time of handing in is known of s002, s003: no penalty.") == 1
    assert penalties() == dict.fromkeys(("s001", "s002", "s003"))


def test_without_a_due_date_that_is_told(late_class, assignment, grade, penalties, capfd):
    grade()
    set_due_date(late_class, assignment, None)
    grade()
    assert "has no due date, so nobody is late" in capfd.readouterr().out
    assert penalties() == dict.fromkeys(("s001", "s002", "s003"))


def test_late_days_are_spent_and_the_rest_costs(
    late_class, gradebook, assignment, grade, penalties, total, capfd
):
    config = late_class / "nbgrader_config.py"
    config.write_text(config.read_text() + "c.LatePolicy.late_days = 1\n")
    assert grade() == 0
    said = capfd.readouterr().out
    assert penalties() == {"s001": None, "s002": None, "s003": round(0.1 * total, 2)}
    assert "1 late day used (0 of 1 left), no points less." in said
    row = next(line.split() for line in said.splitlines() if line.split()[:1] == ["s002"])
    assert row[-3:] == ["0", "0", "answered"]
    lateness = read_lateness(gradebook.db_url, read_course(late_class), assignment.id)
    assert {student: one.late_days_used for student, one in lateness.items()} == {
        "s001": 0,
        "s002": 1,
        "s003": 1,
    }


def test_late_days_that_another_assignment_used_are_gone(
    late_class, gradebook, assignment, grade, penalties, total
):
    config = late_class / "nbgrader_config.py"
    config.write_text(config.read_text() + "c.LatePolicy.late_days = 2\n")
    grade()
    assert penalties() == dict.fromkeys(("s001", "s002", "s003"))
    submitted = late_class / "submitted"
    folders = {one: submitted / one / assignment.id for one in ("s001", "s002", "s003")}
    course = NbgraderCourse(read_course(late_class))
    writer = GradebookWriter(course, assignment, submitted, folders, {})
    entered = [ClassPenalties(writer, submitted)]
    assert list(enter_again(entered)) == []
    with Gradebook(gradebook.db_url) as rows:
        rows.add_assignment("other", duedate="2026-11-13 18:00:00 UTC")
        rows.add_submission("other", "s003", timestamp="2026-11-14 12:00:00 UTC")
    heading, line, count = enter_again(entered)
    assert heading.startswith(assignment.id) and "1 penalty is entered" in count
    assert line.startswith("s003: ") and "1 late day used (0 of 2 left), 1 day at 10 %" in line
    assert penalties() == {"s001": None, "s002": None, "s003": round(0.1 * total, 2)}


def test_who_the_platform_calls_late_without_a_time_is_named(
    late_class, assignment, grade, penalties, capfd, tmp_path
):
    submitted = late_class / "submitted"
    solution = (submitted / "s001" / assignment.id / f"{assignment.id}.ipynb").read_bytes()
    download = tmp_path / "canvas.zip"
    download.write_bytes(zipped({f"softmaxada_LATE_5_100_{assignment.id}.ipynb": solution}))
    words = ["--into", str(submitted), "--course", str(late_class), "--assignment", assignment.id]
    template = tmp_path / "late.csv"
    assert main(["collect", str(download), *words, "--late-template", str(template)]) == 0
    said = capfd.readouterr().out
    assert "Late, as the platform says, which does not say when: softmaxada-5." in said
    assert template.read_text() == f"student,assignment,submitted\nsoftmaxada-5,{assignment.id},\n"
    (late_class / "late.csv").write_text(template.read_text())
    grade()
    said = capfd.readouterr().out
    row = next(line.split() for line in said.splitlines() if line.split()[:1] == ["softmaxada-5"])
    assert "?" in row and penalties()["softmaxada-5"] is None
    assert "does not say when: softmaxada-5. No penalty before late.csv" in said
    (late_class / "late.csv").write_text(
        template.read_text().replace(f"{assignment.id},", f"{assignment.id},2026-11-20 19:00Z")
    )
    grade()
    assert penalties()["softmaxada-5"] and "does not say when" not in capfd.readouterr().out


@pytest.mark.parametrize(
    ("name", "text", "sentences"),
    [
        (
            "extensions.csv",
            "student,assignment,until\ns1,{id},soon\n",
            ["line 2: `soon` is no time"],
        ),
        (
            "extensions.csv",
            "name,until\ns1,2026-11-21\n",
            ["needs the columns student, assignment and until"],
        ),
        ("extensions.csv", "student,assignment,until\n\x81", ["cannot be read"]),
        (
            "late.csv",
            "student,assignment,submitted\ns1,{id},\x1b[31mred\ns2,{id},2026-11-20\n",
            ["line 2: `\\x1b[31mred` is no time", "line 3: `2026-11-20` is no time"],
        ),
    ],
)
def test_a_damaged_file_is_told_line_by_line_before_anything_is_graded(
    late_class, grade, penalties, capfd, assignment, name, text, sentences
):
    (late_class / name).write_bytes(text.replace("{id}", assignment.id).encode("latin-1"))
    shutil.rmtree(late_class / "results")
    assert grade() == 2
    said = capfd.readouterr().err
    assert [sentence for sentence in sentences if sentence not in said] == []
    assert not (late_class / "results" / assignment.id / "s001.json").exists()
    assert penalties() == dict.fromkeys(("s001", "s002", "s003"))


def test_a_time_that_is_none_is_told_and_costs_nothing(
    late_class, assignment, grade, penalties, capfd
):
    folder = late_class / "submitted" / "s003" / assignment.id
    (folder / TIMESTAMP).write_text("yesterday, honestly")
    with pytest.raises(TimeError, match="is no time like"):
        submitted_at(folder, folder)
    assert grade() == 0
    said = capfd.readouterr().out
    assert "Taken as handed in without a time" in said and "honestly" not in said
    assert penalties()["s003"] is None
