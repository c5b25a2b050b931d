"""`marking page` and `marking enter` from the command line."""

from pathlib import Path

import pytest
from marking_pages import data_of, save_marks
from typed_commands import refused, typed
from written_answers import WRITTEN, Book

from autograder.desk.marking.given import GivenMark, add_given
from autograder.desk.marking.second_marks import read_second

pytestmark = pytest.mark.database


@pytest.fixture
def book(empty_book, monkeypatch) -> Book:
    """A course with two markers in this folder; ada and ben wrote the same."""
    root = empty_book.assignment.course.root
    monkeypatch.chdir(root)
    with (root / "nbgrader_config.py").open("a") as file:
        file.write("\nc.Marking.markers = ['Kim', 'Lee']\n")
    empty_book.enter(ada="The root.", ben="The root.", cleo="Mine.", dan="\x1b[31mNone.")
    return empty_book


def test_each_marker_marks_an_own_share_and_what_both_marked_is_compared(book):
    folder, files = Path("results", book.assignment.id, "marking"), []
    for name, points in (("kim", 1.5), ("LEE", 0.5)):
        status, said = typed("marking", "page", "--for", name, "--second", "100%")
        assert status == 0 and f"4 answers for {name.capitalize()} to mark." in said
        (page,) = folder.glob(f"page-{name.capitalize()}-*.html")
        files.append(save_marks(page, Path(f"{name}.json"), points))
    status, said = typed("marking", "enter", *files)
    assert status == 0 and "Kim: 4 marks entered, 0 there before, 0 left out." in said
    assert "Lee: 0 marks entered, 0 there before, 4 second marks, 0 left out." in said
    assert f"ada, {WRITTEN}: 1.5 and 0.5" in said and "0 of 4" in said
    assert book.given("cleo")[0] == 1.5
    status, said = typed("marking", "enter", files[0])
    assert status == 0 and "0 marks entered, 4 there before" in said
    assert "0 answers for Kim to mark" in typed("marking", "page", "--for", "Kim")[1]


def test_all_members_of_a_group_have_the_marks_as_soon_as_they_are_entered(book):
    Path("groups.csv").write_text("student,group\neva,g1\nfay,g1\n")
    book.owners = {"eva": "g1", "fay": "g1"}
    book.enter(g1="Ours.", eva="Ours.", fay="Ours.")
    typed("marking", "page", "--for", "Kim", "--split", "answer", "--out", ".")
    typed("marking", "page", "--for", "Lee", "--split", "answer", "--out", ".")
    files = [
        save_marks(page, page.with_suffix(".json"), 1.5) for page in Path().rglob("page-*.html")
    ]
    assert typed("marking", "enter", *files)[0] == 0
    assert {book.given(one)[0] for one in ("g1", "eva", "fay")} == {1.5}


def test_second_marks_of_pages_are_compared_with_those_in_tables(book):
    typed("marking", "list", "--second", "100%", "--out", ".")
    table = Path(book.assignment.id, "second.csv")
    (ada, *_) = (row for row in read_second(table)[1] if row[1]["student"] == "ada")
    book.mark("ada", 2.0)
    assert "No second marks" in typed("marking", "compare")[1]
    mark = GivenMark("ada", ada[1]["exercise"], "Lee", 0.5, ada[1]["answer"], "2026-12-01")
    add_given(Path("results"), book.assignment.id, mark)
    _, said = typed("marking", "compare", table)
    assert "1 answer has two marks." in said and "ada, explain: 2 and 0.5" in said
    assert "3 without a second mark" in said
    for words in ([], ["--assignment", book.assignment.id]):
        _, said = typed("marking", "compare", *words)
        assert "ada, explain: 2 and 0.5" in said and "without a second mark" not in said


def test_without_second_marks_the_shares_are_all_answers_once(book):
    students = []
    for name in ("Kim", "Lee"):
        assert typed("marking", "page", "--for", name, "--out", name)[0] == 0
        (page,) = Path(name).rglob("page-*.html")
        students += [
            one["student"] for group in data_of(page)["groups"] for one in group["answers"]
        ]
    assert sorted(students) == ["ada", "ben", "cleo", "dan"]


def test_what_is_left_out_is_said_without_acting_on_a_terminal(book):
    typed("marking", "page", "--for", "Kim", "--second", "100%", "--out", ".")
    (page,) = Path().rglob("page-Kim-*.html")
    file = save_marks(page, Path("marks.json"), 1.0, student="\x1b[31mnobody")
    status, said = typed("marking", "enter", file)
    assert status == 1 and "1 left out" in said and "no such answer" in said and "\x1b" not in said


def test_what_nobody_may_enter_is_refused(book):
    typed("marking", "page", "--for", "Kim", "--out", ".")
    (page,) = Path().rglob("page-Kim-*.html")
    file = save_marks(page, Path("marks.json"), 1.0)
    assert "does not name '2/5': it has Kim, Lee." in refused("marking", "page", "--for", "2/5")
    assert "--for" in refused("marking", "page")
    assert "does not exist" in refused("marking", "enter", "nowhere.json")
    file.write_text(file.read_text().replace('"Kim"', '"mallory"'))
    assert "does not name 'mallory'" in refused("marking", "enter", file)
    file.write_text("{}")
    status, said = typed("marking", "enter", file)
    assert status == 1 and "is no file that a marking page saved" in said
    assert book.waits("ada") and not Path("results").exists()
