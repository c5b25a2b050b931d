"""The blocks of a verdict: which sentence stands where and for whom, and that nothing of it acts."""

import re

import pytest

from autograder import CheckResult, ExerciseResult, NamedMistake, Verdict
from autograder.classroom.blocks import cell, html, markdown, text
from autograder.classroom.blocks.verdict_blocks import general_notes, verdict_blocks
from autograder.engine import verdicts

FIRST, SECOND = "scale", "shift"
STAMP = verdicts.Stamp(
    grader="g", submission="a", torch="2", python="3", seed=1, sandbox="namespaces"
)
UNSCALED = NamedMistake("unscaled", "The `scale` is <missing>.")
OLD = NamedMistake("old", "An old fault.")
RIGHT = CheckResult("test_right", 1.0, 1.0, True, None)
SILENT = CheckResult("test_silent", 0.0, 1.0, False, None)
ASKED = CheckResult("test_of_values", 0.0, 2.0, False, "Is `x` < 3?")
AGAIN, LAST = (
    CheckResult(f"test_{id}", 0.0, 1.0, False, ASKED.message) for id in ("again", "finish")
)
BY_MISTAKE = CheckResult("test_root", 0.0, 1.0, False, "What of the root?", [UNSCALED.id])
RENDERINGS = html.as_html, text.as_text, markdown.as_markdown


def result(*checks, id=FIRST, state="answered", points=0.0, max_points=2.0, mistakes=(), gone=()):
    return ExerciseResult(id, state, points, max_points, [*checks], [*mistakes], gone=[*gone])


def verdict(*exercises, repairs=(), notes=()):
    return Verdict(
        "s1", "sheet", "graded", 0.0, 4.0, [*exercises], [*repairs], 0.1, STAMP, notes=[*notes]
    )


def blocks(exercise, reader="student", **sentences):
    return verdict_blocks(verdict(exercise, **sentences), reader)[exercise.id]


def texts(sentences):
    return [(sentence.kind, sentence.text) for sentence in sentences]


@pytest.mark.parametrize("render", RENDERINGS)
def test_all_of_an_exercise_stands_in_one_order_and_each_question_once(render):
    exercise = result(
        *(RIGHT, BY_MISTAKE, ASKED, AGAIN, SILENT, LAST),
        state="timed_out",
        points=0.1 + 0.2,
        max_points=1 / 3,
        mistakes=[UNSCALED],
        gone=[OLD],
    )
    shown = blocks(exercise, "staff", repairs=["Mended."], notes=[f"A note on `{FIRST}`."])
    page = render(shown)
    question = {html.as_html: "Is <code>x</code> &lt; 3?", markdown.as_markdown: "Is `x` \\< 3?"}
    words = ["For staff only, no points:", "A note", "Mended", "missing"]
    words += ["Fixed since an earlier submission:", "An old fault", "right", "root"]
    words += ["Follows from what is named above", "What of the root?", "of values", "again"]
    words += [question.get(render, "Is `x` < 3?"), "silent", "finish"]
    places = [page.index(word) for word in words]
    assert places == sorted(places)
    assert all(page.count(word) == 1 for word in ("Is ", "Follows from", "What of the root?"))
    assert "0 / 2" in page and "test_" not in page and "ran out of time" in page
    assert "0.3 of 0.33333" in shown.heading.line, "points have no errors of adding"
    if render is html.as_html:  # a consequence is folded, and another question is not
        assert re.search(r"<details>.*above</summary>What of the root\?</details>", page)
        assert page.count("<details>") == 1 and "<missing>" not in page


@pytest.mark.parametrize("render", RENDERINGS)
def test_an_exercise_without_checks_says_what_it_came_to(render):
    page = render(blocks(result(state="crashed")))
    assert "ended its process" in page and "0" in page


@pytest.mark.parametrize(
    ("name", "exercise"),
    [(FIRST, FIRST), (SECOND, SECOND), (f"check_{SECOND}", SECOND)],
)
def test_a_sentence_stands_at_the_exercise_whose_cell_it_names_and_a_note_for_staff_alone(
    name, exercise
):
    sentence = f"The cell `{name}` is missing from the `{FIRST}` notebook."
    both = [result(ASKED), result(ASKED, id=SECOND)]
    for kind, reader in (("repair", "student"), ("repair", "staff"), ("note", "staff")):
        shown = verdict_blocks(verdict(*both, **{f"{kind}s": [sentence]}), reader)
        at_exercises = {id: texts(one.sentences) for id, one in shown.items()}
        assert at_exercises == {FIRST: [], SECOND: []} | {exercise: [(kind, sentence)]}
    hidden = verdict_blocks(verdict(*both, notes=[sentence]), "student")
    assert not any(one.sentences for one in hidden.values())


def test_a_sentence_on_no_exercise_is_of_the_first_as_a_repair_and_of_the_whole_as_a_note():
    sentence = "The cell `explain_scale` is none of an exercise."
    graded = verdict(result(), result(id=SECOND), repairs=[sentence], notes=[sentence])
    at_exercises = [texts(one.sentences) for one in verdict_blocks(graded, "staff").values()]
    assert at_exercises == [[("repair", sentence)], []]
    for one in (graded, verdict(notes=[sentence])):
        assert texts(general_notes(one)) == [("note", sentence)]
    assert verdict_blocks(verdict(repairs=["Something."], notes=["Else."]), "staff") == {}


@pytest.mark.parametrize(
    ("exercise", "in_short"),
    [
        (
            result(ASKED, mistakes=[UNSCALED], gone=[OLD]),
            [("mistake", UNSCALED.sentence), ("gone", OLD.sentence)],
        ),
        (result(RIGHT, ASKED), [("question", ASKED.message)]),
        (result(RIGHT, SILENT, ASKED), [("question", "Not so: silent.")]),
        (result(RIGHT), []),
        (result(ASKED, state="not_attempted"), []),
    ],
    ids=["a known mistake first", "a question", "no question", "right", "not attempted"],
)
def test_in_short(exercise, in_short):
    assert texts(blocks(exercise, repairs=["Mended."]).in_short) == in_short


BAD = "<img src=x> [a](b) $x$ @staff #12"


@pytest.mark.parametrize(
    ("render", "harmless"), [(html.as_html, "&lt;img"), (markdown.as_markdown, "\\<img")]
)
def test_nothing_in_a_sentence_acts_in_what_it_becomes(render, harmless):
    mistake, check = NamedMistake("x", BAD), CheckResult("test_x[<img]", 0.0, 1.0, False, BAD)
    exercise = result(check, mistakes=[mistake], gone=[mistake])
    page = render(blocks(exercise, "staff", repairs=[BAD], notes=[f"`{FIRST}` {BAD}"]))
    assert page.count(harmless) == page.count("<img") + page.count("&lt;img") == 6
    if render is markdown.as_markdown:
        assert page.count("`@`staff") == page.count("`#`12") == page.count("\\[a\\](b)") == 5


def test_a_check_cell_shows_a_table_with_its_colours_and_its_result_is_a_plain_float():
    shown, points = cell.as_outputs(blocks(result(ASKED)))
    assert shown["output_type"] == "display_data" and "of values" in shown["data"]["text/plain"]
    assert "<table" in shown["data"]["text/html"] and "style=" in shown["data"]["text/html"]
    assert "style=" not in html.as_html(blocks(result(ASKED))), "a page has a style of its own"
    assert points["output_type"] == "execute_result" and points["data"] == {"text/plain": "0.0"}
