"""After each change of what was received, all say the number of the submission that counts: gradebook,
table, page and `show`. Everything is collected and graded by commands.
"""

import csv
import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell
from nbgrader.api import Gradebook
from typed_commands import TOP, typed
from written_answers import Book

from autograder import find_assignment
from autograder.engine.courses import CONFIG, read_course

pytestmark = [pytest.mark.walls, pytest.mark.database]
DUE = datetime(2026, 11, 20, 18)
SOFTMAX = "def softmax(scores):\n    return {}\n"
ANSWERS = {
    "softmax": SOFTMAX.format("torch.softmax(scores, -1)"),
    "prediction": 'prediction = {"sum": "same", 2: [0.5, 0.5]}\n',
    "rescale": "def rescale(scores):\n    return torch.softmax(scores, -1)\n",
}
OTHER = {
    "small-sheet": "other-sheet", "small_sheet": "other_sheet", "softmax": "rescale",
    ".rescale(": ".softmax(", "prediction": "guess", "explain": "reason",
}  # fmt: skip
UNSTABLE = SOFTMAX.format("scores.exp() / scores.exp().sum(-1, keepdim=True)")  # 1.5 of 2 points


class Class:
    """A course whose submissions come from a folder with a student's folder for each."""

    def __init__(self, book: Book, due: datetime = DUE):
        self.book, self.id, self.downloads = book, book.assignment.id, 0
        with book.course.gradebook() as gradebook:
            gradebook.update_or_create_assignment(self.id, duedate=due)

    def configure(self, line: str) -> None:
        with Path(CONFIG).open("a") as file:
            file.write(f"c.LatePolicy.{line}\n")

    def write(self, name: str, *lines: str) -> None:
        """Write one of staff's tables."""
        Path(name).write_text("\n".join([*lines, ""]))

    def collect(self, student: str, when: str, *answered: str, damaged: bool = False) -> None:
        """Collect a submission of November 2026 with these exercises answered."""
        self.downloads += 1
        file = Path(f"{self.id}-{self.downloads}", student, f"{self.id}.ipynb")
        self.write_notebook(file, when, *answered)
        if damaged:
            status = file.stat()
            file.write_text('{"cells": [')
            os.utime(file, (status.st_atime, status.st_mtime))
        self.do("collect", file.parents[1], "--file-times", "--into", "submitted", "--yes")

    def write_notebook(self, file: Path, when: str, *answered: str) -> None:
        notebook = nbformat.read(self.book.assignment.release, as_version=4)
        for cell in notebook.cells:
            cell.source = ANSWERS[cell.id] if cell.id in answered else cell.source
        notebook.cells.append(new_markdown_cell(f"{file}, {when}", id="own"))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(nbformat.writes(notebook))
        self.set_time(file, when)

    def set_time(self, file: Path, when: str) -> None:
        seconds = datetime.strptime(f"2026-11-{when}", "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
        os.utime(file, (seconds.timestamp(), seconds.timestamp()))

    def collect_again(self, download: int, when: str) -> None:
        """Collect the cells of an earlier download in a file with other bytes."""
        (before,) = Path(f"{self.id}-{download}").glob("*/*.ipynb")
        self.downloads += 1
        file = Path(f"{self.id}-{self.downloads}", *before.parts[1:])
        file.parent.mkdir(parents=True)
        file.write_text(before.read_text() + "\n")
        self.set_time(file, when)
        self.do("collect", file.parents[1], "--file-times", "--into", "submitted", "--yes")

    def undo(self) -> None:
        self.do("collect", "--undo", "--into", "submitted", "--yes")

    def do(self, *words: object) -> str:
        status, said = typed(*words, "--assignment", self.id)
        assert status == 0, said
        return said

    def grade(self, *words: str) -> str:
        return self.do("grade", "submitted", "--jobs", "1", *words)

    def regrade(self) -> None:
        """Exchange the points of two checks, and grade by a new process: it has the new graders."""
        check = next(Path("graders").rglob("test_softmax.py"))
        points = re.compile(r"(@pytest.mark.points\()([\d.]+)")
        first, second = (match[2] for match in points.finditer(check.read_text()))
        assert first != second
        swapped = iter([second, first])
        check.write_text(points.sub(lambda match: match[1] + next(swapped), check.read_text()))
        run("autograder", "grade", "submitted", "--jobs", "1", "--changes", "write")

    def numbers(self, student: str) -> set[float | None]:
        """What all say of a student; None where there is no number."""
        assert typed("feedback", self.id, "--jobs", "1")[0] in (0, 1)
        self.do("export", "results", "--format", "csv", "--out", "grades.csv")
        exported, table = (
            self._rows(Path("grades.csv")),
            self._rows(Path("results", self.id, "grades.csv")),
        )
        rows = {id: float(row["total"] or "nan") for id, row in exported.items()}
        for id in exported.keys() & table.keys():
            automatic = exported[id]["automatic"]
            assert not automatic or float(automatic) == float(table[id]["points"])
        with Gradebook(self.book.url) as gradebook:
            entered = {
                one.student.id: max(0.0, one.score - (one.late_submission_penalty or 0.0))
                for one in gradebook.assignment_submissions(self.id)
            }
        page = Path("feedback", student, self.id, f"{self.id}.html")
        on_page = re.search(r"<strong>(\S+)</strong> of", page.read_text() if page.exists() else "")
        shown = re.search(rf"{self.id}: (\S+) of 9 points", typed("show", student)[1])
        found = [float(one[1]) if one else None for one in (on_page, shown)]
        numbers = rows.get(student), entered.get(student), *found
        return {number and round(number, 6) for number in numbers}

    def _rows(self, table: Path) -> dict[str, dict[str, str]]:
        """The rows of a table, by student."""
        with table.open(encoding="utf-8-sig", newline="") as file:
            return {row["student"]: row for row in csv.DictReader(file)}


def interrupt(*arguments: object) -> None:
    raise SystemExit


def run(*words: str) -> None:
    """Run a module of Python in a new process."""
    done = subprocess.run(
        [sys.executable, "-m", *words], env=os.environ | {"PYTHONPATH": str(TOP)}, text=True,
        capture_output=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def small_class(empty_book, monkeypatch) -> Class:
    monkeypatch.chdir(empty_book.assignment.course.root)
    return Class(empty_book)


@pytest.fixture
def other_class(small_class) -> Class:
    """The same course's other assignment: a copy under other names, due a day earlier."""
    for top in ("source/small-sheet", "release/small-sheet", "graders/small_sheet"):
        for file in [one for one in Path(top).rglob("*.*") if one.suffix in (".py", ".ipynb")]:
            name, text = str(file), file.read_text()
            for before, after in OTHER.items():
                name, text = name.replace(before, after), text.replace(before, after)
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text)
    assignment = find_assignment("other-sheet", read_course(Path.cwd()))
    return Class(Book(assignment), DUE - timedelta(1))


def test_a_submission_that_was_never_the_newest_when_graded_counts_in_time(
    small_class, monkeypatch
):
    monkeypatch.setitem(ANSWERS, "softmax", UNSTABLE)
    small_class.configure("percent_per_day = 10")
    small_class.configure('counts = "in time"')
    small_class.collect("ada", "20 12:00", "softmax", "prediction")
    small_class.collect("ada", "21 12:00", "softmax")
    assert "1 earlier submission graded as well" in small_class.grade()
    assert small_class.numbers("ada") == {2.5}
    counting = [line for line in typed("show", "ada")[1].splitlines() if "this one counts" in line]
    assert len(counting) == 1 and counting[0].startswith("2026-11-20 12:00 UTC")
    assert "earlier submission" not in small_class.grade(), "it is graded once"
    small_class.regrade()
    assert small_class.numbers("ada") == {1.5}


def test_whose_only_submission_is_taken_back_has_no_grade(small_class):
    small_class.collect("ben", "19 12:00", "prediction")
    small_class.collect("ada", "20 12:00", "softmax")
    small_class.grade()
    assert small_class.numbers("ada") == {2.0}
    small_class.do("collect", "--undo", "--into", "submitted", "--yes")
    assert "Without a submission, and out of the gradebook: ada." in small_class.grade()
    assert small_class.numbers("ada") == {None}
    assert small_class.numbers("ben") == {1.0}


def test_a_mark_of_ones_own_stays_in_the_gradebook_and_is_named(small_class):
    small_class.collect("ada", "20 12:00", "softmax")
    small_class.collect("ben", "20 12:00", "softmax")
    small_class.grade()
    small_class.book.mark("ada", 1.5)
    row = f"{small_class.id}-1,ada/{small_class.id}.ipynb,-"
    small_class.write("choices.csv", "download,file,student", row)
    small_class.do("collect", "--resolve", "choices.csv", "--into", "submitted", "--yes")
    assert "with marks by hand in the gradebook: ada." in small_class.grade()
    assert small_class.book.given("ada")[0] == 1.5


def test_a_damaged_file_does_not_take_the_place_of_a_sound_one(small_class):
    small_class.collect("ada", "20 12:00", "softmax")
    small_class.grade()
    small_class.collect("ada", "21 12:00", damaged=True)
    said = small_class.grade()
    assert "The newest file cannot be read. The submission of 2026-11-20 12:00 UTC counts." in said
    assert small_class.numbers("ada") == {2.0}


def test_a_member_who_leaves_a_group_leaves_its_points(small_class):
    small_class.write("groups.csv", "student,group", "ada,g1", "ben,g1")
    small_class.collect("ada", "20 12:00", "softmax")
    small_class.grade()
    small_class.book.mark("g1", 1.0)
    small_class.grade()
    assert small_class.numbers("ada") == small_class.numbers("ben") == {3.0}
    leaves = f"ben,,{small_class.id}"
    small_class.write("groups.csv", "student,group,assignment", "ada,g1,", "ben,g1,", leaves)
    assert "out of the gradebook: ben." in small_class.grade()
    assert small_class.numbers("ben") == {None} and small_class.numbers("ada") == {3.0}


@pytest.mark.parametrize("is_group", [False, True])
def test_a_time_in_late_csv_stays_with_the_submission_that_it_was_written_for(
    small_class, is_group
):
    small_class.configure("percent_per_day = 10")
    small_class.collect("ada", "20 19:00", "softmax", "prediction")
    small_class.configure('counts = "in time"')
    if is_group:
        small_class.write("groups.csv", "student,group", "ada,g1", "ben,g1")
    small_class.collect("ada", "20 19:00", "softmax", "prediction")
    late = f"ada,{small_class.id},2026-11-20 17:00Z"
    small_class.write("late.csv", "student,assignment,submitted", late)
    small_class.grade()
    small_class.collect("ada", "22 12:00", "softmax")
    small_class.write("late.csv", "student,assignment,submitted")
    small_class.grade()
    assert small_class.numbers("ada") == {3.0}
    assert small_class.numbers("ben") == ({0.2} if is_group else {None})
    small_class.undo()
    small_class.grade()
    assert small_class.numbers("ada") == {3.0}, "it is the newest again, and has no line"


def test_a_time_that_is_taken_out_of_late_csv_counts_no_more(small_class):
    small_class.configure("percent_per_day = 10")
    small_class.collect("ada", "20 19:00", "softmax")
    header, line = "student,assignment,submitted", f"ada,{small_class.id},2026-11-20 17:00Z"
    small_class.write("late.csv", header, line)
    small_class.grade()
    assert small_class.numbers("ada") == {2.0}
    small_class.write("late.csv", header)
    small_class.grade()
    assert small_class.numbers("ada") == {1.1}


def test_a_time_in_late_csv_for_a_notebook_put_there_by_hand_stays_with_that(small_class):
    small_class.configure("percent_per_day = 10")
    small_class.configure('counts = "in time"')
    small_class.collect("ada", "20 19:00", "prediction")
    mine = Path("submitted", "ada", small_class.id, f"{small_class.id}.ipynb")
    small_class.write_notebook(mine, "20 20:00", "softmax", "prediction")
    header, line = "student,assignment,submitted", f"ada,{small_class.id},2026-11-20 17:00Z"
    small_class.write("late.csv", header, line)
    small_class.grade()
    assert small_class.numbers("ada") == {3.0}
    small_class.write("late.csv", header)
    small_class.collect("ada", "22 12:00", "softmax")
    small_class.grade()
    assert small_class.numbers("ada") == {3.0}


def test_a_damaged_file_that_stays_alone_after_an_undo_gives_no_grade(small_class):
    small_class.collect("ben", "19 12:00", "prediction")
    small_class.collect("ada", "19 12:00", damaged=True)
    small_class.collect("ada", "20 12:00", "softmax")
    small_class.grade()
    small_class.do("collect", "--undo", "--into", "submitted", "--yes")
    assert "out of the gradebook: ada." in small_class.grade()
    assert not {2.0} & small_class.numbers("ada")
    small_class.do("collect", "--undo", "--into", "submitted", "--yes")
    small_class.grade()
    assert not Path("results", small_class.id, "ada.json").exists()


def test_when_all_is_taken_back_nobody_is_in_the_gradebook(small_class):
    small_class.collect("ada", "20 12:00", "softmax")
    small_class.grade()
    small_class.do("collect", "--undo", "--into", "submitted", "--yes")
    said = small_class.do("grade", "submitted", "--jobs", "1")
    assert "Without a submission, and out of the gradebook: ada." in said
    with Gradebook(small_class.book.url) as gradebook:
        assert gradebook.assignment_submissions(small_class.id) == []


def test_the_same_cells_in_another_file_are_two_submissions(small_class):
    small_class.configure("percent_per_day = 10")
    small_class.configure('counts = "in time"')
    small_class.collect("ben", "20 12:00", "prediction")
    small_class.collect("ada", "22 12:00", "softmax")
    small_class.collect_again(2, "20 12:00")
    small_class.grade()
    assert small_class.numbers("ada") == {2.0}
    assert typed("show", "ada")[1].count("this one counts") == 1
    small_class.undo()
    small_class.grade()
    assert small_class.numbers("ada") == {0.2}, "the submission in time is taken back"


@pytest.mark.parametrize("newest", ["late", "damaged"])
def test_an_earlier_submission_counts_by_its_own_time_whatever_has_the_same_cells(
    small_class, newest, monkeypatch
):
    small_class.configure("percent_per_day = 10")
    small_class.configure('counts = "in time"')
    with monkeypatch.context() as patch:
        patch.setitem(ANSWERS, "softmax", UNSTABLE)
        small_class.collect("ada", "20 10:00", "softmax", "prediction")
    small_class.collect("ada", "20 11:00", "prediction")
    small_class.collect_again(1, "20 12:00")
    small_class.collect("ada", "22 12:00", "softmax", damaged=newest == "damaged")
    assert "2 earlier submissions graded" in small_class.grade()
    assert small_class.numbers("ada") == {2.5}
    line = f"ada,{small_class.id},2026-11-20 12:00Z"
    small_class.write("counts.csv", "student,assignment,counts", line)
    assert "no submission is of" not in small_class.grade()
    small_class.regrade()
    assert small_class.numbers("ada") == {1.5}


def test_a_mark_and_a_regrade_of_the_same_cells_agree_everywhere(small_class, monkeypatch):
    small_class.configure('counts = "in time"')
    with monkeypatch.context() as patch:
        patch.setitem(ANSWERS, "softmax", UNSTABLE)
        small_class.collect("ada", "20 12:00", "softmax")
    small_class.collect_again(1, "22 12:00")
    small_class.grade()
    small_class.book.mark("ada", 1.25)
    assert small_class.numbers("ada") == {2.75}
    small_class.regrade()
    assert small_class.numbers("ada") == {1.75}


def test_a_corrected_time_reaches_an_earlier_submission(small_class):
    """The same file with an earlier time: copying makes a file's time later."""
    small_class.configure("percent_per_day = 10")
    small_class.configure('counts = "in time"')
    small_class.collect("ada", "20 19:00", "softmax", "prediction")
    small_class.grade()
    small_class.collect("ada", "21 12:00", "prediction")
    small_class.grade()
    assert small_class.numbers("ada") == {0.1}
    file = Path(f"{small_class.id}-1", "ada", f"{small_class.id}.ipynb")
    small_class.set_time(file, "20 17:00")
    small_class.do("collect", file.parents[1], "--file-times", "--into", "submitted", "--yes")
    small_class.grade()
    assert small_class.numbers("ada") == {3.0}


def test_late_days_of_one_assignment_decide_again_what_counts_in_another(
    small_class, other_class, monkeypatch
):
    small_class.configure("percent_per_day = 10")
    small_class.configure("late_days = 1")
    small_class.configure('counts = "best"')
    with monkeypatch.context() as patch:
        patch.setitem(ANSWERS, "softmax", UNSTABLE)
        small_class.collect("ada", "20 12:00", "softmax", "prediction")
    small_class.collect("ada", "21 12:00", "softmax", "prediction")
    small_class.grade()
    assert small_class.numbers("ada") == {3.0}, "the late day is free"
    other_class.collect("ada", "20 10:00", "rescale")
    other_class.grade()
    assert small_class.numbers("ada") == {2.5}, "the other assignment has used it"
    small_class.write("extensions.csv", "student,assignment,until", "ada,other-sheet,2026-11-21")
    other_class.do("enter", "results")
    assert small_class.numbers("ada") == {3.0}
    small_class.write("extensions.csv", "student,assignment,until")
    newest = f"ada,{small_class.id},newest"
    small_class.write("counts.csv", "student,assignment,counts", newest)
    run("nbgrader", "autograde", "other-sheet", "--force")
    assert small_class.numbers("ada") == {2.1}
    other_class.undo()
    other_class.grade()
    assert small_class.numbers("ada") == {3.0}, "nobody is left who has used it"


def test_whose_submission_is_the_groups_stays_until_it_is_collected_again(small_class):
    small_class.write("groups.csv", "student,group", "ada,g1", "ben,g1")
    small_class.collect("ada", "19 12:00", "prediction")
    small_class.collect("ben", "20 12:00", "softmax")
    small_class.grade()
    leaves = f"ben,,{small_class.id}"
    small_class.write("groups.csv", "student,group,assignment", "ada,g1,", "ben,g1,", leaves)
    assert "than the one for which they submitted: ben. Collect again" in small_class.grade()
    small_class.do("collect", f"{small_class.id}-2", "--file-times", "--into", "submitted", "--yes")
    small_class.grade()
    assert small_class.numbers("ada") == {1.0} and small_class.numbers("ben") == {2.0}


def test_whose_submission_is_the_groups_takes_its_mark_along(small_class):
    lines = [f"{student},g1,{small_class.id}" for student in ("ada", "ben")]
    header = "student,group,assignment"
    small_class.write("groups.csv", header, *lines)
    small_class.collect("ben", "20 12:00", "softmax")
    small_class.grade()
    small_class.book.mark("ben", 2.0)
    small_class.write("groups.csv", header, lines[0], f"ben,,{small_class.id}")
    assert "than the one for which they submitted: ben. Collect again" in small_class.grade()
    assert "Empty the marks" not in small_class.grade()
    small_class.do("collect", f"{small_class.id}-1", "--file-times", "--into", "submitted", "--yes")
    small_class.grade()
    assert small_class.numbers("ben") == {4.0}


def test_a_time_to_come_never_counts_as_an_earlier_submission(small_class):
    """Whatever the rule, and whatever the newest file is."""
    small_class.configure("percent_per_day = 10")
    inbound = Path("inbound").absolute()
    for when, answered in (
        ("2026-11-21 12:00:00", "prediction"),
        ("2099-01-01 00:00:00", "softmax"),
    ):
        folder = inbound / f"ada+{small_class.id}+{when} UTC+x"
        small_class.collect("ada", "01 12:00", answered)
        small_class.do("collect", "--undo", "--into", "submitted", "--yes")
        shutil.move(f"{small_class.id}-{small_class.downloads}/ada", folder)
    small_class.do("collect", inbound, "--into", "submitted", "--yes")
    for rule in ("newest", "in time", "best"):
        small_class.configure(f'counts = "{rule}"')
        small_class.grade()
        assert small_class.numbers("ada") == {0.1}, rule
    damaged = inbound / f"ada+{small_class.id}+2026-11-22 12:00:00 UTC+y"
    damaged.mkdir()
    (damaged / f"{small_class.id}.ipynb").write_text("{")
    small_class.do("collect", inbound, "--into", "submitted", "--yes")
    small_class.grade()
    assert small_class.numbers("ada") == {0.1}


def test_of_two_notebooks_in_one_upload_each_student_has_the_chosen_one(small_class):
    """Also where an earlier submission may count, and after another choice."""
    small_class.configure('counts = "best"')
    small_class.write_notebook(Path("download", "ada", "aa.ipynb"), "20 12:00", "softmax")
    small_class.write_notebook(Path("download", "ada", "bb.ipynb"), "20 12:00", "prediction")
    words = "--into", "submitted", "--yes", "--assignment", small_class.id
    assert typed("collect", "download", "--file-times", *words)[0] == 3
    for of_ada, of_ben in (("aa", "bb"), ("bb", "aa")):
        rows = [f"download,ada/{of_ada}.ipynb,ada", f"download,ada/{of_ben}.ipynb,ben"]
        small_class.write("choices.csv", "download,file,student", *rows)
        small_class.do("collect", "--resolve", "choices.csv", "--into", "submitted", "--yes")
        small_class.grade()
        points = {"aa": {2.0}, "bb": {1.0}}
        numbers = small_class.numbers("ada"), small_class.numbers("ben")
        assert numbers == (points[of_ada], points[of_ben])


def test_a_run_is_not_undone_if_a_mark_was_given_for_an_answer_that_goes_with_it(small_class):
    """Extra credit is a mark, and so is one that was put aside with its answer."""
    undo = "collect", "--undo", "--into", "submitted", "--yes", "--assignment", small_class.id
    small_class.collect("ada", "20 12:00", "prediction")
    small_class.grade()
    small_class.book.mark("ada", 0.25, cell="check_rms_norm")  # all her submissions have this
    small_class.collect("ada", "20 13:00", "softmax")
    small_class.grade()
    small_class.book.mark("ada", None, cell="check_softmax", extra=0.5)
    small_class.collect("ada", "20 14:00", "prediction")
    small_class.grade()
    assert small_class.numbers("ada") == {1.25}
    assert typed(*undo)[0] == 0
    status, said = typed(*undo)
    assert status == 2 and "ada: marks were given by hand for what this run brought" in said
    small_class.grade()
    assert small_class.numbers("ada") == {2.75}
    small_class.book.mark("ada", None, cell="check_softmax")
    assert typed(*undo)[0] == 0
    small_class.grade()
    assert small_class.numbers("ada") == {1.25}


def test_an_extension_in_the_gradebook_stays_while_nothing_is_submitted(small_class):
    small_class.configure("percent_per_day = 10")
    small_class.collect("ben", "20 12:00", "softmax")
    small_class.collect("ada", "21 12:00", "softmax")
    small_class.grade()
    with Gradebook(small_class.book.url) as gradebook:
        gradebook.find_submission(small_class.id, "ada").extension = timedelta(days=2)
        gradebook.db.commit()
    small_class.do("collect", "--undo", "--into", "submitted", "--yes")
    small_class.grade()
    small_class.do("export", "results", "--format", "csv", "--out", "grades.csv")
    assert "ada" not in Path("grades.csv").read_text()
    small_class.do("collect", f"{small_class.id}-2", "--file-times", "--into", "submitted", "--yes")
    small_class.grade()
    assert small_class.numbers("ada") == {2.0}


def test_the_same_bytes_submitted_again_under_another_name_are_two_submissions(small_class):
    small_class.configure("percent_per_day = 10")
    small_class.configure('counts = "in time"')
    small_class.collect("ada", "20 12:00", "softmax", "prediction")
    (before,) = Path(f"{small_class.id}-1").glob("*/*.ipynb")
    again = Path(f"{small_class.id}-again", "ada", "again.ipynb")
    again.parent.mkdir(parents=True)
    again.write_bytes(before.read_bytes())
    small_class.set_time(again, "22 12:00")
    small_class.do("collect", again.parents[1], "--file-times", "--into", "submitted", "--yes")
    small_class.grade()
    assert small_class.numbers("ada") == {3.0}


def test_a_submission_without_a_time_is_never_in_time(small_class):
    small_class.configure("percent_per_day = 10")
    small_class.configure('counts = "in time"')
    small_class.collect("ada", "20 12:00", "softmax", "prediction")
    small_class.grade()
    file = Path("untimed", "ada", f"{small_class.id}.ipynb")
    small_class.write_notebook(file, "22 12:00", "prediction")
    small_class.do("collect", file.parents[1], "--into", "submitted", "--yes")
    small_class.grade()
    assert small_class.numbers("ada") == {3.0}


def test_undo_takes_no_notebook_back_that_somebody_put_there_by_hand(small_class):
    small_class.collect("ada", "20 10:00", "prediction")
    small_class.grade()
    mine = Path("submitted", "ada", small_class.id, f"{small_class.id}.ipynb")
    small_class.write_notebook(mine, "20 11:00", "softmax", "prediction")
    small_class.grade()
    assert small_class.numbers("ada") == {3.0}
    small_class.collect("ben", "20 12:00", "prediction")
    small_class.undo()
    small_class.grade()
    assert small_class.numbers("ada") == {3.0} and "softmax" in mine.read_text()


def test_without_penalties_what_counts_in_another_assignment_stays_as_well(
    small_class, other_class, monkeypatch
):
    small_class.configure("percent_per_day = 10")
    small_class.configure("late_days = 1")
    small_class.configure('counts = "best"')
    with monkeypatch.context() as patch:
        patch.setitem(ANSWERS, "softmax", UNSTABLE)
        small_class.collect("ada", "20 12:00", "softmax", "prediction")
    small_class.collect("ada", "21 12:00", "softmax", "prediction")
    small_class.grade()
    other_class.collect("ada", "20 10:00", "rescale")
    other_class.grade("--no-penalties")
    assert small_class.numbers("ada") == {3.0}
    other_class.grade()
    assert small_class.numbers("ada") == {2.5}


def test_equal_answers_of_two_groups_have_marks_of_their_own(small_class):
    """Also if somebody is a member of both, or moves from one to the other."""
    lines = "ada,g1", "cleo,g1", "ben,g2", "cleo,g2"
    small_class.write("groups.csv", "student,group", *lines)
    small_class.collect("ada", "20 12:00", "softmax")
    small_class.collect("ben", "20 12:00", "prediction")
    small_class.grade()
    same = "check_rms_norm"  # both have left this exercise as it was released
    small_class.book.mark("g1", 0.25, cell=same)
    small_class.grade()
    assert small_class.numbers("cleo") == small_class.numbers("ada") == {2.25}
    assert small_class.numbers("ben") == {1.0}
    lines = f"ada,g1,{small_class.id}", f"ben,g2,{small_class.id}", f"cleo,g2,{small_class.id}"
    small_class.write("groups.csv", "student,group,assignment", *lines)
    small_class.grade()
    assert small_class.numbers("cleo") == small_class.numbers("ben") == {1.0}
    small_class.book.mark("ben", 0.5, cell=same)
    small_class.grade()
    assert small_class.numbers("cleo") == {1.5} and small_class.numbers("ada") == {2.25}


def test_a_mark_that_is_emptied_at_one_member_is_gone_at_all(small_class):
    small_class.write("groups.csv", "student,group", "ada,g1", "ben,g1")
    small_class.collect("ada", "20 12:00", "prediction")
    small_class.grade()
    small_class.book.mark("ben", 2.0)
    small_class.book.mark("ada", 0.5, cell="check_softmax")
    small_class.grade()
    assert small_class.numbers("ada") == small_class.numbers("ben") == {3.5}
    small_class.book.mark("ada", None)
    small_class.book.mark("ben", None, cell="check_softmax")
    small_class.grade()
    assert small_class.numbers("ada") == small_class.numbers("ben") == {1.0}
    assert small_class.book.waits("ada") and small_class.book.waits("ben")


def test_a_choice_that_was_interrupted_and_made_again_leaves_no_verdict_of_before(
    small_class, monkeypatch
):
    small_class.configure('counts = "best"')
    small_class.write_notebook(Path("download", "ada", "aa.ipynb"), "20 12:00", "softmax")
    small_class.write_notebook(Path("download", "ada", "bb.ipynb"), "20 12:00", "prediction")
    words = "--into", "submitted", "--yes", "--assignment", small_class.id
    assert typed("collect", "download", "--file-times", *words)[0] == 3
    resolve = "collect", "--resolve", "choices.csv", *words
    row = "download,ada/{}.ipynb,ada".format
    small_class.write("choices.csv", "download,file,student", row("aa"))
    assert typed(*resolve)[0] == 0
    small_class.grade()
    small_class.write("choices.csv", "download,file,student", row("bb"))
    with monkeypatch.context() as patch:
        patch.setattr("autograder.platforms.collect.run.write_placements", interrupt)
        with pytest.raises(SystemExit):
            typed(*resolve)
    typed("grade", "submitted", "--jobs", "1", "--assignment", small_class.id)
    assert typed(*resolve)[0] == 0
    small_class.grade()
    assert small_class.numbers("ada") == {1.0}


@pytest.mark.parametrize("how", ["star", "lines"])
@pytest.mark.parametrize("row", ["g1", "ada"])
def test_a_mark_stays_when_the_assignment_is_done_alone_after_all(small_class, row, how):
    """No group is left for the assignment: the mark of a group goes along with what was sent."""
    id = small_class.id
    small_class.write("groups.csv", "student,group,assignment", "ada,g1,", "ben,g1,")
    small_class.collect("ada", "20 12:00", "softmax")
    small_class.grade()
    small_class.book.mark(row, 1.0)
    small_class.grade()
    assert small_class.numbers("ada") == small_class.numbers("ben") == {3.0}
    alone = [f"*,,{id}"] if how == "star" else [f"ada,,{id}", f"ben,,{id}"]
    small_class.write("groups.csv", "student,group,assignment", "ada,g1,", "ben,g1,", *alone)
    small_class.do("collect", f"{id}-1", "--file-times", "--into", "submitted", "--yes")
    small_class.grade()
    small_class.grade()
    assert small_class.numbers("ada") == {3.0}


def test_a_comment_without_points_is_of_the_earlier_text(small_class):
    """The answer that is commented is replaced before it has points."""
    small_class.collect("ada", "20 12:00", "softmax")
    small_class.grade()
    small_class.book.mark("ada", None, comment="Which root?")
    file = Path("again", "ada", f"{small_class.id}.ipynb")
    small_class.write_notebook(file, "20 13:00", "softmax")
    notebook = nbformat.read(file, as_version=4)
    next(cell for cell in notebook.cells if cell.id == "explain").source = "The root of the mean."
    file.write_text(nbformat.writes(notebook))
    small_class.set_time(file, "20 13:00")
    small_class.do("collect", "again", "--file-times", "--into", "submitted", "--yes")
    small_class.grade()
    assert typed("feedback", small_class.id, "--jobs", "1")[0] in (0, 1)
    page = Path("feedback", "ada", small_class.id, f"{small_class.id}.html").read_text()
    assert "Which root?" not in page


@pytest.mark.parametrize("rule", ["in time", "best"])
def test_who_joins_a_group_has_the_extension_of_a_member_at_once(small_class, rule):
    """The extension is in the gradebook; with a line in `extensions.csv` it is right at once."""
    id, header = small_class.id, "student,group,assignment"
    small_class.configure("percent_per_day = 15")
    small_class.configure(f'counts = "{rule}"')
    small_class.write("groups.csv", header, f"ada,g1,{id}", f"cleo,g1,{id}")
    small_class.collect("ada", "20 12:00", "prediction")
    small_class.collect("ada", "21 12:00", "softmax")
    small_class.grade()
    with Gradebook(small_class.book.url) as gradebook:
        gradebook.find_submission(id, "ada").extension = timedelta(days=2)
        gradebook.db.commit()
    small_class.grade()
    assert small_class.numbers("ada") == {2.0}
    lines = [f"{student},g1,{id}" for student in ("ada", "ben", "cleo")]
    small_class.write("groups.csv", header, *lines)
    small_class.do("collect", f"{id}-1", "--file-times", "--into", "submitted", "--yes")
    small_class.grade()
    first = small_class.numbers("ben")
    small_class.grade()
    assert small_class.numbers("ben") == {2.0}
    assert first == {2.0}


def test_extra_credit_of_an_answer_without_points_is_the_same_everywhere(small_class):
    small_class.collect("ada", "20 12:00", "softmax")
    small_class.grade()
    small_class.book.mark("ada", None, extra=0.5)  # of `explain`, which still waits
    small_class.grade()
    numbers = small_class.numbers("ada")
    assert len(numbers) == 1, numbers


def test_a_comment_without_points_is_given_to_the_other_members(small_class):
    small_class.write("groups.csv", "student,group", "ada,g1", "ben,g1")
    small_class.collect("ada", "20 12:00", "softmax")
    small_class.grade()
    small_class.book.mark("ada", None, comment="Which root?")
    small_class.grade()
    assert small_class.book.given("ben")[2] == "Which root?"


def test_a_members_own_notebook_stays_this_members_when_nothing_new_is_collected(small_class):
    id = small_class.id
    small_class.write("groups.csv", "student,group", "ada,g1", "ben,g1")
    small_class.collect("ben", "20 12:00", "softmax")
    small_class.grade()
    own = Path("submitted", "ada", id, f"{id}.ipynb")
    small_class.write_notebook(own, "20 11:00", "softmax", "prediction")
    small_class.grade()
    assert small_class.numbers("ada") == {3.0} and small_class.numbers("ben") == {2.0}
    small_class.do("collect", f"{id}-1", "--file-times", "--into", "submitted", "--yes")
    small_class.grade()
    assert small_class.numbers("ada") == {3.0} and small_class.numbers("ben") == {2.0}
