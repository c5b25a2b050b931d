"""The pages, followed from their first command to their last. `test_words.py` holds that each page with
commands is followed somewhere.
"""

import csv
import re
import shutil
import sqlite3
from contextlib import closing

import pytest
from downloads import BOOK
from downloads import ID as SHEET
from exports import keep
from feedback_pages import verdict
from msgspec.structs import replace
from nbgrader.api import Gradebook
from recorded import plant_roster
from typed_commands import TOP, blocks, type_in

from autograder.authoring.sample_class import SampleClass, notebook_text
from autograder.classroom.roster import Person
from autograder.engine.courses import read_course

pytestmark = pytest.mark.slow

SETTINGS = f"sheet={SHEET}\n"
EXCHANGE = "/srv/nbgrader/exchange/transformer-encoder"
KEPT = {"versions.txt", "gradebook.db", "class.tar.gz"}
TUTOR = "--for 2/5 --second 10%"  # of a class that is larger than the one below


@pytest.fixture
def follow(copied):
    """A function that types blocks of pages in a course with the small assignment."""
    return lambda *typed: "".join(type_in(copied.course.root, one, SETTINGS) for one in typed)


def page(name: str) -> str:
    return (TOP / "docs" / name).read_text(encoding="utf-8")


def practise(platform: str, students: int) -> str:
    _, command = blocks("index.md")
    assert "--as moodle" in command and "--students 8" in command
    command = command.replace("--as moodle", f"--as {platform}")
    return command.replace("--students 8", f"--students {students}")


def test_a_course_for_practice_has_the_assignments_and_nothing_else(copied, follow):
    root = copied.course.root
    new, invented = blocks("index.md")
    assert "practice, a course with the assignments of" in follow(new)
    made = read_course(root.parent / "practice")
    assert [path.name for path in made.root.iterdir()] == ["nbgrader_config.py"]
    assert (made.source, made.graders) == (copied.course.source, copied.course.graders)
    type_in(made.root, invented, SETTINGS)
    assert (made.root / "download.zip").is_file() and not (root / "download.zip").exists()


def mark_one_answer(gradebook: str) -> None:
    """Give points to the first answer that waits, as a tutor does in formgrader."""
    with Gradebook(gradebook) as rows:
        for submission in rows.assignment_submissions(SHEET):
            for grade in submission.notebooks[0].grades:
                if grade.needs_manual_grade:
                    grade.manual_score, grade.needs_manual_grade = 1.0, False
                    rows.db.commit()
                    return
    raise AssertionError("nothing waits to be marked by hand")


@pytest.mark.walls
@pytest.mark.database
@pytest.mark.long
def test_a_week_goes_from_giving_out_to_giving_back(copied, follow):
    course = copied.course.root
    give_out, thursday, tuesday = blocks("week.md")
    assert "publish this folder" in follow(give_out, practise("moodle", 8))
    said = follow(thursday.replace("1/5", "1/1"))
    assert "8 students: 8 placed; none unmatched" in said and "8 submissions were compared" in said
    assert "-> report.html" in said
    assert "still to be marked by hand" in follow(*blocks("report.md"))
    assert "-> debrief.html" in follow(*blocks("on-arrival.md"))

    share, copying, comparing = blocks("marking.md")
    assert TUTOR in share
    said = follow(share.replace(TUTOR, "--for 1/2 --second 100%"))
    assert "7 answers are" in said and "still wait" in said and "second-1-of-2.csv" in said
    mark_one_answer(f"sqlite:///{course / 'gradebook.db'}")
    assert "add --yes" in follow(copying)
    assert "Not compared" in follow(comparing)
    assert "moodle-feedback.zip" in follow(tuesday)
    assert "export/students.csv" in follow(*blocks("feedback.md"))


@pytest.mark.walls
@pytest.mark.database
@pytest.mark.long
def test_what_being_late_costs_is_shown_before_it_is_entered(copied, follow):
    due, show = blocks("late.md")
    (settings,) = re.findall(r"```python\n(.*?)```", page("late.md"), re.DOTALL)
    configuration = copied.course.root / "nbgrader_config.py"
    configuration.write_text(configuration.read_text() + settings + "c.LatePolicy.late_days = 0\n")
    follow(practise("moodle", 6), due, blocks("moodle.md")[0])
    assert "not entered" in follow(show)
    assert "entered into the gradebook, as listed" in follow(*blocks("grade.md"))


@pytest.mark.walls
@pytest.mark.database
@pytest.mark.long
@pytest.mark.parametrize("name", ["moodle.md", "canvas.md", "ilias.md", "gradescope.md"])
def test_a_platforms_download_comes_in_and_goes_back(copied, follow, name):
    collect, *give_back = blocks(name)
    assert "4 placed; none unmatched" in follow(practise(name.removesuffix(".md"), 4), collect)
    follow(*blocks("grade.md"))
    assert f"{SHEET}/export/" in follow(*give_back)
    folder = copied.course.root / "results" / SHEET / "export"
    made = {file.name for file in folder.iterdir()}
    named = set(re.findall(r"[a-z]+(?:-[a-z]+)*\.(?:zip|csv)", page(name)))
    assert made and made <= named


@pytest.mark.walls
@pytest.mark.database
@pytest.mark.long
def test_what_comes_by_folders_or_by_the_exchange_is_collected(copied, follow):
    course = copied.course.root
    collect, give_back = blocks("folder.md")
    for number, text in enumerate(invented(copied, 2)):
        folder = course / "received" / f"s{number}"
        folder.mkdir(parents=True)
        (folder / BOOK).write_text(text)
        name = f"t{number}+{SHEET}+2026-11-20 15:00:00.123456 UTC+a1b2"
        (course / "exchange" / "inbound" / name).mkdir(parents=True)
        shutil.copy(folder / BOOK, course / "exchange" / "inbound" / name)
    assert "2 students: 2 placed; none unmatched" in follow(collect)
    inbound, *_ = blocks("exchange.md")
    assert "2 placed; none unmatched" in follow(inbound.replace(EXCHANGE, "exchange"))
    assert "4 grades" in follow(*blocks("grade.md"), give_back)


@pytest.mark.walls
@pytest.mark.database
@pytest.mark.long
def test_what_goes_out_by_the_exchange_comes_back_as_feedback(copied, follow, tmp_path):
    course, student = copied.course.root, tmp_path / "student"
    exchange = f"c.Exchange.root = {str(tmp_path / 'exchange')!r}\n"
    (tmp_path / "exchange").mkdir(mode=0o777)
    (tmp_path / "exchange").chmod(0o777)
    configuration = course / "nbgrader_config.py"
    configuration.write_text(configuration.read_text() + exchange)
    student.mkdir()
    (student / "nbgrader_config.py").write_text(
        f"c = get_config()\n{exchange}c.CourseDirectory.course_id = 'small-course'\n"
    )
    *_, give_out, give_back = blocks("exchange.md")
    follow(give_out)
    hand_in = f"nbgrader fetch_assignment {SHEET} && mv {SHEET}/{BOOK} {SHEET}/mine.ipynb && nbgrader submit {SHEET}"
    type_in(student, hand_in)
    assert "1 graded" in follow(give_back)
    type_in(student, f"nbgrader fetch_feedback {SHEET}")
    assert len([*student.rglob("feedback/**/*.html")]) == 1


@pytest.mark.walls
@pytest.mark.long
def test_model_answers_are_a_notebook_and_a_page_without_hidden_checks(copied, follow):
    solution, to_page = blocks("publish.md")
    assert "made and executed" in follow(solution, to_page)
    made = copied.course.root / "solution" / SHEET
    text = (made / BOOK).read_text()
    assert "#@" not in text and "torch.exp" in text
    assert (made / f"{SHEET}.html").is_file()


def invented(assignment, students: int) -> list[str]:
    """The notebooks of an invented class."""
    sample = SampleClass(assignment, 1)
    return [notebook_text(assignment, sample.submission(one)) for one in range(students)]


@pytest.mark.walls
@pytest.mark.database
@pytest.mark.long
def test_a_class_is_carried_kept_and_taken_away(copied, follow, tmp_path):
    course, other = copied.course.root, tmp_path / "other"
    follow(practise("moodle", 4), blocks("moodle.md")[0], *blocks("grade.md"))

    shutil.copytree(course, other, ignore=lambda *_: {"submitted", "results", "autograded"})
    carry, there = blocks("two-laptops.md")
    (course / "feedback").mkdir()
    (course / "late.csv").write_text("student,assignment,submitted\n")
    follow(carry.replace("/media/stick", str(tmp_path)))
    assert "4 as they were" in type_in(
        other, there.replace("/media/stick", str(tmp_path)), SETTINGS
    )

    assert "4 pages" in follow(*blocks("end-of-semester.md"))
    table = (course / "grades.csv").read_text().splitlines()
    assert len(table) == 8, "a header, 4 who submitted, and 3 more in Moodle's worksheet"
    assert {one.name for one in (tmp_path / "kept").iterdir()} == KEPT

    (away,) = blocks("remove-assignment.md")
    follow(away.replace("autograder/graders", "graders"))
    assert not list(course.rglob(f"*{SHEET}*")) and not list(course.rglob("small_sheet"))
    assert (tmp_path / "taken-away" / SHEET / "source" / SHEET / BOOK).is_file()
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as rows:
        assert not rows.assignments
    with Gradebook(f"sqlite:///{tmp_path / 'taken-away' / 'gradebook.db'}") as rows:
        assert [one.name for one in rows.assignments] == [SHEET]


@pytest.mark.database
def test_the_table_of_the_semester_has_everybody_and_no_zero_for_no_grade(empty_book, monkeypatch):
    course = empty_book.assignment.course.root
    monkeypatch.chdir(course)
    people = [Person("ada", "Ada Token"), Person("dan", "Dan Mask")]
    plant_roster(course / "submitted", SHEET, people)
    empty_book.enter(ada="Because.")
    keep(replace(verdict(), student="ada", assignment=SHEET))
    keep(replace(verdict(), student="eva", assignment=SHEET, state="unreadable", reason="{"))
    assert "-> grades.csv, 3 students" in type_in(course, blocks("end-of-semester.md")[1], SETTINGS)
    with (course / "grades.csv").open() as file:
        header, ada, dan, eva = csv.reader(file)
    points = f"{verdict().points:g}"
    assert header == ["student", "name", f"{SHEET} (of 9)", "sum"], "7 of checks, 2 by hand"
    assert ada == ["ada", "Ada Token", points, points]
    assert dan == ["dan", "Dan Mask", "", ""] and eva == ["eva", "", "", ""]
    students = (course / "results" / SHEET / "export" / "students.csv").read_text()
    assert "ada" in students and "dan" not in students


def test_an_administrators_commands_do_what_the_page_says(tmp_path):
    version, certificates, copy = blocks("administrator.md")
    assert type_in(tmp_path, version).startswith("autograder ")
    type_in(tmp_path, certificates)
    assert "cert.pem: OK" in type_in(tmp_path, "openssl verify -CAfile ca.pem cert.pem")
    with closing(sqlite3.connect(tmp_path / "gradebook.db")) as book:
        book.execute("CREATE TABLE grade (points)")
        book.commit()
    type_in(tmp_path, copy)
    with closing(sqlite3.connect(tmp_path / "gradebook-copy.db")) as book:
        assert book.execute("SELECT name FROM sqlite_master").fetchall() == [("grade",)]
