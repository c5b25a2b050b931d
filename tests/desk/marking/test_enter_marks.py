"""Marks of a page in the gradebook: once, by whom, and never over what somebody else gave."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from msgspec import Raw
from written_answers import WRITTEN

from autograder import AutograderError
from autograder.desk.marking.enter_marks import enter_marks
from autograder.desk.marking.given import read_given
from autograder.desk.marking.marks_file import FORMAT, SavedMark, SavedMarks, read_marks_file

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("read_without_fork")]
NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)


@pytest.fixture
def enter(book, answers, tmp_path):
    """Enter marks, as points by student, of a marker whose page was saved so many minutes later."""

    def run(marker="Kim", comment="", minutes=0, version=None, **points):
        versions = {one.student: one.version for one in answers()}
        marks = [
            SavedMark(who, WRITTEN, version or versions.get(who, "v0"), given, comment, ())
            for who, given in points.items()
        ]
        at = NOW + timedelta(minutes=minutes)
        saved = SavedMarks(FORMAT, book.assignment.id, marker, at, Raw(b"[]"), marks)
        return enter_marks(book.url, tmp_path / "results", saved, marker, answers())

    return run


@pytest.fixture
def given(book, tmp_path):
    return lambda: read_given(tmp_path / "results", book.assignment.id)


def test_what_waits_gets_points_and_comment_and_twice_is_as_good_as_once(book, enter, given):
    for entered in (2, 0):
        entry = enter(ada=1.5, ben=0.0, comment="Why?")
        assert (entry.entered, entry.unchanged) == (entered, 2 - entered)
        assert entry.left_out == entry.second == entry.kept_comments == []
        assert book.given("ada") == (1.5, None, "Why?") and book.given("ben") == (0.0, None, "Why?")
        assert not book.waits("ada") and book.waits("cleo")
        assert [(one.student, one.marker, one.is_first) for one in given()] == [
            ("ada", "Kim", True),
            ("ben", "Kim", True),
        ]


def test_a_markers_later_mark_takes_the_place_of_the_own_earlier_one(book, enter):
    enter(ada=1.5, comment="Why?")
    assert enter(ada=1.0, comment="Good.", minutes=5).entered == 1
    assert book.given("ada") == (1.0, None, "Good.")
    late = enter(ada=1.5, comment="Why?")  # the earlier file once more
    assert "saved later" in late.left_out[0] and book.given("ada") == (1.0, None, "Good.")
    enter(ada=1.0, minutes=9)
    assert book.given("ada") == (1.0, None, "")


def test_of_two_markers_the_gradebook_keeps_the_first(book, enter, given):
    enter("Kim", ada=1.5)
    for _ in range(2):
        entry = enter("Lee", ada=1.5, comment="Mine.")
        assert entry.entered == entry.unchanged == 0 and len(entry.second) == 1
        assert entry.second[0][1]["points"] == "1.5"
    assert len(enter("Lee", ada=0.5, minutes=5).second) == 1  # although the marks were equal
    assert book.given("ada") == (1.5, None, "")
    assert {one.marker: (one.points, one.is_first) for one in given()} == {
        "Kim": (1.5, True),
        "Lee": (0.5, False),
    }


def test_what_was_marked_or_corrected_in_formgrader_stays(book, enter):
    book.mark("ada", 0.5, comment="Theirs.")
    assert len(enter(ada=2.0, ben=1.0).second) == 1
    book.mark("ben", 2.0)
    assert len(enter(ben=1.5, minutes=5).second) == 1
    assert book.given("ada") == (0.5, None, "Theirs.") and book.given("ben")[0] == 2.0


def test_a_comment_of_somebody_else_is_kept_and_told(book, enter):
    enter(ada=1.0, comment="Mine.")
    book.mark("ada", 1.0, comment="Theirs.")
    assert enter(ada=1.5, comment="Mine.", minutes=1).kept_comments == []
    assert enter(ada=1.5, comment="New.", minutes=2).kept_comments == ["ada"]
    assert book.given("ada") == (1.5, None, "Theirs.")


def test_what_cannot_be_entered_is_told_and_the_rest_is_entered(book, enter, given):
    entry = enter(ada=2.5, ben=-0.5, cleo=float("nan"), dan=2.0, nobody=1.0)
    assert entry.entered == 1 and len(entry.left_out) == 4
    assert "2.5 is not from 0 to 2" in entry.left_out[0] and "no such answer" in entry.left_out[3]
    entry = enter(ada=1.0, version="v1234567890")
    assert "has changed since" in entry.left_out[0]
    assert [one.student for one in given()] == ["dan"] and book.given("ada")[0] is None


def test_an_answer_that_changed_since_it_was_marked_is_marked_anew(book, enter):
    enter(ada=1.0)
    book.enter(ada="A better root.")
    assert book.waits("ada")
    assert enter("Lee", ada=2.0).entered == 1 and book.given("ada")[0] == 2.0


def test_if_a_mark_cannot_be_written_down_the_gradebook_has_none(book, enter, monkeypatch):
    def fail(*record) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("autograder.desk.marking.enter_marks.add_given", fail)
        with pytest.raises(OSError, match="full"):
            enter(ada=1.0, ben=1.0)
    assert book.given("ada")[0] is None and book.waits("ada")
    enter(ada=1.0, ben=1.0)
    assert book.given("ada")[0] == book.given("ben")[0] == 1.0


GOOD = {
    "format": FORMAT,
    "assignment": "a",
    "marker": "Kim",
    "saved_at": "2026-11-27T10:00:00.000Z",
    "scheme": [{"exercise": "e", "text": "t", "points": 1}],
    "marks": [
        {"student": "s", "exercise": "e", "answer": "v", "points": 1, "comment": "", "items": ["t"]}
    ],
}
MARK = GOOD["marks"][0]


def test_a_file_that_a_page_saved_is_read(tmp_path):
    path = tmp_path / "marks.json"
    path.write_text(json.dumps(GOOD))
    assert read_marks_file(path).marks == [SavedMark("s", "e", "v", 1.0, "", ("t",))]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[" * 100_000,
        json.dumps(GOOD | {"format": "2"}),
        json.dumps(GOOD | {"more": 1}),
        json.dumps(GOOD | {"saved_at": "2026-11-27T10:00:00"}),
        json.dumps(GOOD | {"marks": [MARK | {"points": "1"}]}),
        json.dumps(GOOD | {"marks": [MARK | {"comment": "x" * 10_001}]}),
        json.dumps(GOOD | {"marks": [MARK | {"student": ""}]}),
    ],
    ids=["empty", "deep", "format", "field", "zone", "points", "comment", "student"],
)
def test_another_file_is_refused(tmp_path, content):
    path = tmp_path / "marks.json"
    path.write_text(content)
    with pytest.raises(AutograderError, match="is no file that a marking page saved"):
        read_marks_file(path)


def test_a_marker_corrects_the_mark_of_an_answer_that_came_back(book, enter):
    book.enter(ada="The first.")
    enter(ada=1.5)
    book.enter(ada="The second.")
    enter(ada=0.5, minutes=1)
    book.enter(ada="The first.")
    assert book.given("ada")[0] == 1.5
    entry = enter(ada=1.0, minutes=2)
    assert (entry.entered, entry.second, book.given("ada")[0]) == (1, [], 1.0)


def test_a_file_that_is_entered_again_after_an_inquiry_changes_nothing(book, enter, given):
    enter(ada=1.0, comment="Why?")
    book.mark("ada", 1.5, comment="Why?")  # as an inquiry does
    before = given()
    entry = enter(ada=1.0, comment="Why?")
    assert (entry.entered, entry.unchanged, entry.second) == (0, 1, []) and given() == before
    assert book.given("ada")[0] == 1.5
    assert len(enter(ada=1.0, comment="Better.", minutes=5).second) == 1, "the decision stays"
    assert book.given("ada")[0] == 1.5
