"""Graders are plain pytest: fixtures of their own, cases, `pytest.fail`; tries are the engine's."""

import os
from dataclasses import replace

import pytest

from autograder.engine import GraderError
from autograder.engine.examiner import (
    Candidate,
    InProcessCandidate,
    run_cells,
    run_checks,
    solution,
)

POINTS = "@pytest.mark.points(1)\n"


@pytest.fixture
def ask(copied):
    """Put a grader of `softmax` that is made here to a solution of it."""
    of_course = next(one for one in copied.exercises if one.id == "softmax")

    def run(
        grader: str,
        cell: str = copied.solutions["softmax"],
        conftest: str = "",
        holds=None,
        points=1.0,
        seed=1,
    ):
        exercise = replace(of_course, points=points)
        exercise.grader.write_text(f"import pytest\nimport torch\n\n{grader}")
        (exercise.grader.parent / "conftest.py").write_text(f"import pytest\n\n{conftest}")
        names = run_cells([compile(f"import torch\n{cell}", "cell", "exec")])
        candidate = Candidate(InProcessCandidate(names), copied.aliases, copied.signature)
        return run_checks([exercise], candidate, seed, holds=holds)

    return run


def test_fixtures_of_the_grader_use_the_candidate_anew_for_each_try(ask):
    """The student's code takes no float64: the first try fails in the fixture, the second passes."""
    cell = "def softmax(x):\n    assert x.dtype == torch.float32\n    return x.softmax(-1)"
    (check,) = ask(
        "@pytest.fixture\ndef answer(candidate, size):\n"
        "    return candidate.function('softmax')(torch.ones(size))\n\n"
        + POINTS
        + "def test_x(answer):\n    assert answer.dtype == torch.float32 and answer.shape == (7,)\n",
        cell,
        conftest="@pytest.fixture\ndef size():\n    return 7\n",
    )
    assert check.passed and check.recording.double is False


def test_a_wrong_answer_in_float32_is_told_and_not_the_fault_in_float64(ask):
    cell = "def softmax(x):\n    assert x.dtype == torch.float32\n    return x.softmax(0)"
    (check,) = ask(
        POINTS
        + "def test_x(candidate):\n    answer = candidate.function('softmax')(torch.eye(3)[:2])\n"
        + "    assert answer.sum(-1).allclose(torch.ones(2).to(answer)), 'Along which axis?'\n",
        cell,
    )
    assert (check.kind, check.message) == ("wrong", "Along which axis?")
    assert check.recording.double is False


def test_a_message_of_two_lines_is_an_error_for_its_author_and_one_line_for_a_student(ask):
    grader = POINTS + "def test_x(candidate):\n    assert False, 'Which axis?\\nThe last.'\n"
    with pytest.raises(GraderError, match="test_x says more than one line.*: Which axis?"):
        ask(grader)
    (check,) = ask(grader, holds=lambda check: True)
    assert check.message == "Which axis?"


def test_the_docstring_is_the_message_of_an_assert_that_has_none(ask):
    checks = ask(
        POINTS
        + 'def test_x(candidate):\n    """Which axis\n    is it?"""\n    assert False\n\n'
        + POINTS
        + 'def test_y(candidate):\n    """Which axis?"""\n    assert False, \'And now?\'\n\n',
        points=2,
    )
    assert [check.message for check in checks] == ["Which axis is it?", "And now?"]


def test_cases_are_checks_of_their_own(ask):
    checks = ask(
        POINTS + "@pytest.mark.parametrize('n', [1, 2, pytest.param(3, id='three')])\n"
        "def test_x(candidate, n):\n    assert n != 2, 'Why two?'\n",
        points=3,
    )
    assert [(check.id, check.passed, check.message) for check in checks] == [
        ("test_x[1]", True, None),
        ("test_x[2]", False, "Why two?"),
        ("test_x[three]", True, None),
    ]
    assert {check.name for check in checks} == {"test_x"}


def test_checks_may_stand_in_classes_and_use_pytests_own_fixtures(ask):
    (check,) = ask(
        "class TestSoftmax:\n    @pytest.mark.points(2)\n"
        "    def test_x(self, candidate, monkeypatch):\n        monkeypatch.setenv('X', '1')\n",
        points=2,
    )
    assert check.passed and check.points == 2.0


def test_a_fixture_of_the_grader_may_take_the_name_of_one_of_ours(ask):
    (check,) = ask(
        "@pytest.fixture\ndef noted(noted):\n    return lambda seen: noted(seen) + 1\n\n"
        + POINTS
        + "def test_x(noted):\n    assert noted(1) == 2\n"
    )
    assert check.passed


def test_options_for_the_users_own_pytest_have_no_part_in_grading(ask, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "--junitxml=mine.xml -k nothing")
    monkeypatch.setenv("PYTEST_PLUGINS", "no_such_plugin")
    (check,) = ask(POINTS + "def test_x(candidate):\n    pass\n")
    assert check.passed and os.environ["PYTEST_ADDOPTS"] == "--junitxml=mine.xml -k nothing"


def test_to_fail_in_pytests_way_is_to_fail(ask):
    (check,) = ask(POINTS + "def test_x(candidate):\n    pytest.fail('Which axis?')\n")
    assert (check.kind, check.message) == ("wrong", "Which axis?")


@pytest.mark.parametrize(
    ("grader", "words"),
    [
        ("def test_x(candidate):\n    pass\n", "has no points"),
        (POINTS + "def test_x(nobody):\n    pass\n", "nobody"),
        (POINTS + "def test_x(candidate):\n    pytest.skip('later')\n", "skipped itself"),
        (POINTS + "def test_x(candidate):\n    1 / 0\n", "ZeroDivisionError"),
        ("import nothing_of_that_name\n", "cannot be imported"),
        (POINTS + "def test_x(candidate):\n    candidate.nothing()\n", "broke"),
        (
            "@pytest.mark.points(0.75)\ndef test_x(candidate):\n    pass\n",
            "`test_softmax.py` are worth 0.75 points, and the cell `check_softmax` 1",
        ),
    ],
)
def test_a_grader_that_is_broken_is_a_fault_of_ours(ask, copied, grader, words):
    with pytest.raises(GraderError, match=words):
        ask(grader, holds=lambda check: solution.holds_for_solution(copied, check))


def test_a_conftest_that_is_no_python_is_named_with_its_line(ask):
    grader = POINTS + "def test_x(candidate):\n    pass\n"
    with pytest.raises(GraderError, match=r"conftest.py\W+line \d+ .*SyntaxError") as error:
        ask(grader, conftest="def size(:\n")
    assert "\n" not in str(error.value)


def test_an_answer_of_another_form_is_the_students(ask):
    (check,) = ask(
        POINTS + "def test_x(candidate):\n"
        "    assert candidate.function('softmax')(torch.ones(2))['weights'] == 1\n"
    )
    assert (check.kind, check.message) == (
        "wrong",
        "Does `softmax` have the form that the statement asks for?",
    )


BREAKS_ON_ODD_ANSWERS = (
    POINTS + "def test_x(candidate):\n"
    "    if candidate.refusals('softmax', [torch.ones(2), 'odd']) == [None]:\n"
    "        {fault}\n"
)
ODD = "def softmax(x, *_):\n    return x.softmax(-1)"


def test_a_check_that_breaks_on_an_answer_and_not_on_the_solution_is_failed(ask, copied):
    """Else a student could choose not to be graded. Staff are told how it broke."""
    grader = BREAKS_ON_ODD_ANSWERS.format(fault="1 / 0")
    (check,) = ask(grader, ODD, holds=lambda check: solution.holds_for_solution(copied, check))
    assert (check.kind, check.points) == ("wrong", 0.0)
    assert check.message.startswith("This check cannot work with what your code answers.")
    assert check.broke


def test_memory_that_runs_out_is_a_bound_of_ours_that_is_missing(ask, copied):
    grader = BREAKS_ON_ODD_ANSWERS.format(fault="raise MemoryError")
    with pytest.raises(MemoryError):
        ask(grader, ODD, holds=lambda check: solution.holds_for_solution(copied, check))


def test_each_check_draws_by_the_submissions_seed_and_by_its_own_name(ask):
    draws = "def test_{}(candidate, noted):\n    noted(torch.rand(1).item())\n\n"
    grader = "".join(POINTS + draws.format(name) for name in "ab")

    def drawn(seed: int) -> list[float]:
        return [check.recording.answers[0] for check in ask(grader, points=2, seed=seed)]

    assert len({*drawn(0), *drawn(1), *drawn(2)}) == 6 and drawn(0) == drawn(0)
