"""What a student reads: the comment, the page, the notebook, and the zip of them."""

import zipfile
from io import BytesIO

from exports import BEN, CLEO, UNSCALED, verdict

from autograder.people.roster import Person
from autograder.platforms.feedback import FIRST_DAY, comment, merge_comment, own_page, zip_bytes
from autograder.platforms.grades import Grade
from autograder.platforms.gradescope_results import result_json


def test_a_persons_words_stay_around_our_comment():
    grade = Grade(Person(BEN), verdict(BEN, 7.5))
    once = merge_comment("<p>See me.</p>", grade)
    assert once.startswith("<p>See me.</p>\n") and UNSCALED.sentence in once
    better = Grade(Person(BEN), verdict(BEN, 10.0))
    again = merge_comment(once + "\nMy office is open.", better)
    assert again.startswith("<p>See me.</p>\n") and again.endswith("\nMy office is open.")
    assert UNSCALED.sentence not in again and again.count("total:") == 1


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
