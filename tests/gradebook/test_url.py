"""The address of a gradebook is one, or a sentence says why not."""

import sqlite3
from contextlib import closing, suppress

import pytest
from hypothesis import given
from hypothesis.strategies import sampled_from, text

from autograder.gradebook.url import NoGradebook, check_gradebook, is_locked, read_url


@given(sampled_from(("", "postgresql", "postgresql://", "postgresql://a:b@", "sqlite:///")), text())
def test_any_text_is_an_address_or_gets_a_sentence(start, rest):
    with suppress(NoGradebook):
        assert read_url(start + rest).drivername


def test_a_gradebook_in_a_file_opens_or_is_still_to_be_made(tmp_path):
    address = f"sqlite:///{tmp_path}/gradebook.db"
    check_gradebook(address)
    assert not (tmp_path / "gradebook.db").exists()
    with closing(sqlite3.connect(tmp_path / "gradebook.db")) as file:
        file.execute("CREATE TABLE student (id TEXT)")
    check_gradebook(address)


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
    with pytest.raises(NoGradebook) as caught:
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
