"""The page on repositories of git, followed from its first command to its last."""

from pathlib import Path

import pytest
from downloads import BOOK
from downloads import ID as SHEET
from repositories import commit
from typed_commands import blocks, type_in

from autograder.authoring.sample_class import SampleClass, notebook_text

pytestmark = [pytest.mark.walls, pytest.mark.database, pytest.mark.slow]

STUDENTS = {"ada": "0042", "ben": "0043", "cleo": "0044"}  # user, id in the course


def make_class(root: Path, assignment) -> None:
    """What a host has of a class, and a table in the folder that is to be filled."""
    sample, rows = SampleClass(assignment, 1), []
    for number, (user, student) in enumerate(STUDENTS.items()):
        repository = root / "host" / f"{SHEET}-{user}"
        text = notebook_text(assignment, sample.submission(number))
        commit(repository, {BOOK: text.encode()}, when=f"2026-11-2{number} 08:00:00 +0000")
        rows.append(f"{student},file://{repository}\n")
    folder = root / f"{SHEET}-repositories"
    folder.mkdir()
    (folder / "roster.csv").write_text("student,repository\n" + "".join(rows))


@pytest.mark.long
def test_the_page_is_followed_from_begin_to_end(copied):
    root = copied.course.root
    make_class(root, copied)
    (commands,) = blocks("git.md")
    said = type_in(root, commands, f"sheet={SHEET}\n")
    assert "3 students: 3 placed; none unmatched" in said and "3 grades from 3 verdicts" in said
    stamp = root / "submitted" / "0043" / SHEET / "timestamp.txt"
    assert stamp.read_text().startswith("2026-11-21 08:00:00")
