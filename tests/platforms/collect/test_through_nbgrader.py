"""`nbgrader collect` and `autograder collect` on one exchange: the same outcome, whatever is in it."""

import os
import pwd
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from converters import listening_log
from downloads import BOOK, COURSE, ID, on_disk, ours
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeError, ExchangeFactory
from nbgrader.utils import parse_utc

from autograder._commands.main import main
from autograder.engine import Course, courses
from autograder.engine.files import SECRET, TIMESTAMP

pytestmark = pytest.mark.database  # imports nbgrader
STUDENT, OTHER = "games", "daemon"  # users that each Linux has
LATER = "2026-11-20 16:00:00.000000 UTC"
EARLIER = "2026-11-20 15:00:00.000000 UTC"


class Exchange:
    """An exchange of one course, and two courses that collect from it."""

    def __init__(self, top: Path):
        self.top, self.inbound = top, top / "exchange" / "a-course" / "inbound"
        self.inbound.mkdir(parents=True)
        self.theirs, self.own = (self._course(name) for name in ("theirs", "own"))

    def _course(self, name: str) -> Course:
        more = (
            f"c.CourseDirectory.course_id = 'a-course'\nc.Exchange.root = '{self.top}/exchange'\n"
        )
        return courses.make_course(self.top / name, courses.read_course(COURSE), more)

    def submit(self, time: str, mark: object, name: str = BOOK, student: str = STUDENT) -> Path:
        """Submit a notebook as `nbgrader submit` does, owned by the student where root does it."""
        folder = self.inbound / f"{student}+{ID}+{time}+{mark}"
        folder.mkdir()
        (folder / name).write_bytes(ours(mark))
        (folder / TIMESTAMP).write_text(time)
        (folder / SECRET).write_text(f"secret of {mark}")
        self.belongs_to(student, folder)
        return folder

    @staticmethod
    def belongs_to(user: str, folder: Path) -> None:
        if os.geteuid() == 0:
            for path in (folder, *folder.rglob("*")):
                os.lchown(path, pwd.getpwnam(user).pw_uid, -1)

    def collect_both(self, update: bool = True, **options) -> tuple[str, str]:
        """Collect by both commands; return what nbgrader's ended with and what it said, after all
        that is submitted was compared.
        """
        words = ["collect", str(self.inbound), "--assignment", ID, "--yes"]
        main([*words, "--course", str(self.own.root), "--into", str(self.own.root / "submitted")])
        error, said = self.collect(update, **options)
        assert self.submitted() == on_disk(self.own.root / "submitted")
        return error, said

    def collect(self, update: bool = True, student: str = "*", **options) -> tuple[str, str]:
        """Collect as `nbgrader collect` does; return what it ended with, and its messages."""
        config = courses.read_config(self.theirs.root)
        folders = CourseDirectory(config=config, assignment_id=ID, student_id=student)
        log, lines = listening_log()
        options = {"update": update} | options
        app = ExchangeFactory(config=config).Collect(
            coursedir=folders, config=config, log=log, **options
        )
        error = ""
        try:
            app.start()
        except ExchangeError as raised:
            error = str(raised)
        return error, "\n".join(lines)

    def submitted(self) -> dict[str, bytes]:
        """What nbgrader's command collected."""
        return on_disk(self.theirs.root / "submitted")


@pytest.fixture
def exchange(tmp_path) -> Exchange:
    return Exchange(tmp_path)


def is_placed(mark: object, time: str) -> dict[str, bytes]:
    """What is in `submitted/` if this submission counts."""
    folder = f"{STUDENT}/{ID}"
    return {
        f"{folder}/{BOOK}": ours(mark),
        f"{folder}/{SECRET}": f"secret of {mark}".encode(),
        f"{folder}/{TIMESTAMP}": f"{time[:19]} UTC\n".encode(),
    }


def as_forged(exchange: Exchange, folder: Path) -> None:
    exchange.belongs_to(OTHER, folder)


def with_a_link(exchange: Exchange, folder: Path) -> None:
    (folder / BOOK).unlink()
    (folder / BOOK).symlink_to(exchange.theirs.root / "nbgrader_config.py")


def as_a_pipe(exchange: Exchange, folder: Path) -> None:
    (folder / BOOK).unlink()
    os.mkfifo(folder / BOOK)


def too_large(exchange: Exchange, folder: Path) -> None:
    os.truncate(folder / BOOK, 1 << 30)


def without_a_notebook(exchange: Exchange, folder: Path) -> None:
    (folder / BOOK).rename(folder / "notes.txt")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
@pytest.mark.parametrize(
    "spoil", [as_forged, with_a_link, as_a_pipe, too_large, without_a_notebook]
)
def test_what_is_refused_costs_nobody_what_was_placed(exchange, spoil):
    exchange.submit(EARLIER, "good")
    assert exchange.collect_both()[0] == ""
    spoil(exchange, exchange.submit(LATER, "bad"))
    error, said = exchange.collect_both()
    assert "Not everything was collected" in error and f"{STUDENT}+{ID}+{LATER}" in said
    assert exchange.submitted() == is_placed("good", EARLIER)


def test_a_large_file_beside_the_notebook_is_left_out_and_named(exchange):
    folder = exchange.submit(LATER, "good")
    (folder / "data.bin").touch()
    os.truncate(folder / "data.bin", 70 << 20)
    exchange.belongs_to(STUDENT, folder)
    error, said = exchange.collect_both()
    assert error == "" and "data.bin" in said
    assert exchange.submitted() == is_placed("good", LATER)
    assert "data.bin" not in exchange.collect_both()[1], "it is told once"


def test_the_time_is_the_exchanges_and_not_that_of_the_students_file(exchange):
    folder = exchange.submit(LATER, "late")
    (folder / TIMESTAMP).write_text("2026-11-01 08:00:00 UTC")
    exchange.collect_both()
    assert exchange.submitted() == is_placed("late", LATER)


def test_a_renamed_notebook_is_placed_under_the_assignments_name(exchange):
    exchange.submit(LATER, "mine", name="mine.ipynb")
    assert exchange.collect_both()[0] == ""
    assert exchange.submitted() == is_placed("mine", LATER)


def test_the_secret_is_that_of_the_attempt_that_counts(exchange):
    exchange.submit(EARLIER, "A")
    exchange.collect_both()
    exchange.submit(LATER, "B")
    exchange.collect_both()
    assert exchange.submitted() == is_placed("B", LATER)
    table = exchange.theirs.root / "by-another-way.csv"
    download = exchange.top / "download" / STUDENT / BOOK
    download.parent.mkdir(parents=True)
    download.write_bytes(ours("C"))
    later = datetime(2026, 11, 21, tzinfo=UTC).timestamp()
    os.utime(download, (later, later))
    into = exchange.theirs.root / "submitted"
    words = ["--course", str(exchange.theirs.root), "--into", str(into), "--assignment", ID]
    assert main(["collect", str(download.parents[1]), *words, "--file-times", "--yes"]) == 0
    assert not table.exists()
    assert set(exchange.submitted()) == {f"{STUDENT}/{ID}/{BOOK}", f"{STUDENT}/{ID}/{TIMESTAMP}"}


def test_what_nbgraders_own_collect_placed_keeps_its_secret(exchange):
    """In a course that collected before it had hidden graders."""
    folder = exchange.submit(EARLIER, "A")
    shutil.copytree(folder, exchange.theirs.root / "submitted" / STUDENT / ID)
    shutil.rmtree(folder)
    exchange.submit(EARLIER, "B", student=OTHER)
    exchange.collect()
    assert exchange.submitted()[f"{STUDENT}/{ID}/{SECRET}"] == b"secret of A"


def test_without_update_nobodys_submission_changes_and_new_ones_come(exchange):
    exchange.submit(EARLIER, "A")
    exchange.collect()
    exchange.submit(LATER, "B")
    exchange.submit(EARLIER, "new", student=OTHER)
    exchange.collect(update=False)
    assert f"{OTHER}/{ID}/{BOOK}" in exchange.submitted()
    assert is_placed("A", EARLIER).items() <= exchange.submitted().items()


def test_one_student_is_collected_alone(exchange):
    exchange.submit(EARLIER, "A")
    exchange.submit(EARLIER, "new", student=OTHER)
    exchange.collect(student=STUDENT)
    assert exchange.submitted() == is_placed("A", EARLIER)


def test_before_the_due_date_what_was_in_time_counts(exchange):
    with Gradebook(f"sqlite:///{exchange.theirs.root}/gradebook.db", "a-course") as gradebook:
        gradebook.add_assignment(ID, duedate=parse_utc("2026-11-20 15:30:00 UTC"))
    exchange.submit(EARLIER, "in time")
    exchange.submit(LATER, "late")
    exchange.submit(LATER, "only late", student=OTHER)
    exchange.collect(before_duedate=True)
    assert is_placed("in time", EARLIER).items() <= exchange.submitted().items()
    assert exchange.submitted()[f"{OTHER}/{ID}/{BOOK}"] == ours("only late")


def test_an_odd_folder_of_a_student_stops_nobody(exchange):
    exchange.submit(EARLIER, "A")
    (exchange.inbound / f"{STUDENT}+{ID}+yesterday+x").mkdir()
    (exchange.inbound / f"+{ID}+").mkdir()
    (exchange.inbound / f"{STUDENT}+{ID}+2026-13-45 99:00:00 UTC+x").mkdir()
    exchange.collect()
    assert exchange.submitted() == is_placed("A", EARLIER)


def test_names_that_are_no_text_stop_nobody(exchange):
    folder = exchange.submit(LATER, "A")
    os.symlink("/etc/hostname", os.fsencode(folder) + b"/\xff.ipynb")
    for name in (b"\xff", f"\xe9t\xe9+{ID}+{LATER}+".encode("latin-1"), b"no name of nbgrader's"):
        os.mkdir(os.fsencode(exchange.inbound) + b"/" + name)
    exchange.submit(EARLIER, "a\nb")
    (exchange.inbound / "no name of nbgrader's" / BOOK).write_bytes(ours("odd"))
    without_time = exchange.submit("no time", "x")
    of_another_form = exchange.submit("2026-11-20 15:00:00 PST", "y")
    error, said = exchange.collect_both()
    assert exchange.submitted() == is_placed("A", LATER)
    assert "Not everything was collected" in error and "no name of nbgrader's" in said
    assert f"{STUDENT}+{ID}+{EARLIER}+a" in said, "a name with a line break is named as well"
    assert without_time.name in said
    assert f"`{of_another_form.name}` belongs to nobody" in said


def test_where_an_earlier_one_may_count_all_without_a_notebook_are_named(exchange):
    without_a_notebook(exchange, folder := exchange.submit(EARLIER, "lost"))
    exchange.submit(LATER, "A")
    assert folder.name not in exchange.collect_both()[1], "a newer one counts"
    for course in (exchange.own, exchange.theirs):
        with (course.root / "nbgrader_config.py").open("a") as file:
            file.write("c.LatePolicy.counts = 'in time'\n")
    for _ in range(2):
        error, said = exchange.collect_both()
        assert "Not everything was collected" in error and folder.name in said
    assert exchange.submitted() == is_placed("A", LATER)


def test_a_time_that_is_still_to_come_stands_in_nobodys_way(exchange):
    exchange.submit("2099-01-01 00:00:00.000000 UTC", "of a wrong clock")
    _, said = exchange.collect_both()
    assert f"{STUDENT}: 2099-01-01 00:00 UTC is still to come" in said
    exchange.submit(EARLIER, "A")
    exchange.collect_both()
    assert exchange.submitted() == is_placed("A", EARLIER)
    exchange.submit("2099-02-01 00:00:00.000000 UTC", "again")
    exchange.submit("2099-03-01 00:00:00.000000 UTC", "the only one", student=OTHER)
    for course in (exchange.own, exchange.theirs):
        lines = [f"{who},{ID},2026-11-20 17:00\n" for who in (STUDENT, OTHER)]
        (course.root / "late.csv").write_text("".join(["student,assignment,submitted\n", *lines]))
    said = exchange.collect_both()[1]
    assert f"{STUDENT}: 2099-02-01 00:00 UTC is still to come. Another submission counts." in said
    assert f"{OTHER}: 2099" not in said, "staff know the time"


def test_what_claims_to_be_older_than_a_run_that_did_not_see_it_is_named(exchange):
    exchange.submit(EARLIER, "A")
    assert "was not in the exchange" not in "".join(exchange.collect_both())
    folder = exchange.submit(LATER, "B")
    older = exchange.submit("2026-11-20 14:00:00.000000 UTC", "C")
    _, said = exchange.collect_both()
    about = f"{STUDENT}: `{folder.name}` says 2026-11-20 16:00 UTC, and was not in the exchange"
    (sentence,) = (line for line in said.splitlines() if about in line)
    assert sentence.endswith("If it was made later, write its time into late.csv.")
    (sentence,) = (line for line in said.splitlines() if older.name in line)
    assert sentence.endswith("Another submission counts."), "late.csv is about the one that counts"
    assert "was not in the exchange" not in "".join(exchange.collect_both()), "it is told once"


def test_what_a_run_without_update_passed_over_is_not_suspected(exchange):
    exchange.submit(EARLIER, "A")
    exchange.collect(update=False)
    exchange.submit(LATER, "B")
    exchange.collect(update=False)
    assert "was not in the exchange" not in exchange.collect()[1]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
def test_a_folder_without_a_time_is_nobodys_and_of_another_owner_is_refused(exchange):
    exchange.submit(EARLIER, "A", student="mail")
    for owner, mark in ((STUDENT, 1), (OTHER, 2)):
        folder = exchange.inbound / f"{STUDENT}+{ID}"
        folder.mkdir()
        (folder / BOOK).write_bytes(ours(mark))
        exchange.belongs_to(owner, folder)
        error, said = exchange.collect_both()
        why = "belongs to another user" if owner == OTHER else "is nobody's: its name says no"
        assert error and f"`{STUDENT}+{ID}" in said and why in said
        assert {name.partition("/")[0] for name in exchange.submitted()} == {"mail"}
        shutil.rmtree(folder)


def test_there_is_nothing_to_collect(exchange):
    error, said = exchange.collect()
    assert error == "" and f"No submissions of '{ID}'" in said
    shutil.rmtree(exchange.inbound)
    assert "There is no folder" in exchange.collect()[0]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
@pytest.mark.parametrize("spoil", [as_forged, with_a_link])
def test_an_assignment_of_nbgraders_own_keeps_what_was_collected(exchange, spoil):
    """nbgrader deletes the old folder before it copies the new one."""
    shutil.copytree(COURSE / "source" / ID, exchange.theirs.root / "source" / ID)
    graders = f"c.Graders.directory = '{exchange.top}/none'\n"
    for name in ("source_directory", "release_directory"):
        graders += f"c.CourseDirectory.{name} = c.Graders.release_directory = '{exchange.top}'\n"
    with (exchange.theirs.root / "nbgrader_config.py").open("a") as config:
        config.write(graders)
    exchange.submit(EARLIER, "good")
    assert exchange.collect()[0] == ""
    before = exchange.submitted()
    assert before[f"{STUDENT}/{ID}/{BOOK}"] == ours("good")
    spoil(exchange, exchange.submit(LATER, "bad"))
    error, _ = exchange.collect()
    assert "Not everything was" in error and exchange.submitted() == before
