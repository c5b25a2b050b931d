"""What is shown below a check cell: sentences of the staff, escaped, where they belong."""

import pytest

from autograder.engine.verdict.verdict import (
    CheckResult,
    ExerciseResult,
    NamedMistake,
    Stamp,
    Verdict,
)
from autograder.gradebook.check_cell import GONE, as_html, as_text, repairs_by_exercise

FIRST, SECOND = "scale", "shift"
STAMP = Stamp(grader="g", submission="a", torch="2", python="3", seed=1, sandbox="namespaces")


def result(id=FIRST, **more):
    checks = [CheckResult("test_of_values", 0.0, 2.0, False, "Is `x` < 3?")]
    return ExerciseResult(id, "answered", 0.0, 2.0, checks, [], **more)


def verdict(*repairs, ids=(FIRST, SECOND)):
    exercises = [result(id) for id in ids]
    return Verdict("s001", "sheet", "graded", 0.0, 4.0, exercises, list(repairs), 0.1, STAMP)


def test_a_check_is_a_sentence_with_its_points_and_its_question():
    for page in (as_html(result()), as_text(result())):
        assert "of values" in page and "0 / 2" in page and "test_" not in page
    assert "Is <code>x</code> &lt; 3?" in as_html(result())
    assert "Is `x` < 3?" in as_text(result())


def test_a_mistake_that_is_gone_is_said_to_be():
    page = as_html(result(gone=[NamedMistake("unscaled", "The `scale` was missing.")]))
    assert f"{GONE} The <code>scale</code> was missing." in page


def test_what_was_repaired_is_shown_above_the_checks_and_escaped():
    sentence = "The cell `scale` is there twice: the <b>last</b> one counts."
    page, text = as_html(result(), [sentence]), as_text(result(), [sentence])
    shown = "The cell <code>scale</code> is there twice: the &lt;b&gt;last&lt;/b&gt; one counts."
    assert shown in page and page.index(shown) < page.index("of values")
    assert text.splitlines()[0].strip() == sentence
    assert "#eef2f8" not in as_html(result())


@pytest.mark.parametrize(
    ("cell", "exercise"),
    [(FIRST, FIRST), (SECOND, SECOND), (f"check_{SECOND}", SECOND), ("explain_scale", FIRST)],
)
def test_a_repair_is_shown_at_the_exercise_whose_cell_it_names_or_at_the_first(cell, exercise):
    sentence = f"The cell `{cell}` is missing from the notebook."
    shown = repairs_by_exercise(verdict(sentence))
    assert shown == {FIRST: [], SECOND: []} | {exercise: [sentence]}


def test_without_exercises_there_is_no_place_for_repairs():
    assert repairs_by_exercise(verdict("The cell `scale` is missing.", ids=())) == {}
    assert repairs_by_exercise(verdict("Something else."))[FIRST] == ["Something else."]
