"""Which files are read again: those of which the system, or their bytes, say that they are others."""

import hashlib
import os
from pathlib import Path

import pytest

from autograder.classroom import files
from autograder.classroom.files import BATCH, SeenFiles
from autograder.engine.notebook import Unreadable

pytestmark = pytest.mark.usefixtures("settled")


@pytest.fixture
def path(tmp_path) -> Path:
    path = tmp_path / "submitted" / "sheet.ipynb"
    path.parent.mkdir()
    path.write_text("old")
    return path


@pytest.fixture
def seen(tmp_path, path) -> SeenFiles:
    """The files of a run to come, after one that read this file."""
    first = SeenFiles(tmp_path)
    first.note("s001", first.file("s001", path, path.parent), "hash")
    first.write()
    return SeenFiles(tmp_path)


def test_what_the_system_calls_unchanged_is_not_read(seen, path, monkeypatch):
    monkeypatch.setattr(files, "notebook_bytes", pytest.fail)
    assert seen.file("s001", path, path.parent).submission == "hash"


def test_the_same_bytes_at_another_time_are_the_same_submission(seen, path, tmp_path, monkeypatch):
    path.write_text("old")
    os.utime(path, (7, 7))
    file = seen.file("s001", path, path.parent)
    assert file.submission == "hash" and file.data == b"old"
    seen.note("s001", file, "hash")
    seen.write()
    monkeypatch.setattr(files, "notebook_bytes", pytest.fail)
    assert SeenFiles(tmp_path).file("s001", path, path.parent).submission == "hash"


def test_other_bytes_of_the_same_size_and_time_are_another_submission(seen, path):
    before = path.stat()
    path.write_text("new")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    file = seen.file("s001", path, path.parent)
    assert file.submission == "" and file.digest == hashlib.sha256(b"new").hexdigest()


def test_what_was_never_read_is_read_and_what_cannot_be_is_said(seen, path):
    assert seen.file("s002", path, path.parent).submission == ""
    path.unlink()
    with pytest.raises(Unreadable, match="There is no notebook"):
        seen.file("s001", path, path.parent)


def test_where_the_system_does_not_tell_of_changes_bytes_do(path, tmp_path, monkeypatch):
    monkeypatch.setattr("autograder.files.BY_DESCRIPTOR", False)
    seen = SeenFiles(tmp_path)
    seen.note("s001", seen.file("s001", path, path.parent), "hash")
    assert seen.file("s001", path, path.parent).submission == "hash"
    path.write_text("new")
    assert seen.file("s001", path, path.parent).submission == ""


def test_a_long_run_writes_now_and_then(seen, path, tmp_path):
    file = seen.file("s001", path, path.parent)
    for number in range(BATCH):
        assert len(SeenFiles(tmp_path).seen) == 1
        seen.note(f"t{number}", file, "hash")
    assert len(SeenFiles(tmp_path).seen) == 1 + BATCH
