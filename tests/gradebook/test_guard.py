"""nbgrader refuses what it must not open, one student at a time, and copies nothing else."""

import json
import logging
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from nbgrader.apps import NbGraderAPI
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeFactory
from nbgrader.nbgraderformat import SchemaTooOldError
from sqlalchemy.exc import OperationalError

from autograder.engine.assignment import find_assignment
from autograder.engine.course import make_course, read_config, read_course
from autograder.gradebook import submitted_files
from autograder.gradebook.nbgrader_course import NbgraderCourse
from autograder.gradebook.submitted_files import Refused, check_folder

pytestmark = pytest.mark.database

SECRET = "nobody may read this"
UNGRADED = """
c.Autograde.sanitize_preprocessors = []  # what is graded is not looked at here
c.Autograde.autograde_preprocessors = []
c.Autograde.exclude_overwriting = {"small-sheet": ["helper.py"]}
"""
REFUSED = {  # and what the sentence says
    "link-to-folder": "`small-sheet` is a link or no folder",
    "link-to-student": "`link-to-student` is a link or no folder",
    "link-to-notebook": "`small-sheet.ipynb` is a link",
    "link-beside": "`secret.db` is a link",
    "link-below": "`data/secret.db` is a link",
    "link-to-zero": "`zero` is a link",
    "link-as-time": "`timestamp.txt` is a link",
    "pipe-as-time": "`timestamp.txt` is a link, a pipe",
    "pipe-as-notebook": "`small-sheet.ipynb` is a link, a pipe",
    "holes": "`holes.bin` has 1048576 MiB",
    "damaged": "its JSON is damaged",
    "deep": "its JSON is damaged",
    "no-utf-8-name": "is not UTF-8",
    "other-name": "there is no `small-sheet.ipynb`",
    "*": "cannot be a student's id",
    "a\nb": "cannot be a student's id",
    "\udcff": "cannot be a student's id",
}


@dataclass(frozen=True)
class Odd:
    """A course in which one student is honest, one sends files of her own, and the others are odd."""

    root: Path
    error: str  # what autograding ended with
    log: str
    feedback_error: str
    feedback_log: str


def hand_in(root: Path, assignment, student: str) -> Path:
    """Hand in the release; return its folder."""
    folder = root / "submitted" / student / assignment.id
    folder.mkdir(parents=True)
    shutil.copy(assignment.release, folder / f"{assignment.id}.ipynb")
    return folder


def make_odd(root: Path, assignment) -> None:
    made = {
        student: hand_in(root, assignment, student)
        for student in [*REFUSED, "honest", "extra", "wrong-types"]
        if not student.startswith(("link-to-folder", "link-to-student"))
    }
    honest, book = made["honest"], f"{assignment.id}.ipynb"
    secret = root / "secret.db"
    secret.write_text(SECRET)
    (root / "submitted" / "link-to-student").symlink_to(honest.parent)
    (root / "submitted" / "link-to-folder").mkdir()
    (root / "submitted" / "link-to-folder" / assignment.id).symlink_to(honest)
    for student, name, target in (
        ("link-to-notebook", book, honest / book),
        ("link-beside", "secret.db", secret),
        ("link-below", "data/secret.db", secret),
        ("link-to-zero", "zero", Path("/dev/zero")),
        ("link-as-time", "timestamp.txt", secret),
    ):
        link = made[student] / name
        link.parent.mkdir(exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(target)
    os.mkfifo(made["pipe-as-time"] / "timestamp.txt")
    (made["pipe-as-notebook"] / book).unlink()
    os.mkfifo(made["pipe-as-notebook"] / book)
    (made["holes"] / "holes.bin").touch()
    os.truncate(made["holes"] / "holes.bin", 1 << 40)
    (made["damaged"] / book).write_text("{")
    (made["deep"] / book).write_text("[" * 100_000)
    (made["no-utf-8-name"] / book).rename(made["no-utf-8-name"] / "\udcff.ipynb")
    (made["other-name"] / book).rename(made["other-name"] / "my work.ipynb")
    _give_wrong_types(made["wrong-types"] / book)
    for name in ("answers.db", "helper.py", "timestamp.txt"):
        (made["extra"] / name).write_text("2026-11-20 15:00:00 UTC")
    (honest / "timestamp.txt").write_text("yesterday, honestly")


def _give_wrong_types(notebook: Path) -> None:
    """Write what our reader takes, and nbformat does not."""
    content = json.loads(notebook.read_text())
    content["metadata"], content["nbformat"] = [1], "4"
    for cell in content["cells"]:
        cell["attachments"] = cell["outputs"] = 5
    notebook.write_text(json.dumps(content))


def convert(kind, course: NbgraderCourse, assignment) -> tuple[str, str]:
    """Run one of nbgrader's converters for all; return what it ended with, and its messages."""
    folders = CourseDirectory(config=course.config, assignment_id=assignment.id)
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    log = logging.Logger("nbgrader")
    log.addHandler(handler)
    try:
        kind(coursedir=folders, config=course.config, force=True, log=log).start()
    except NbGraderException as error:
        return str(error), "\n".join(lines)
    return "", "\n".join(lines)


@pytest.fixture(scope="module")
def odd(small_course, tmp_path_factory) -> Odd:
    root = tmp_path_factory.mktemp("odd")
    course = make_course(root, small_course, UNGRADED)
    assignment = find_assignment("small-sheet", course)
    gradebook = NbgraderCourse(course)
    gradebook.register(assignment)
    make_odd(root, assignment)
    graded = convert(Autograde, gradebook, assignment)
    beside = root / "autograded" / "honest" / assignment.id / "left-by-an-earlier-run.db"
    beside.write_text(SECRET)
    linked = root / "autograded" / "linked" / assignment.id
    shutil.copytree(beside.parent, linked)
    (linked / "page.png").symlink_to(root / "secret.db")
    return Odd(root, *graded, *convert(GenerateFeedback, gradebook, assignment))


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def test_the_honest_are_graded_and_each_other_is_refused_in_a_sentence(odd):
    graded = {path.name for path in (odd.root / "autograded").iterdir()}
    assert graded == {"honest", "extra", "wrong-types", "linked"}
    refused = odd.error.splitlines()
    assert len(refused) == len(REFUSED)
    for student, words in REFUSED.items():
        assert any(words in line for line in refused), student
        assert any(words in line for line in odd.log.splitlines()), student
    assert "Traceback" not in odd.log and SECRET not in odd.log


def test_nothing_of_a_students_is_copied_but_what_the_staff_ask_for(odd):
    book = "small-sheet/small-sheet.ipynb"
    assert files_in(odd.root / "autograded" / "extra") == {
        book,
        "small-sheet/helper.py",
        "small-sheet/timestamp.txt",
    }
    assert files_in(odd.root / "feedback") == {
        "honest/small-sheet/small-sheet.html",
        "wrong-types/small-sheet/small-sheet.html",
        "extra/small-sheet/small-sheet.html",
        "extra/small-sheet/timestamp.txt",
        "damaged/small-sheet/small-sheet.html",  # which says that the notebook cannot be read
        "deep/small-sheet/small-sheet.html",
    }
    for page in (odd.root / "feedback").rglob("*.html"):
        assert SECRET not in page.read_text()


def test_a_link_in_what_was_graded_is_refused_too(odd):
    assert odd.feedback_error.count("\n") == 0 and "`page.png` is a link" in odd.feedback_error
    assert not (odd.root / "feedback" / "linked").exists()


def test_formgrader_lists_students_without_opening_what_they_sent(odd):
    config = read_config(odd.root)
    config.CourseDirectory.root = str(odd.root)
    api = NbGraderAPI(config=config)
    students = {one["student"]: one["timestamp"] for one in api.get_submissions("small-sheet")}
    assert {"honest", "extra", "pipe-as-time"} <= students.keys()
    assert not {"*", "a\nb", "\udcff"} & students.keys()
    json.dumps(sorted(students), ensure_ascii=False).encode()
    assert students["pipe-as-time"] is None and students["honest"] is None
    assert students["extra"].startswith("2026-11-20T15:00:00")
    assert api.autograde("small-sheet", "honest")["success"]
    refused = api.autograde("small-sheet", "link-beside")
    assert not refused["success"] and "`secret.db` is a link" in refused["error"]


def test_a_locked_gradebook_ends_the_run_at_once(odd, small, monkeypatch):
    asked = []

    def locked(self, assignment_id, student_id):
        asked.append(student_id)
        raise OperationalError("INSERT", {}, Exception("database is locked"))

    monkeypatch.setattr(Autograde, "init_destination", locked)
    error, _ = convert(Autograde, NbgraderCourse(read_course(odd.root)), small)
    assert len(asked) == 1 and "error accessing the nbgrader database" in error


def test_what_ends_nbgraders_own_loop_ends_one_student_only(odd, small, monkeypatch):
    asked = []

    def too_old(self, assignment_id, student_id):
        asked.append(student_id)
        raise SchemaTooOldError("old")

    monkeypatch.setattr(Autograde, "init_destination", too_old)
    error, _ = convert(Autograde, NbgraderCourse(read_course(odd.root)), small)
    assert asked == ["extra", "honest", "wrong-types"] and "'honest': NbGraderException" in error


@pytest.fixture
def exchange(course, tmp_path):
    """What collects from an exchange, as the course's configuration says."""
    config = read_config(course.root)
    config.Exchange.root = str(tmp_path / "exchange")
    folders = CourseDirectory(root=str(tmp_path), course_id="a-course", assignment_id="sheet")
    (tmp_path / "exchange" / "a-course" / "inbound").mkdir(parents=True)
    collect = ExchangeFactory(config=config).Collect(coursedir=folders)
    collect.check_owner = False
    return collect


def hand_in_through(exchange, student: str, minute: int) -> Path:
    """Place a submission in the exchange; return its folder."""
    time = f"2026-11-20 15:{minute:02}:00 UTC"
    folder = Path(exchange.root) / "a-course" / "inbound" / f"{student}+sheet+{time}+random"
    folder.mkdir()
    (folder / "sheet.ipynb").write_text(f"{student} at {minute}")
    (folder / "timestamp.txt").write_text(time)
    return folder


def test_the_exchange_is_collected_without_what_holds_a_link(exchange, tmp_path):
    for student in ("ada", "eve"):
        folder = hand_in_through(exchange, student, 1)
    (folder / "more.ipynb").symlink_to(tmp_path)
    exchange.start()
    submitted = {name for name in files_in(tmp_path / "submitted") if name.endswith(".ipynb")}
    assert submitted == {"ada/sheet/sheet.ipynb"}


def test_a_time_that_is_none_or_a_link_ends_no_collecting_and_gives_way(exchange, tmp_path):
    (tmp_path / "newer").write_text("2099-01-01 00:00:00 UTC")
    for student in ("ada", "ben", "cleo"):
        hand_in_through(exchange, student, 1)
    exchange.start()
    (tmp_path / "submitted" / "ada" / "sheet" / "timestamp.txt").write_text("yesterday, honestly")
    link = tmp_path / "submitted" / "ben" / "sheet" / "timestamp.txt"
    link.unlink()
    link.symlink_to(tmp_path / "newer")
    for student in ("ada", "ben", "cleo"):
        hand_in_through(exchange, student, 2)
    exchange.update = True
    exchange.start()
    for student in ("ada", "ben", "cleo"):
        notebook = tmp_path / "submitted" / student / "sheet" / "sheet.ipynb"
        assert notebook.read_text() == f"{student} at 2"


def test_a_folder_with_too_many_files_or_too_deep_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(submitted_files, "MAX_FILES", 3)
    monkeypatch.setattr(submitted_files, "MAX_DEPTH", 2)
    for number in range(3):
        (tmp_path / f"{number}").touch()
    check_folder("ada", tmp_path, tmp_path)
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    with pytest.raises(Refused, match="`a/b/c` is a folder too deep"):
        check_folder("ada", tmp_path, tmp_path)
    (tmp_path / "a" / "b" / "c").rmdir()
    (tmp_path / "3").touch()
    with pytest.raises(Refused, match="more than 3 files"):
        check_folder("ada", tmp_path, tmp_path)


def test_the_guard_costs_nothing_where_nbgrader_is_not_used(course):
    code = (
        "import sys\nfrom autograder.engine.course import read_config\nfrom pathlib import Path\n"
        "read_config(Path(sys.argv[1]))\nprint('nbgrader' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(course.root)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said == "False\n"
