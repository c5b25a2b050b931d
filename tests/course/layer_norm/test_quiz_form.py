"""The quiz: its visible check knows the form alone, and the release holds no answer."""

from functools import cache
from itertools import product

import pytest

from autograder import find_assignment, find_course
from autograder.authoring.toolbox_file import toolbox_module
from autograder.authoring.visible_checks import VisibleChecks

TOOLBOX = toolbox_module()  # as it is released
Result = TOOLBOX.Result

LAYER_NORM = find_assignment("layer-norm", find_course())
KEYS = "a", "b", "c", "d"


@cache
def checks() -> VisibleChecks:
    visible = VisibleChecks(LAYER_NORM)
    others = [id for id in LAYER_NORM.solutions if id != "quiz"]
    visible.cells = {id: text for id, text in visible.cells.items() if id not in others}
    return visible


def checked(answers: object) -> Result:
    return checks().run({"quiz": f"answers = {answers!r}"}, "quiz")["quiz"]


def test_every_combination_of_answers_gets_the_same_result():
    combinations = list(product(*[(True, False)] * 4, ("left", "right")))
    results = [checked(dict(zip((*KEYS, "pre-norm"), one, strict=True))) for one in combinations]
    assert len(results) == 32 and set(results) == {results[0]}
    assert results[0].state == "done"


@pytest.mark.parametrize(
    ("key", "said", "message"),
    [
        ("b", ..., "Nothing stands there for b."),
        ("pre-norm", ..., "Nothing stands there for prenorm."),
        ("c", "perhaps", "What stands there for c is neither."),
        ("c", 0.5, "What stands there for c is neither."),
        ("pre-norm", "top", 'It should be "left" or "right".'),
    ],
)
def test_another_form_is_named(key, said, message):
    answers = dict.fromkeys(KEYS, True) | {"pre-norm": "left"} | {key: said}
    result = checks().run({"quiz": f"answers = {answers!r}".replace("Ellipsis", "...")}, "quiz")[
        "quiz"
    ]
    assert (result.state, result.message) == ("failing", message)


def test_nothing_answered_is_open():
    cell = "answers = dict.fromkeys(['a', 'b', 'c', 'd', 'pre-norm'], ...)"
    assert checks().run({"quiz": cell}, "quiz")["quiz"].state == "open"


def test_the_right_answers_are_not_in_the_release():
    """What the solution writes down stands in no released cell; the stub has `...` for each."""
    (stub,) = [cell.source for cell in LAYER_NORM.cells if cell.id == "quiz"]
    lines = [line.strip().rstrip(",") for line in LAYER_NORM.solutions["quiz"].splitlines()]
    answers = [line for line in lines if line.startswith('"') and "..." not in line]
    assert len(answers) == 5 == stub.count("...")
    assert not [one for one in answers for cell in LAYER_NORM.cells if one in cell.source]
