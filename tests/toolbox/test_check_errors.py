"""An error of a check's own is not reported as the student's, and an unexpected answer still is."""

import pytest

from autograder.authoring.toolbox_file import import_text

CHECK = """
import torch
from torch import nn
from torch.nn import functional as F
from toolbox import has_shape, names, replaced, same, steps, student

SIZES = [2, 3]

def own_layer():
    return student.Attention()

def target_of(x):
    return F.no_such_norm(x)

second_of = lambda values: values.no_such_method()

def first_of(values):
    return values[0]

def doubled(x):
    return x * torch.ones(7)

class StandIn(nn.Module):
    def forward(self, x):
        return F.no_such_norm(x)

class Listening(nn.Module):
    def __init__(self):
        super().__init__()
        calls.append(self)
    def forward(self, x):
        return x.no_such_method()

calls = []
answers = [torch.ones(3)]

@steps("attention")
def attention():
    yield "Is it built?"
    layer = student.Attention()
    x = torch.ones(2, 3)
    answer = layer(x)
    yield "Is it right?"
    {}
"""
RIGHT = """
import torch

class Attention(torch.nn.Module):
    def forward(self, x):
        return 2 * x
"""
OF_THE_CHECK = [
    "same(answer, F.no_such_norm(x, (3,)))",
    "nn.NoSuchNorm(3)(x)",
    "same(answer, F.layer_norm(x, (3,), no_such_argument=1))",
    "same(answer, target_of(x))",
    "x.no_such_method()",
    "doubled(x)",
    "for norm in (lambda x: x, nn.NoSuchNorm(6)): norm(answer)",
    "weights = torch.ones(4)\n    same(answer, x @ weights)",
    "with torch.no_such_mode(): pass",
    "no_such_name(answer)",
    "import no_such_module",
    "open('no_such_file')",
]
OF_THE_ANSWER = [
    "answer.no_such_method()",
    "layer.no_such_layer",
    "layer(x, x, x)",
    "answer['key']",
    "first_of(answer.tolist()[:0])",
    "doubled(answer)",
    "second_of(answer)",
    "shape = answer.shape\n    torch.ones(9).view(shape)",
    "own_layer()(x, x)",
    "for part in layer: pass",
    "names()['no_such_name']",
    "with answer: pass",
    "inner, outer = answer, 1\n    (outer, inner)[1].no_such_method()",
    "seen = []\n    student.seen_in(seen)\n    seen[0]",
    "parts = [one for one in layer.children()]\n    parts[0]",
    "ask = lambda: layer(x, x)\n    ask()",
    "for call in answers: call @ torch.ones(9)",
    "pair = nn.Linear(3, 3), nn.Linear(3, 3)\n    student.spoil(pair)\n    x @ pair[0].weight",
    "raise ValueError('Is it yours?')",
]


@pytest.fixture
def result_of(notebook, toolbox):
    toolbox.EXERCISES["attention"] = toolbox.ExerciseHeading(
        "3a", "Attention", 4, 40, ("Attention",)
    )

    def run(last_step: str, solution: str = RIGHT):
        import_text("sheet_checks", CHECK.replace("{}", last_step), "sheet_checks.py")
        notebook.cell("attention", solution)
        notebook.cell("seen_in", "def seen_in(calls): pass")
        notebook.cell("spoil", "def spoil(pair): pair[0].weight.data = torch.ones(9, 9)")
        notebook.cell("check_attention", "import toolbox\n\ntoolbox.check('attention')")
        return toolbox.RESULTS["attention"]

    return run


@pytest.mark.parametrize("last_step", OF_THE_CHECK)
def test_an_error_of_the_checks_own_is_not_the_students(result_of, shown, last_step):
    result = result_of(last_step)
    assert (result.state, result.passed) == ("unchecked", ("Is it built?",))
    first, *_, last = shown.said().splitlines()
    assert first == "Exercise 3a is not checked: the check has an error of its own."
    assert last.startswith("Your code has no part in it.")


@pytest.mark.parametrize("last_step", OF_THE_ANSWER)
def test_an_answer_that_the_check_cannot_use_is_the_students(result_of, shown, last_step):
    result = result_of(last_step)
    assert (result.state, result.question) == ("failing", "Is it right?")
    assert shown.said().startswith("Exercise 3a, step 2 of the check: Is it right?")


def test_an_error_in_the_students_own_lines_is_theirs(result_of):
    solution = RIGHT.replace("2 * x", "torch.nn.functional.no_such_norm(x)")
    assert result_of("pass", solution).state == "failing"


def test_a_stand_in_that_the_students_code_calls_may_have_an_error_of_its_own(result_of):
    with_stand_in = "with replaced(Part={}): student.Attention()(x)"
    begin = RIGHT.replace(
        "return 2 * x",
        "return x if isinstance(Part, type) and Part.__module__ != 'sheet_checks' else Part()(x)",
    )
    solution = f"{begin}\nclass Part: pass\n"
    assert result_of(with_stand_in.replace("{}", "StandIn"), solution).state == "unchecked"
    assert result_of(with_stand_in.replace("{}", "Listening"), solution).state == "failing"
