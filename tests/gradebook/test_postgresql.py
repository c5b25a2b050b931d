"""A gradebook in PostgreSQL says and keeps what one in SQLite does. A real server, made for these tests."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote_plus

import psycopg
import pytest
from downloads import BOOK, COURSE, ID, ours, zipped
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from sandboxes import NO_NAMESPACES, allows_namespaces
from sqlalchemy import URL, make_url
from submissions import full_marks, marked_by_hand
from traitlets.config import Config
from users import has_name, named

from autograder import AutograderError, find_course, read_verdict
from autograder._commands.main import main
from autograder.desk.marking.answers import WrittenAnswer, read_answers
from autograder.desk.marking.copies import Copy, give_marks
from autograder.engine.courses import CHECK, CONFIG, make_course, read_course
from autograder.gradebook.sync.database import check_gradebook

pytestmark = [pytest.mark.walls, pytest.mark.database]

TEACHER, PASSWORD = "teacher", "p@ss/word%20"  # whatever a URL has to quote
TIMES = b"2026-11-19 08:00:00 UTC", b"2026-11-20 08:00:00 UTC"
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


def programs() -> Path | None:
    """Where PostgreSQL's programs are: on the PATH, or where Debian keeps them, newest first."""
    found = shutil.which("initdb")
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version, reverse=True)
    places = [*([Path(found).resolve()] if found else []), *debian]
    return next((place.parent for place in places if (place.parent / "pg_ctl").is_file()), None)


def _version(place: Path) -> int:
    name = place.parent.parent.name
    return int(name) if name.isdigit() else 0


def somebody() -> dict:
    """Who runs the server: the caller, but not root, whom PostgreSQL refuses."""
    if os.geteuid():
        return {}
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    who = names.get("postgres") or names["nobody"]
    return {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}


@contextmanager
def running_server(folder_of_programs: Path) -> Iterator[URL]:
    """A server with a data folder of its own; yields the URL of its first database."""
    who = somebody()
    with tempfile.TemporaryDirectory(prefix="postgresql-") as name:
        folder = Path(name)
        (folder / "password").write_text(PASSWORD + "\n")
        if who:
            for path in (folder, folder / "password"):
                os.chown(path, who["user"], who["group"])

        box = [] if has_name() else named("somebody", folder)  # initdb asks for the name

        def run(*command: str | Path) -> None:
            done = subprocess.run(
                [*box, folder_of_programs / command[0], *command[1:]],
                cwd=folder,
                capture_output=True,
                text=True,
                **who,
            )
            log = folder / "log"
            said = done.stdout + done.stderr + (log.read_text() if log.exists() else "")
            assert done.returncode == 0, f"{command[0]}: {said}"

        data, port = folder / "data", free_port()
        account = ("--username", TEACHER, f"--pwfile={folder / 'password'}", "--auth=scram-sha-256")
        run("initdb", "-D", data, *account, "--no-sync", "--no-locale", "--encoding=UTF8")
        place = (f"port={port}", "listen_addresses=127.0.0.1", "unix_socket_directories=''")
        settings = " ".join(f"-c {setting}" for setting in (*place, *FAST))
        run("pg_ctl", "start", "-w", "-D", data, "-l", folder / "log", "-o", settings)
        try:
            yield URL.create("postgresql", TEACHER, PASSWORD, "127.0.0.1", port, "postgres")
        finally:
            run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", data)


def free_port() -> int:
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.fixture(scope="module")
def server() -> Iterator[URL]:
    found = programs()
    if found is None:
        pytest.skip("PostgreSQL's server is not installed here (Debian: apt install postgresql)")
    if not (has_name() or allows_namespaces()):
        pytest.skip(f"PostgreSQL needs a user with a name, and {NO_NAMESPACES}")
    with running_server(found) as url:
        yield url


@pytest.fixture
def database(server, tmp_path) -> str:
    """The URL of an empty database, as an instructor would write it."""
    name = tmp_path.name.lower()
    address = server.render_as_string(hide_password=False)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return server.set(database=name).render_as_string(hide_password=False)


@pytest.fixture
def grade(folder, assignment, capfd):
    """Grade the course's submissions into a gradebook; return the status and what was said."""

    def run(gradebook: str, *more: str) -> tuple[int, str]:
        words = ["grade", str(folder / "submitted"), "--assignment", assignment.id]
        folders = ["--results", str(folder / "results"), "--course", str(folder)]
        status = main([*words, *folders, "--gradebook", gradebook, *more])
        return status, "".join(capfd.readouterr())

    return run


@pytest.fixture
def class_of_two(hand_in, solved, unscaled) -> list[str]:
    """A solution and a mistake."""
    hand_in("s001")
    hand_in("s002", **{unscaled.exercise: unscaled.cells[0]})
    return ["s001", "s002"]


def changed(address: str, **parts: str) -> str:
    return make_url(address).set(**parts).render_as_string(hide_password=False)


def entered(address: str, assignment) -> dict[str, dict[str, float | None]]:
    """Automatic points by student and check cell."""
    with Gradebook(address) as gradebook:
        submissions = gradebook.assignment_submissions(assignment.id)
        return {
            one.student.id: {
                grade.name: grade.auto_score
                for notebook in one.notebooks
                for grade in notebook.grades
                if grade.name.startswith(CHECK)
            }
            for one in submissions
        }


def test_the_records_of_collect_are_beside_it(database, tmp_path, capfd):
    course = make_course(tmp_path / "course", read_course(COURSE))
    with (course.root / CONFIG).open("a") as config:
        config.write(f"c.CourseDirectory.db_url = {database!r}\n")
    into = course.root / "submitted"
    words = ["--into", str(into), "--course", str(course.root), "--assignment", ID]
    for number, people in enumerate((["ada", "ben"], ["ada"])):
        download = tmp_path / f"{number}.zip"
        files = {f"submitted/{who}/{ID}/{BOOK}": ours((who, number)) for who in people}
        files |= {f"submitted/{who}/{ID}/timestamp.txt": TIMES[number] for who in people}
        download.write_bytes(zipped(files))
        assert main(["collect", str(download), *words]) == 0
    assert graded_in(into) == {"ada": ours(("ada", 1)), "ben": ours(("ben", 0))}
    assert not (course.root / "records.db").exists()
    with psycopg.connect(database.replace("+psycopg", "")) as connection:
        rows = connection.execute("SELECT student FROM placements ORDER BY student").fetchall()
    assert rows == [("ada",), ("ben",)]
    assert main(["collect", "--undo", *words]) == 0
    assert graded_in(into) == {"ada": ours(("ada", 0)), "ben": ours(("ben", 0))}
    assert main(["student", "delete", "ben", "--course", str(course.root), "--yes"]) == 0
    assert graded_in(into).keys() == {"ada"}


def graded_in(into: Path) -> dict[str, bytes]:
    return {path.parents[1].name: path.read_bytes() for path in into.glob(f"*/*/{BOOK}")}


def test_it_is_filled_kept_and_changed_like_any_other(
    grade, database, class_of_two, folder, assignment
):
    status, said = grade(database)
    assert status == 0 and "2 graded, 0 as they were" in said
    results = folder / "results" / assignment.id
    verdicts = [read_verdict(results / f"{name}.json") for name in class_of_two]
    points = {
        verdict.student: {CHECK + result.id: result.points for result in verdict.exercises}
        for verdict in verdicts
    }
    totals = {verdict.student: verdict.points for verdict in verdicts}
    assert entered(database, assignment) == points
    assert {name: sum(cells.values()) for name, cells in points.items()} == totals
    assert totals["s001"] == full_marks(assignment) > totals["s002"] > 0

    by_hand = (marked_by_hand(assignment), assignment.id, assignment.id, "s001")
    with Gradebook(database) as gradebook:
        mark = gradebook.find_grade(*by_hand)
        mark.manual_score, mark.needs_manual_grade = 1.5, False
        gradebook.find_comment(*by_hand).manual_comment = "Well said: ∑ and 😀."
        gradebook.db.commit()
    assert "0 graded, 2 as they were" in grade(database)[1]
    status, said = grade(database, "--regrade")
    assert status == 0 and "2 graded, 0 as they were" in said
    with Gradebook(database) as gradebook:
        assert gradebook.find_grade(*by_hand).manual_score == 1.5
        assert gradebook.find_comment(*by_hand).comment == "Well said: ∑ and 😀."
        score = gradebook.find_submission(assignment.id, "s001").score
        assert score == totals["s001"] + 1.5
    assert entered(database, assignment) == points
    _assert_marks_are_copied(database, folder, assignment)
    _assert_formgrader_shows(database, folder, assignment, totals)
    assert not (folder / "gradebook.db").exists()


def _assert_marks_are_copied(database, folder, assignment) -> None:
    """What is marked waits no more; its mark goes to an answer that waits, and is taken back."""
    by_hand = marked_by_hand(assignment)
    of_s002 = (by_hand, assignment.id, assignment.id, "s002")

    def written() -> list[WrittenAnswer]:
        found, _ = read_answers(database, find_course(folder), assignment.id, "")
        return found

    marks = {one.student: one for one in written() if one.exercise == by_hand}
    assert not marks["s001"].cell.is_open and marks["s002"].cell.is_open
    before = sum(one.cell.is_open for one in written())
    copy = Copy(marks["s001"], marks["s002"])
    assert give_marks(database, [copy], comments=True) == [copy]
    assert give_marks(database, [copy]) == []
    assert sum(one.cell.is_open for one in written()) == before - 1
    with Gradebook(database) as gradebook:
        grade, comment = gradebook.find_grade(*of_s002), gradebook.find_comment(*of_s002)
        assert (grade.manual_score, comment.manual_comment) == (1.5, "Well said: ∑ and 😀.")
        grade.manual_score = comment.manual_comment = None
        gradebook.db.commit()


def _assert_formgrader_shows(database, folder, assignment, totals) -> None:
    """What formgrader's pages are made from: 1.5 points by hand for s001, and the automatic ones."""
    config = Config()
    config.CourseDirectory.root, config.CourseDirectory.db_url = str(folder), database
    config.CourseDirectory.source_directory = str(assignment.course.source)
    shown = NbGraderAPI(config=config)
    one = next(one for one in shown.get_assignments() if one["name"] == assignment.id)
    whole = sum(cell.points for cell in assignment.cells)
    assert (one["num_submissions"], one["max_score"]) == (2, whole)
    submissions = {one["student"]: one for one in shown.get_submissions(assignment.id)}
    assert {name: one["code_score"] for name, one in submissions.items()} == totals
    assert submissions["s001"]["written_score"] == 1.5
    scores = {one["id"]: one["score"] for one in shown.get_students()}
    assert scores == totals | {"s001": totals["s001"] + 1.5}
    with Gradebook(database) as gradebook:
        pages = gradebook.notebook_submission_dicts(assignment.id, assignment.id)
    failed = {page["student"]: page["failed_tests"] for page in pages}
    assert failed == {"s001": False, "s002": True}


def test_a_lock_is_waited_for_and_not_for_ever(grade, database, hand_in, assignment, monkeypatch):
    hand_in("s001", only=True)
    assert grade(database)[0] == 0
    monkeypatch.setenv("PGOPTIONS", "")  # to have it back afterwards
    monkeypatch.delenv("PGOPTIONS")
    monkeypatch.setattr("autograder.gradebook.sync.database.WAIT_SECONDS", 1)
    with psycopg.connect(database) as somebody:
        somebody.execute("LOCK TABLE grade")
        status, said = grade(database, "--regrade")
    assert status == 1 and "The gradebook did not take 1 verdict (" in said and "lock" in said
    assert "0 graded, 1 as they were" in grade(database)[1]
    assert list(entered(database, assignment)) == ["s001"]


def test_the_course_may_name_it_and_the_password_may_come_from_elsewhere(
    grade, database, hand_in, folder, assignment, monkeypatch
):
    hand_in("s001", only=True)
    address = make_url(database)
    without = URL.create("postgresql", TEACHER, None, address.host, address.port, address.database)
    config = folder / "nbgrader_config.py"
    config.write_text(f"{config.read_text()}\nc.CourseDirectory.db_url = '{without}'\n")
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    status, said = grade("")
    assert status == 0 and "1 graded" in said
    assert list(entered(database, assignment)) == ["s001"]


def test_one_that_is_not_there_stops_the_run_before_anything_is_graded(
    grade, database, hand_in, folder
):
    hand_in("s001", only=True)
    status, said = grade(changed(database, database="nowhere"))
    assert status == 2 and said.count("\n") == 1
    assert 'database "nowhere" does not exist' in said and "--no-gradebook" in said
    assert not list((folder / "results").rglob("*.json"))


def test_what_is_wrong_is_said_and_the_password_is_not(database):
    guest = changed(database, username="guest")
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'")
    sentences = {
        changed(database, password="secret"): "password authentication failed for user",
        changed(database, port=free_port()): "Connection refused",
        changed(database, host="nowhere.invalid"): "failed to resolve host",
        guest: "permission denied for schema public",
    }
    for address, sentence in sentences.items():
        with pytest.raises(AutograderError) as caught:
            check_gradebook(address)
        said = str(caught.value)
        assert sentence in said and "\n" not in said
        assert "secret" not in said and PASSWORD not in said and quote_plus(PASSWORD) not in said
