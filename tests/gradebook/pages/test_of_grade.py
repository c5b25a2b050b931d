"""What a student reads where there is no graded notebook: the comment, our own pages, the zip."""

import re
import zipfile
from io import BytesIO

import pytest
from exports import BEN, CLEO, verdict

from autograder.classroom.roster import Person
from autograder.engine.courses import CHECK
from autograder.gradebook.grades import Grade
from autograder.gradebook.pages.no_grade import missing_page, unreadable_page
from autograder.gradebook.pages.of_grade import FIRST_DAY, comment, own_page, zip_bytes
from autograder.gradebook.sync.marks import CellMark, StudentMarks
from autograder.platforms.gradescope import result_json

BAD = "<script>canary()</script><img onerror=x>\x1b[31m\u202e"
DUE = "2026-11-10 18:00 UTC"
UNREADABLE = verdict(CLEO, 0, "unreadable", reason=f"`{BAD}` is no notebook.")
PAGES = {
    "own": (own_page(Grade(Person(CLEO, BAD), UNREADABLE)), "is no notebook."),
    "unreadable": (unreadable_page("sheet", BAD, f"`{BAD}` is no notebook."), "is no notebook."),
    "missing": (missing_page("sheet", BAD, DUE), f"It was due on {DUE}."),
}


@pytest.mark.parametrize(("html", "reason"), PAGES.values(), ids=PAGES)
def test_a_page_gives_the_reason_and_nothing_in_it_acts_or_turns_around(html, reason):
    assert reason in html
    assert not re.search(r"<script|<link|<img|<[^>]*\bon\w+=|\x1b|\u202e", html)
    assert "&lt;script&gt;canary()" in html
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
    assert "default-src 'none'" in policy and "script" not in policy and "http" not in policy


@pytest.mark.parametrize("name", ["unreadable", "missing"])
def test_it_says_what_to_do_and_no_due_date_where_there_is_none(name):
    assert PAGES[name][0].count("<li>") >= 2
    assert "due" not in missing_page("sheet", "ada", "").partition("What to do")[0]


def test_our_page_shows_a_name_as_a_piece_of_its_own():
    page = own_page(Grade(Person(CLEO, "gpj\u202e.exe\u2066"), UNREADABLE))
    assert "<bdi>gpj\\u202e.exe\\u2066</bdi>" in page


def test_what_a_person_changed_is_told_apart_from_what_was_marked_by_hand():
    cells = [
        CellMark(f"{CHECK}second_part", 6.0, 5.0, 5.5, None, False),
        CellMark("explain", 2.0, None, 1.0, None, False, True),
    ]
    text = comment(Grade(Person(BEN), verdict(BEN, 5.0), StudentMarks(None, None, 0.0, cells)))
    assert "second part, changed by a person: 5.5; marked by hand: 1; total: 6.5 of 8" in text
    only = StudentMarks(None, None, 0.0, cells[:1])
    assert "marked by hand" not in comment(Grade(Person(BEN), verdict(BEN, 5.0), only))


def test_no_note_for_staff_reaches_a_platform():
    grade = Grade(Person(BEN), verdict(BEN, 7.5, notes=["`second_part` uses `nn.Secret`."]))
    for text in (comment(grade), own_page(grade), str(result_json(grade))):
        assert "second" in text and "Secret" not in text


def test_a_zip_has_the_same_bytes_each_time():
    content = {"a.txt": b"one", "folder/b.txt": b"two" * 1_000}
    data = zip_bytes(content)
    assert data == zip_bytes(content)
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == content
        assert {entry.date_time for entry in archive.infolist()} == {FIRST_DAY}
