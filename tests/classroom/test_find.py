"""Where submissions are looked for, and under whose name."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.classroom.find import (
    find_submissions,
    in_nbgrader_layout,
    refuse_invalid_ids,
    trusted_folder,
)
from autograder.engine.notebooks import read_submission


@pytest.fixture
def submitted(small, tmp_path):
    """Make a student's folder with files of these names in it."""

    def make(student: str, *names: str) -> Path:
        folder = tmp_path / "submitted" / student / small.id
        folder.mkdir(parents=True)
        for name in names:
            (folder / name).touch()
        return folder

    return make


def test_a_folder_gives_the_notebook_of_each_student(small, submitted, tmp_path):
    named = submitted("s001", f"{small.id}.ipynb", "notes.ipynb") / f"{small.id}.ipynb"
    only = submitted("s002", "mine.ipynb") / "mine.ipynb"
    missing = submitted("s003") / f"{small.id}.ipynb"
    upper = submitted("s005", "MINE.IPYNB") / "MINE.IPYNB"
    (upper.parent / "folder.ipynb").mkdir()
    submitted(".received", "mine.ipynb")
    (tmp_path / "submitted" / "s004" / "another").mkdir(parents=True)
    found = find_submissions(tmp_path / "submitted", small)
    assert found == {"s001": named, "s002": only, "s003": missing, "s005": upper}
    assert list(found) == sorted(found)


def test_one_notebook_is_that_students_in_the_layout_and_its_own_names_elsewhere(
    small, submitted, tmp_path
):
    notebook = submitted("s001", "mine.ipynb") / "mine.ipynb"
    assert find_submissions(notebook, small) == {"s001": notebook}
    assert in_nbgrader_layout(notebook, small)
    elsewhere = notebook.rename(tmp_path / "mine.ipynb")
    assert find_submissions(elsewhere, small) == {"mine": elsewhere}
    assert not in_nbgrader_layout(elsewhere, small)


def test_one_notebook_is_read_from_the_folders_that_it_is_named_in(small, submitted):
    theirs = submitted("s001", "sheet.ipynb") / "sheet.ipynb"
    shutil.copy(small.release, theirs)
    top = theirs.parents[2]
    (top / "eve").symlink_to(theirs.parents[1])
    place = top / "eve" / small.id / "sheet.ipynb"
    (found,) = find_submissions(place, small).values()
    assert trusted_folder(place, small) == trusted_folder(top, small) == top
    assert read_submission(small, "eve", found, top).unreadable
    assert not read_submission(small, "s001", theirs, top).unreadable
    for near_the_root in ("/mine.ipynb", f"/{small.id}/mine.ipynb"):
        assert trusted_folder(Path(near_the_root), small) == Path("/")


NAMES = st.binary(min_size=1, max_size=40).filter(lambda name: not {0, 47} & set(name))
FOLDERS = NAMES | st.sampled_from([b"eve", b"mallory", b"a\nb", b"*", b"\xff", b".."])
FILES = NAMES | st.sampled_from([b"small-sheet.ipynb", b"\xff.ipynb"])
KINDS = st.sampled_from(["bytes", "link", "folder", "pipe", "holes", "nothing"])
FOLDER_KINDS = st.just("folder") | KINDS
INSIDE = st.lists(st.tuples(FILES, KINDS, st.binary(max_size=30)), max_size=3)


def put(path: bytes, kind: str, content: bytes, target: Path) -> None:
    """Make something of one kind; where a name is taken, leave it."""
    with suppress(OSError):
        match kind:
            case "bytes":
                with open(path, "xb") as file:  # a pipe of this name would wait for a reader
                    file.write(content)
            case "link":
                os.symlink(os.fsencode(target), path)
            case "folder":
                os.mkdir(path)
            case "pipe":
                os.mkfifo(path)
            case "holes":
                with open(path, "xb") as file:
                    file.truncate(1 << 40)


@pytest.mark.long
@given(st.lists(st.tuples(FOLDERS, FOLDER_KINDS, FOLDER_KINDS, INSIDE), max_size=5))
def test_in_any_folder_of_odd_things_the_honest_student_is_found_and_nothing_outside_is_read(
    small, tmp_path_factory, tree
):
    world = tmp_path_factory.mktemp("world")
    top, secret = world / "submitted", world / "secret" / small.id
    honest = top / "honest" / small.id
    honest.mkdir(parents=True)
    shutil.copy(small.release, honest / f"{small.id}.ipynb")
    shutil.copytree(honest, secret)
    for name, kind_of_student, kind_of_assignment, files in tree:
        student = os.fsencode(top) + b"/" + name
        folder = student + b"/" + os.fsencode(small.id)
        put(student, kind_of_student, b"", secret.parent)
        put(folder, kind_of_assignment, b"", secret)
        for file, kind, content in files:
            put(folder + b"/" + file, kind, content, secret / f"{small.id}.ipynb")
    found = find_submissions(top, small)
    read = {name: read_submission(small, name, path, top) for name, path in found.items()}
    readable = {name for name, submission in read.items() if not submission.unreadable}
    assert readable == {"honest"} <= refuse_invalid_ids(found)[0].keys()
