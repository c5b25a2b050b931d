"""The visible checks of the practical on layer normalisation: what each asks, step by step.

The notebook beside this file imports it; no answer is in it. `student` is what the notebook defines at the
moment at which a check runs. Below the checks stand the longer pictures, and the training of eight blocks.
"""

import contextlib
import math
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import matplotlib.pyplot as plt
import torch
from matplotlib.axes import Axes
from toolbox import (
    GREY,
    ReadyMadeNorms,
    answers_alike,
    beside_equation,
    has_shape,
    is_open,
    is_unanswered,
    keeps_inputs,
    learns,
    letters_of,
    names,
    replaced,
    rests_in_training,
    same,
    show,
    steps,
    student,
    table,
)
from torch import Tensor, nn
from torch.nn import functional as F

TEAL, ROSE, YELLOW, BLUE = "#23888a", "#c2557a", "#c79a00", "#4f86c6"

# ------------------------------------------------------------------ exercise 1: predict, then compute

NUMBERS = "mean", "variance"
WORDS = "order", "10 * x", "x + 100"


@steps("predict_norm")
def predict_norm_steps() -> Iterator[str]:
    yield "Is `prediction` a dict with the five keys of the cell?"
    prediction = student.prediction
    assert isinstance(prediction, dict), f"It is of type {type(prediction).__name__}."
    said = {without_spaces(key): answer for key, answer in prediction.items()}
    missing = [key for key in NUMBERS + WORDS if without_spaces(key) not in said]
    assert not missing, f"Not there: {', '.join(missing)}."
    found = {key: said[without_spaces(key)] for key in NUMBERS + WORDS}
    if all(map(is_unanswered, found.values())):
        raise NotImplementedError

    yield "Is every answer filled in?"
    still_open = [key for key, answer in found.items() if is_unanswered(answer)]
    assert not still_open, f"Still open: {', '.join(still_open)}."

    yield "Are mean and variance numbers?"
    for key in NUMBERS:
        answer = found[key]
        try:
            float(answer.replace(",", ".") if isinstance(answer, str) else answer)
        except (TypeError, ValueError, RuntimeError):
            raise AssertionError(f"`{key}` is not a number.") from None

    yield 'Is each of the other three "same" or "changes"?'
    for key in WORDS:
        assert str(found[key]).strip().lower() in ("same", "changes"), f"`{key}` is neither."


def without_spaces(key: object) -> str:
    """A key in small letters, without spaces and dashes: who spells it otherwise means the same."""
    return "".join(letter for letter in str(key).casefold() if letter not in " _-")


def compare_with_prediction(norm: nn.Module, prediction: dict[str, Any]) -> None:
    """Show what was predicted for [2, 4, 6, 8], and what a norm with gamma 1 and beta 0 makes of it."""
    x = torch.tensor([2.0, 4.0, 6.0, 8.0])
    y = norm(x)
    has_shape(y, 4)
    y = y.detach()
    told = ("changes", "same")
    seen = {
        "mean": f"{y.mean() + 0.0:.3f}".replace("-0.000", "0.000"),
        "variance": f"{y.var(correction=0):.3f}",
        "order": told[torch.equal(y.argsort(), x.argsort())],
        "10 * x": told[torch.allclose(norm(10 * x), y, atol=1e-3)],
        "x + 100": told[torch.allclose(norm(x + 100), y, atol=1e-3)],
    }
    said = {key: prediction.get(key) for key in seen}
    rows = [[key, "?" if is_unanswered(said[key]) else said[key], seen[key]] for key in seen]
    table(["of [2, 4, 6, 8]", "you said", "your LayerNorm says"], rows)


# ------------------------------------------------------------------ exercise 2: layer normalisation


@steps("layer_norm")
def layer_norm_steps() -> Iterator[str]:
    axes, d_model = "batch token feature", 6
    x = torch.randn(2, 5, d_model) * (1 + torch.rand(2, 5, 1)) + 3 * torch.randn(2, 5, 1)

    yield "Can it be built, as `LayerNorm(d_model)` and as `LayerNorm(d_model, eps)`?"
    layer = student.LayerNorm(d_model).eval()
    blurred = student.LayerNorm(d_model, 2.0).eval()
    yield "Does it answer, with one tensor of the shape of x?"
    answer = layer(x.clone())
    has_shape(answer, 2, 5, d_model)
    yield "What is learned: does `list(layer.parameters())` show gamma and beta?"
    learned = learned_by(layer, d_model)
    assert len(learned) == 2, f"It shows {len(learned)} of them."
    yield "How many numbers has gamma, and how many has beta?"
    sizes = [parameter.numel() for parameter in learned]
    assert sizes == [d_model] * 2, f"With {d_model} features they have {sizes}."
    yield "Where do gamma and beta begin, so that nothing is scaled or shifted yet?"
    first, second = ([value for value in (1, 0) if (one == value).all()] for one in learned)
    begin = [parameter.flatten()[0].item() for parameter in learned]
    assert sorted(first + second) == [0, 1], f"They begin at {begin[0]:.3g} and {begin[1]:.3g}."
    gamma, beta = learned if first == [1] else learned[::-1]
    if {name for name, _ in layer.named_parameters()} == {"gamma", "beta"}:
        assert (layer.gamma == 1).all(), "Your beta begins at 1, and your gamma at 0."

    yield "Is it your own, without `nn.LayerNorm`, `F.layer_norm` and other norms of torch's?"
    with ReadyMadeNorms() as ready_made:
        layer(x.clone())
    assert not ready_made.called, f"It calls torch's {' and '.join(ready_made.called)}."
    yield "Is x after the call what it was? Which line changes a tensor in place?"
    keeps_inputs(layer, x, axes=axes)

    yield "Which mean have the features of each token of your answer?"
    same(answer.mean(-1), torch.zeros(2, 5), "batch token", 1e-3)
    yield "Which variance have they? Over how many numbers does yours average, and is a root taken?"
    same(answer.var(-1, correction=0), torch.ones(2, 5), "batch token", 1e-3)
    yield "Feature by feature: what is subtracted from x, and what is it divided by?"
    same(answer, F.layer_norm(x, (d_model,)), axes, 1e-3)
    yield "Does a token get the same answer alone and among others?"
    alone = [layer(token.view(1, 1, -1)) for token in x.view(10, -1)]
    same(torch.cat(alone).view_as(x), answer, axes)
    yield "Are other numbers of axes before the features as good: none, one, three?"
    named = {"feature": x[0, 0], "batch feature": x[:, 0]}
    for its, other in (named | {f"group {axes}": torch.randn(3, 2, 4, d_model)}).items():
        same(layer(other), F.layer_norm(other, (d_model,)), its, 1e-3)

    yield "With another gamma and beta: which one multiplies, which one is added, and when?"
    with torch.no_grad():
        gamma.copy_(torch.randn(d_model).view_as(gamma))
        beta.copy_(torch.randn(d_model).view_as(beta))
    scale, shift = gamma.flatten().clone(), beta.flatten().clone()
    same(layer(x.clone()), F.layer_norm(x, (d_model,), scale, shift), axes, 1e-3)
    yield "Does gradient arrive at gamma, at beta and at x?"
    learns(layer, x)
    yield "The gradient at x: does it come back through mean and variance as well?"
    mine, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
    upstream = torch.randn_like(x)
    (layer(mine.clone()) * upstream).sum().backward()
    (F.layer_norm(theirs, (d_model,), scale, shift) * upstream).sum().backward()
    same(mine.grad, theirs.grad, axes, 1e-3)

    yield "With an eps of 2: is it used, and what is it added to, before the root or after it?"
    same(blurred(x), F.layer_norm(x, (d_model,), eps=2.0), axes, 1e-3)
    yield "Which eps has a layer that is told none? Variances of a millionth show it."
    fresh, small = student.LayerNorm(d_model).eval(), 1e-3 * torch.randn(2, 5, d_model)
    same(fresh(small), F.layer_norm(small, (d_model,), eps=1e-6), axes, 1e-3)
    yield "All features of a token are equal: what is it divided by, and what is left?"
    flat = torch.randn(2, 5, 1).expand(2, 5, d_model)
    same(fresh(flat), torch.zeros(2, 5, d_model), axes, 1e-2)
    yield "A mean of 16 384: how many digits of your variance are left?"
    whole = torch.randint(-9, 9, (2, 5, 8)).float()
    wide = student.LayerNorm(8).eval()
    same(wide(whole + 2.0**14), F.layer_norm(whole, (8,)), axes, 1e-2)

    yield "Asked twice, and in training: is the answer the same?"
    answers_alike(layer, x, axes=axes)
    rests_in_training(layer, x, axes=axes)


def learned_by(layer: nn.Module, d_model: int) -> list[Tensor]:
    """What the layer learns: its parameters and, of one that holds gamma and beta, both."""
    learned = [parameter.detach() for parameter in layer.parameters() if parameter.requires_grad]
    return [vector for one in learned for vector in two_vectors(one, d_model)]


def two_vectors(parameter: Tensor, d_model: int) -> Sequence[Tensor]:
    """The vectors of a parameter that holds two of d_model numbers; any other parameter itself."""
    sizes = [size for size in parameter.shape if size != 1]
    if sizes in ([2, d_model], [2 * d_model]):
        return parameter.view(2, d_model).unbind()
    return parameter.view(d_model, 2).unbind(1) if sizes == [d_model, 2] else [parameter]


def bars_before_and_after(token: Tensor, after: Tensor, title: str) -> None:
    """Draw the features of a token, and what a norm made of them, with their means."""
    has_shape(after, *token.shape)
    figure, axes = plt.subplots(1, 2, figsize=(8.2, 2.6), layout="constrained")
    looks = (token, title, "#7a8899", "%.3g"), (after, "your LayerNorm of it", YELLOW, "%.2f")
    for ax, (values, name, colour, digits) in zip(axes, looks, strict=True):
        bars = ax.bar(range(len(values)), values.tolist(), color=colour)
        ax.bar_label(bars, fmt=digits, padding=2)
        ax.axhline(values.mean().item(), color=ROSE, linestyle="--", linewidth=1)
        ax.set(title=name, xticks=range(len(values)), xlabel="feature")
        ax.margins(y=0.2)
    show(figure, f"{title}: bars of its features, dashed at their mean, before and after.")


# ------------------------------------------------------------------ exercise 3: add and norm


@steps("add_and_norm")
def add_and_norm_steps() -> Iterator[str]:
    with replaced(LayerNorm=StandInNorm):
        yield from in_evaluation()
        yield from in_training()


def in_evaluation() -> Iterator[str]:
    """Sum and norm, where nothing is dropped."""
    axes, d_model = "batch token feature", 6
    x, added = 2 * torch.randn(2, 5, d_model) + 1, torch.randn(2, 5, d_model)

    yield "Can it be built, as `AddAndNorm(d_model)` and as `AddAndNorm(d_model, dropout)`?"
    layer = student.AddAndNorm(d_model).eval()
    dropping = student.AddAndNorm(d_model, 0.5).eval()
    yield "Does it answer, with one tensor of the shape of x?"
    answer = layer(x.clone(), added.clone())
    has_shape(answer, 2, 5, d_model)
    yield "Asked twice after `eval()`: is the answer the same, or is something still dropped?"
    answers_alike(layer, x, added, axes=axes)
    answers_alike(dropping, x, added, axes=axes)
    yield "Has x a part in the answer?"
    assert not torch.allclose(layer(-x, added), answer), "With another x it is the same."
    yield "Has the sub-layer's output a part in the answer?"
    other = layer(x.clone(), -added)
    assert not torch.allclose(other, answer), "With another one it is the same."
    yield "What comes last: has each word of your answer the mean 0?"
    same(answer.mean(-1), torch.zeros(2, 5), "batch token", 1e-3)
    yield "What comes last: has each word of your answer the variance 1?"
    same(answer.var(-1, correction=0), torch.ones(2, 5), "batch token", 1e-3)
    yield "What is normalised: what is added to what, before the norm?"
    same(answer, F.layer_norm(x + added, (d_model,)), axes, 1e-3)
    yield "Has the norm a gamma and a beta that `parameters()` finds?"
    sizes = [vector.numel() for vector in learned_by(layer, d_model)]
    assert sizes == [d_model] * 2, f"The sizes that it finds are {sizes}."
    yield "Does gradient come back to both inputs, and to gamma and beta?"
    learns(layer, x, added)

    yield "Are both inputs after the call what they were, in evaluation and in training?"
    keeps_inputs(layer, x, added, axes=axes)
    keeps_inputs(dropping.train(), x, added, axes=axes)
    yield "A block that is told no rate: does it answer in training as after `eval()`?"
    rests_in_training(layer, x, added, axes=axes)
    yield "After `eval()`, does the rate of dropout still matter?"
    same(dropping.eval()(x.clone(), added.clone()), answer, axes)


def in_training() -> Iterator[str]:
    """Dropout, on a sub-layer's output that is 0.01 wherever x is 0."""
    x, added = torch.zeros(4, 50, 16), torch.full((4, 50, 16), 0.01)
    x[..., 0], x[..., 1] = 10, -10
    added[..., :2] = 0
    layer = student.AddAndNorm(16, 0.7).train()
    yield "In training: if the sub-layer returned zeros, is anything else dropped?"
    answer = layer(x.clone(), torch.zeros_like(x))
    same(answer, F.layer_norm(x, (16,)), "batch token feature", 1e-3)
    yield "In training: is anything dropped of what the sub-layer returned?"
    once, again = (without_norm(layer(x.clone(), added.clone()))[..., 2:] for _ in range(2))
    kept, other = once > 0.005, again > 0.005
    assert not kept.all(), "All of it is still there."
    yield "Is each number dropped by itself, each time anew?"
    shared = {"call": other, "sentence": kept[:1], "word": kept[:, :1], "feature": kept[..., :1]}
    for what, others in shared.items():
        assert (kept != others).any(), f"It is the same for every {what}."
    yield "Which share is dropped, and by what is the rest multiplied?"
    share = 1 - kept.double().mean().item()
    assert abs(share - 0.7) < 0.05, f"With dropout 0.7, {share:.0%} is dropped."
    same(once[kept] / 0.01, torch.full_like(once[kept], 1 / 0.3), "number", atol=2e-2)


class StandInNorm(nn.LayerNorm):
    """For `LayerNorm`: torch's own, so that what is wrong in exercise 2 is not complained about here."""

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__(d_model, eps)


def without_norm(answer: Tensor) -> Tensor:
    """Undo the norm of x: of its first two features it is known that they are 10 and -10."""
    deviation = 20 / (answer[..., :1] - answer[..., 1:2])
    return (answer - answer[..., :1]) * deviation + 10


def words_of_four_sizes() -> tuple[Tensor, Tensor]:
    """x, with words from small to large, and a sub-layer's output, (1, 4, 8) each."""
    sizes = torch.tensor([0.3, 1.0, 3.0, 9.0]).view(1, 4, 1)
    return sizes * torch.randn(1, 4, 8), torch.randn(1, 4, 8)


def own_add_and_norm(dropout: float = 0.0) -> nn.Module:
    """The student's AddAndNorm; where exercise 2 is still open, torch's LayerNorm takes its place."""
    missing = is_open(lambda: student.LayerNorm(8)(torch.randn(8)))
    with replaced(**({"LayerNorm": nn.LayerNorm} if missing else {})):
        return student.AddAndNorm(8, dropout)


# ------------------------------------------------------------------ exercise 4: find the slip

TOKEN = torch.tensor([1.0, 2.0, 3.0, 4.0])  # of the calculation "add and norm"
SUBLAYER_OUTPUT = torch.tensor([0.5, -0.3, 0.2, 0.1])
FEED_FORWARD = {
    "x": torch.tensor([0.5, 1.0, -0.5, 0.3]),
    "W1": torch.tensor([[0.2, 0.3, 0.1], [0.4, -0.1, 0.5], [0.1, 0.2, -0.3], [-0.2, 0.4, 0.2]]),
    "b1": torch.tensor([0.1, -0.1, 0.2]),
    "W2": torch.tensor([[0.5, 0.2, -0.1, 0.3], [0.1, 0.4, 0.2, -0.2], [-0.3, 0.1, 0.5, 0.4]]),
    "b2": torch.tensor([0.0, 0.0, 0.0, 0.0]),
}
PRINTED = {  # by calculation, the printed value of each step
    "add and norm": {
        "sum": [1.5, 1.7, 3.2, 4.1],
        "mean": 2.625,
        "variance": 1.359,
        "normalised": [-0.97, -0.79, 0.49, 1.27],
    },
    "feed forward": {
        "hidden": [0.47, 0.47, -0.09],
        "relu": [0.47, 0.47, 0.0],
        "output": [0.28, 0.28, 0.05, 0.05],
    },
}
FIRST = "first wrong step"
Own = dict[tuple[str, str], Tensor]  # a student's numbers, by calculation and step


@steps("find_the_slip")
def find_the_slip_steps() -> Iterator[str]:
    named, own = yield from filled_in()
    yield from in_order(*(own["add and norm", step] for step in PRINTED["add and norm"]))
    yield from fed_forward(*(own["feed forward", step] for step in PRINTED["feed forward"]))
    for name, lines in PRINTED.items():
        as_printed = {
            step: close(own[name, step], numbers_of(on_paper), 6e-3)
            for step, on_paper in lines.items()
        }
        before = [*lines][: [*lines].index(named[name])]
        yield f"{name}: is the step that you name printed otherwise than yours?"
        assert not as_printed[named[name]]
        yield f"{name}: are all steps before it printed as yours?"
        assert all(as_printed[step] for step in before), "An earlier one differs already."


def filled_in() -> Generator[str, None, tuple[dict[str, str], Own]]:
    """Ask whether all is there; return the first wrong steps, and the numbers."""
    yield "Is `slips` a dict with the two calculations, and is each of them a dict?"
    slips = student.slips
    assert isinstance(slips, dict), f"It is of type {type(slips).__name__}."
    parts = {spelt_as(name, PRINTED): part for name, part in slips.items()}
    assert set(parts) == set(PRINTED), f"It should hold {' and '.join(PRINTED)}, and no more."
    assert all(isinstance(part, dict) for part in parts.values())

    yield "Has each its steps, named as in the cell?"
    for name, lines in PRINTED.items():
        wanted = [FIRST, *lines]
        parts[name] = {spelt_as(step, wanted): entry for step, entry in parts[name].items()}
        missing = set(wanted) - set(parts[name])
        assert not missing, f"In {name} there is no {' and no '.join(sorted(missing))}."

    entries = {(name, step): entry for name, part in parts.items() for step, entry in part.items()}
    left = [f"{name}: {step}" for (name, step), entry in entries.items() if is_unanswered(entry)]
    if len(left) == len(entries):
        raise NotImplementedError

    yield "Is every step filled in?"
    assert not left, f"Still open: {', '.join(left)}."

    yield "Has each step as many numbers as the printed one?"
    own = {key: numbers_of(entry) for key, entry in entries.items() if key[1] != FIRST}
    for (name, step), numbers in own.items():
        count = len(numbers_of(PRINTED[name][step]))
        assert len(numbers) == count, f"{name}: {step} has {count}, yours {len(numbers)}."

    yield "Is each first wrong step one of the names of the steps?"
    first = {}
    for name, lines in PRINTED.items():
        said = str(parts[name][FIRST])
        meant = [step for step in lines if step in said.casefold()]
        assert len(meant) == 1, f"{name}: {said} is not one of {', '.join(lines)}."
        first[name] = meant[0]
    return first, own


def in_order(
    total: Tensor, mean: Tensor, variance: Tensor, normalised: Tensor
) -> Generator[str, None, None]:
    """Ask whether each line of "add and norm" follows from the one before it."""
    yield "Without what the sub-layer adds, is your sum x again?"
    assert close(total - SUBLAYER_OUTPUT, TOKEN)

    yield "Do your numbers lie as far above your mean as below it, all taken together?"
    assert close((total - mean).mean(), 0, 6e-3), "They do not: is that the mean of your sum?"

    yield "Is your variance the mean of the squared distances of your sum from your mean?"
    assert close(variance, variance_of(total.tolist()), 6e-3)

    yield "By the root of which variance is each divided: of the printed one, or of yours?"
    by_printed = (total - mean) / PRINTED["add and norm"]["variance"] ** 0.5
    assert not close(normalised, by_printed, 6e-3), "They are what the printed one gives."

    yield "Have your normalised numbers the mean 0?"
    assert close(normalised.mean(), 0), f"Their mean is {normalised.mean():.3g}."

    yield "Have they the variance 1?"
    theirs = variance_of(normalised.tolist())
    assert abs(theirs - 1) < 4e-3, f"It is {theirs:.4g}. Which digits were rounded, and where?"

    yield "Is each above zero where the sum is above its mean, and in the same order?"
    assert (normalised.sign() == (total - mean).sign()).all()
    assert normalised.argsort().tolist() == total.argsort().tolist()

    yield "Backwards: times the root of your variance, plus your mean, are they your sum again?"
    assert close(normalised * variance.sqrt() + mean, total, 6e-3)


def fed_forward(hidden: Tensor, relu: Tensor, output: Tensor) -> Iterator[str]:
    """Ask whether each line of "feed forward" follows from the one before it."""
    x, w1, b1, w2, b2 = FEED_FORWARD.values()

    yield "Do your hidden units add up to x times the sums of the rows of W1, plus all of b1?"
    assert close(hidden.sum(), x @ w1.sum(1) + b1.sum())

    yield "The same with weights 1, 2, 3 of the units: is each unit at its place?"
    weights = torch.tensor([1.0, 2.0, 3.0])
    assert close(hidden @ weights, x @ (w1 @ weights) + b1 @ weights)

    yield "And with 1, -2, 2?"
    weights = torch.tensor([1.0, -2.0, 2.0])
    assert close(hidden @ weights, x @ (w1 @ weights) + b1 @ weights)

    yield "Is no number negative after the ReLU?"
    assert (relu >= 0).all()

    yield "Are your positive hidden units the same after it, and the others zero?"
    assert close(relu[hidden > 0], hidden[hidden > 0]) and (relu[hidden <= 0] == 0).all()

    yield "Do your outputs add up to what the ReLU leaves, times the sums of the rows of W2?"
    assert close(output.sum(), relu @ w2.sum(1) + b2.sum())

    yield "Is each output at its place, and are there 3 digits?"
    for weights in torch.tensor([[1.0, 2, 3, 4], [1.0, -1, 1, -1], [0.0, 0, 1, -2]]):
        assert close(output @ weights, relu @ (w2 @ weights) + b2 @ weights)


def numbers_of(entry: Any) -> Tensor:
    """The numbers of a list, tuple, tensor or text as one vector; none where it is still open."""
    items = entry.tolist() if hasattr(entry, "tolist") else entry
    if isinstance(items, list | tuple):
        return torch.cat([numbers_of(item) for item in items]) if items else torch.zeros(0)
    if is_unanswered(items):
        return torch.zeros(0)
    try:
        return torch.tensor([float(str(items).replace(",", "."))])
    except ValueError:
        raise AssertionError(f"{items!r} is not a number.") from None


def close(yours: Tensor, target: Tensor | float, atol: float = 4e-3) -> bool:
    """Whether numbers are the same to three digits."""
    return torch.allclose(yours, torch.as_tensor(target).float(), rtol=0, atol=atol)


def variance_of(values: list[float]) -> float:
    """The mean of the squared distances from the mean."""
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / len(values)


def spelt_as(key: object, wanted: Iterable[str]) -> object:
    """The one of some names that a key is meant for, whatever its case, spaces and dashes."""
    return next((name for name in wanted if letters_of(name) == letters_of(key)), key)


def draw_beside_print(slips: dict[str, dict[str, Any]]) -> None:
    """Draw two bars for each number: as printed, and as in `slips`, as far as that is filled in."""
    figure, axes = plt.subplots(1, 2, figsize=(8.2, 3), layout="constrained")
    for ax, (name, lines) in zip(axes, PRINTED.items(), strict=True):
        place, ticks = 0, {}
        for step, on_paper in lines.items():
            paper, own = numbers_of(on_paper), numbers_of(slips[name][step])
            at = [float(place + i) for i in range(len(paper))]
            ax.bar([x - 0.2 for x in at], paper.tolist(), 0.4, color=ROSE)
            beside = list(zip(at, own.tolist(), strict=False))  # what is filled in, and no more
            ax.bar([x + 0.2 for x, _ in beside], [y for _, y in beside], 0.4, color=TEAL)
            ticks[sum(at) / len(at)] = step
            place += len(paper) + 1
        ax.set_xticks(list(ticks), list(ticks.values()))
        ax.axhline(0, color=GREY, linewidth=0.8)
        ax.set_title(name, fontsize=10)
    for colour, label in ((ROSE, "printed"), (TEAL, "yours")):
        axes[0].scatter([], [], marker="s", color=colour, label=label)
    axes[0].legend()
    show(figure, "Bars of both calculations, each printed number beside yours.")


# ------------------------------------------------------------------ exercise 5: twelve tokens

TABLES = torch.tensor(  # a token a row: ffn, residual, normalised, three features each
    [
        [2.4327, 1.7288, 2.1912, 2.7440, 2.3293, 2.6400, 1.1330, 0.7191, 0.6758],
        [5.7504, 4.2261, 4.7223, 6.7727, 6.3734, 6.3224, 1.2055, 0.7709, -0.4830],
        [6.6566, 4.9091, 5.4139, 7.8748, 7.4775, 7.3278, 1.1982, 0.7851, -0.6501],
        [3.7186, 2.6970, 3.1723, 4.3060, 3.8967, 4.0671, 1.1851, 0.7335, 0.1756],
        [1.5761, 1.0830, 1.5374, 1.7016, 1.2856, 1.6900, 1.0913, 0.7164, 0.9469],
        [1.6820, 1.1630, 1.6183, 1.8308, 1.4146, 1.8074, 1.0965, 0.7165, 0.9165],
        [3.0062, 2.1608, 2.6289, 3.4410, 3.0284, 3.2764, 1.1591, 0.7239, 0.4599],
        [5.9794, 4.3994, 4.8973, 7.0526, 6.6521, 6.5761, 1.2041, 0.7747, -0.5314],
        [3.7345, 2.7092, 3.1845, 4.3258, 3.9159, 4.0846, 1.1856, 0.7338, 0.1684],
        [4.6607, 3.4069, 3.8912, 5.4515, 5.0446, 5.1123, 1.2039, 0.7506, -0.1775],
        [2.1759, 1.5355, 1.9953, 2.4321, 2.0163, 2.3550, 1.1208, 0.7178, 0.7628],
        [2.1123, 1.4874, 1.9467, 2.3544, 1.9389, 2.2846, 1.1175, 0.7175, 0.7850],
    ]
)
WEIGHTS = {
    "w1": torch.tensor(
        [
            [0.3745, 0.9507, 0.7320, 0.5987],
            [0.1560, 0.1560, 0.0581, 0.8662],
            [0.6011, 0.7081, 0.0206, 0.9699],
        ]
    ),
    "b1": torch.tensor([0.8324, 0.2123, 0.1818, 0.1834]),
    "w2": torch.tensor(
        [
            [0.3042, 0.5248, 0.4320],
            [0.2912, 0.6119, 0.1395],
            [0.2921, 0.3664, 0.4561],
            [0.7852, 0.1997, 0.5142],
        ]
    ),
    "b2": torch.tensor([0.5924, 0.0465, 0.6075]),
}
OUTPUTS = "ffn", "residual", "normalised"


def printed_tables() -> dict[str, Tensor]:
    """The printed tables by name, as new tensors; (12, 3) each."""
    parts = TABLES.split(3, dim=1)
    return {name: part.clone() for name, part in zip(OUTPUTS, parts, strict=True)}


def tail_of_print(encoder_tail: Callable[..., Any]) -> list[Tensor]:
    """What an encoder's tail makes of the article's input, with gamma 1 and beta 0."""
    printed = printed_tables()
    x = printed["residual"] - printed["ffn"]
    weights = [weight.clone() for weight in WEIGHTS.values()]
    outputs = three_of(encoder_tail(x, *weights, torch.ones(3), torch.zeros(3)))
    for output in outputs:
        has_shape(output, 12, 3)
    return outputs


@steps("twelve_tokens")
def twelve_tokens_steps() -> Iterator[str]:
    tail = random_tail(6, 4, 9)

    yield "Does a call with six tokens run?"
    answer = student.encoder_tail(*(tensor.clone() for tensor in tail))

    yield "Are three tables returned?"
    outputs = three_of(answer)

    yield "Has each of them a row for each token and a column for each feature?"
    for output in outputs:
        has_shape(output, 6, 4)

    yield "Is there no token too few, and no size that only works by chance?"
    for sizes in ((1, 4, 9), (2, 7, 3), (5, 5, 5)):
        for output in three_of(student.encoder_tail(*random_tail(*sizes))):
            has_shape(output, *sizes[:2])

    yield "Are the tables that come in afterwards what they were?"
    for number in range(7):
        copies = [tensor.clone() for tensor in tail]
        student.encoder_tail(*copies)
        assert torch.equal(copies[number], tail[number]), f"Argument {number + 1} is changed."

    def with_tables(**others: Tensor) -> list[Tensor]:
        arguments = "x", "w1", "b1", "w2", "b2", "gamma", "beta"
        own = zip(arguments, tail, strict=True)
        return three_of(student.encoder_tail(*(others.get(name, one) for name, one in own)))

    axes = "token feature"
    ffn, residual, normalised = outputs

    yield "If all weights in w2 are zero, what is left in each row of ffn?"
    same(with_tables(w2=torch.zeros(9, 4))[0], tail[4].expand(6, 4), axes)

    yield "If b1 is so low that every hidden unit is negative, what is left in ffn?"
    same(with_tables(b1=torch.full((9,), -1e3))[0], tail[4].expand(6, 4), axes)

    yield "Can ffn be negative?"
    assert (ffn < 0).any(), "None of your numbers is."

    yield "Is each row of ffn that of the slow one?"
    same(ffn, unit_by_unit(*tail[:5]), axes, atol=1e-4)

    yield "And with as many tokens as features and hidden units?"
    square = random_tail(5, 5, 5)
    target = unit_by_unit(*square[:5])
    same(three_of(student.encoder_tail(*square))[0], target, axes, atol=1e-4)

    yield "Do you get the first printed table?"
    of_print, printed = tail_of_print(student.encoder_tail), printed_tables()
    same(of_print[0], printed["ffn"], axes, atol=5e-4)

    yield "Without ffn, is the second output x again?"
    same(residual - ffn, tail[0], axes, atol=1e-4)

    yield "Do you get the second printed table?"
    same(of_print[1], printed["residual"], axes, atol=5e-4)

    yield "Which table goes into the norm: x, ffn, or their sum, residual?"
    plain = with_tables(gamma=torch.ones(4), beta=torch.zeros(4))[2]
    for name, other in (("x", tail[0]), ("ffn", ffn)):
        is_other = plain.shape == other.shape and torch.allclose(
            plain, F.layer_norm(other, (4,)), rtol=0, atol=1e-3
        )
        assert not is_other, f"What comes out is {name}, normalised."

    yield "With gamma 1 and beta 0, has each token the mean 0 over its features?"
    same(plain.mean(dim=1), torch.zeros(6), "token", atol=1e-4)

    yield "And the variance 1, which is its mean square then?"
    same(plain.square().mean(dim=1), torch.ones(6), "token", atol=1e-3)

    yield "Does a feature stay above the others of its token, if it was above them?"
    same(plain.argsort(dim=1), residual.argsort(dim=1), axes)

    yield "Is a token's third row the same without the other tokens?"
    alone = [three_of(student.encoder_tail(tail[0][i : i + 1], *tail[1:]))[2] for i in range(6)]
    same(normalised, torch.cat(alone), axes, atol=1e-4)

    yield "With beta higher by 1, is every number of the third table higher by 1?"
    same(with_tables(beta=tail[6] + 1)[2], normalised + 1, axes, atol=1e-4)

    yield "With gamma 0, is each row beta?"
    same(with_tables(gamma=torch.zeros(4))[2], tail[6].expand(6, 4), axes, atol=1e-4)

    yield "With gamma twice as large, is the distance from beta twice as large?"
    twice = with_tables(gamma=2 * tail[5])[2]
    same(twice - tail[6], 2 * (normalised - tail[6]), axes, atol=1e-4)

    yield "With gamma 1 in one feature and 0 in the others, which column is left?"
    one = torch.tensor([0.0, 1.0, 0.0, 0.0])
    same(with_tables(gamma=one, beta=torch.zeros(4))[2], one * plain, axes, atol=1e-4)

    yield "Is the third printed table a line of yours, for each feature?"
    for feature in range(3):
        line = torch.stack([of_print[2][:, feature], torch.ones(12)], dim=1)
        column = printed["normalised"][:, feature : feature + 1]
        same(line @ torch.linalg.lstsq(line, column).solution, column, axes, atol=5e-4)

    yield "A token whose features are all alike: which row does it become?"
    flat = with_tables(x=torch.ones(6, 4), w2=torch.zeros(9, 4), b2=torch.zeros(4))[2]
    same(flat, tail[6].expand(6, 4), axes, atol=1e-4)

    yield "Features that hardly differ: which part of a variance of 1e-6 is left, with eps 1e-6?"
    near = torch.tensor([1e-3, -1e-3, 1e-3, -1e-3]).expand(6, 4)
    unscaled = {"gamma": torch.ones(4), "beta": torch.zeros(4)}
    rest = with_tables(x=near, w2=torch.zeros(9, 4), b2=torch.zeros(4), **unscaled)[2]
    same(rest.square().mean(dim=1), torch.full((6,), 0.5), "token", atol=1e-3)


def random_tail(tokens: int, d: int, h: int) -> list[Tensor]:
    """x, w1, b1, w2, b2, gamma, beta of these sizes."""
    shapes = (tokens, d), (d, h), (h,), (h, d), (d,), (d,), (d,)
    return [torch.randn(*shape) for shape in shapes]


def three_of(answer: Any) -> list[Tensor]:
    """The three outputs, whatever holds them: a dict by their names."""
    assert answer is not None, "Nothing is returned."
    parts = [answer[name] for name in OUTPUTS] if isinstance(answer, dict) else [*answer]
    assert len(parts) == 3, f"Your answer has the length {len(parts)}."
    return [torch.as_tensor(part) for part in parts]


def unit_by_unit(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    """The feed forward of each token as the notebook's `slow_feed_forward` computes it: (tokens, d)."""
    rows = []
    for token in x:
        output = b2.clone()
        for unit in range(len(b1)):
            height = b1[unit].item()
            for feature in range(len(token)):
                height += token[feature].item() * w1[feature, unit].item()
            if height > 0:
                output += height * w2[unit]
        rows.append(output)
    return torch.stack(rows)


# ------------------------------------------------------------------ exercise 6: recover


@steps("recover")
def recover_steps() -> Iterator[str]:
    axes = "feature"

    yield "Does a call with nine tokens of four features run, and return two things?"
    residual, x_hat, plain = norm_tables(9, [1.0] * 4, [0.0] * 4)
    line_of(residual, plain)

    yield "Is each of them one number for each feature?"
    for tokens, d in ((9, 4), (4, 9), (5, 5), (12, 3)):
        for part in line_of(*norm_tables(tokens, [1.0] * d, [0.0] * d)[::2]):
            has_shape(part, d)

    yield "Are the tables afterwards what they were?"
    copies = residual.clone(), plain.clone()
    student.recover(*copies)
    assert torch.equal(copies[0], residual) and torch.equal(copies[1], plain)

    yield "A norm whose gamma is 1 and whose beta is 0: is that what you find?"
    gamma, beta = line_of(residual, plain)
    same(gamma, torch.ones(4), axes, atol=1e-3)
    same(beta, torch.zeros(4), axes, atol=1e-3)

    yield "The whole table higher by 5: which of the two has changed, and by how much?"
    higher = line_of(residual, plain + 5)
    same(higher[0], gamma, axes, atol=1e-3)
    same(higher[1], beta + 5, axes, atol=1e-3)

    yield "The whole table three times as large: which have changed?"
    larger = line_of(residual, 3 * plain + 3)
    same(larger[0], 3 * gamma, axes, atol=1e-3)
    same(larger[1], 3 * (beta + 1), axes, atol=1e-3)

    yield "With another gamma for each feature, does each get its own?"
    slopes = [0.5, 2.0, 4.0, 1.0]
    found = line_of(*norm_tables(9, slopes, [0.0] * 4)[::2])[0]
    same(found, torch.tensor(slopes), axes, atol=1e-3)

    yield "Can gamma be negative?"
    same(line_of(residual, -plain)[0], -gamma, axes, atol=1e-3)

    yield "And a gamma of 0, where the output is beta for every token?"
    zero = line_of(residual, torch.full((9, 4), 2.0))
    same(zero[0], torch.zeros(4), axes, atol=1e-3)
    same(zero[1], torch.full((4,), 2.0), axes, atol=1e-3)

    yield "Both at once, of both signs?"
    wanted = [1.5, -0.7, 2.2, -3.0], [0.3, 2.0, -1.0, 0.0]
    both = line_of(*norm_tables(9, *wanted)[::2])
    for yours, target in zip(both, wanted, strict=False):
        same(yours, torch.tensor(target), axes, atol=1e-3)

    yield "If a token's residual is higher by 7 in every feature, does anything change?"
    same(line_of(residual + 7 * torch.randn(9, 1), plain)[0], gamma, axes, atol=1e-3)

    yield "If a token's residual is four times as large, does anything change?"
    factors = torch.linspace(0.5, 4, 9).view(9, 1)
    same(line_of(residual * factors, plain)[0], gamma, axes, atol=1e-3)

    yield "With noise in one feature, do the others keep their line?"
    noisy = plain.clone()
    noisy[:, 2] += torch.randn(9)
    keep = [0, 1, 3]
    same(line_of(residual, noisy)[0][keep], gamma[keep], axes, atol=1e-3)

    yield "With noise: are the errors of your line zero on average, for each feature?"
    residual, x_hat, noisy = norm_tables(30, *wanted, noise=0.6)
    gamma, beta = line_of(residual, noisy)
    errors = gamma * x_hat + beta - noisy
    same(errors.mean(dim=0), torch.zeros(4), axes, atol=1e-3)

    yield "And is there nothing left in them that a steeper or flatter line would take away?"
    same((errors * x_hat).mean(dim=0), torch.zeros(4), axes, atol=1e-3)

    yield "Does it move your line a little, whichever token moves?"
    for token in range(30):
        moved = noisy.clone()
        moved[token] += 3
        other = line_of(residual, moved)[1]
        assert (other - beta).abs().max() > 1e-3, f"Not with token {token}."

    yield "In another order of the tokens, is the line the same?"
    order = torch.randperm(30)
    same(line_of(residual[order], noisy[order])[0], gamma, axes, atol=1e-3)

    yield "With fewer tokens than features?"
    slopes = [2.0, -1.0, 3.0, 0.5, 1.0, -2.0, 1.5]
    few, _, normalised = norm_tables(4, slopes, [1.0] * 7)
    same(line_of(few, normalised)[0], torch.tensor(slopes), axes, atol=1e-3)

    yield "The twelve tokens: do your gamma and beta give the printed table?"
    printed = printed_tables()
    gamma, beta = line_of(printed["residual"], printed["normalised"])
    x_hat = F.layer_norm(printed["residual"], (3,), eps=1e-6)
    same(gamma * x_hat + beta, printed["normalised"], "token feature", atol=4e-4)


def line_of(residual: Tensor, normalised: Tensor) -> list[Tensor]:
    """The student's gamma and beta for these tables."""
    return two_of(student.recover(residual.clone(), normalised.clone()))


def two_of(answer: Any) -> list[Tensor]:
    """Gamma and beta, whatever holds them: a dict by their names."""
    assert answer is not None, "Nothing is returned."
    by_name = isinstance(answer, dict)
    parts = [answer["gamma"], answer["beta"]] if by_name else [*answer]
    assert len(parts) == 2, f"Your answer has the length {len(parts)}."
    return [torch.as_tensor(part).float() for part in parts]


def norm_tables(
    tokens: int, slopes: list[float], shifts: list[float], noise: float = 0.0
) -> tuple[Tensor, Tensor, Tensor]:
    """A residual, x_hat, and what gamma and beta make of it, with noise on top."""
    gamma, beta = torch.tensor(slopes), torch.tensor(shifts)
    residual = 3 * torch.randn(tokens, len(gamma)) + 2 * torch.randn(len(gamma))
    x_hat = F.layer_norm(residual, gamma.shape, eps=1e-6)
    return residual, x_hat, gamma * x_hat + beta + noise * torch.randn(tokens, len(gamma))


def draw_lines(recover: Callable[..., Any], noise: float = 0.0) -> None:
    """Draw the article's tokens, a colour for each feature, and a line through each, of `recover`.

    Noise of that size is added to what is printed; it is the same each time.
    """
    printed = printed_tables()
    residual, normalised = printed["residual"], printed["normalised"]
    normalised += noise * torch.randn(12, 3, generator=torch.Generator().manual_seed(1))
    gamma, beta = two_of(recover(residual.clone(), normalised.clone()))
    has_shape(gamma, 3)
    has_shape(beta, 3)
    x_hat = F.layer_norm(residual, (3,), eps=1e-6)
    figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
    for feature, colour in enumerate((BLUE, ROSE, YELLOW)):
        x, slope, shift = x_hat[:, feature], float(gamma[feature]), float(beta[feature])
        label = f"feature {feature}: gamma {slope:.4f}, beta {shift:.4f}"
        ends = torch.stack([x.min(), x.max()])
        ax.scatter(x, normalised[:, feature], s=24, color=colour)
        ax.plot(ends, slope * ends + shift, color=colour, linewidth=1, label=label)
    ax.set(xlabel="x_hat", ylabel="printed")
    ax.legend()
    show(figure, "Three clouds of dots, one for each feature, and your line through each.")


# ------------------------------------------------------------------ exercise 7: who depends on whom?

Norm = Callable[[Tensor], Tensor]


def normaliser(*axes: int) -> Norm:
    """Mean 0 and variance 1 over these axes of (batch, seq, d_model)."""

    def norm(x: Tensor) -> Tensor:
        variance = x.var(axes, unbiased=False, keepdim=True)
        return (x - x.mean(axes, keepdim=True)) / (variance + 1e-6).sqrt()

    return norm


by_token, in_batch = normaliser(2), normaliser(0)  # the first is layer norm
in_sentence, in_both = normaliser(1), normaliser(0, 1)
Place = tuple[Any, Any]  # which sentences, which positions
EACH = slice(None)


@steps("who_depends")
def who_depends_steps() -> Iterator[str]:
    x = torch.randn(2, 3, 6)

    yield "Does your test come back, for layer norm, with one of the four words?"
    word(by_token, x)

    yield "What does it say of layer norm? Which tokens stay the same in your comparison?"
    said = word(by_token, x)
    assert said == "neither", f"It says {said!r}. Does your test change the token?"

    yield "And of norms that look at even less?"
    for norm in (lambda x: x + 0, lambda x: 0 * x, lambda x: (x - 0.3) / 1.7, nn.RMSNorm(6)):
        asks(norm, x, "neither")

    yield "Does it notice anything in batch norm, in training?"
    assert word(in_both, x) != "neither", "It says that nothing depends on anything."

    yield "A norm over the batch, at each position by itself: which word is that?"
    asks(in_batch, x, "batch")

    yield "A norm over the positions of each sentence: which word is that?"
    asks(in_sentence, x, "positions")

    yield "A norm over both: which word is that?"
    asks(in_both, x, "both")

    yield "Is x afterwards what it was?"
    given = torch.randn(2, 3, 6)
    before = given.clone()
    word(in_both, given)
    same(given, before, "sentence position feature")

    yield "Does it call norm no more than 300 times, for twelve tokens?"
    counted = mock.Mock(side_effect=by_token)
    word(counted, torch.randn(3, 4, 6))
    assert counted.call_count <= 300, f"It calls it {counted.call_count} times."

    x = torch.randn(3, 4, 6)
    tokens = [(b, i) for b in range(3) for i in range(4)]

    yield "Only one token of one sentence depends on one of another. Is that noticed, whichever they are?"
    for source, target in [(s, t) for s in tokens for t in tokens if s[0] != t[0]][::5]:
        said = word(leaking(source, target), x)
        assert said == "batch", f"Not if {target} depends on {source}."

    yield "Only one token depends on one other of its sentence. Is that noticed, whichever they are?"
    for j, i in [(j, i) for j in range(4) for i in range(4) if i != j]:
        said = word(leaking((EACH, j), (EACH, i)), x)
        assert said == "positions", f"Not if position {i} depends on position {j}."
    said = word(leaking((-1, 2), (-1, 0)), x)
    assert said != "neither", "Not if only tokens of the last sentence depend on each other."

    yield "The tokens are layer-normalised before batch norm. Which change of a token still moves others?"
    asks(lambda x: in_both(by_token(x)), x, "both")
    asks(lambda x: by_token(in_both(by_token(x))), x, "both")

    yield "Only one feature depends on only one feature. Is that enough for your test?"
    for of, into in ((0, 4), (5, 0), (2, 2)):
        pairs = ((0, 2), (1, 1)), ((EACH, 3), (EACH, 1))
        norms = [leaking(*pair, 1.0, of, into) for pair in pairs]
        both = [word(norm, x) for norm in norms]
        assert both == ["batch", "positions"], f"Not feature {into} on feature {of}."

    yield "A token matters very little, and more than rounding. Does your test see it?"
    for source, target in (((0, 0), (2, 1)), ((EACH, 2), (EACH, 0))):
        said = word(leaking(source, target, 0.002), x)
        assert said != "neither", "It says 'neither'."

    yield "Numbers that differ in the sixth decimal are rounded otherwise. Does your test mind?"
    asks(lambda x: by_token(x) + 2e-6 * torch.rand(x.shape), x, "neither")

    yield "What is there to depend on in one sentence, in sentences of one token, in one token?"
    for shape, right in (((1, 4, 6), "positions"), ((3, 1, 6), "batch"), ((1, 1, 6), "neither")):
        said = word(in_both, torch.randn(shape))
        assert said == right, f"Of batch norm in training, with x {shape}, it says {said!r}."


def word(norm: Norm, x: Tensor) -> str:
    """What the student's test says, without case and spaces; it must be one of four words."""
    said = student.depends_on(norm, x)
    known = "batch", "positions", "both", "neither"
    plain = str(said).strip().lower()
    assert plain in known, f"It returns {said!r}. Does each way return a word?"
    return plain


def asks(norm: Norm, x: Tensor, right: str) -> None:
    """Assert that the student's test says this word."""
    said = word(norm, x)
    assert said == right, f"It says {said!r}."


def leaking(
    source: Place,
    target: Place,
    strength: float = 1.0,
    of: int | slice = EACH,
    into: int | slice = EACH,
) -> Norm:
    """Layer norm, but the output of one token also gets features of another one."""

    def norm(x: Tensor) -> Tensor:
        answer = by_token(x).clone()
        with contextlib.suppress(IndexError):  # x has no such token
            answer[target][..., into] += strength * x[source][..., of]
        return answer

    return norm


def four_norms() -> dict[str, Norm]:
    """Norms of torch's for (batch, seq, 8), by name."""
    return {
        "layer norm": nn.LayerNorm(8),
        "batch norm, training": by_feature(nn.BatchNorm1d(8)),
        "batch norm, evaluation": by_feature(nn.BatchNorm1d(8).eval()),
        "instance norm": by_feature(nn.InstanceNorm1d(8)),
    }


def by_feature(layer: nn.Module) -> Norm:
    """A layer of torch's that takes (batch, d_model, seq), for (batch, seq, d_model)."""
    return lambda x: layer(x.mT).mT


# ------------------------------------------------------------------ exercise 8: as a convolution


@steps("as_convolution")
def as_convolution_steps() -> Iterator[str]:
    pair, x, axes = linear_pair(6, 10), 2 * torch.randn(2, 6, 4), "sentence feature position"
    before = [weight.detach().clone() for weight in weights_of(pair)]

    yield "Does a call come back? Which shapes have both weights?"
    layer = student.as_convolution(*pair)

    yield "Is what comes back an nn.Sequential?"
    assert isinstance(layer, nn.Sequential), f"It is {type(layer).__name__}. Is a `return` missing?"

    yield "Of which three modules?"
    kinds = [type(part).__name__ for part in layer]
    assert kinds == ["Conv1d", "ReLU", "Conv1d"], f"Yours are {', '.join(kinds)}."

    yield "Which axes of a convolution's weight are features out, features in, and the kernel?"
    shapes = [tuple(part.weight.shape) for part in (layer[0], layer[2])]
    assert shapes == [(10, 6, 1), (6, 10, 1)], f"With d_model = 6 and d_ff = 10 yours are {shapes}."

    yield "Does each convolution have a bias, as the linear layer has?"
    assert layer[0].bias is not None and layer[2].bias is not None, "One has none."

    yield "Is the answer shaped like x, for one sentence and for one token as well?"
    for part in (x, x[:1], x[..., :1]):
        has_shape(layer(part), *part.shape)

    yield "Where the input is zero, only biases speak. Are they those of the linear layers?"
    zeros = torch.zeros(1, 6, 2)
    same(layer[0](zeros), pair[0](zeros.mT).mT, "sentence unit position")
    same(layer[2](torch.zeros(1, 10, 2)), pair[1](torch.zeros(1, 2, 10)).mT, axes)

    yield "Does the first convolution compute what linear1 does?"
    same(layer[0](x), pair[0](x.mT).mT, "sentence unit position")

    yield "And the second one what linear2 does?"
    hidden = torch.randn(2, 10, 4)
    same(layer[2](hidden), pair[1](hidden.mT).mT, axes)

    yield "Does all of it compute the feed forward layer?"
    same(layer(x), fed_by_position(*pair, x), axes)

    yield "Is that so where d_model and d_ff are equal, too?"
    square, cube = linear_pair(5, 5), torch.randn(5, 5, 5)
    same(student.as_convolution(*square)(cube), fed_by_position(*square, cube), axes)

    yield "Does gradient come back to every weight and to x?"
    learns(layer, x)
    count = sum(weight.requires_grad for weight in layer.parameters())
    assert count == 4, f"Of two weights and two biases {count} can be learned."

    yield "The linear layers learn something else. Do your convolutions stay as they are?"
    answer = layer(x)
    with torch.no_grad():
        for weight in weights_of(pair):
            weight.add_(1)
    same(layer(x), answer, axes)

    yield "Were the linear layers left as they were, and can they still learn?"
    for weight, old in zip(weights_of(pair), before, strict=False):
        same(weight, old + 1, "output input")
        assert weight.requires_grad, "A weight of a linear layer can no longer learn."


def linear_pair(d_model: int, d_ff: int) -> tuple[nn.Linear, nn.Linear]:
    """Two linear layers with weights and biases of the same size."""
    pair = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
    for linear in pair:
        nn.init.normal_(linear.bias)
    return pair


def weights_of(pair: tuple[nn.Linear, nn.Linear]) -> list[nn.Parameter]:
    return [weight for linear in pair for weight in linear.parameters()]


def fed_by_position(first: nn.Linear, second: nn.Linear, x: Tensor) -> Tensor:
    """The feed forward layer on (batch, d_model, seq)."""
    return second(first(x.mT).relu()).mT


# ------------------------------------------------------------------ exercise 9: where the norm stands


@steps("quiz")
def quiz_steps() -> Iterator[str]:
    yield "Is `answers` a dict?"
    answers = student.answers
    assert isinstance(answers, dict), f"It is of type {type(answers).__name__}."
    found = {letters_of(key): answer for key, answer in answers.items()}
    if all(map(is_unanswered, found.values())):
        raise NotImplementedError

    yield "Are there answers to a, b, c, d, and to pre-norm?"
    left = [key for key in ("a", "b", "c", "d", "prenorm") if is_unanswered(found.get(key))]
    assert not left, f"Nothing stands there for {', '.join(left)}."

    yield "Is each statement answered by True or False?"
    truths = "true", "false", "yes", "no", "t", "f", "y", "n", "1", "0"
    odd = [key for key in "abcd" if letters_of(found[key]) not in truths]
    assert not odd, f"What stands there for {', '.join(odd)} is neither."

    yield "Is one of the two figures named, as a text?"
    said = letters_of(found["prenorm"])
    assert said in ("left", "right"), 'It should be "left" or "right".'


def draw_sizes(left: list[Tensor], right: list[Tensor]) -> None:
    """Draw the standard deviation of a token's features behind each block, of both kinds."""
    figure, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
    for tokens, colour, label in ((left, YELLOW, "left"), (right, ROSE, "right")):
        deviations = [token.std().item() for token in tokens]
        ax.plot(deviations, color=colour, marker="o", label=label)
    ax.set(xlabel="after how many blocks", ylabel="standard deviation", ylim=(0, None))
    ax.legend()
    show(figure, "The left curve rises from block to block, the right one stays near 1.")


# ------------------------------------------------------------------ eight blocks, two norms and none

STEPS, SEEDS = 200, 3
COLOURS = {"no norm": "#5f82ab", "batch norm": "#c9527f", "your AddAndNorm": "#a07d1c"}
NewPart = Callable[[int], nn.Module]  # d_model -> what follows a sub-layer: of x and its output


def eight_blocks(add_and_norm: NewPart, guesses: Any, rates: Sequence[float]) -> None:
    """Train eight blocks with each norm, at each rate, from three seeds, and draw what came of it.

    Where nothing is guessed yet, ask for that first.
    """
    said = {name: listed_guesses(guesses, name) for name in COLOURS}
    if all(is_unanswered(one) for row in said.values() for one in row):
        print(
            "Predict first: put a word in place of at least one `...`, and run this cell once more."
        )
        return
    # the student's first, so that an open exercise takes no time
    parts = {"your AddAndNorm": add_and_norm, "no norm": Add, "batch norm": AddAndBatchNorm}
    runs = {
        (name, rate): [train_thirds(part, rate, seed) for seed in range(SEEDS)]
        for name, part in parts.items()
        for rate in rates
    }
    draw_runs(runs, said, rates)


def listed_guesses(guesses: Any, name: str) -> list[Any]:
    """What was guessed for one norm, in whatever form: none where it is no list."""
    row = guesses.get(name) if isinstance(guesses, dict) else None
    return [*row] if isinstance(row, list | tuple) else []


def new_sentences(length: int, count: int = 4) -> tuple[Tensor, Tensor]:
    """Random letters, and the third in which each stands; both (count, length)."""
    letters = torch.randint(10, (count, length))
    thirds = 3 * torch.arange(length) // length  # (length,)
    return letters, thirds.expand(count, -1)


class Block(nn.Module):
    """A feed forward layer that sees the mean of the sentence, too; what follows it is given."""

    def __init__(self):
        super().__init__()
        self.feed_forward = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32))
        self.add_and_norm: nn.Module = nn.Identity()

    def forward(self, x: Tensor) -> Tensor:  # (batch, seq, 32)
        mean = x.mean(dim=1, keepdim=True).expand_as(x)
        return self.add_and_norm(x, self.feed_forward(torch.cat([x, mean], dim=-1)))


class Add(nn.Module):
    """The sum alone."""

    def __init__(self, d_model: int):
        super().__init__()

    def forward(self, x: Tensor, sublayer_output: Tensor) -> Tensor:
        return x + sublayer_output


class AddAndBatchNorm(nn.Module):
    """The sum, and a norm over all tokens of the batch."""

    def __init__(self, d_model: int):
        super().__init__()
        self.norm = nn.BatchNorm1d(d_model)

    def forward(self, x: Tensor, sublayer_output: Tensor) -> Tensor:
        return self.norm((x + sublayer_output).flatten(0, 1)).view_as(x)


class Thirds(nn.Module):
    """Embedding and positions, eight blocks, one score for each third."""

    def __init__(self, new_part: NewPart):
        super().__init__()
        self.letters, self.positions = nn.Embedding(10, 32), nn.Embedding(20, 32)
        self.blocks = nn.Sequential(*(Block() for _ in range(8)))
        self.scores = nn.Linear(32, 3)
        for part in self.modules():
            if isinstance(part, nn.Linear):
                nn.init.xavier_uniform_(part.weight)
                nn.init.zeros_(part.bias)
        for block in self.blocks:  # last: the weights before are the same for all
            block.add_and_norm = new_part(32)

    def forward(self, letters: Tensor) -> Tensor:  # (batch, seq) -> (batch, seq, 3)
        x = self.letters(letters) + self.positions(torch.arange(letters.size(1)))
        return self.scores(self.blocks(x))


@dataclass
class Run:
    """What was seen of one network: shares of right answers, by step."""

    training: list[float] = field(default_factory=list)  # of each batch
    evaluation: dict[int, float] = field(default_factory=dict)  # of new sentences, with `eval()`
    as_trained: float = math.nan  # of the same sentences, with `train()`
    broke_at: int | None = None  # the step at which the loss is no number


def train_thirds(new_part: NewPart, rate: float, seed: int) -> Run:
    """Train one network; everything but `new_part` is the same for the same seed."""
    run = Run()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        new = [new_sentences(length, 8) for length in range(4, 21)]
        network = Thirds(new_part)
        optimizer = torch.optim.SGD(network.parameters(), lr=rate)
        torch.manual_seed(seed)  # the same batches, whatever the parts drew
        for step in range(1, STEPS + 1):
            letters, thirds = new_sentences(int(torch.randint(4, 21, ())))
            scores = network(letters)  # (batch, seq, 3)
            loss = F.cross_entropy(scores.flatten(0, 1), thirds.flatten())
            if not loss.isfinite():
                run.broke_at = step
                return run
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            run.training.append(accuracy(scores, thirds))
            if step % 40 == 0:
                run.evaluation[step] = share_right(network.eval(), new)
                network.train()
        run.as_trained = share_right(network, new)  # batch norm: by mean and variance of each batch
    return run


def accuracy(scores: Tensor, thirds: Tensor) -> float:
    return (scores.argmax(-1) == thirds).float().mean().item()


@torch.no_grad()
def share_right(network: nn.Module, batches: list[tuple[Tensor, Tensor]]) -> float:
    return sum(accuracy(network(letters), thirds) for letters, thirds in batches) / len(batches)


Runs = dict[tuple[str, float], list[Run]]  # by norm and rate, one for each seed


def draw_runs(runs: Runs, said: dict[str, list[Any]], rates: Sequence[float]) -> None:
    """Draw a row for each norm and a column for each rate, and what was guessed above each."""
    size = {"figsize": (8.2, 6.6), "squeeze": False, "layout": "constrained"}
    figure, axes = plt.subplots(len(COLOURS), len(rates), sharex=True, sharey=True, **size)
    for row, (name, colour) in zip(axes, COLOURS.items(), strict=True):
        for column, (ax, rate) in enumerate(zip(row, rates, strict=True)):
            draw_seeds(ax, runs[name, rate], colour)
            guess = said[name][column] if column < len(said[name]) else None
            title = "" if is_unanswered(guess) else f"you said: {guess}"
            ax.set_title(title, fontsize=8, loc="right")
        row[0].set_title(name, fontsize=9, loc="left", color=colour, fontweight="bold")
    for ax, rate in zip(axes[-1], rates, strict=True):
        ax.set_xlabel(f"step, at learning rate {rate}")
    axes[1, 0].set_ylabel("share of right answers")
    axes[0, 0].text(204, 0.345, "guessing", fontsize=8, ha="right")
    axes[1, -1].text(100, 0.93, "in training (lines)", fontsize=8, ha="center")
    axes[1, -1].text(110, 0.56, "in evaluation (dashes, circles)", fontsize=8, ha="center")
    show(figure, "; ".join(in_words(runs, name, rate) for name in COLOURS for rate in rates) + ".")


def draw_seeds(ax: Axes, seeds: list[Run], colour: str) -> None:
    ax.axhline(1 / 3, color=GREY, linestyle=":", linewidth=1)
    for run in seeds:
        if run.broke_at:
            ax.plot(run.broke_at, 1 / 3, "x", color=colour, markersize=9, markeredgewidth=2)
        else:
            means = torch.tensor(run.training).unfold(0, 20, 10).mean(1)  # of twenty batches each
            ax.plot(range(10, 10 + 10 * len(means), 10), means, color=colour, alpha=0.55)
            ax.plot(*zip(*run.evaluation.items(), strict=True), "o--", color=colour, mfc="none")
    broken = [run.broke_at for run in seeds if run.broke_at]
    if broken:
        said = f"{len(broken)} of {len(seeds)} seeds: the loss\nis no number by step {max(broken)}"
        ax.text(20, 0.42, said, fontsize=9)
    ax.set(ylim=(0.25, 1), xlim=(0, 205))


def in_words(runs: Runs, name: str, rate: float) -> str:
    seeds = runs[name, rate]
    if all(run.broke_at for run in seeds):
        return f"{name} at {rate}: no number from the first steps on"
    trained = listed([run.as_trained for run in seeds])
    evaluated = listed([run.evaluation.get(STEPS, math.nan) for run in seeds])
    return f"{name} at {rate}: {trained} as trained, {evaluated} in evaluation"


def listed(shares: list[float]) -> str:
    return ", ".join("no number" if math.isnan(share) else f"{share:.0%}" for share in shares)


# ------------------------------------------------------------------ what was built

EQUATIONS = {  # by what the student wrote: where it comes from, and the equation
    "LayerNorm.forward": (
        "over the features of a token",
        r"\gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta,"
        r"\qquad \mu = \frac{1}{d} \sum_{i} x_i, \quad \sigma^2 = \frac{1}{d} \sum_{i} (x_i - \mu)^2",
    ),
    "AddAndNorm.forward": (
        "the paper, sections 3.1 and 5.4",
        r"\mathrm{LayerNorm}(x + \mathrm{Dropout}(\mathrm{Sublayer}(x)))",
    ),
    "encoder_tail": (
        "the paper, sections 3.3 and 3.1",
        r"\mathrm{LayerNorm}(x + \mathrm{FFN}(x)), \quad \mathrm{FFN}(x) = \max(0,\; x W_1 + b_1)\, W_2 + b_2",
    ),
    "recover": (
        "least squares, for each feature",
        r"\min_{\gamma_i,\, \beta_i} \; \sum_{t} \left(\gamma_i \, \hat{x}_{t i} + \beta_i - y_{t i}\right)^2",
    ),
    "as_convolution": (
        "kernel size 1: no sum over neighbours",
        r"y_{o, t} = \sum_{c} W_{o, c, 0} \; x_{c, t} + b_o",
    ),
}


def show_what_was_built() -> None:
    """Show each equation beside the lines that the student wrote for it."""
    for name, (what, equation) in EQUATIONS.items():
        whole, _, method = name.partition(".")
        found = names().get(whole)
        wrote = getattr(found, method, None) if method else found
        beside_equation(f"{whole}, {what}", equation, wrote)


# Made by `release`: the exercises, fingerprints of the cells, the map.
RELEASED = {'exercises': {'predict_norm': {'number': '1',
                                'title': 'Predict, then compute',
                                'points': 1,
                                'minutes': 5,
                                'defines': ('prediction',),
                                'by_hand': False,
                                'form_only': True},
               'layer_norm': {'number': '2',
                              'title': 'Layer normalisation',
                              'points': 5,
                              'minutes': 35,
                              'defines': ('LayerNorm',),
                              'by_hand': False,
                              'form_only': False},
               'add_and_norm': {'number': '3',
                                'title': 'Add and norm',
                                'points': 4,
                                'minutes': 25,
                                'defines': ('AddAndNorm',),
                                'by_hand': False,
                                'form_only': False},
               'find_the_slip': {'number': '4',
                                 'title': 'Find the slip',
                                 'points': 3,
                                 'minutes': 25,
                                 'defines': ('slips',),
                                 'by_hand': False,
                                 'form_only': False},
               'twelve_tokens': {'number': '5',
                                 'title': 'Twelve tokens',
                                 'points': 4,
                                 'minutes': 25,
                                 'defines': ('encoder_tail',),
                                 'by_hand': False,
                                 'form_only': False},
               'recover': {'number': '6',
                           'title': 'Recover what was not printed',
                           'points': 3,
                           'minutes': 30,
                           'defines': ('recover',),
                           'by_hand': False,
                           'form_only': False},
               'who_depends': {'number': '7',
                               'title': 'Write the test: who depends on whom?',
                               'points': 4,
                               'minutes': 40,
                               'defines': ('depends_on',),
                               'by_hand': False,
                               'form_only': False},
               'as_convolution': {'number': '8',
                                  'title': 'Position-wise is a convolution',
                                  'points': 3,
                                  'minutes': 20,
                                  'defines': ('as_convolution',),
                                  'by_hand': False,
                                  'form_only': False},
               'quiz': {'number': '9',
                        'title': 'Where does the norm stand?',
                        'points': 2,
                        'minutes': 10,
                        'defines': ('answers',),
                        'by_hand': False,
                        'form_only': True},
               'explain_batch_norm': {'number': '10',
                                      'title': 'Why not batch norm?',
                                      'points': 2,
                                      'minutes': 20,
                                      'defines': (),
                                      'by_hand': True,
                                      'form_only': False}},
 'cells': [('title', 'markdown', 'c9cdc5a8377f', '', (), ''),
           ('overview', 'markdown', '158ce1ede166', '', (), ''),
           ('how_to_work', 'markdown', '9eeceb4fa39b', '', (), ''),
           ('files_beside', 'markdown', 'e95ac70c410c', '', (), ''),
           ('how_it_is_graded', 'markdown', '257dfaddde31', '', (), ''),
           ('how_to_hand_in', 'markdown', '4b1e9c79e0ad', '', (), ''),
           ('symbols', 'markdown', '7add97cbdc86', '', (), ''),
           ('set_up', 'code', '1f6d6214e6b9', 'not run', (), ''),
           ('imports', 'code', '25763fc83a7a', '', (), ''),
           ('predict_norm_goal', 'markdown', '6af825194393', '', (), ''),
           ('predict_norm_equation', 'markdown', '759970108d6c', '', (), ''),
           ('predict_norm_figure', 'markdown', '983d72f330a3', '', (), ''),
           ('predict_norm_contract', 'markdown', 'a87569e253f6', '', (), ''),
           ('predict_norm_hints', 'markdown', '39a98fc26820', '', (), ''),
           ('predict_norm', 'code', '9d7c632ebbc9', 'answer', ('prediction',), ''),
           ('predict_norm_check', 'markdown', 'bd1a87f437c5', '', (), ''),
           ('check_predict_norm', 'code', 'f9edb930ebff', 'check', (), ''),
           ('layer_norm_goal', 'markdown', '5761f15b52c6', '', (), ''),
           ('layer_norm_equation', 'markdown', '80b44ee73305', '', (), ''),
           ('layer_norm_figure', 'markdown', 'b889801671c3', '', (), ''),
           ('layer_norm_contract', 'markdown', '164135b7f613', '', (), ''),
           ('layer_norm_hints', 'markdown', 'f57acad7e5b2', '', (), ''),
           ('layer_norm', 'code', '983ba3f80272', 'answer', ('LayerNorm',), ''),
           ('layer_norm_try', 'markdown', '17f23e0166ca', '', (), ''),
           ('layer_norm_picture', 'code', 'b7feb1a72067', 'not run', (), ''),
           ('predict_norm_seen_text', 'markdown', '43915b66c3cd', '', (), ''),
           ('predict_norm_seen', 'code', '1b5c61688892', 'not run', (), ''),
           ('layer_norm_play_text', 'markdown', '2051a6be7a5c', '', (), ''),
           ('layer_norm_play', 'code', '4e1db2b3c60a', 'not run', (), ''),
           ('layer_norm_play_seen', 'markdown', 'ff15bdabbf34', '', (), ''),
           ('layer_norm_check', 'markdown', '359878ee6877', '', (), ''),
           ('check_layer_norm', 'code', 'b519ac81e09c', 'check', (), ''),
           ('add_and_norm_goal', 'markdown', '42770d64c095', '', (), ''),
           ('add_and_norm_equation', 'markdown', '0fe507ab2a3f', '', (), ''),
           ('add_and_norm_figure', 'markdown', '072164eb28ae', '', (), ''),
           ('add_and_norm_contract', 'markdown', 'a34015948e47', '', (), ''),
           ('add_and_norm_hints', 'markdown', '39efc2a4c331', '', (), ''),
           ('add_and_norm', 'code', '36e49f8697c4', 'answer', ('AddAndNorm',), ''),
           ('add_and_norm_try', 'markdown', 'e8e594ffa5fd', '', (), ''),
           ('add_and_norm_picture', 'code', 'c40ab3021efb', 'not run', (), ''),
           ('add_and_norm_play_text', 'markdown', '8a8bf2e13522', '', (), ''),
           ('add_and_norm_play', 'code', 'f7c9e91d661c', 'not run', (), ''),
           ('add_and_norm_check', 'markdown', 'e20617cfa463', '', (), ''),
           ('check_add_and_norm', 'code', '644fccdc9bbc', 'check', (), ''),
           ('find_the_slip_goal', 'markdown', '412a1968e75b', '', (), ''),
           ('find_the_slip_equation', 'markdown', 'b83b8e47b9e3', '', (), ''),
           ('find_the_slip_figure', 'markdown', '6811bc6a59b5', '', (), ''),
           ('find_the_slip_numbers_text', 'markdown', '8860d894dd9d', '', (), ''),
           ('find_the_slip_numbers', 'code', '3c8f4390cc63', '', (), ''),
           ('find_the_slip_slowly', 'markdown', '598834ee608e', '', (), ''),
           ('find_the_slip_slow_variance', 'code', 'e7a814cd3b8c', '', (), ''),
           ('find_the_slip_contract', 'markdown', '74477c45fa9f', '', (), ''),
           ('find_the_slip_hints', 'markdown', '1449630de56f', '', (), ''),
           ('find_the_slip', 'code', '299071beac12', 'answer', ('slips',), ''),
           ('find_the_slip_try', 'markdown', '1d5e30eca692', '', (), ''),
           ('find_the_slip_picture', 'code', '105751dabc90', 'not run', (), ''),
           ('find_the_slip_check', 'markdown', 'dd29478f2294', '', (), ''),
           ('check_find_the_slip', 'code', '8268f52ee7cd', 'check', (), ''),
           ('twelve_tokens_goal', 'markdown', '569e2b2265d3', '', (), ''),
           ('twelve_tokens_equation', 'markdown', '9fdc375a2948', '', (), ''),
           ('twelve_tokens_figure', 'markdown', 'd24371e98485', '', (), ''),
           ('twelve_tokens_numbers_text', 'markdown', '8420a4195826', '', (), ''),
           ('twelve_tokens_numbers', 'code', '6b8de8c72ca9', '', (), ''),
           ('twelve_tokens_slowly', 'markdown', '477d973f490c', '', (), ''),
           ('twelve_tokens_slow_feed_forward', 'code', '3c76e06cd5e4', '', (), ''),
           ('twelve_tokens_contract', 'markdown', '7556dfa59b7b', '', (), ''),
           ('twelve_tokens_hints', 'markdown', '8ad885d5670c', '', (), ''),
           ('twelve_tokens', 'code', 'aa6b19e18935', 'answer', ('encoder_tail',), ''),
           ('twelve_tokens_try', 'markdown', 'a9d24e6aff63', '', (), ''),
           ('twelve_tokens_picture', 'code', 'c7b2a77ea344', 'not run', (), ''),
           ('twelve_tokens_check', 'markdown', '38dc51b36c44', '', (), ''),
           ('check_twelve_tokens', 'code', '7b1fe27455a0', 'check', (), ''),
           ('recover_goal', 'markdown', '1249ea98d78a', '', (), ''),
           ('recover_equation', 'markdown', 'c19ec010788f', '', (), ''),
           ('recover_figure', 'markdown', '623de8377c91', '', (), ''),
           ('recover_contract', 'markdown', '00e85593fa72', '', (), ''),
           ('recover_hints', 'markdown', '5bf5b7ce33af', '', (), ''),
           ('recover', 'code', '0574bb487cda', 'answer', ('recover',), ''),
           ('recover_try', 'markdown', '7e7313de4d3c', '', (), ''),
           ('recover_picture', 'code', '141bbdbe67cd', 'not run', (), ''),
           ('recover_play_text', 'markdown', 'fc248aa6c9bc', '', (), ''),
           ('recover_play', 'code', '94ea16e40dc1', 'not run', (), ''),
           ('recover_check', 'markdown', 'd1bc7db08b26', '', (), ''),
           ('check_recover', 'code', '90ff4069ece8', 'check', (), ''),
           ('who_depends_goal', 'markdown', 'cb4d9c4343f6', '', (), ''),
           ('who_depends_equation', 'markdown', 'f3dad21b6a65', '', (), ''),
           ('who_depends_figure', 'markdown', '21e7ddd983d2', '', (), ''),
           ('who_depends_contract', 'markdown', 'b2c70c388104', '', (), ''),
           ('who_depends_hints', 'markdown', '26b83089cf63', '', (), ''),
           ('who_depends', 'code', 'a71878290493', 'answer', ('depends_on',), ''),
           ('who_depends_try', 'markdown', '2219d4177a21', '', (), ''),
           ('who_depends_picture', 'code', '112686338e08', 'not run', (), ''),
           ('who_depends_check', 'markdown', '4c0766d6c223', '', (), ''),
           ('check_who_depends', 'code', 'af40d1446c2b', 'check', (), ''),
           ('as_convolution_goal', 'markdown', 'f74b649c3913', '', (), ''),
           ('as_convolution_equation', 'markdown', '1d4d1d43ff9b', '', (), ''),
           ('as_convolution_figure', 'markdown', 'f849e4a039c6', '', (), ''),
           ('as_convolution_contract', 'markdown', '5e01abf54e70', '', (), ''),
           ('as_convolution_hints', 'markdown', '540c46dd90a3', '', (), ''),
           ('as_convolution', 'code', 'a4c9433c8282', 'answer', ('as_convolution',), ''),
           ('as_convolution_try', 'markdown', 'b9523d2c4cd0', '', (), ''),
           ('as_convolution_picture', 'code', '72403f1f75d2', 'not run', (), ''),
           ('as_convolution_check', 'markdown', '325b7069adff', '', (), ''),
           ('check_as_convolution', 'code', '63af3a1b36d2', 'check', (), ''),
           ('quiz_goal', 'markdown', '63cc5796dc66', '', (), ''),
           ('quiz_figure', 'markdown', '7e3ce9162a1e', '', (), ''),
           ('quiz_statements', 'markdown', '9ca916f32540', '', (), ''),
           ('quiz_contract', 'markdown', '12ceeb1f28fc', '', (), ''),
           ('quiz_hints', 'markdown', '8fbe01d814a0', '', (), ''),
           ('quiz', 'code', 'd20fe87f50a7', 'answer', ('answers',), ''),
           ('quiz_try', 'markdown', '6749da178dcb', '', (), ''),
           ('quiz_picture', 'code', 'b3deca0ec1f4', 'not run', (), ''),
           ('quiz_check', 'markdown', '720a9464cb39', '', (), ''),
           ('check_quiz', 'code', 'be61c825c035', 'check', (), ''),
           ('explain_batch_norm_goal', 'markdown', '61da25aa178d', '', (), ''),
           ('explain_batch_norm_equation', 'markdown', 'be30fa155f12', '', (), ''),
           ('explain_batch_norm_figure', 'markdown', '47d0049a872a', '', (), ''),
           ('explain_batch_norm_contract', 'markdown', 'f60e561345ca', '', (), ''),
           ('explain_batch_norm_hints', 'markdown', '8e88065c1972', '', (), ''),
           ('explain_batch_norm',
            'markdown',
            'b667c3726bcd',
            'answer',
            (),
            '**Your answer** (two means, four or five sentences):\n\nYOUR ANSWER HERE'),
           ('explain_batch_norm_try', 'markdown', 'e91cb5f044f3', '', (), ''),
           ('explain_batch_norm_picture', 'code', '5152807dcf5c', 'not run', (), ''),
           ('progress_intro', 'markdown', '83cbf087521f', '', (), ''),
           ('progress', 'code', '9a89c0baf159', 'not run', (), ''),
           ('capstone_goal', 'markdown', '2d08e2bcf849', '', (), ''),
           ('capstone_task', 'markdown', '2540b3db6571', '', (), ''),
           ('capstone_blocks', 'markdown', '9a896523c8d4', '', (), ''),
           ('capstone_guess', 'markdown', '2f0558201aa2', '', (), ''),
           ('capstone_guesses', 'code', 'fa1008d4776a', 'not run', (), ''),
           ('capstone_look', 'markdown', '55d4ff88d417', '', (), ''),
           ('capstone_seen_norms', 'markdown', '53c339a2ab80', '', (), ''),
           ('capstone_seen_batch', 'markdown', 'a9ac713d6ad4', '', (), ''),
           ('capstone_faster', 'markdown', 'e6ac403a3d83', '', (), ''),
           ('built_goal', 'markdown', 'fcc1d35c4923', '', (), ''),
           ('built_lines', 'code', '47eb9bcc8f65', 'not run', (), ''),
           ('claims_goal', 'markdown', 'c4bda83b9dad', '', (), ''),
           ('claims_variance', 'markdown', '82cb7da449ed', '', (), ''),
           ('claims_variance_code', 'code', 'f75083ff48eb', 'not run', (), ''),
           ('claims_variance_seen', 'markdown', '7daf9b2ef830', '', (), ''),
           ('claims_balanced', 'markdown', '371dca41c20d', '', (), ''),
           ('claims_balanced_code', 'code', 'a88ce5b149a4', 'not run', (), ''),
           ('claims_balanced_seen', 'markdown', 'bab99eed4e2b', '', (), ''),
           ('claims_linear', 'markdown', '37886709e672', '', (), ''),
           ('claims_linear_code', 'code', 'cd799a58a773', 'not run', (), ''),
           ('claims_linear_seen', 'markdown', '6eef8b778e89', '', (), ''),
           ('claims_clean', 'markdown', '1c73f6757a90', '', (), ''),
           ('claims_clean_code', 'code', '62a5873e5b8c', 'not run', (), ''),
           ('claims_clean_seen', 'markdown', 'b55a6e466137', '', (), ''),
           ('next_papers', 'markdown', '3f4b53c2116f', '', (), ''),
           ('next_place', 'markdown', '417508a82de2', '', (), ''),
           ('next_practical', 'markdown', '84e29451cda4', '', (), ''),
           ('how_i_used_ai', 'markdown', '55cbcd4a3aa3', '', (), ''),
           ('closing', 'markdown', '1b2aeb8d2d74', '', (), ''),
           ('hand_in', 'code', 'd63a4d7093c8', 'not run', (), '')],
 'overview': '<svg xmlns="http://www.w3.org/2000/svg" width="720" height="440" viewBox="0 0 720 '
             '440" role="img">\n'
             '  <title>What you write, exercise by exercise</title>\n'
             '  <desc>Exercise 5 is what follows attention in an encoder layer: the feed forward '
             'layer, which exercise 8 writes as a convolution, and AddAndNorm of exercise 3, in '
             'which a sum is followed by the LayerNorm of exercise 2. Six more exercises are about '
             'these parts: 1 predicts, 4 finds slips in printed numbers, 6 recovers gamma and '
             'beta, 7 tests norms, 9 asks where the norm stands, and 10 why not batch norm. Each '
             'says its points and minutes.</desc>\n'
             '  <style>\n'
             '    text { font: 14px sans-serif; fill: #243040 }\n'
             '    .small { font-size: 11.5px; fill: #465364 }\n'
             '    .title { font-weight: bold }\n'
             '    .middle { text-anchor: middle }\n'
             '    .end { text-anchor: end }\n'
             '    .number { font-weight: bold; text-anchor: middle; fill: #fff }\n'
             '    .badge { fill: #243040 }\n'
             '    .token { fill: #e8ecf1; stroke: #7a8899 }\n'
             '    .plain { fill: #ffffff; stroke: #7a8899 }\n'
             '    .feed { fill: #cfeeee; stroke: #23888a }\n'
             '    .norm { fill: #fcf0b8; stroke: #b08d12 }\n'
             '    .layer { fill: #f1f3f6; stroke: #7a8899 }\n'
             '    .axis { fill: #f6dbe4; stroke: #c2557a }\n'
             '    .line { fill: none; stroke: #4a5665; stroke-width: 1.5 }\n'
             '  </style>\n'
             '  <defs>\n'
             '    <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
             'markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#4a5665"/></marker>\n'
             '  </defs>\n'
             '  <rect x="1" y="1" width="718" height="438" rx="14" fill="#fcfbf8" '
             'stroke="#e3ded2"/>\n'
             '  <!-- exercise 5: what follows attention -->\n'
             '  <rect data-exercise="twelve_tokens" class="layer" x="16" y="18" width="688" '
             'height="236" rx="12"/>\n'
             '  <circle class="badge" cx="42" cy="43" r="13"/><text class="number" x="42" '
             'y="48">5</text>\n'
             '  <text class="title" x="62" y="48">Twelve tokens</text>\n'
             '  <text class="small" x="186" y="48">what follows attention in an encoder '
             'layer</text>\n'
             '  <text data-exercise="twelve_tokens" class="small end" x="686" y="48">4 points · 25 '
             'min</text>\n'
             '\n'
             '  <rect class="token" x="32" y="136" width="64" height="56" rx="8"/>\n'
             '  <text class="middle" x="64" y="169">x</text>\n'
             '  <path class="line" marker-end="url(#tip)" d="M96 164 H120"/>\n'
             '\n'
             '  <!-- exercise 8 -->\n'
             '  <rect data-exercise="as_convolution" class="feed" x="122" y="126" width="182" '
             'height="84" rx="8"/>\n'
             '  <circle class="badge" cx="145" cy="148" r="13"/><text class="number" x="145" '
             'y="153">8</text>\n'
             '  <text x="166" y="153">feed forward,</text>\n'
             '  <text x="166" y="171">as a convolution</text>\n'
             '  <text data-exercise="as_convolution" class="small" x="166" y="195">3 points · 20 '
             'min</text>\n'
             '\n'
             '  <!-- exercises 3 and 2 -->\n'
             '  <rect data-exercise="add_and_norm" class="plain" x="328" y="70" width="300" '
             'height="168" rx="10"/>\n'
             '  <circle class="badge" cx="353" cy="94" r="13"/><text class="number" x="353" '
             'y="99">3</text>\n'
             '  <text class="title" x="374" y="99">AddAndNorm</text>\n'
             '  <text data-exercise="add_and_norm" class="small end" x="614" y="99">4 points · 25 '
             'min</text>\n'
             '  <path class="line" marker-end="url(#tip)" d="M108 164 V121 Q108 113 116 113 H372 '
             'Q380 113 380 121 V148"/>\n'
             '  <path class="line" marker-end="url(#tip)" d="M304 164 H364"/>\n'
             '  <circle class="plain" cx="380" cy="164" r="14"/><path class="line" d="M373 164 '
             'H387 M380 157 V171"/>\n'
             '  <path class="line" marker-end="url(#tip)" d="M394 164 H424"/>\n'
             '  <rect data-exercise="layer_norm" class="norm" x="426" y="118" width="186" '
             'height="92" rx="8"/>\n'
             '  <circle class="badge" cx="449" cy="140" r="13"/><text class="number" x="449" '
             'y="145">2</text>\n'
             '  <text x="470" y="145">LayerNorm</text>\n'
             '  <text class="small" x="470" y="163">mean, variance,</text>\n'
             '  <text class="small" x="470" y="179">gamma and beta</text>\n'
             '  <text data-exercise="layer_norm" class="small" x="470" y="199">5 points · 35 '
             'min</text>\n'
             '  <path class="line" marker-end="url(#tip)" d="M612 164 H648"/>\n'
             '  <rect class="token" x="650" y="136" width="40" height="56" rx="8"/>\n'
             '  <text class="middle" x="670" y="169">y</text>\n'
             '\n'
             '  <text class="small" x="22" y="279">about these parts, in the order of the '
             'exercises</text>\n'
             '  <rect data-exercise="predict_norm" class="plain" x="16" y="290" width="220" '
             'height="60" rx="8"/>\n'
             '  <circle class="badge" cx="41" cy="320" r="13"/><text class="number" x="41" '
             'y="325">1</text>\n'
             '  <text x="64" y="317">Predict, then compute</text>\n'
             '  <text data-exercise="predict_norm" class="small" x="64" y="336">1 point · 5 '
             'min</text>\n'
             '  <rect data-exercise="find_the_slip" class="axis" x="250" y="290" width="220" '
             'height="60" rx="8"/>\n'
             '  <circle class="badge" cx="275" cy="320" r="13"/><text class="number" x="275" '
             'y="325">4</text>\n'
             '  <text x="298" y="317">Find the slip</text>\n'
             '  <text data-exercise="find_the_slip" class="small" x="298" y="336">3 points · 25 '
             'min</text>\n'
             '  <rect data-exercise="recover" class="norm" x="484" y="290" width="220" height="60" '
             'rx="8"/>\n'
             '  <circle class="badge" cx="509" cy="320" r="13"/><text class="number" x="509" '
             'y="325">6</text>\n'
             '  <text x="532" y="317">Recover gamma, beta</text>\n'
             '  <text data-exercise="recover" class="small" x="532" y="336">3 points · 30 '
             'min</text>\n'
             '  <rect data-exercise="who_depends" class="plain" x="16" y="362" width="220" '
             'height="60" rx="8"/>\n'
             '  <circle class="badge" cx="41" cy="392" r="13"/><text class="number" x="41" '
             'y="397">7</text>\n'
             '  <text x="64" y="389">Test who depends</text>\n'
             '  <text data-exercise="who_depends" class="small" x="64" y="408">4 points · 40 '
             'min</text>\n'
             '  <rect data-exercise="quiz" class="plain" x="250" y="362" width="220" height="60" '
             'rx="8"/>\n'
             '  <circle class="badge" cx="275" cy="392" r="13"/><text class="number" x="275" '
             'y="397">9</text>\n'
             '  <text x="298" y="389">Where is the norm?</text>\n'
             '  <text data-exercise="quiz" class="small" x="298" y="408">2 points · 10 min</text>\n'
             '  <rect data-exercise="explain_batch_norm" class="axis" x="484" y="362" width="220" '
             'height="60" rx="8"/>\n'
             '  <circle class="badge" cx="509" cy="392" r="13"/><text class="number" x="509" '
             'y="397">10</text>\n'
             '  <text x="532" y="389">Why not batch norm?</text>\n'
             '  <text data-exercise="explain_batch_norm" class="small" x="532" y="408">2 points · '
             '20 min</text>\n'
             '</svg>',
 'ungraded': (),
 'notebook': 'layer-norm.ipynb'}
