"""nbgrader refuses what it must not open, one student at a time, and copies nothing else."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
from converters import convert
from nbgrader.apps import NbGraderAPI
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeError, ExchangeFactory
from nbgrader.nbgraderformat import SchemaTooOldError
from sqlalchemy.exc import OperationalError

from autograder import Assignment, AutograderError, Course, find_assignment
from autograder.classroom import submitted_files
from autograder.classroom.submitted_files import check_folder
from autograder.engine import Graded, RunSettings, Submission
from autograder.engine.courses import CHECK, CONFIG, read_config, read_course
from autograder.engine.grading import unreadable
from autograder.engine.grading.graded import empty
from autograder.gradebook.pages.feedback import FeedbackPages
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse

pytestmark = pytest.mark.database

SECRET = "nobody may read this"
ALONE = "nbgraders-own"  # an assignment without hidden graders
UNGRADED = "c.Autograde.autograde_preprocessors = []  # what is graded is not looked at here\n"
REFUSED = {  # and what the sentence says
    "link-to-folder": "` is a link or no folder",
    "link-to-student": "`link-to-student` is a link or no folder",
    "link-to-notebook": ".ipynb` is a link",
    "link-beside": "`secret.db` is a link",
    "link-below": "`data/secret.db` is a link",
    "link-to-zero": "`zero` is a link",
    "link-as-time": "`timestamp.txt` is a link",
    "pipe-as-time": "`timestamp.txt` is a link, a pipe",
    "pipe-as-notebook": ".ipynb` is a link, a pipe",
    "holes": "`holes.bin` has 1048576 MiB",
    "*": "cannot be a student's id",
    "a\nb": "cannot be a student's id",
    "\udcff": "cannot be a student's id",
}
RENAMED = {"no-utf-8-name": "there is no `", "other-name": "there is no `"}  # by nbgrader alone
UNREADABLE = {"damaged": "its JSON is damaged", "deep": "its JSON is damaged"}


@dataclass(frozen=True)
class Odd:
    """A course in which one student is honest, one sends files of her own, and the others are odd."""

    root: Path
    assignment: Assignment
    error: str  # what autograding ended with
    log: str
    feedback_error: str

    @property
    def has_graders(self) -> bool:
        return self.assignment.id != ALONE


def hand_in(root: Path, assignment, student: str) -> Path:
    """Hand in the release; return its folder."""
    folder = root / "submitted" / student / assignment.id
    folder.mkdir(parents=True)
    shutil.copy(assignment.release, folder / f"{assignment.id}.ipynb")
    return folder


def make_odd(root: Path, assignment) -> None:
    made = {
        student: hand_in(root, assignment, student)
        for student in [*REFUSED, *RENAMED, *UNREADABLE, "honest", "extra", "wrong-types"]
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


def make_alone(course: Course) -> None:
    """Add an assignment whose check cells are named as nbgrader's own are."""
    content = json.loads((course.source / "small-sheet" / "small-sheet.ipynb").read_text())
    for cell in content["cells"]:
        cell["id"] = cell["id"].replace(CHECK, "test-").replace("_", "-")
        if ours := cell["metadata"].get("nbgrader"):
            ours["grade_id"] = cell["id"]
    for folder in (course.source, course.release):
        (folder / ALONE).mkdir()
        (folder / ALONE / f"{ALONE}.ipynb").write_text(json.dumps(content))


def cheap_grader(settings: RunSettings, **_) -> SimpleNamespace:
    """What gives no points, and needs no walls."""

    def grade(submission: Submission) -> Graded:
        if submission.unreadable:
            return unreadable(settings, submission)
        return Graded(empty(settings, submission, "graded"), {}, [], submission)

    return SimpleNamespace(grade_submission=grade)


@pytest.fixture(scope="module", params=["small-sheet", ALONE])
def odd(small_course, tmp_path_factory, request) -> Iterator[Odd]:
    root = tmp_path_factory.mktemp("odd") / "course"
    shutil.copytree(small_course.root, root, ignore=shutil.ignore_patterns("__pycache__"))
    with (root / CONFIG).open("a") as config:
        config.write(UNGRADED)
    make_alone(read_course(root))
    assignment = find_assignment(request.param, read_course(root))
    gradebook = NbgraderCourse(assignment.course)
    gradebook.register(assignment)
    make_odd(root, assignment)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("autograder.engine.grading.grade.prepare", cheap_grader)
        error, log = convert(Autograde, gradebook, assignment)
        beside = root / "autograded" / "honest" / assignment.id
        (beside / "left-by-an-earlier-run.db").write_text(SECRET)
        (beside / "page.png").symlink_to(root / "secret.db")
        linked = root / "autograded" / "linked" / assignment.id / f"{assignment.id}.ipynb"
        linked.parent.mkdir(parents=True)
        linked.symlink_to(beside / linked.name)
        feedback_error, _ = convert(GenerateFeedback, gradebook, assignment)
        yield Odd(root, assignment, error, log, feedback_error)


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def test_the_honest_are_graded_and_each_other_is_refused_in_a_sentence(odd):
    graded = {path.name for path in (odd.root / "autograded").iterdir()}
    refused = REFUSED | (UNREADABLE if odd.has_graders else RENAMED)
    others = {"wrong-types", *RENAMED} if odd.has_graders else set()
    assert {"honest", "extra", "linked"} | others <= graded and not graded & refused.keys()
    said = odd.error.splitlines()
    for student, words in refused.items():
        assert any(words in line for line in said), student
        assert any(words in line for line in odd.log.splitlines()), student
    assert SECRET not in odd.log
    if odd.has_graders:
        assert len(said) == len(refused) and "Traceback" not in odd.log


def test_nothing_of_a_students_is_copied_but_what_nbgraders_own_grading_needs(odd):
    id = odd.assignment.id
    beside = set() if odd.has_graders else {f"{id}/answers.db", f"{id}/helper.py"}
    made = {f"{id}/{id}.ipynb", f"{id}/timestamp.txt"}
    assert files_in(odd.root / "autograded" / "extra") == made | beside


def test_a_page_is_made_of_the_graded_notebook_alone_and_of_no_link(odd):
    id = odd.assignment.id
    pages = {path.parents[1].name for path in (odd.root / "feedback").rglob("*.html")}
    assert {"honest", "extra"} <= pages and "linked" not in pages
    assert not {*REFUSED} & pages
    assert (
        odd.feedback_error.count("\n") == 0 and f"`{id}.ipynb` is no regular" in odd.feedback_error
    )
    for student in pages:
        assert files_in(odd.root / "feedback" / student) == {f"{id}/{id}.html"}
    for page in (odd.root / "feedback").rglob("*.html"):
        assert SECRET not in page.read_text()
    if odd.has_graders:  # they are told that the notebook cannot be read
        assert {*UNREADABLE} <= pages


def test_formgrader_lists_students_without_opening_what_they_sent(odd):
    config = read_config(odd.root)
    config.CourseDirectory.root = str(odd.root)
    api = NbGraderAPI(config=config)
    id = odd.assignment.id
    students = {one["student"]: one["timestamp"] for one in api.get_submissions(id)}
    assert {"honest", "extra", "pipe-as-time"} <= students.keys()
    assert not {"*", "a\nb", "\udcff"} & students.keys()
    json.dumps(sorted(students), ensure_ascii=False).encode()
    assert students["pipe-as-time"] is None and students["honest"] is None
    assert students["extra"].startswith("2026-11-20T15:00:00")
    assert api.autograde(id, "honest")["success"]
    refused = api.autograde(id, "link-beside")
    assert not refused["success"] and "`secret.db` is a link" in refused["error"]


@pytest.mark.parametrize("odd", [ALONE], indirect=True)
@pytest.mark.parametrize(
    ("raised", "asked", "words"),
    [
        (OperationalError("INSERT", {}, Exception("locked")), 1, "accessing the nbgrader database"),
        (SchemaTooOldError("old", 1, 3), 5, "'honest': NbGraderException"),
    ],
    ids=["the gradebook", "a notebook"],
)
def test_what_ends_nbgraders_own_loop_ends_one_student_only_unless_it_is_the_gradebook(
    odd, monkeypatch, raised, asked, words
):
    students = []

    def fail(self, assignment_id, student_id):
        students.append(student_id)
        raise raised

    monkeypatch.setattr(Autograde, "init_destination", fail)
    error, _ = convert(Autograde, NbgraderCourse(read_course(odd.root)), odd.assignment)
    assert len(students) == asked and words in error


def test_a_locked_gradebook_ends_the_making_of_pages_at_once(odd, monkeypatch):
    asked = []

    def locked(self, student, anew):
        asked.append(student)
        raise OperationalError("SELECT", {}, Exception("database is locked"))

    monkeypatch.setattr(FeedbackPages, "make", locked)
    error, log = convert(GenerateFeedback, NbgraderCourse(read_course(odd.root)), odd.assignment)
    assert len(asked) == 1 and "database is locked" in error and error in log


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
    with pytest.raises(ExchangeError, match="Not everything"):
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
    with pytest.raises(AutograderError, match="`a/b/c` is a folder too deep"):
        check_folder("ada", tmp_path, tmp_path)
    (tmp_path / "a" / "b" / "c").rmdir()
    (tmp_path / "3").touch()
    with pytest.raises(AutograderError, match="more than 3 files"):
        check_folder("ada", tmp_path, tmp_path)


def test_the_guard_costs_nothing_where_nbgrader_is_not_used_and_is_there_once_it_is(course):
    code = (
        "import sys\nfrom autograder.engine.courses.course import read_config\nfrom pathlib import Path\n"
        "config = read_config(Path(sys.argv[1]))\nprint('nbgrader' in sys.modules)\n"
        "from nbgrader.converters import Autograde\nfrom nbgrader.coursedir import CourseDirectory\n"
        "print(Autograde(CourseDirectory(), config=config).convert_notebooks.__module__)"
    )
    command = [sys.executable, "-c", code, str(course.root)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == ["False", "autograder.gradebook.sync.guarded_nbgrader"]
