"""Where submissions are looked for, and under whose name."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.classroom.find import (
    NoSubmissions,
    find_submissions,
    in_nbgrader_layout,
    refuse_invalid_ids,
    trusted_folder,
)
from autograder.engine.submission import read_submission


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


def test_what_is_not_there_is_named(small, tmp_path):
    with pytest.raises(NoSubmissions, match="no folder or notebook"):
        find_submissions(tmp_path / "nowhere", small)
    with pytest.raises(NoSubmissions, match=f"No submission of `{small.id}` is in"):
        find_submissions(tmp_path, small)


def test_names_that_are_no_ids_are_refused_with_a_sentence_each():
    notebooks = {name: Path(name) for name in ("s001", "a b; rm", "../up")}
    valid, refused = refuse_invalid_ids(notebooks)
    assert list(valid) == ["s001"] and len(refused) == 2
    assert all("cannot be a student's id" in sentence for sentence in refused)


@pytest.mark.parametrize("depth", ["student", "assignment", "notebook"])
def test_a_link_to_anothers_work_is_a_submission_that_cannot_be_read(small, submitted, depth):
    theirs = submitted("s001", "sheet.ipynb") / "sheet.ipynb"
    shutil.copy(small.release, theirs)
    top = theirs.parents[2]
    if depth == "student":
        (top / "eve").symlink_to(top / "s001")
    elif depth == "assignment":
        (top / "eve").mkdir()
        (top / "eve" / small.id).symlink_to(theirs.parent)
    else:
        (submitted("eve") / f"{small.id}.ipynb").symlink_to(theirs)
    found = find_submissions(top, small)
    assert set(found) == {"eve", "s001"}
    assert read_submission(small, "s001", found["s001"], top).unreadable == ""
    assert (
        "hand in the notebook itself" in read_submission(small, "eve", found["eve"], top).unreadable
    )


def test_one_notebook_is_read_from_the_folders_that_it_is_named_in(small, submitted):
    theirs = submitted("s001", "sheet.ipynb") / "sheet.ipynb"
    shutil.copy(small.release, theirs)
    eve = theirs.parents[2] / "eve"
    eve.symlink_to(theirs.parents[1])
    place = eve / small.id / "sheet.ipynb"
    (found,) = find_submissions(place, small).values()
    assert trusted_folder(place, small) == eve.parent
    assert read_submission(small, "eve", found, trusted_folder(place, small)).unreadable
    assert trusted_folder(eve.parent, small) == eve.parent
    assert trusted_folder(Path("/mine.ipynb"), small) == Path("/")
    assert trusted_folder(Path(f"/{small.id}/mine.ipynb"), small) == Path("/")


NAMES = st.binary(min_size=1, max_size=40).filter(lambda name: not {0, 47} & set(name))
ODD = ("bytes", "link", "folder", "pipe", "holes", "nothing")


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
@given(
    st.lists(
        st.tuples(
            st.one_of(NAMES, st.sampled_from([b"eve", b"mallory", b"a\nb", b"*", b"\xff", b".."])),
            st.sampled_from([*ODD, "assignment"]),
            st.lists(
                st.tuples(
                    st.one_of(NAMES, st.sampled_from([b"small-sheet.ipynb", b"\xff.ipynb"])),
                    st.sampled_from(ODD),
                    st.binary(max_size=30),
                ),
                max_size=3,
            ),
        ),
        max_size=5,
    )
)
def test_in_any_folder_of_odd_things_the_honest_student_is_found_and_nothing_outside_is_read(
    small, tmp_path_factory, tree
):
    world = tmp_path_factory.mktemp("world")
    top = world / "submitted"
    honest = top / "honest" / small.id
    honest.mkdir(parents=True)
    shutil.copy(small.release, honest / f"{small.id}.ipynb")
    secret = world / "secret" / small.id
    shutil.copytree(honest, secret)
    for name, kind, files in tree:
        student = os.fsencode(top) + b"/" + name
        put(student, "folder" if kind == "assignment" else kind, b"", secret.parent)
        folder = student + b"/" + os.fsencode(small.id)
        put(folder, "folder" if kind == "assignment" else kind, b"", secret)
        for file, sort, content in files:
            put(folder + b"/" + file, sort, content, secret / f"{small.id}.ipynb")
    found = find_submissions(top, small)
    readable = {
        name
        for name, path in found.items()
        if not read_submission(small, name, path, top).unreadable
    }
    assert readable == {"honest"} <= refuse_invalid_ids(found)[0].keys()
