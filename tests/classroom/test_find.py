"""Where submissions are looked for, and under whose name."""

from pathlib import Path

import pytest

from autograder.classroom.find import (
    NoSubmissions,
    find_submissions,
    in_nbgrader_layout,
    refuse_invalid_ids,
)


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
    submitted(".received", "mine.ipynb")
    (tmp_path / "submitted" / "s004" / "another").mkdir(parents=True)
    found = find_submissions(tmp_path / "submitted", small)
    assert found == {"s001": named, "s002": only, "s003": missing}
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
