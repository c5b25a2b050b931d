"""The first three exercises of `layer-norm`: every number that they show is computed here once more."""

import itertools
import re
from xml.etree import ElementTree

import pytest
import torch
from notebook_cells import sources_of
from torch import nn

from autograder import find_course
from autograder.authoring.edited import find_source
from autograder.authoring.visible_checks import VisibleChecks
from autograder.graders.layer_norm.reference import PREDICTION

ASSIGNMENT = find_source("layer-norm", find_course())
FIGURES = ASSIGNMENT.source.parent / "figures"
CELLS = sources_of("layer-norm", ASSIGNMENT.course)
PREDICTED = [2.0, 4.0, 6.0, 8.0]
WORKED = [3.0, 7.0, 5.0, 1.0]  # the token of the figure of exercise 2
GAMMA, BETA = [1.0, 2.0, 1.0, 0.5], [0.0, 0.0, 1.0, 0.0]


def rows_in(figure: str) -> list[list[str]]:
    """The texts of a figure that stand at one height, from left to right, from top to bottom."""
    rows: dict[int, list[tuple[int, str]]] = {}
    for element in ElementTree.parse(FIGURES / f"{figure}.svg").iter():
        if element.tag.endswith("}text") and element.text:
            place = int(element.attrib["y"]), int(element.attrib["x"])
            rows.setdefault(place[0], []).append((place[1], element.text.replace("−", "-")))
    return [[text for _, text in sorted(row)] for _, row in sorted(rows.items())]


def numbers_of(row: list[str]) -> list[float]:
    return [float(text) for text in row if re.fullmatch(r"-?\d+(\.\d+)?", text)]


def steps_of_the_worked_token() -> list[torch.Tensor]:
    x = torch.tensor(WORKED)
    normalised = nn.LayerNorm(4, eps=1e-6)(x).detach()
    scaled = torch.tensor(GAMMA) * normalised
    return [x, x - x.mean(), normalised, scaled, scaled + torch.tensor(BETA)]


def test_figure_of_the_norm_shows_the_equation():
    shown = [numbers_of(row) for row in rows_in("layer_norm") if numbers_of(row)]
    expected = [[round(v, 2) for v in step.tolist()] for step in steps_of_the_worked_token()]
    assert torch.allclose(torch.tensor(shown), torch.tensor(expected), atol=1e-6)


def test_words_for_those_who_cannot_see_the_figure_say_its_numbers():
    said = CELLS["layer_norm_figure"].replace("−", "-")
    x, centred, normalised, _, last = steps_of_the_worked_token()
    for step, digits in ((x, "g"), (centred, "g"), (normalised, ".2f"), (last, ".2f")):
        assert ", ".join(f"{value:{digits}}" for value in step.tolist()) in said


def test_right_predictions_are_those_of_torch():
    norm, x = nn.LayerNorm(4, eps=1e-6), torch.tensor(PREDICTED)
    y = norm(x)
    assert PREDICTION["mean"] == pytest.approx(y.mean().item(), abs=1e-5)
    assert PREDICTION["variance"] == pytest.approx(y.var(correction=0).item(), abs=1e-5)
    same = {
        "order": torch.equal(x.argsort(), y.argsort()),
        "10 * x": torch.allclose(norm(10 * x), y, atol=1e-5),
        "x + 100": torch.allclose(norm(x + 100), y, atol=1e-5),
    }
    assert {key: "same" if is_same else "changes" for key, is_same in same.items()} == {
        key: PREDICTION[key] for key in same
    }


@pytest.fixture(scope="module")
def checks() -> VisibleChecks:
    return VisibleChecks(ASSIGNMENT)


def predicted(*answers: object) -> dict[str, str]:
    keys = ("mean", "variance", "order", "10 * x", "x + 100")
    return {"predict_norm": f"prediction = {dict(zip(keys, answers, strict=True))!r}"}


def test_the_visible_check_says_the_same_of_every_prediction(checks):
    words = ("same", "changes")
    answers = itertools.product((0, 1, 5.0), (1, 4 / 3, 5), words, words, words)
    said = {checks.run(predicted(*answer), "predict_norm")["predict_norm"] for answer in answers}
    assert len(said) == 1 and next(iter(said)).state == "done"


@pytest.mark.parametrize(
    ("answers", "state"),
    [
        (("five", 1, "same", "same", "same"), "failing"),
        ((0, 1, "maybe", "same", "same"), "failing"),
        ((0, None, "same", "same", "same"), "failing"),
        ((None,) * 5, "open"),
        (("0,0", "1", "Same ", "same", "CHANGES"), "done"),
    ],
)
def test_the_visible_check_looks_at_the_form_of_predictions(checks, answers, state):
    assert checks.run(predicted(*answers), "predict_norm")["predict_norm"].state == state
