"""Which cell defines what an exercise asks for."""

import pytest

from autograder.authoring.toolbox.exercises import ExerciseHeading, defines

ASKED = ExerciseHeading(1, "A title", 2, 5, ("answer", "Layer"))


@pytest.mark.parametrize(
    "source",
    [
        "answer = 3",
        "x = 1\nanswer: float = 3",
        "class Layer(nn.Module): pass",
        "class Layer[T]: pass",
        "def Layer(): ...",
        "async def Layer(): ...",
        "x, answer = 1, 2",
        "from layers import Other as Layer, Norm",
        "answer = other = 3",
    ],
)
def test_a_value_with_or_without_a_type_and_a_class_are_definitions(source):
    assert defines(source, ASKED)


@pytest.mark.parametrize(
    "source",
    [
        "answer == 3",
        "answer: float",
        "answers = 3",
        "Layer()",
        "",
        " answer = 3",
        "print(3, answer='')",
    ],
)
def test_what_only_names_it_is_none(source):
    assert not defines(source, ASKED)
