"""A gradebook is there and opens, or a sentence says why not."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis.strategies import sampled_from, text
from nbgrader import api
from nbgrader.dbutil import _temp_alembic_ini

from autograder import AutograderError
from autograder.engine.courses import make_course
from autograder.gradebook.sync.database import (
    check_gradebook,
    gradebook_of,
    is_locked,
    open_session,
    read_url,
    schema_version,
)
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse, open_course

pytestmark = pytest.mark.slow

ELSEWHERE = 'c.CourseDirectory.db_url = "sqlite:////nowhere/points.db"\n'


@given(sampled_from(("", "postgresql", "postgresql://", "postgresql://a:b@", "sqlite:///")), text())
def test_any_text_is_an_address_or_gets_a_sentence(start, rest):
    with suppress(AutograderError):
        assert read_url(start + rest).drivername


def test_a_gradebook_in_a_file_opens_or_is_still_to_be_made(tmp_path):
    file = tmp_path / "gradebook.db"
    check_gradebook(f"sqlite:///{file}")
    assert not file.exists()
    with closing(sqlite3.connect(file)) as rows:
        rows.execute("CREATE TABLE student (id TEXT)")
    check_gradebook(f"sqlite:///{file}")


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("sqlite:///{}/nowhere/gradebook.db", "There is no folder"),
        ("sqlite:///{}/notes.txt", "file is not a database"),
        ("sqlite://", "in memory keeps nothing"),
        ("sqlite:///:memory:", "in memory keeps nothing"),
        ("postgres://localhost/x", "No database is called `postgres`"),
        ("postgresql+psycopg2://localhost/x", "package `psycopg2`, which is not inst"),
        ("postgresql://teacher:secret@localhost:port/", "address cannot be read"),
    ],
)
def test_what_does_not_open_is_said_without_a_password(address, sentence, tmp_path):
    (tmp_path / "notes.txt").write_text("words, and no table of them")
    with pytest.raises(AutograderError) as caught:
        check_gradebook(address.format(tmp_path))
    said = str(caught.value)
    assert sentence in said and "\n" not in said and "secret" not in said


def test_a_lock_is_no_error(tmp_path):
    file = tmp_path / "gradebook.db"
    with closing(sqlite3.connect(file)) as formgrader:
        formgrader.execute("CREATE TABLE student (id TEXT)")
        formgrader.execute("BEGIN EXCLUSIVE")
        assert is_locked(sqlite3.OperationalError("database is locked"))
        check_gradebook(f"sqlite:///{file}?timeout=0.1")
    assert not is_locked(ValueError("no such table"))


@pytest.mark.parametrize(
    ("content", "address", "status", "sentence"),
    [
        (None, "sqlite:///{}/points.db", 2, "There is no gradebook"),
        (None, "points.db", 2, "address cannot be read"),
        ("no database", "sqlite:///{}/points.db", 1, "not a database.*mend that"),
    ],
)
def test_what_is_only_read_is_not_made(tmp_path, content, address, status, sentence):
    if content:
        (tmp_path / "points.db").write_text(content)
    with (
        pytest.raises(AutograderError, match=sentence) as raised,
        open_session(gradebook_of(None, address.format(tmp_path))) as session,
    ):
        session.connection().exec_driver_sql("SELECT * FROM student")
    assert raised.value.status == status
    assert (tmp_path / "points.db").exists() is bool(content)


def test_a_course_has_the_gradebook_that_nbgrader_would_open(tmp_path, course):
    made = make_course(tmp_path, course)
    assert gradebook_of(made) is None and not (tmp_path / "gradebook.db").exists()
    (tmp_path / "gradebook.db").touch()  # as for several teachers
    assert gradebook_of(made) is None
    opened = open_course(made)
    with opened.gradebook():
        assert gradebook_of(made) == opened.db_url == NbgraderCourse(made).db_url
    with pytest.raises(AutograderError, match="There is no folder `/nowhere`"):
        open_course(make_course(tmp_path, course, ELSEWHERE))


def test_nbgraders_version_is_found_without_alembics_program(monkeypatch):
    assert api.get_alembic_version is schema_version
    programs = Path(sys.executable).parent
    monkeypatch.setenv("PATH", os.pathsep.join([str(programs), os.environ["PATH"]]))
    with _temp_alembic_ini("sqlite://") as file:
        said = subprocess.check_output(["alembic", "-c", file, "heads"], text=True)
    assert schema_version() == said.split()[0]
