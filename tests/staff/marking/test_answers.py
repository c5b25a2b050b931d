"""Answers with their marks; equal ones are told, and may have one mark."""

import json

import pytest
from written_answers import WRITTEN, graded

from autograder.engine.course.assignment import CHECK
from autograder.staff.marking.answers import groups, plan_copies, read_answers
from autograder.staff.marking.hand_marks import GradedNotebooks, hand_marks

pytestmark = pytest.mark.database


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
    assert (dan.text, dan.kind, dan.mark.cell.by_hand, dan.mark.cell.is_open) == (
        "mine = 1",
        "code",
        1.0,
        True,
    )
    assert not dan.mark.cell.is_written and plan_copies(answers())[0] == []


def test_a_student_whose_notebook_is_gone_is_named(book):
    id, notebooks = book.assignment.id, GradedNotebooks(book.assignment.course)
    path = notebooks.top / "ben" / id / f"{id}.ipynb"
    content = json.loads(path.read_text())
    content["cells"] = [cell for cell in content["cells"] if cell["id"] != WRITTEN]
    path.write_text(json.dumps(content))
    (notebooks.top / "ada" / id / f"{id}.ipynb").unlink()
    found, unread = read_answers(hand_marks(book.url, id), notebooks, id, "http://host")
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


def test_what_waits_again_gives_no_mark_and_takes_none(book, answers):
    book.mark("dan", 2.0)
    book.enter(dan="The root keeps the scale.")
    assert plan_copies(answers()) == ([], [])
    book.mark("ada", 1.0)
    assert [one.taker.student for one in plan_copies(answers())[0]] == ["ben", "cleo"]


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
