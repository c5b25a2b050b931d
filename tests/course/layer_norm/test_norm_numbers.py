"""The first three exercises of `layer-norm`: every number that they show is computed here once more."""

import itertools
import re
from xml.etree import ElementTree

import pytest
import torch
from notebook_cells import checks_of, sources_of
from torch import nn

from autograder import find_course
from autograder.authoring.edited import find_source
from autograder.authoring.visible_checks import VisibleChecks
from autograder.graders.layer_norm.reference import PREDICTION, normalise, prediction_for

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


def test_figure_of_the_prediction_shows_its_three_tokens():
    shown = [numbers_of(row) for row in rows_in("predict_norm") if numbers_of(row)]
    x = torch.tensor(PREDICTED)
    assert shown == [x.tolist(), (10 * x).tolist(), (x + 100).tolist()]


def test_figure_of_the_norm_shows_the_equation():
    shown = [numbers_of(row) for row in rows_in("layer_norm") if numbers_of(row)]
    expected = [[round(v, 2) for v in step.tolist()] for step in steps_of_the_worked_token()]
    assert torch.allclose(torch.tensor(shown), torch.tensor(expected), atol=1e-6)


def test_notes_of_the_figure_of_the_norm():
    texts = [text for row in rows_in("layer_norm") for text in row]
    x, centred, *_ = steps_of_the_worked_token()
    assert f"mean {x.mean():g}" in texts
    assert f"variance {centred.square().mean():g}" in texts
    for name, values in (("γ", GAMMA), ("β", BETA)):
        assert f"{name} = {', '.join(f'{value:g}' for value in values)}" in texts


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


def test_predictions_follow_the_token():
    assert prediction_for(torch.full((4,), 3.0))["variance"] == 0
    assert (
        prediction_for(torch.tensor([1.0, 1.0001, 1.0, 1.0]))["10 * x"] == "changes"
    )  # eps is seen


@pytest.mark.parametrize(("value", "are_one_number"), [(1.0, False), (10.0, False), (100.0, True)])
def test_what_is_seen_of_a_feature_that_grows(value, are_one_number):
    y = normalise(torch.tensor([0.1, 0.2, value, 0.3], dtype=torch.float64))
    small = {f"{y[i]:.2f}" for i in (0, 1, 3)}
    assert (len(small) == 1) is are_one_number
    assert y[2] > 1 and bool((y[[0, 1, 3]] < 0).all())  # it stands alone, at any size
    assert y.mean().item() == pytest.approx(0, abs=1e-6)
    assert y.var(correction=0).item() == pytest.approx(1, abs=1e-4)


def test_the_values_to_play_with_reach_what_is_told(monkeypatch):
    assert "100.0]" in CELLS["layer_norm_play"] and "At 100 " in CELLS["layer_norm_play_seen"]
    assert "two decimals" in CELLS["layer_norm_play_seen"]
    module = checks_of("layer-norm", ASSIGNMENT.course)
    token = torch.tensor([0.1, 0.2, 100.0, 0.3])
    after = torch.tensor([-0.58, -0.577, 1.73, -0.575])
    drawn = []
    monkeypatch.setattr(module, "show", lambda figure, alt: drawn.append(figure))
    module.bars_before_and_after(token, after, "a token")
    texts = [text.get_text() for text in drawn[0].axes[1].texts]
    assert texts == ["-0.58", "-0.58", "1.73", "-0.57"]


def test_variance_of_the_answer_where_it_divides_by_one_less():
    found = []
    for d_model in (4, 6, 10):  # 6: the visible check
        x = torch.randn(d_model, dtype=torch.float64)
        answer = (x - x.mean()) / x.std()
        found.append(f"{answer.var(correction=0).item():.2g}")
    assert "variance of the answer {}, {} or {}, not 1".format(*found) in CELLS["layer_norm_hints"]


@pytest.mark.parametrize("name", ["predict_norm", "quiz"])
def test_the_contract_says_what_each_of_five_answers_counts(name):
    (exercise,) = (one for one in ASSIGNMENT.exercises if one.id == name)
    assert f" {exercise.points / 5:g} points" in CELLS[f"{name}_contract"]


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
