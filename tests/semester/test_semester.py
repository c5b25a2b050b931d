"""An invented semester, played by commands, ends with the points that are calculated on paper."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from .invented import SHEETS, write_material
from .paper import differences
from .played import Semester

pytestmark = [pytest.mark.walls, pytest.mark.database]


CHANGES = [
    "submitted_notebook SET late_submission_penalty = 0",
    "grade SET manual_score = 0 WHERE id = (SELECT max(id) FROM grade WHERE manual_score > 0)",
    "grade SET auto_score = auto_score - 0.1 WHERE auto_score = 2",
]  # a penalty, a mark or a decision of one, points of a check


def test_a_short_semester_ends_as_on_paper_which_notices_what_the_gradebook_lacks(tmp_path):
    """Eight students with the assignment of the groups, without feedback."""
    write_material(tmp_path / "material", 8, SHEETS[1:])
    semester = Semester(tmp_path / "material", tmp_path / "course")
    semester.begin()
    for sheet, download in semester.downloads():
        semester.collect(sheet, download)
    semester.grade(sheet, "--jobs", "1")
    semester.decide()
    semester.export(sheet, download)
    assert differences(semester.material, semester.course / "gradebook.db") == []
    for change in CHANGES:
        other = shutil.copy(semester.course / "gradebook.db", semester.course / "other.db")
        with closing(sqlite3.connect(other)) as book, book:
            assert book.execute(f"UPDATE {change}").rowcount
        found = differences(semester.material, semester.course / "other.db")
        assert found, change
        assert all(one.startswith("gradebook: layer-norm, ") for one in found)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_semester_of_13_ends_as_on_paper(tmp_path):
    write_material(tmp_path / "material", 13)
    semester = Semester(tmp_path / "material", tmp_path / "course")
    semester.begin()
    for sheet, download in semester.downloads():
        semester.collect(sheet, download)
        semester.grade(sheet)
        semester.give_back(sheet, download)
    semester.decide()
    for sheet, download in semester.downloads():
        semester.give_back(sheet, download)
    assert differences(semester.material, semester.course / "gradebook.db") == []
