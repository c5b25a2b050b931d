"""An invented semester, played by commands, ends with the points that are calculated on paper."""

import pytest

from .invented import SHEETS, write_material
from .paper import differences
from .played import Semester

pytestmark = [pytest.mark.walls, pytest.mark.database]


@pytest.fixture(scope="module")
def short(tmp_path_factory) -> Semester:
    """Eight students and the assignment of the groups, all but the inquiries."""
    folder = tmp_path_factory.mktemp("semester")
    write_material(folder / "material", 8, SHEETS[1:])
    semester = Semester(folder / "material", folder / "course")
    semester.begin()
    for sheet, download in semester.downloads():
        semester.collect(sheet, download)
    semester.grade(sheet)
    return semester


def test_a_short_semester_ends_as_on_paper(short):
    short.decide()
    sheet, last = [*short.downloads()][-1]
    short.export(sheet, last)
    assert differences(short.material, short.course / "gradebook.db") == []


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
