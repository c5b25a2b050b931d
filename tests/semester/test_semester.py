"""An invented semester, played by commands, ends with the points that are calculated on paper."""

import shutil
import sqlite3

import pytest

from .invented import SHEETS, write_material
from .paper import differences
from .played import Semester

pytestmark = [pytest.mark.walls, pytest.mark.database]


@pytest.fixture(scope="module")
def short(tmp_path_factory) -> Semester:
    """Eight students with the assignment of the groups, without feedback."""
    folder = tmp_path_factory.mktemp("semester")
    write_material(folder / "material", 8, SHEETS[1:])
    semester = Semester(folder / "material", folder / "course")
    semester.begin()
    for sheet, download in semester.downloads():
        semester.collect(sheet, download)
    semester.grade(sheet, "--jobs", "1")
    semester.decide()
    semester.export(sheet, download)
    return semester


def test_a_short_semester_ends_as_on_paper(short):
    assert differences(short.material, short.course / "gradebook.db") == []


@pytest.mark.parametrize(
    "change",
    [
        pytest.param("submitted_notebook SET late_submission_penalty = 0", id="no penalty"),
        pytest.param(
            "grade SET manual_score = 0 WHERE id = (SELECT max(id) FROM grade WHERE manual_score > 0)",
            id="a mark or a decision that one has not",
        ),
        pytest.param("grade SET auto_score = auto_score - 0.1 WHERE auto_score = 2", id="a check"),
    ],
)
def test_the_paper_notices_what_the_gradebook_lacks(short, change):
    other = shutil.copy(short.course / "gradebook.db", short.course / "other.db")
    with sqlite3.connect(other) as book:
        assert book.execute(f"UPDATE {change}").rowcount
    found = differences(short.material, short.course / "other.db")
    assert found
    assert all(one.startswith("gradebook: layer-norm, ") for one in found)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_semester_of_120_ends_as_on_paper(tmp_path):
    write_material(tmp_path / "material", 120)
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
