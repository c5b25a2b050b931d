"""What is said of an exercise, to whom and where; and that nothing of it acts, in what it becomes."""

import re

import pytest

from autograder import CheckResult, ExerciseResult, NamedMistake, Verdict
from autograder.classroom.blocks.cell import as_outputs
from autograder.classroom.blocks.html import as_html
from autograder.classroom.blocks.markdown import as_markdown
from autograder.classroom.blocks.text import as_text
from autograder.classroom.blocks.verdict_blocks import (
    LABELS,
    general_notes,
    share_text,
    verdict_blocks,
)
from autograder.engine.verdicts import Stamp

FIRST, SECOND = "scale", "shift"
STAMP = Stamp(grader="g", submission="a", torch="2", python="3", seed=1, sandbox="namespaces")
UNSCALED = NamedMistake("unscaled", "The `scale` is <missing>.")
ASKED = CheckResult("test_of_values", 0.0, 2.0, False, "Is `x` < 3?")
NOTE = "`shift` uses `nn.Secret`."


def result(id=FIRST, *checks, state="answered", mistakes=(), **more):
    return ExerciseResult(id, state, 0.0, 2.0, list(checks or [ASKED]), list(mistakes), **more)


def verdict(*exercises, **more):
    said = {"repairs": [], **more}
    return Verdict(
        "s1", "sheet", "graded", 0.0, 4.0, list(exercises), seconds=0.1, stamp=STAMP, **said
    )


def blocks(one, reader="student", **more):
    """Those of one exercise."""
    return verdict_blocks(verdict(one, **more), reader)[one.id]


def texts(sentences):
    return [(one.kind, one.text) for one in sentences]


RENDERINGS = pytest.mark.parametrize("render", [as_html, as_text, as_markdown])


@RENDERINGS
def test_a_check_is_a_sentence_with_its_points_and_its_question(render):
    page = render(blocks(result()))
    assert "of values" in page and "0 / 2" in page and "test_" not in page
    question = {as_html: "Is <code>x</code> &lt; 3?", as_markdown: "Is `x` \\< 3?"}
    assert question.get(render, "Is `x` < 3?") in page


@RENDERINGS
def test_checks_that_ask_the_same_ask_it_once(render):
    twice = result(FIRST, ASKED, CheckResult("test_again", 0.0, 1.0, False, ASKED.message))
    page = render(blocks(twice))
    assert page.count("Is ") == 1 and page.index("again") < page.index("Is ")


@RENDERINGS
def test_a_question_stands_once_also_where_other_checks_lie_between(render):
    right, again = (CheckResult("test_right", 1.0, 1.0, True, None), "test_again")
    twice = result(FIRST, ASKED, right, CheckResult(again, 0.0, 1.0, False, ASKED.message))
    page = render(blocks(twice))
    assert page.count("Is ") == 1 and page.index("Is ") < page.index("again")


@RENDERINGS
def test_the_question_of_a_check_that_fails_by_a_named_mistake_is_its_consequence(render):
    named = CheckResult("test_one", 0.0, 1.0, False, "What of one?", [UNSCALED.id])
    page = render(blocks(result(FIRST, named, ASKED, mistakes=[UNSCALED])))
    assert page.count("Follows from what is named above") == 1 == page.count("What of one?")
    if render is as_html:  # folded, and the question of the other check is not
        assert re.search(r"<details>.*above</summary>What of one\?</details>", page)
        assert page.count("<details>") == 1


@RENDERINGS
def test_everything_that_is_said_of_an_exercise_stands_in_one_order(render):
    said = result(mistakes=[UNSCALED], gone=[NamedMistake("old", "An old one.")], state="timed_out")
    page = render(blocks(said, "staff", repairs=["Mended."], notes=[f"A note on `{FIRST}`."]))
    places = [page.index(word) for word in ("A note", "Mended", "missing", "An old one", "values")]
    assert places == sorted(places) and "ran out of time" in page
    assert all(LABELS[kind] in page for kind in ("note", "gone"))
    assert "<missing>" not in page.replace("\\<", "<") or render is not as_html


@RENDERINGS
def test_a_note_is_for_staff_alone(render):
    noted = {"notes": [NOTE]}
    assert "Secret" in render(blocks(result(SECOND), "staff", **noted))
    assert "Secret" not in render(blocks(result(SECOND), "student", **noted))


@RENDERINGS
def test_an_exercise_without_checks_says_what_it_came_to(render):
    none = ExerciseResult(FIRST, "crashed", 0.0, 2.0, [], [])
    page = render(blocks(none))
    assert "ended its process" in page and "0" in page


@pytest.mark.parametrize(
    ("cell", "exercise"),
    [(FIRST, FIRST), (SECOND, SECOND), (f"check_{SECOND}", SECOND)],
)
@pytest.mark.parametrize("kind", ["repair", "note"])
def test_a_sentence_stands_at_the_exercise_whose_cell_it_names(kind, cell, exercise):
    sentence = f"The cell `{cell}` is missing from the `{FIRST}` notebook."
    made = verdict(result(FIRST), result(SECOND), **{f"{kind}s": [sentence]})
    shown = verdict_blocks(made, "staff")
    said = {id: texts(one.sentences) for id, one in shown.items()}
    assert said == {FIRST: [], SECOND: []} | {exercise: [(kind, sentence)]}


def test_what_names_no_exercise_is_of_the_first_where_it_was_mended_and_of_none_where_it_is_noted():
    said = "The cell `explain_scale` is none of an exercise."
    made = verdict(result(FIRST), result(SECOND), repairs=[said], notes=[said])
    shown = {id: texts(one.sentences) for id, one in verdict_blocks(made, "staff").items()}
    assert shown == {FIRST: [("repair", said)], SECOND: []}
    assert texts(general_notes(made)) == [("note", said)]
    assert texts(general_notes(verdict(notes=[said]))) == [("note", said)]


def test_without_exercises_there_is_nothing():
    assert verdict_blocks(verdict(repairs=["Something."], notes=["Else."]), "staff") == {}


def test_in_short_a_known_mistake_comes_before_every_question():
    old = NamedMistake("old", "An old one.")
    both = blocks(result(mistakes=[UNSCALED], gone=[old]), repairs=["Mended."])
    assert texts(both.in_short) == [("mistake", UNSCALED.sentence), ("gone", old.sentence)]


def test_in_short_the_first_check_that_failed_asks_its_question():
    right = CheckResult("test_right", 1.0, 1.0, True, None)
    silent = CheckResult("test_silent", 0.0, 1.0, False, None)
    assert texts(blocks(result(FIRST, right, ASKED)).in_short) == [("question", ASKED.message)]
    assert texts(blocks(result(FIRST, right, silent, ASKED)).in_short) == [
        ("question", "Not so: silent.")
    ]
    assert blocks(result(FIRST, right)).in_short == []


def test_what_was_not_attempted_is_asked_nothing_in_short():
    assert blocks(result(state="not_attempted")).in_short == []


BAD = "<img src=x> [a](b) $x$ @staff #12"


@pytest.mark.parametrize(("render", "harmless"), [(as_html, "&lt;img"), (as_markdown, "\\<img")])
def test_nothing_that_is_said_acts_in_what_it_becomes(render, harmless):
    bad, asked = NamedMistake("x", BAD), CheckResult("test_x[<img]", 0.0, 1.0, False, BAD)
    said = result(FIRST, asked, mistakes=[bad], gone=[bad])
    page = render(blocks(said, "staff", repairs=[BAD], notes=[f"`{FIRST}` {BAD}"]))
    assert page.count(harmless) == page.count("<img") + page.count("&lt;img") == 6
    if render is as_markdown:
        assert page.count("`@`staff") == page.count("`#`12") == page.count("\\[a\\](b)") == 5


def test_points_are_without_the_errors_of_adding():
    assert share_text(0.1 + 0.2, 1 / 3) == "0.3 / 0.33333" and share_text(2, 4, " of ") == "2 of 4"


def test_the_result_of_a_check_cell_is_a_plain_float():
    shown, points = as_outputs(blocks(result(), "student"))
    assert shown["output_type"] == "display_data" and "<table" in shown["data"]["text/html"]
    assert "of values" in shown["data"]["text/plain"]
    assert points["output_type"] == "execute_result" and points["data"] == {"text/plain": "0.0"}


def test_in_a_notebook_the_table_brings_its_colours_and_on_a_page_it_does_not():
    one = blocks(result())
    assert "style=" in as_html(one, in_notebook=True) and "style=" not in as_html(one)
