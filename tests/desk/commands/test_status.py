"""`status`: how many wait at each step, and a command beside each number that takes the step."""

import json
import re
import shlex
import shutil
import subprocess
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from exports import ADA, COLUMN, canvas_course, keep, receive_without_place
from feedback_pages import verdict
from marking_pages import MARKING, rows
from msgspec.structs import replace
from nbgrader.api import Gradebook
from recorded import plant_roster
from submissions import hand_in_comments
from typed_commands import blocks, type_in, typed

from autograder.classroom.records import add_records
from autograder.classroom.roster import Person
from autograder.engine.courses import CONFIG, make_course, read_course
from autograder.gradebook.inquiries import Decision, Inquiry, record_inquiry
from autograder.platforms.exports import last_exports

pytestmark = pytest.mark.slow

ROW = re.compile(r"^([> ]) +(\?|\d+)  (.*?)(?:  +python -m autograder (.*))?$", re.MULTILINE)
GRADED, SHOWN = "not graded, or changed since", "pages missing or older than grades"


class Status:
    """What `status` says of one assignment."""

    def __init__(self, *words: object):
        self.ended, self.said = typed("status", *words)
        rows = ROW.findall(self.said)
        self.numbers = {what: number for _, number, what, _ in rows}
        self.commands = {what: command for *_, what, command in rows if command}
        self.next = [command for mark, *_, command in rows if mark == ">"]


@pytest.fixture
def here(copied, monkeypatch):
    """The small course, in whose folder commands are typed."""
    monkeypatch.chdir(copied.course.root)
    return copied


def test_of_what_nobody_has_handed_in_it_says_how_to_collect_it(here):
    status = Status()
    assert status.ended == 0 and status.numbers == {"handed in": "0"}
    assert status.next == [f"collect DOWNLOAD --assignment {here.id}"]


def test_it_names_what_everybody_can_read_and_the_command_that_shuts_it(small, monkeypatch):
    """Also where graders and sources lie outside the course; the command is tried."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        top.chmod(0o755)
        shutil.copytree(small.course.root, top / "of a colleague")
        course = make_course(top / "mine", read_course(top / "of a colleague"))
        (course.root / "results").mkdir()
        monkeypatch.chdir(course.root)
        said = typed("status")[1]
        (command,) = re.findall("can read .*results.*: type `(chmod .*)`", " ".join(said.split()))
        subprocess.run(shlex.split(command), check=True)
        assert "Everybody on this computer" not in typed("status")[1]


@pytest.mark.long
def test_the_lines_of_the_page_are_commands_that_work(here):
    (block,) = blocks("status.md")
    said = type_in(here.course.root, block, f"sheet={here.id}\n")
    assert said.count(f"collect DOWNLOAD --assignment {here.id}\n") == block.count("status") == 2


def test_whoever_is_on_the_roster_has_handed_in_or_not(here):
    people = [Person(who, f"{who} Token", f"{who}@uni.example") for who in ("ada", "ben", "cleo")]
    plant_roster(Path("submitted"), here.id, [*people, Person("dan")])
    hand_in_comments(here, Path("submitted"), ["ada", "guest"])
    Path("submitted", "no id", here.id).mkdir(parents=True)
    receive_without_place(replace_email(people[1]), here.id)
    receive_without_place(Person("", "Nobody Inparticular"), here.id)
    status = Status(here.id)
    assert status.numbers | {"on the roster": "4", "handed in": "4"} == status.numbers
    assert status.numbers | {"placed": "2", "unmatched": "2", GRADED: "2"} == status.numbers
    assert status.numbers["not handed in"] == "2", "cleo and dan"
    assert status.next == [f"collect --resolve choices.csv --assignment {here.id}"]
    assert f"unmatched-{here.id}.csv" in status.said
    assert "`no id` cannot be a student's id" in status.said


def replace_email(person: Person) -> Person:
    """The person as a platform names them that knows no id."""
    return Person("", email=person.email)


def mark_all(points: float) -> None:
    """Give these points for whatever is marked by hand, as a tutor does in formgrader."""
    with Gradebook("sqlite:///gradebook.db") as rows:
        for one in rows.assignments[0].submissions:
            for grade in one.notebooks[0].grades:
                if grade.auto_score is None:
                    grade.manual_score, grade.needs_manual_grade = points, False
        rows.db.commit()


@pytest.mark.walls
@pytest.mark.database
@pytest.mark.slow
@pytest.mark.long
def test_typing_what_comes_next_leads_from_submissions_to_grades_given_back(here):
    notebooks = hand_in_comments(here, Path("submitted"), ["ada", "ben", "cleo"])
    answer(here, notebooks["ada"])
    notebooks["cleo"].write_text("{")
    typed_next = []
    while status := Status(here.id):
        (command,) = status.next
        typed_next.append(command.split()[0])
        if command.startswith("report"):
            break
        if command.startswith("marking"):
            assert status.numbers["to be marked"] == "1"
            mark_all(1.0)
        assert typed(*shlex.split(command.replace("FORMAT", "csv")))[0] == 0
    assert typed_next == ["grade", "marking", "feedback", "export", "report"]
    assert status.numbers == {
        "on the roster": "?",
        **dict.fromkeys(["handed in", "placed"], "3"),
        **dict.fromkeys(["unmatched", GRADED, "not in the gradebook", "to be marked"], "0"),
        **{"penalties to be entered": "0", "graded behind namespaces": "2"},
        **{SHOWN: "0", "exported for csv": "2", "unreadable": "1", "not handed in": "?"},
    }
    assert [*status.commands] == ["unreadable"]
    assert f"results/{here.id}/export/students.csv" in status.said

    mark_all(0.5)
    status = Status(here.id)
    assert (
        status.numbers | {SHOWN: "1", "of 2 exported for csv changed since": "1"} == status.numbers
    )
    assert typed("feedback", "--jobs", "1")[0] == 0
    page = Path("feedback", "ada", here.id, f"{here.id}.html")
    page.rename("elsewhere.html")
    page.symlink_to(Path("elsewhere.html").absolute())
    notebooks["ben"].write_text(notebooks["ben"].read_text().replace("# ben", "# Ben"))
    status = Status(here.id)
    assert status.numbers | {SHOWN: "1", GRADED: "1"} == status.numbers
    assert status.commands[SHOWN] == f"feedback {here.id}"


def answer(assignment, notebook: Path) -> None:
    """Write something into the cells that a person marks."""
    by_hand = {cell.id for cell in assignment.cells if cell.solution and cell.kind == "markdown"}
    content = json.loads(notebook.read_text())
    for cell in content["cells"]:
        if cell["id"] in by_hand:
            cell["source"] = "Because."
    notebook.write_text(json.dumps(content))


@pytest.mark.database
def test_what_is_to_be_marked_is_said_for_each_marker_as_it_is_divided(empty_book, monkeypatch):
    assignment = empty_book.assignment
    monkeypatch.chdir(assignment.course.root)
    with Path(CONFIG).open("a") as file:
        file.write("c.Marking.markers = ['kim', 'Lee Key']\n")
    students = [f"s{number}" for number in range(7)]
    empty_book.enter(**dict.fromkeys(students, "Because."), t1=None)
    empty_book.mark("s1", 1.0)
    for student in (*students, "t1"):
        keep(replace(verdict(), student=student, points=3.0, assignment=assignment.id))
    shares = []
    for number in (1, 2):
        typed("marking", "list", "--for", f"{number}/2")
        shares.append(len(rows(MARKING / f"tutor-{number}-of-2.csv")))
    status = Status(assignment.id)
    assert sum(shares) == 6 and min(shares) > 0
    assert [status.numbers[f"to be marked by {name}"] for name in ("kim", "Lee Key")] == [
        *map(str, shares)
    ]
    command = status.commands["to be marked by Lee Key"]
    assert command == f"marking page --for 'Lee Key' --assignment {assignment.id}"
    ended, said = typed(*shlex.split(command))
    assert ended == 0 and f"{shares[1]} answers for Lee Key to mark" in said


@pytest.mark.database
def test_a_penalty_that_the_policy_or_an_extension_changes_is_to_be_entered(
    empty_book, monkeypatch
):
    assignment, rows = empty_book.assignment, "penalties to be entered"
    monkeypatch.chdir(assignment.course.root)
    with Path(CONFIG).open("a") as file:
        file.write("c.LatePolicy.percent_per_day = 10\n")
    hand_in_comments(assignment, Path("submitted"), ["ada", "ben"])
    empty_book.enter(ada="Because.", ben="Because.", gone="Because.")
    with Gradebook(empty_book.url) as gradebook:
        gradebook.find_assignment(assignment.id).duedate = datetime(2026, 1, 10)
        for one in gradebook.assignment_submissions(assignment.id):
            late = one.student.id != "ben"
            one.timestamp = datetime(2026, 1, 10) + late * timedelta(hours=30)
        points = gradebook.find_assignment(assignment.id).max_score
        gradebook.db.commit()
    status = Status(assignment.id)
    assert status.numbers[rows] == "1", "the third has no folder: grade enters nothing"
    assert status.commands[rows] == f"grade --assignment {assignment.id}"
    with Gradebook(empty_book.url) as gradebook:
        book = gradebook.find_submission_notebook(assignment.id, assignment.id, "ada")
        book.late_submission_penalty = points * 0.2
        gradebook.db.commit()
    status = Status(assignment.id)
    assert status.numbers[rows] == "0" and rows not in status.commands
    Path("extensions.csv").write_text(
        f"student,assignment,until\nada,{assignment.id},2026-01-11 01:00\n"
    )
    assert Status(assignment.id).numbers[rows] == "1"


def test_what_is_not_known_yet_is_no_zero(here):
    hand_in_comments(here, Path("submitted"), ["ada"])
    status = Status(here.id)
    assert status.numbers | {"on the roster": "?", "not handed in": "?"} == status.numbers
    assert "not exported" not in status.numbers
    keep(replace(verdict(), assignment=here.id))
    assert Status(here.id).numbers["not exported"] == "1"


def test_inquiries_without_an_answer_are_counted(here):
    keep(replace(verdict(), assignment=here.id))
    assert "open inquiries" not in Status(here.id).numbers
    now = datetime.now(UTC)
    asked = [Inquiry(student, "explain", "Why?", now) for student in ("ada", "ben")]
    for one in asked:
        record_inquiry(Path("results"), here.id, one)
    status = Status(here.id)
    assert status.numbers["open inquiries"] == "2"
    command = status.commands["open inquiries"]
    assert command == f"inquiries list --assignment {here.id}"
    for one in asked:
        kept = Decision("kim", now, 1.0, 1.0, 2.0, "As the scheme says.")
        record_inquiry(Path("results"), here.id, replace(one, decision=kept))
    status = Status(here.id)
    assert status.numbers["open inquiries"] == "0" and "open inquiries" not in status.commands


def test_an_export_into_a_platforms_sheet_is_proposed_with_the_same_sheet(here):
    keep(replace(verdict(), student=ADA, assignment=here.id))
    Path("the sheet.csv").write_bytes(canvas_course().export())
    words = ["--sheet", "the sheet.csv", "--column", COLUMN]
    assert typed("export", "--format", "canvas", *words)[0] == 0
    keep(replace(verdict(), student=ADA, assignment=here.id, points=1.0))
    command = Status(here.id).commands["of 1 exported for canvas changed since"]
    assert shlex.split(command) == [
        *("export", "--format", "canvas"),
        *(*words, "--assignment", here.id),
    ]
    status, said = typed(*shlex.split(command))
    assert status == 0 and "without a sheet" not in said


def test_from_elsewhere_each_command_names_the_course(here, monkeypatch, tmp_path):
    hand_in_comments(here, Path("submitted"), ["ada"])
    keep(replace(verdict(), assignment=here.id))
    (tmp_path / "else where").symlink_to(here.course.root)
    monkeypatch.chdir(tmp_path)
    status = Status(here.id, "--course", "else where")
    commands = [*status.commands.values()]
    assert commands and all(line.endswith(" --course 'else where'") for line in commands)
    line = status.commands["not exported"].replace("FORMAT", "csv")
    status, said = typed(*shlex.split(line))
    assert status == 0 and last_exports(here.course.root / "results", here.id), said
    assert not Path("results").exists()


def test_without_a_path_a_command_takes_that_of_the_course_from_any_folder_in_it(here, monkeypatch):
    keep(replace(verdict(), assignment=here.id))
    monkeypatch.chdir("source")
    assert "-> " in typed("report")[1] and (here.course.root / "report.html").is_file()
    assert f"There is no folder or notebook `{here.course.root / 'submitted'}`" in typed("grade")[1]


def test_what_cannot_be_read_is_said_in_one_sentence(here):
    keep(replace(verdict(), assignment=here.id))
    Path("gradebook.db").write_text("no database")
    ended, said = typed("status")
    assert ended == 1 and "The gradebook cannot be used" in said and said.count("\n") == 1


def test_no_text_of_a_record_acts_on_a_terminal(here):
    keep(replace(verdict(), assignment=here.id))
    typed("export", "--format", "csv")
    (export,) = last_exports(Path("results"), here.id)
    paths = [path.replace("students.csv", "\x1b[31m.csv") for path in export.paths]
    add_records(Path("results"), here.id, [replace(export, paths=paths)])
    status = Status(here.id)
    assert status.ended == 0 and "\x1b" not in status.said and "exported for csv" in status.numbers
