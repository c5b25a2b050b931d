"""What a student reads: the comment, the page, the notebook, and the zip of them."""

import zipfile
from io import BytesIO

from exports import BEN, CLEO, verdict

from autograder.classroom.roster import Person
from autograder.engine.courses import CHECK
from autograder.gradebook.grades import Grade
from autograder.gradebook.pages.of_grade import FIRST_DAY, comment, own_page, zip_bytes
from autograder.gradebook.sync.marks import CellMark, StudentMarks
from autograder.platforms.gradescope import result_json


def test_what_a_person_changed_is_told_apart_from_what_was_marked_by_hand():
    cells = [
        CellMark(f"{CHECK}second_part", 6.0, 5.0, 5.5, None, False),
        CellMark("explain", 2.0, None, 1.0, None, False, True),
    ]
    marks = StudentMarks(None, None, 0.0, cells)
    said = comment(Grade(Person(BEN), verdict(BEN, 5.0), marks))
    assert "second part, changed by a person: 5.5; marked by hand: 1; total: 6.5 of 8" in said
    only = StudentMarks(None, None, 0.0, cells[:1])
    assert "marked by hand" not in comment(Grade(Person(BEN), verdict(BEN, 5.0), only))


def test_our_page_runs_nothing_of_a_students():
    grade = Grade(
        Person(CLEO, "<script>alert(1)</script>"),
        verdict(CLEO, 0, "unreadable", reason="`<img onerror=x>` is no notebook."),
    )
    assert "<script" not in own_page(grade) and "<img" not in own_page(grade)


def test_our_page_shows_a_name_that_turns_nothing_around_it():
    person = Person(CLEO, "gpj\u202e.exe\u2066")
    page = own_page(Grade(person, verdict(CLEO, 0, "unreadable", reason="`\u202e` is none.")))
    assert "<bdi>gpj\\u202e.exe\\u2066</bdi>" in page and "<code>\\u202e</code> is none" in page
    assert "\u202e" not in page and "default-src 'none'" in page


def test_no_note_for_staff_reaches_a_platform():
    grade = Grade(Person(BEN), verdict(BEN, 7.5, notes=["`second_part` uses `nn.Secret`."]))
    for told in (comment(grade), own_page(grade), str(result_json(grade))):
        assert "second" in told and "Secret" not in told


def test_a_zip_has_the_same_bytes_each_time():
    content = {"a.txt": b"one", "folder/b.txt": b"two" * 1_000}
    data = zip_bytes(content)
    assert data == zip_bytes(content)
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == content
        assert {entry.date_time for entry in archive.infolist()} == {FIRST_DAY}
