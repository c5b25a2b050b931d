"""Answers with their marks; equal ones are told, and may have one mark."""

import json

import pytest
from written_answers import WRITTEN, graded, graded_folder

from autograder.desk.marking.answers import graded_cells, groups, read_answers
from autograder.desk.marking.copies import plan_copies
from autograder.engine.courses import CHECK
from autograder.gradebook.sync.database import folders_of

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("read_without_fork")]


def students(found) -> list[list[str]]:
    return [[one.student for one in group] for group in found]


def test_answers_that_differ_in_blanks_alone_are_shown_together(answers):
    assert students(groups(answers())) == [["ada", "ben", "cleo"], ["dan"]]


def test_other_pictures_make_other_answers(book, answers):
    for student, data in (("ada", "QUJD"), ("ben", "REVG"), ("cleo", "QUJD")):
        notebook = graded(book.assignment, "![](attachment:a.png)")
        for cell in notebook.cells:
            if cell.id == WRITTEN:
                cell.attachments = {"a.png": {"image/png": data}}
        book.enter(**{student: notebook})
    assert students(groups(answers())) == [["ada", "cleo"], ["ben"], ["dan"]]


def test_points_put_over_automatic_ones_wait_with_the_code_that_they_are_for(book, answers):
    book.mark("dan", 1.0, CHECK + "softmax")
    book.enter(dan=graded(book.assignment, "Mine.", 0.5, softmax="mine = 1"))
    (dan,) = (one for one in answers() if one.exercise == "softmax")
    cell = dan.cell
    assert (dan.text, dan.kind, cell.is_open) == ("mine = 1", "code", True)
    assert (cell.by_hand, cell.earlier) == (None, 1.0)
    assert not dan.cell.is_written and plan_copies(answers())[0] == []


def test_a_student_whose_notebook_is_gone_is_named(book):
    id, top = book.assignment.id, graded_folder(book)
    path = top / "ben" / id / f"{id}.ipynb"
    content = json.loads(path.read_text())
    content["cells"] = [cell for cell in content["cells"] if cell["id"] != WRITTEN]
    path.write_text(json.dumps(content))
    (top / "ada" / id / f"{id}.ipynb").unlink()
    found, unread = read_answers(book.url, book.assignment.course, id, "http://host")
    assert unread == ["ada", "ben"] and [one.student for one in found] == ["cleo", "dan"]


def test_equal_answers_may_have_one_mark_and_which_one_is_not_chosen_for_them(book, answers):
    assert plan_copies(answers()) == ([], [])
    book.mark("ben", 1.5)
    copies, differing = plan_copies(answers())
    assert [(one.giver.student, one.taker.student) for one in copies] == [
        ("ben", "ada"),
        ("ben", "cleo"),
    ]
    assert differing == []
    book.mark("cleo", 1.5)
    assert [one.taker.student for one in plan_copies(answers())[0]] == ["ada"]
    book.mark("cleo", 1.0, extra=0.25)
    copies, (sentence,) = plan_copies(answers())
    assert copies == []
    assert sentence == f"{WRITTEN}: equal answers have different points (ben 1.5, cleo 1.25)."


def test_what_waits_again_gives_no_mark_and_takes_that_of_an_equal_answer(book, answers):
    book.mark("dan", 2.0)
    book.enter(dan="The root keeps the scale.")
    assert plan_copies(answers()) == ([], [])
    book.mark("ada", 1.0)
    assert [one.taker.student for one in plan_copies(answers())[0]] == ["ben", "cleo", "dan"]


def test_code_that_is_indented_otherwise_is_another_answer(book, answers):
    """A mark for one would else be that of the other."""
    inside = "for row in rows:\n    total += row\n    total /= 2"
    after = "for row in rows:\n    total += row\ntotal /= 2"
    sources = {"ada": inside, "ben": after, "cleo": inside.replace("row\n", "row  \r\n") + "\n"}
    for student, source in sources.items():
        book.mark(student, 1.0, CHECK + "softmax")
        book.enter(**{student: graded(book.assignment, "Mine.", softmax=source)})
    code = [one for one in answers() if one.kind == "code"]
    assert students(groups(code)) == [["ada", "cleo"], ["ben"]]


def test_pictures_under_each_others_names_make_another_answer(book, answers):
    pictures = {"a.png": {"image/png": "QUJD"}, "b.png": {"image/png": "REVG"}}
    swapped = dict(zip(pictures, reversed(pictures.values()), strict=True))
    text = "Before ![](attachment:a.png), after ![](attachment:b.png)."
    for student, attached in (("ada", pictures), ("ben", swapped), ("cleo", pictures)):
        notebook = graded(book.assignment, text)
        for cell in notebook.cells:
            if cell.id == WRITTEN:
                cell.attachments = attached
        book.enter(**{student: notebook})
    assert students(groups(answers())) == [["ada", "cleo"], ["ben"], ["dan"]]


def test_what_is_open_is_what_nobody_has_marked_or_what_has_changed_since(book, answers):
    def waiting() -> list[str]:
        return [one.student for one in answers() if one.cell.is_open]

    assert waiting() == ["ada", "ben", "cleo", "dan"]
    book.mark("ada", 0.0)
    assert waiting() == ["ben", "cleo", "dan"]
    book.enter(ada="Another.")
    assert waiting() == ["ada", "ben", "cleo", "dan"]
    assert read_answers(book.url, book.assignment.course, "another-sheet", "") is None


def test_everything_about_a_mark_is_told(book, answers):
    book.mark("ada", 1.5, comment="Which root?", extra=0.5)
    ada, *others = answers()
    assert (ada.student, ada.exercise, ada.comment) == ("ada", WRITTEN, "Which root?")
    assert (ada.cell.by_hand, ada.cell.extra, ada.cell.max_points) == (1.5, 0.5, 2.0)
    assert ada.is_marked and ada.state == "marked" and others[0].state == "open"
    assert ada.cell.notebook_id == book.notebook_id("ada")
    assert "eva" not in [one.student for one in others], "as released"


def test_graded_notebooks_are_read_and_no_link_is_followed(book, tmp_path):
    id, top, folders = book.assignment.id, graded_folder(book), folders_of(book.assignment.course)
    assert graded_cells(folders, id, "ada")[WRITTEN]["source"].startswith("The root")
    path = top / "ben" / id / f"{id}.ipynb"
    path.unlink()
    path.symlink_to(top / "ada" / id / f"{id}.ipynb")
    for student in ("ben", "nobody", "../ada", "a/../ada"):
        assert graded_cells(folders, id, student) == {}
    (top / "cleo" / id / f"{id}.ipynb").write_text('{"cells": [1]}')
    assert graded_cells(folders, id, "cleo") == {}
