"""Questions on one student's code, found by running it behind the walls."""

import pytest

from autograder import AutograderError
from autograder.desk.viva import changed, gone
from autograder.desk.viva.ask import MOST, ask, choose
from autograder.desk.viva.gone import replaced_lines
from autograder.desk.viva.page import write_page
from autograder.desk.viva.question import VivaQuestion, answer, shown, without_comments
from autograder.desk.viva.traced import SAME, SHAPE
from autograder.engine import RunSettings, Submission
from autograder.engine.grading import Grader, ungraded
from autograder.engine.texts import NOT_GRADED, USAGE
from autograder.mistakes.exercises import diagnose_exercises

ATTACK = '"<script>canary()</script>"'


def question(kind: str, line: int = 1) -> VivaQuestion:
    return VivaQuestion(kind, "softmax", "Why?", shown("a\nb\nc\nd\ne\nf", {line}), ["So."])


def test_kinds_have_their_turns_and_no_line_is_asked_about_twice():
    kinds = {
        "one": iter([question("one", n) for n in (1, 2, 3, 4, 5)]),
        "two": iter([question("two", 1), question("two", 6)]),
    }
    chosen = [(one.kind, *(x.number for x in one.lines if x.marked)) for one in choose(kinds, MOST)]
    assert chosen == [("one", 1), ("two", 6), ("one", 2), ("one", 3), ("one", 4)]
    assert len(chosen) == MOST


def test_an_exercise_has_its_share_of_the_questions():
    other = [question("two")._replace(exercise=id) for id in ("rms_norm", "softmax", "twelve")]
    kinds = {"one": iter([question("one", n) for n in (2, 3, 4, 5)]), "two": iter(other)}
    asked = [(one.kind, one.exercise) for one in choose(kinds, 2)]
    softmax, rms, twelve = ("one", "softmax"), ("two", "rms_norm"), ("two", "twelve")
    assert asked == [softmax, rms, softmax, twelve]


def test_lines_of_a_mistake_are_shown_without_comments_and_answers_without_questions():
    lines = shown("y = '# no'  # (2, 5)\n# all\nz = 1 #")
    assert [one.text for one in lines] == ["y = '# no'", "", "z = 1"]
    assert without_comments("def f(:  # x") == "def f(:"
    said = answer(["It is `x.y`. Why? So be it.", "Why?"], ["a", "b", "a"])
    assert said == ["It is `x.y`. So be it.", "Why?", "Checks that fail: a; b."]


def test_lines_that_are_no_longer_there_are_marked():
    assert replaced_lines("a\nb\n\nc", "a\n  c\nd") == {2}


@pytest.mark.walls
def test_each_kind_of_question_has_the_answer_that_was_measured(
    small, walls, right, hand_in_small, tmp_path
):
    wrong = right["softmax"].replace(" - scores.amax(-1, keepdim=True)", "")
    printing = right["softmax"].replace("    return", f"    note = {ATTACK}\n    return")
    hand_in_small(softmax=wrong)
    results = hand_in_small(softmax=printing)
    before = results.verdict("ada")
    made = ask(Grader(small, walls, explain=diagnose_exercises), results, "ada")
    by_kind = {one.kind: one for one in made.questions}
    assert by_kind.keys() == {gone.KIND, changed.KIND, SHAPE, SAME} and not made.without
    assert 3 <= len(made.questions) <= MOST
    old = by_kind[gone.KIND]
    assert [one.text.strip() for one in old.lines if one.marked] == ["weights = torch.exp(scores)"]
    assert "exponential of a large score" in old.answer[0] and "large scores" in old.answer[1]
    change = by_kind[changed.KIND]
    assert change.answer[-1].startswith(f"Checks that fail: `{change.exercise}`: ")
    assert len(change.answer) > 1 and "?" not in str(old.answer + change.answer)
    assert by_kind[SHAPE].answer in (["`(2, 1)`"], ["`(2, 5, 1)`"])
    law = by_kind[SAME]
    assert f"{law.answer[0][1]}: softmax(scores + 3)" in law.extra
    page = write_page(results.results, made).read_text()
    assert page.count("<details>") == len(made.questions) and 'class="marked"' in page
    assert "<script>" not in page and "&lt;script&gt;canary" in page
    assert results.verdict("ada") == before  # nothing of it counts


@pytest.mark.walls
def test_code_that_gives_nothing_is_said_to(small, walls, hand_in_small):
    results = hand_in_small(softmax="def softmax(x):\n    return x", rms_norm="(")
    made = ask(Grader(small, walls, explain=diagnose_exercises), results, "ada")
    assert not made.questions and made.without == [gone.KIND, changed.KIND, SHAPE, SAME]
    page = write_page(results.results, made).read_text()
    assert "This code gives no question" in page and "two calls" in page


@pytest.mark.walls
def test_a_shape_that_the_code_prints_itself_is_not_believed(small, walls, right, hand_in_small):
    lies = "    print('\\n'.join(f'viva {n} (9, 9)' for n in range(30_000)))\n    return"
    results = hand_in_small(softmax=right["softmax"].replace("    return", lies), rms_norm="")
    made = ask(Grader(small, walls, explain=diagnose_exercises), results, "ada")
    assert "(9, 9)" not in str([one.answer for one in made.questions])


@pytest.mark.walls
def test_who_has_nothing_graded_or_cannot_be_graded_now_is_told(
    small, walls, hand_in_small, monkeypatch
):
    results = hand_in_small()
    with pytest.raises(AutograderError, match="ben has no graded submission") as error:
        ask(Grader(small, walls, explain=diagnose_exercises), results, "ben")
    assert error.value.status == USAGE
    submission = Submission([], "ada")
    lost = ungraded(RunSettings(small), submission, "It broke.")
    monkeypatch.setattr(Grader, "grade_submission", lambda *_: lost)
    with pytest.raises(AutograderError, match="It broke") as error:
        ask(Grader(small, walls, explain=diagnose_exercises), results, "ada")
    assert error.value.status == NOT_GRADED
