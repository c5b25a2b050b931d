"""Which changes of a student's code are made, and which make a question."""

import pytest

from autograder.desk.viva.changed import (
    CodeChange,
    Effect,
    answer_of,
    by_turns,
    changes,
)
from autograder.desk.viva.question import MOST_CODE, own_lines, parsed, shown

CODE = "def f(x):\n    y = x\n    y = y + 1\n    if x is None:\n        y = 2\n    return y\n"
CHANGE = CodeChange("softmax", "", range(1, 2))
NOTHING = Effect({}, {})
FAILS = ("wrong", "`softmax`: large scores give numbers. How large?")


def effect(*ids: str, kind: str = "wrong", **mistakes: str) -> Effect:
    return Effect({("softmax", id): (kind, f"{id} fails") for id in ids}, mistakes)


def test_lines_of_the_release_and_outside_of_functions_are_not_asked_about():
    assert own_lines("a = 1\n" + CODE, "def f(x):\n  y = x\n  return  y") == {4, 5, 6}


def test_a_statement_is_left_out_whole_and_nothing_else(small, right):
    code = right["softmax"].replace("    weights =", "    n = (1,\n         2)\n    weights =")
    found = [one for one in changes(small, "softmax", code) if not one.mistake]
    tuple_left_out = next(one for one in found if len(one.lines) == 2)
    assert tuple_left_out.source == right["softmax"].replace(
        "    weights =", "    pass\n    weights ="
    )
    assert all("scores: (..., n)" in one.source for one in found)  # it stands in the release


def test_mistakes_of_the_catalogue_are_made_where_the_code_is_the_solutions(small, right):
    code = right["softmax"].replace(
        "weights / weights.sum(-1, keepdim=True)", "F.normalize(weights, 1, -1)"
    )
    found = {one.mistake: one for one in changes(small, "softmax", code) if one.mistake}
    assert found.keys() == {"overflow"} and found["overflow"].text == "weights = torch.exp(scores)"
    assert found["overflow"].source == code.replace(" - scores.amax(-1, keepdim=True)", "")


@pytest.mark.parametrize(
    "code", ["def f(:", "x = " + "-" * 7000 + "1", "#" * MOST_CODE + "\nx = 1"]
)
def test_code_that_cannot_be_parsed_is_not_asked_about(small, code):
    assert not parsed(code).body and not [*changes(small, "softmax", code)]


def test_lines_that_build_a_part_of_another_exercise_are_left_out(small, right):
    inside = "forward(self, x):\n        y = softmax(x)\n        z = my_softmax(x)"
    code = right["rms_norm"].replace("forward(self, x):", inside)
    made = [one.source for one in changes(small, "rms_norm", code)]
    assert any("z = my" not in one for one in made) and all("y = softmax" in one for one in made)


def test_each_exercise_has_its_turn_and_equal_changes_are_one():
    names = ["a", "a", "a", "b"]
    found = [CodeChange(name, f"{name}{n}", range(1)) for n, name in enumerate(names)]
    assert [one.exercise for one in by_turns([*found, found[0]])] == ["a", "b", "a", "a"]


def test_one_or_two_checks_that_fail_by_a_wrong_answer_are_a_question():
    asked = [effect("one", slip="It is so. Look?")] * 2
    assert answer_of(CHANGE, NOTHING, iter(asked)) == ["It is so.", "Checks that fail: one fails."]
    before = effect("two", slip="Look.")
    again = [effect("one", "two", slip="Look.", other="See.")] * 2
    assert answer_of(CHANGE, before, iter(again)) == ["See.", "Checks that fail: one fails."]


@pytest.mark.parametrize(
    "effects",
    [
        [effect(slip="Look.")] * 2,
        [effect("one", "two", "three", slip="Look.")] * 2,
        [effect("one", kind="error", slip="Look.")] * 2,
        [effect("one", slip="Look."), effect("two", slip="Look.")],
        [effect("one", slip="Look."), effect(slip="Look.")],
        [effect("one")] * 2,
    ],
    ids=["none", "three", "it stops", "another one", "not always", "for no known reason"],
)
def test_any_other_effect_is_none(effects):
    assert answer_of(CHANGE, NOTHING, iter(effects)) == []


def test_a_mistake_that_is_not_named_makes_no_question():
    change = CHANGE._replace(mistake="overflow")
    assert not answer_of(change, NOTHING, iter([effect("one", slip="Look.")] * 2))
    both = effect("one", slip="Look.", overflow="How large?")
    assert answer_of(change, NOTHING, iter([both] * 2))[0] == "How large?"


def test_lines_are_shown_without_what_a_terminal_or_a_reader_is_misled_by():
    first, second = shown("\tx = 1\u202e\ny = 2\n", {2})
    assert first == (1, "    x = 1\\u202e", False) and second == (2, "y = 2", True)
