"""Where submissions are looked for, and under whose name."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.classroom import find
from autograder.engine import notebooks


def test_a_folder_gives_the_notebook_of_each_student(small, tmp_path):
    top = tmp_path / "submitted"
    for path in (
        *("s001/ID/ID.ipynb", "s001/ID/notes.ipynb", "s002/ID/mine.ipynb", "s003/ID/notes.txt"),
        *("s004/another/ID.ipynb", "s005/ID/MINE.IPYNB", "s005/ID/folder.ipynb/notes.txt"),
        ".received/ID/mine.ipynb",
    ):
        file = top / path.replace("ID", small.id)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    names = {"s001": f"{small.id}.ipynb", "s002": "mine.ipynb", "s003": f"{small.id}.ipynb"}
    names["s005"] = "MINE.IPYNB"
    paths = find.find_submissions(top, small)
    assert paths == {student: top / student / small.id / names[student] for student in names}
    assert list(paths) == sorted(paths)
    mine = paths["s002"]
    assert find.find_submissions(mine, small) == {"s002": mine}
    assert find.in_nbgrader_layout(mine, small)
    elsewhere = mine.rename(tmp_path / "mine.ipynb")
    assert find.find_submissions(elsewhere, small) == {"mine": elsewhere}
    assert not find.in_nbgrader_layout(elsewhere, small)


def test_one_notebook_is_read_from_the_folders_that_it_is_named_in(small, tmp_path):
    top = tmp_path / "submitted"
    theirs = top / "s001" / small.id / "sheet.ipynb"
    theirs.parent.mkdir(parents=True)
    shutil.copy(small.release, theirs)
    (top / "eve").symlink_to(top / "s001")
    place = top / "eve" / small.id / "sheet.ipynb"
    (path,) = find.find_submissions(place, small).values()
    assert find.trusted_folder(place, small) == find.trusted_folder(top, small) == top
    assert notebooks.read_submission(small, "eve", path, top).unreadable
    assert not notebooks.read_submission(small, "s001", theirs, top).unreadable
    for near_the_root in ("/mine.ipynb", f"/{small.id}/mine.ipynb"):
        assert find.trusted_folder(Path(near_the_root), small) == Path("/")


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
    for name, kind_of_student, kind_of_assignment, entries in tree:
        student = os.fsencode(top) + b"/" + name
        folder = student + b"/" + os.fsencode(small.id)
        put(student, kind_of_student, b"", secret.parent)
        put(folder, kind_of_assignment, b"", secret)
        for file, kind, content in entries:
            put(folder + b"/" + file, kind, content, secret / f"{small.id}.ipynb")
    paths = find.find_submissions(top, small)
    readable = {
        name
        for name, path in paths.items()
        if not notebooks.read_submission(small, name, path, top).unreadable
    }
    assert readable == {"honest"} <= find.refuse_invalid_ids(paths)[0].keys()
