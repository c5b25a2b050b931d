"""`marking page` and `marking enter`: marks get into the gradebook once, and never over what somebody
else gave.
"""

import json
import sqlite3
from pathlib import Path

import pytest
from inquired import configure
from marking_pages import MARKING, SAVED, data_of, save_marks
from typed_commands import refused, typed
from written_answers import WRITTEN

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("read_without_fork")]


def make_page(marker: str, *words: str) -> Path:
    assert typed("marking", "page", "--for", marker, *words, "--out", marker)[0] == 0
    (page,) = Path(marker).rglob("page-*.html")
    return page


def test_each_marker_marks_an_own_share_and_what_both_marked_is_compared(book):
    files = []
    for name, points in (("kim", 1.5), ("LEE", 0.5)):
        status, printed = typed("marking", "page", "--for", name, "--second", "100%")
        assert status == 0 and f"4 answers for {name.capitalize()} to mark." in printed
        (page,) = MARKING.glob(f"page-{name.capitalize()}-*.html")
        files.append(save_marks(page, Path(f"{name}.json"), points))
    status, printed = typed("marking", "enter", *files)
    assert status == 0 and "Kim: 4 marks entered, 0 there before, 0 left out." in printed
    assert "Lee: 0 marks entered, 0 there before, 4 second marks, 0 left out." in printed
    assert f"ada, {WRITTEN}: 1.5 and 0.5" in printed and "0 of 4" in printed
    assert book.given("cleo")[0] == 1.5
    assert "0 answers for Kim to mark" in typed("marking", "page", "--for", "Kim")[1]


def test_without_second_marks_the_shares_are_all_answers_once(book):
    groups = [group for name in ("Kim", "Lee") for group in data_of(make_page(name))["groups"]]
    students = [answer["student"] for group in groups for answer in group["answers"]]
    assert sorted(students) == ["ada", "ben", "cleo", "dan"]


def test_all_members_of_a_group_have_the_marks_as_soon_as_they_are_entered(book):
    Path("groups.csv").write_text("student,group\nfay,g1\ngil,g1\n")
    book.owners = {"fay": "g1", "gil": "g1"}
    book.enter(g1="Ours.", fay="Ours.", gil="Ours.")
    pages = [make_page(name, "--split", "answer") for name in ("Kim", "Lee")]
    files = [save_marks(page, page.with_suffix(".json"), 1.5) for page in pages]
    assert typed("marking", "enter", *files)[0] == 0
    assert {book.given(student)[0] for student in ("g1", "fay", "gil")} == {1.5}


def test_what_waits_gets_points_and_comment_and_entering_again_changes_nothing(book, mark_on_page):
    for counts in ("2 marks entered, 0 there before", "0 marks entered, 2 there before"):
        status, printed = mark_on_page("Kim", "Why?", ada=1.5, ben=0.0)
        assert status == 0 and printed == f"{book.assignment.id}, Kim: {counts}, 0 left out.\n"
        assert book.given("ada") == (1.5, None, "Why?") and book.given("ben") == (0.0, None, "Why?")
        assert not book.waits("ada") and book.waits("cleo")


def test_a_markers_later_mark_takes_the_place_of_the_own_earlier_one(book, mark_on_page):
    mark_on_page("Kim", "Why?", ada=1.5)
    assert "1 mark entered" in mark_on_page("Kim", "Good.", minutes=5, ada=1.0)[1]
    assert book.given("ada") == (1.0, None, "Good.")
    status, printed = mark_on_page("Kim", "Why?", ada=1.5)  # the earlier file once more
    assert status == 1 and "saved later" in printed and book.given("ada") == (1.0, None, "Good.")
    mark_on_page("Kim", minutes=9, ada=1.0)
    assert book.given("ada") == (1.0, None, "")


def test_of_two_markers_the_gradebook_keeps_the_first(book, mark_on_page):
    mark_on_page("Kim", ada=1.5)
    for minutes, points in ((0, 1.5), (0, 1.5), (5, 0.5)):  # also where the marks were equal
        printed = mark_on_page("Lee", "Mine.", minutes, ada=points)[1]
        assert "0 marks entered, 0 there before, 1 second mark, 0 left out" in printed
    assert book.given("ada") == (1.5, None, "")
    assert f"ada, {WRITTEN}: 1.5 and 0.5" in typed("marking", "compare")[1]


def test_what_was_marked_or_corrected_in_formgrader_stays(book, mark_on_page):
    book.mark("ada", 0.5, comment="Theirs.")
    assert "1 second mark," in mark_on_page("Kim", ada=2.0, ben=1.0)[1]
    book.mark("ben", 2.0)
    assert "1 second mark," in mark_on_page("Kim", minutes=5, ben=1.5)[1]
    assert book.given("ada") == (0.5, None, "Theirs.") and book.given("ben")[0] == 2.0


def test_a_comment_of_somebody_else_is_kept_and_reported(book, mark_on_page):
    sentence = "The gradebook has another comment, which is kept, for: ada."
    mark_on_page("Kim", "Mine.", ada=1.0)
    book.mark("ada", 1.0, comment="Theirs.")
    assert sentence not in mark_on_page("Kim", "Mine.", minutes=1, ada=1.5)[1]
    assert sentence in mark_on_page("Kim", "New.", minutes=2, ada=1.5)[1]
    assert book.given("ada") == (1.5, None, "Theirs.")


def test_marks_that_cannot_be_entered_are_reported_and_the_rest_is_entered(book, mark_on_page):
    points = {"ada": 2.5, "ben": -0.5, "cleo": 9.0, "dan": 2.0, "\x1b[31mnobody": 1.0}
    status, printed = mark_on_page("Kim", **points)
    assert status == 1 and "1 mark entered, 0 there before, 4 left out." in printed
    assert f"ada, {WRITTEN}: 2.5 is not from 0 to 2." in printed
    assert "no such answer" in printed and "\x1b" not in printed
    status, printed = mark_on_page("Kim", version="v1234567890", ada=1.0)
    assert status == 1 and "has changed since" in printed and book.given("ada")[0] is None


def test_an_answer_that_changed_since_it_was_marked_is_marked_anew(book, mark_on_page):
    mark_on_page("Kim", ada=1.0)
    book.enter(ada="A better root.")
    assert book.waits("ada")
    assert "1 mark entered" in mark_on_page("Lee", ada=2.0)[1] and book.given("ada")[0] == 2.0


def test_a_marker_corrects_the_mark_of_an_answer_that_came_back(book, mark_on_page):
    book.enter(ada="The first.")
    mark_on_page("Kim", ada=1.5)
    book.enter(ada="The second.")
    mark_on_page("Kim", minutes=1, ada=0.5)
    book.enter(ada="The first.")
    assert book.given("ada")[0] == 1.5
    printed = mark_on_page("Kim", minutes=2, ada=1.0)[1]
    assert "1 mark entered, 0 there before, 0 left out" in printed and book.given("ada")[0] == 1.0


def test_a_file_that_is_entered_again_after_an_inquiry_changes_nothing(book, mark_on_page):
    mark_on_page("Kim", "Why?", ada=1.0)
    book.mark("ada", 1.5, comment="Why?")  # as an inquiry does
    printed = mark_on_page("Kim", "Why?", ada=1.0)[1]
    assert "0 marks entered, 1 there before, 0 left out" in printed
    assert "No second marks" in typed("marking", "compare")[1] and book.given("ada")[0] == 1.5
    assert "1 second mark," in mark_on_page("Kim", "Better.", minutes=5, ada=1.0)[1]
    assert book.given("ada")[0] == 1.5, "the decision stays"


def test_if_a_mark_cannot_be_written_down_the_gradebook_has_none(book, mark_on_page):
    mark_on_page("Kim", dan=1.0)  # which makes the table
    with sqlite3.connect("records.db") as records:
        full = "select raise(abort, 'the disk is full')"
        records.execute(f"create trigger full before insert on given_marks begin {full}; end")
    assert "the disk is full" in mark_on_page("Kim", ada=1.0, ben=1.0)[1]
    assert book.given("ada")[0] is None and book.waits("ada")
    with sqlite3.connect("records.db") as records:
        records.execute("drop trigger full")
    records.close()
    mark_on_page("Kim", ada=1.0, ben=1.0)
    assert book.given("ada")[0] == book.given("ben")[0] == 1.0


MARK = {"student": "s", "exercise": "e", "answer": "v", "points": 1, "comment": "", "items": ["t"]}
GOOD = SAVED | {"marks": [MARK]}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "[" * 100_000,
        json.dumps(GOOD | {"format": "2"}),
        json.dumps(GOOD | {"more": 1}),
        json.dumps(GOOD | {"saved_at": "2026-11-27T10:00:00"}),
        json.dumps(GOOD | {"marks": [MARK | {"points": "1"}]}),
        json.dumps(GOOD | {"marks": [MARK | {"points": float("nan")}]}),
        json.dumps(GOOD | {"marks": [MARK | {"comment": "x" * 10_001}]}),
        json.dumps(GOOD | {"marks": [MARK | {"student": ""}]}),
    ],
    ids="empty nothing deep format field zone points nan comment student".split(),
)
def test_another_file_is_refused(book, content):
    Path("marks.json").write_text(json.dumps(GOOD))
    assert "no such answer" in typed("marking", "enter", "marks.json")[1]
    Path("marks.json").write_text(content)
    status, printed = typed("marking", "enter", "marks.json")
    assert status == 1 and "is no file that a marking page saved" in printed


def test_what_nobody_may_enter_is_refused(book):
    file = save_marks(make_page("Kim"), Path("marks.json"), 1.0)
    assert "--for" in refused("marking", "page")
    assert "does not exist" in refused("marking", "enter", "nowhere.json")
    file.write_text(file.read_text().replace('"Kim"', '"mallory"'))
    assert "does not name 'mallory'" in refused("marking", "enter", file)
    assert book.waits("ada") and not Path("results").exists()


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("markers = ['Kim', 'Lee']", "does not name '2/5': it has Kim, Lee."),
        ("markers = []", "it has nobody yet"),
        ("markers = ['kim', 'KIM']", "c.Marking"),
        ("markers = ['kim', ' ']", "c.Marking"),
        ("markers = 3", "c.Marking"),
        ("markers = [3]", "c.Marking"),
        ("marker = ['kim']", "c.Marking has no setting `marker`. It has: markers."),
    ],
)
def test_a_list_that_does_not_have_the_marker_or_cannot_be_used_is_reported(
    book, setting, sentence
):
    configure(f"c.Marking.{setting}\n")
    status, printed = typed("marking", "page", "--for", "2/5")
    assert status in (1, 2) and sentence in printed and printed.count("\n") == 1
