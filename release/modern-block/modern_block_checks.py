"""The visible checks of the practical on today's block: what each asks, step by step.

The notebook beside this file imports it, and you may read it: nothing hidden is in it. `student` is what
the notebook defines at the moment of a check. Each `yield` is a question; what follows it up to the next
one is how the answer is tried. Below the checks stand the pictures and the experiments.
"""

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, permutations
from typing import Any

import matplotlib.pyplot as plt
import torch
from toolbox import (
    GREY,
    Call,
    ReadyMadeNorms,
    answers_alike,
    beside_equation,
    fixed_map,
    has_shape,
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

# ------------------------------------------------------------------ exercise 1: count parameters

PARTS = {
    "2017": ("attention", "feed forward", "norms", "biases", "embedding"),
    "today": ("d_ff", "attention", "feed forward", "norms", "embedding"),
}


@steps("count_parameters")
def count_parameters_steps() -> Iterator[str]:
    yield "Is `parameters` a dict with the two models of the cell, and is each of them a dict?"
    counts = by_letters(student.parameters)
    missing = [model for model in PARTS if model not in counts]
    assert not missing, f"Not there: {', '.join(missing)}."
    found = {model: by_letters(counts[model]) for model in PARTS}
    keys = [(model, part) for model, parts in PARTS.items() for part in parts]
    answers = {key: found[key[0]].get(letters_of(key[1])) for key in keys}
    if all(map(is_unanswered, answers.values())):
        raise NotImplementedError

    yield "Is every number filled in?"
    still_open = [
        f"{model}: {part}" for (model, part), one in answers.items() if is_unanswered(one)
    ]
    assert not still_open, f"Still open: {', '.join(still_open)}."

    yield "Is each of them a whole number above zero?"
    whole = {key: whole_number(answer, " ".join(key)) for key, answer in answers.items()}
    yield from laws_of_2017(*(whole["2017", part] for part in PARTS["2017"]))
    yield from laws_of_today(*(whole["today", part] for part in PARTS["today"]))

    yield "Has attention as many matrices a layer in both models?"
    before, now = (whole[model, "attention"] / size for model, size in SQUARES.items())
    assert before == now, f"Yours has {before:g} of them in 2017, and {now:g} today."


SQUARES = {"2017": 6 * 512 * 512, "today": 12 * 640 * 640}  # numbers in one square matrix a layer


def laws_of_2017(
    attention: int, feed_forward: int, norms: int, biases: int, embedding: int
) -> Iterator[str]:
    """Ask whether the numbers of the first model fit each other."""
    yield "2017: of how many matrices 512 by 512 does attention consist, in each of six layers?"
    matrices = attention / SQUARES["2017"]
    assert matrices == int(matrices), f"Yours makes {6 * matrices:g} of them in all six together."
    yield "2017: d_ff is 4 d_model. How many times as large as attention is the feed forward layer?"
    assert feed_forward == 2 * attention, f"With yours it is {feed_forward / attention:.3g} times."
    yield "2017: how many norms has a layer, and how many gains each of them?"
    assert norms % (6 * 512) == 0, "Your number makes no whole norms in each layer."
    assert norms // (6 * 512) == 2, f"Yours are {norms / (6 * 512):g} norms a layer."
    yield "2017: the norms have as many shifts as gains. Which biases are there beside these?"
    hidden = feed_forward // (6 * 2 * 512)
    rest = biases - norms
    said = f"Yours are {biases / 6:g} in each layer, and the shifts alone are {norms / 6:g}."
    assert rest == 6 * (hidden + 512), said
    yield "2017: has each token of the vocabulary one row in the embedding?"
    assert embedding == 37_000 * 512, f"Yours has {embedding / 37_000:g} numbers for each token."


def laws_of_today(
    d_ff: int, attention: int, feed_forward: int, norms: int, embedding: int
) -> Iterator[str]:
    """Ask whether the numbers of the second model fit each other."""
    yield "Today: is d_ff a multiple of 64?"
    assert d_ff % 64 == 0, f"What is left over is {d_ff % 64}."
    relu = 2 * 640 * 4 * 640
    yield "Today: have SwiGLU's three matrices with your d_ff at least as many weights as ReLU's two?"
    assert 3 * 640 * d_ff >= relu, f"They have {relu - 3 * 640 * d_ff:,} fewer."
    yield "Today: would 64 hidden units less be too few?"
    assert 3 * 640 * (d_ff - 64) < relu, "They would still be enough."
    yield "Today: how many matrices has SwiGLU, in how many blocks?"
    matrices = feed_forward / (640 * d_ff)
    assert matrices == 36, f"With your d_ff, yours are {matrices:.4g} matrices in all."
    yield "Today: of how many matrices 640 by 640 does attention consist, in each block?"
    squares = attention / SQUARES["today"]
    assert squares == int(squares), f"Yours makes {12 * squares:g} of them in all twelve together."
    yield "Today: how many norms are there in all, with the one at the end?"
    assert norms % 640 == 0, "Your number makes no whole norms."
    assert norms // 640 == 25, (
        f"Yours are {norms // 640}. How many has each of the twelve blocks, and how many stand behind them?"
    )
    yield "Today: has each token of the vocabulary one row in the embedding?"
    assert embedding == 32_000 * 640, f"Yours has {embedding / 32_000:g} numbers for each token."


def by_letters(entries: Any) -> dict[str, Any]:
    """A dict whose keys are found whatever their case, spaces and dashes."""
    assert isinstance(entries, dict), f"It is of type {type(entries).__name__}."
    return {letters_of(key): entry for key, entry in entries.items()}


def whole_number(answer: Any, name: str) -> int:
    """A whole number above zero, also if it is written as a text or with a point."""
    try:
        plain = answer.replace(",", "").replace("_", "") if isinstance(answer, str) else answer
        number = float(plain)
    except (TypeError, ValueError, RuntimeError):
        raise AssertionError(f"{name}: {answer!r} is not a number.") from None
    assert number > 0 and number == int(number), f"{name}: {answer!r} is no such number."
    return int(number)


# ------------------------------------------------------------------ exercise 2: RMSNorm


@steps("rms_norm")
def rms_norm_steps() -> Iterator[str]:
    axes, d_model = "batch token feature", 6
    x = torch.randn(2, 5, d_model) * torch.tensor([0.2, 1, 4, 9, 30]).view(5, 1)
    x = x + torch.randn(2, 5, 1)

    yield "Can it be built, as `RMSNorm(d_model)` and as `RMSNorm(d_model, eps)`?"
    layer, blurred = student.RMSNorm(d_model).eval(), student.RMSNorm(d_model, 2.0).eval()
    yield "Does it answer, with one tensor of the shape of x?"
    answer = layer(x.clone())
    has_shape(answer, 2, 5, d_model)
    yield "What is learned: does `dict(layer.named_parameters())` show gamma, and nothing else?"
    learned = [name for name, _ in layer.named_parameters()]
    assert learned == ["gamma"], f"It shows {', '.join(learned) or 'nothing'}."
    assert layer.gamma.requires_grad, "It cannot learn."
    yield "How many numbers has gamma?"
    assert layer.gamma.shape == (d_model,), f"Its shape is {tuple(layer.gamma.shape)}."
    yield "Where does gamma begin, so that nothing is scaled yet?"
    same(layer.gamma, torch.ones(d_model), "feature")
    yield "Is it your own, without `nn.RMSNorm` and `F.rms_norm`?"
    with ReadyMadeNorms() as ready_made:
        layer(x.clone())
    assert not ready_made.called, f"It calls torch's {' and '.join(ready_made.called)}."
    yield "Is x after the call what it was? Which line changes a tensor in place?"
    leaves_alone(layer, x, axes=axes)

    yield "The mean of the squares of your answer: is it 1 for each token?"
    same(answer.square().mean(-1), torch.ones(2, 5), "batch token", 1e-3)
    yield "All features of a token are alike: what is left of it, and is a mean subtracted?"
    flat = torch.tensor([[3.0], [-5.0]]).expand(2, d_model)
    same(layer(flat.clone()), flat.sign(), "token feature", 1e-3)
    yield "Feature by feature: what is x divided by? Is anything subtracted?"
    same(answer, F.rms_norm(x, (d_model,), eps=1e-5), axes, 1e-4)
    yield "Does a token get the same answer alone and among others?"
    alone = [layer(token.view(1, 1, -1)) for token in x.view(10, -1)]
    same(torch.cat(alone).view_as(x), answer, axes)
    yield "Are other numbers of axes as good: one token alone, two axes, four?"
    for other in (x[0, 0], x[:, 0], x[0, :1], torch.randn(3, 2, 4, d_model)):
        same(layer(other.clone()), F.rms_norm(other, (d_model,), eps=1e-5), axes_of(other), 1e-4)

    yield "With a gamma of zeros: is the answer zero?"
    set_to(layer.gamma, torch.zeros(d_model))
    same(layer(x.clone()), torch.zeros_like(x), axes)
    yield "With another gamma for each feature: does it multiply what is normalised, once?"
    gamma = torch.randn(d_model)
    set_to(layer.gamma, gamma)
    same(layer(x.clone()), F.rms_norm(x, (d_model,), gamma, 1e-5), axes, 1e-4)
    yield "Does gradient arrive at gamma and at x?"
    learns(layer, x)
    yield "The gradient at x: does it come back through the mean of the squares as well?"
    mine, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
    upstream = torch.randn_like(x)
    (layer(mine.clone()) * upstream).sum().backward()
    (F.rms_norm(theirs, (d_model,), gamma, 1e-5) * upstream).sum().backward()
    same(mine.grad, theirs.grad, axes, 1e-3)

    yield "With an eps of 2: is it used, and what is it added to, before the root or after it?"
    same(blurred(x.clone()), F.rms_norm(x, (d_model,), eps=2.0), axes, 1e-4)
    yield "Which eps has a layer that is told none? Squares of about 1e-5 show it."
    fresh = student.RMSNorm(d_model).eval()
    small = 3e-3 * torch.randn(2, 5, d_model)
    same(fresh(small.clone()), F.rms_norm(small, (d_model,), eps=1e-5), axes, 1e-3)
    yield "A small token beside a large one: is eps the same for both?"
    small[0, 0] = 1e3
    same(fresh(small.clone()), F.rms_norm(small, (d_model,), eps=1e-5), axes, 1e-3)
    yield "A token of zeros: what is it divided by?"
    same(fresh(torch.zeros(2, d_model)), torch.zeros(2, d_model), "token feature")
    yield from in_other_types(d_model)

    yield "Asked twice, and in training: is the answer the same?"
    answers_alike(layer, x, axes=axes)
    rests_in_training(layer, x, axes=axes)


def axes_of(x: Tensor) -> str:
    """The names of the last axes of tokens, for a message."""
    return " ".join("group batch token feature".split()[-x.dim() :])


def in_other_types(d_model: int) -> Iterator[str]:
    """Ask for half precision and for double."""
    half = torch.float16, torch.bfloat16
    x = torch.randn(2, 5, d_model)
    layer = student.RMSNorm(d_model).eval()
    set_to(layer.gamma, torch.rand(d_model) + 0.5)
    yield "Does a float32 layer answer in the type of x: for half precision, and for double?"
    for dtype in (*half, torch.float64):
        answer = layer(x.to(dtype))
        assert answer.dtype == dtype, f"For {dtype} it is {answer.dtype}."
    yield "float16 ends at 65,504: in which type are features of 300 and more squared and averaged?"
    wide = torch.randn(3, 64) * torch.tensor([[300.0], [900.0], [9000.0]])
    large = student.RMSNorm(64).eval()
    for dtype in half:
        same(large(wide.to(dtype)).float(), rms_of(wide.to(dtype)), "token feature", STEPS[dtype])
    yield "Squares that float16 rounds to zero: in which type is the mean taken?"
    tiny = (2e-4 * torch.randn(3, 64)).half()
    with torch.no_grad():
        exact = student.RMSNorm(64, 1e-12).eval()(tiny).float()
    same(exact, rms_of(tiny, 1e-12), "token feature", STEPS[torch.float16])
    yield "Half precision: is the answer as near as the type allows?"
    for dtype in half:
        same(
            layer(x.to(dtype)).float(), rms_of(x.to(dtype)) * layer.gamma, axes_of(x), STEPS[dtype]
        )
    yield "A layer whose gamma has half precision: has its answer the type of x?"
    for dtype in half:
        low = student.RMSNorm(d_model).to(dtype).eval()
        for other in (dtype, torch.float32):
            answer = low(x.to(other))
            assert answer.dtype == other, f"For {other} it is {answer.dtype}."
            same(answer.float(), rms_of(x.to(other)), axes_of(x), STEPS[dtype])
    yield "double: are digits lost on the way?"
    exact = x.double()
    target = F.rms_norm(exact, (d_model,), layer.gamma.detach().double(), 1e-5)
    same(layer(exact.clone()), target, "batch token feature", 1e-5)


STEPS = {torch.float16: 3e-3, torch.bfloat16: 2e-2}  # two to three steps of each type, at 1


def rms_of(x: Tensor, eps: float = 1e-5) -> Tensor:
    """Torch's own norm of x, in float32."""
    return F.rms_norm(x.float(), x.shape[-1:], eps=eps)


def leaves_alone(layer: nn.Module, *inputs: Tensor, axes: str = "") -> None:
    """Raise where a call changes a tensor that it is given, even if it changes it back."""
    keeps_inputs(layer, *inputs, axes=axes)
    given = [x.clone() for x in inputs]
    before = [x._version for x in given]  # how often it was changed in place
    layer(*given)
    assert [x._version for x in given] == before, "It is changed, and changed back."


def set_to(parameter: Tensor, numbers: Tensor) -> None:
    with torch.no_grad():
        parameter.copy_(numbers)


# ------------------------------------------------------------------ exercise 3: fold the centring in


@steps("fold_centering")
def fold_centering_steps() -> Iterator[str]:
    axes = "batch token feature"
    x = torch.randn(2, 5, 4)
    old = linear_of(4, 6)
    before = [weight.detach().clone() for weight in old.parameters()]

    yield "Does a call come back with an `nn.Linear`?"
    new = student.fold_centering(old)
    assert isinstance(new, nn.Linear), f"It is {type(new).__name__}. Is a `return` missing?"
    yield "Is it a new layer?"
    assert new is not old, "It is the old one."
    yield "Takes it as many features as the old layer, and does it return as many?"
    has_shape(new(x), 2, 5, 6)
    sizes = new.in_features, new.out_features
    assert sizes == (4, 6), f"It says that it has {sizes[0]} in and {sizes[1]} out."
    yield "Was the old layer left as it was?"
    for weight, kept in zip(old.parameters(), before, strict=True):
        same(weight, kept, "row column")
        assert weight.requires_grad, "It can no longer learn."
    yield "A layer without a bias: has the new one none, and with a bias one?"
    plain = linear_of(4, 6, bias=False)
    assert student.fold_centering(plain).bias is None, "It has one."
    assert new.bias is not None, "The old layer has a bias, the new one has none."

    yield "A layer without a bias: is the mean of each token zero in what the new one returns?"
    without = student.fold_centering(plain)(x)
    same(without.mean(-1), torch.zeros(2, 5), "batch token", 1e-4)
    yield "And with a bias, whose mean has to go, too?"
    answer = new(x)
    same(answer.mean(-1), torch.zeros(2, 5), "batch token", 1e-4)
    yield "Is it what the old layer returns, less one number for each token?"
    same(answer, old(x) - old(x).mean(-1, keepdim=True), axes, 1e-4)
    yield "Is that so without a bias, for sizes that are equal, and for a long way down?"
    for layer in (plain, linear_of(5, 5), linear_of(9, 2), linear_of(2, 9, bias=False)):
        tokens = torch.randn(3, layer.in_features)
        target = layer(tokens) - layer(tokens).mean(-1, keepdim=True)
        same(student.fold_centering(layer)(tokens), target, "token feature", 1e-4)
    yield "RMSNorm behind the new layer, LayerNorm behind the old one: do they agree?"
    same(F.rms_norm(answer, (6,), eps=1e-5), F.layer_norm(old(x), (6,)), axes, 1e-4)

    yield "Can the new layer learn: weight and bias, as leaves of their own?"
    for name, weight in new.named_parameters():
        assert weight.is_leaf and weight.requires_grad, f"Its {name} cannot."
    learns(new, x)
    yield "The old layer learns something else. Does the new one stay as it is?"
    with torch.no_grad():
        for weight in old.parameters():
            weight.add_(torch.randn_like(weight))
    same(new(x), answer, axes)
    yield "Has the new layer the type of the old one?"
    for dtype in (torch.float64, torch.float16):
        folded = student.fold_centering(linear_of(4, 6).to(dtype))
        kinds = {weight.dtype for weight in folded.parameters()}
        assert kinds == {dtype}, f"Of {dtype} it makes {' and '.join(map(str, kinds))}."
    yield "In double: are digits lost on the way?"
    double, tokens = linear_of(4, 6).double(), x.double()
    target = double(tokens) - double(tokens).mean(-1, keepdim=True)
    same(student.fold_centering(double)(tokens), target, axes, 1e-5)


def linear_of(features: int, out: int, bias: bool = True) -> nn.Linear:
    """A linear layer whose weights and biases have a mean that is far from zero."""
    linear = nn.Linear(features, out, bias=bias)
    for weight in linear.parameters():
        set_to(weight, torch.randn_like(weight) + 2)
    return linear


# ------------------------------------------------------------------ exercise 4: SwiGLU


@steps("swiglu")
def swiglu_steps() -> Iterator[str]:
    axes, d_model, d_ff = "batch token feature", 6, 10
    x = 2 * torch.randn(2, 3, d_model)

    yield "Can it be built from d_model and d_ff?"
    layer = student.SwiGLU(d_model, d_ff).eval()
    yield "Does it answer, with one tensor of the shape of x?"
    has_shape(layer(x.clone()), 2, 3, d_model)
    yield "Does `parameters()` find matrices, and no bias?"
    shapes = [tuple(weight.shape) for weight in layer.parameters()]
    said = f"With d_model = {d_model} and d_ff = {d_ff} they have the shapes {shapes}."
    assert shapes and all(math.prod(shape) > d_ff for shape in shapes), said
    yield "How many numbers does the equation have, with matrices of which sizes?"
    assert sum(map(math.prod, shapes)) == 3 * d_model * d_ff, said
    matrices = three_matrices(layer, d_model, d_ff)
    assert len(matrices) == 3, said
    yield "Is x after the call what it was?"
    leaves_alone(layer, x, axes=axes)
    yield "Asked twice after `eval()`: is the answer the same?"
    answers_alike(layer, x, axes=axes)

    for matrix in matrices:  # of a good size
        set_to(matrix, torch.randn(matrix.shape) / math.sqrt(matrix.size(1)))
    matrices = roles_of(layer, d_model, d_ff, x)
    answer = layer(x.clone())
    yield "If one of the three matrices is zero, what is left of a product?"
    for matrix, role in zip(matrices, ("gate", "up", "down"), strict=True):
        with other_numbers(matrix, 0):
            left = layer(x.clone()).abs().max().item()
        assert left < 1e-5, f"With zeros in what seems to be your {role}, up to {left:.2g} is left."
    yield "A matrix with its sign turned: for how many of the three does the answer only turn its own?"
    turned = []
    for matrix in matrices:
        with other_numbers(matrix, -1):
            turned.append(torch.allclose(layer(x.clone()), -answer, atol=1e-5))
    assert sum(turned) == 2, f"For {sum(turned)} of yours. On which one does SiLU act, and when?"
    yield "x a thousand times, ten thousand times as large: by what does the answer grow in between?"
    far, further = (layer(factor * x).abs().amax().item() for factor in (1e3, 1e4))
    assert 90 < further / far < 110, (
        f"By {further / far:.3g}, for ten times: how many of the factors grow with x?"
    )
    yield "Unit by unit: is it down(silu(gate(x)) * up(x))? What is silu of -1?"
    gate, up, down = matrices
    same(layer(x.clone()), gated(x, *matrices), axes, 1e-4)

    yield "Are other numbers of axes as good: one token alone, two axes, four?"
    for other in (x[0, 0], x[0], torch.randn(3, 2, 4, d_model)):
        same(layer(other.clone()), gated(other, *matrices), axes_of(other), 1e-4)
    yield "Is it so where d_ff is smaller than d_model, and where they are equal?"
    for sizes in ((7, 3), (5, 5)):
        other, tokens = student.SwiGLU(*sizes).eval(), 4 * torch.randn(5, sizes[0])
        found = roles_of(other, *sizes, tokens)
        same(other(tokens.clone()), gated(tokens, *found), "token feature", 1e-4)
    yield "Does gradient arrive at all three matrices and at x?"
    learns(layer, x)
    yield "Is the gradient at x that of the equation?"
    mine, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
    upstream = torch.randn_like(x)
    (layer(mine.clone()) * upstream).sum().backward()
    (gated(theirs, *matrices) * upstream).sum().backward()
    same(mine.grad, theirs.grad, axes, 1e-4)

    yield "A gate of -20: is the little that silu leaves of it still there?"
    ones = torch.ones(1, d_model)
    set_to(gate, torch.full_like(gate, -20 / d_model))
    set_to(up, torch.full_like(up, 1e6))
    same(layer(ones.clone()), gated(ones, gate, up, down), "token feature", 1e-3)
    yield "A gate of -1000: does the exponential function overflow?"
    set_to(gate, torch.full_like(gate, -1000 / d_model))
    same(layer(ones.clone()), torch.zeros(1, d_model), "token feature")
    yield "Is the answer the same in training?"
    rests_in_training(layer, x, axes=axes)


def three_matrices(layer: nn.Module, d_model: int, d_ff: int, every: int = 1) -> list[Tensor]:
    """Views of a layer's matrices, each as (d_ff, d_model): also the halves or thirds of a fused one,
    which lie one behind the other, or where `every` is 2, in turns.
    """
    found: list[Tensor] = []
    for weight in layer.parameters():
        whole = weight.detach().squeeze()
        for one in whole.unbind() if whole.dim() == 3 else [whole]:
            if one.dim() != 2 or d_model not in one.shape:
                return []
            upright = one.size(1) == d_model and one.size(0) % d_ff == 0
            rows = one if upright else one.T
            in_turns = every > 1 and len(rows) == every * d_ff
            found += [rows[i::every] for i in range(every)] if in_turns else rows.split(d_ff)
    return found if all(one.shape == (d_ff, d_model) for one in found) else []


def roles_of(layer: nn.Module, d_model: int, d_ff: int, x: Tensor) -> list[Tensor]:
    """Gate, up and down, each (d_ff, d_model), in the order in which they explain the answer best."""
    answer = layer(x.clone()).detach()
    orders: list[list[Tensor]] = []
    for every in (1, 2):
        for order in permutations(three_matrices(layer, d_model, d_ff, every)):
            orders.append(list(order))
            if d_model == d_ff:  # a matrix may stand there either way round
                gate, up, down = order
                orders += [[gate, up, down.T], [gate.T, up.T, down], [gate.T, up.T, down.T]]
    far = [float((gated(x, *order) - answer).abs().nan_to_num(1e9).max()) for order in orders]
    return orders[far.index(min(far))]


def gated(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    """The equation, unit by unit: x (..., d_model), three matrices (d_ff, d_model)."""
    units = []
    for i in range(len(gate)):
        height = (x * gate[i]).sum(-1, keepdim=True)
        squashed = height / (1 + torch.exp(-height.clamp(min=-80)))
        units.append(squashed * (x * up[i]).sum(-1, keepdim=True) * down[i])
    return torch.stack(units).sum(0)


@contextlib.contextmanager
def other_numbers(parameter: Tensor, factor: float) -> Iterator[None]:
    """A matrix times a factor, for a moment."""
    before = parameter.detach().clone()
    set_to(parameter, factor * before)
    try:
        yield
    finally:
        set_to(parameter, before)


# ------------------------------------------------------------------ exercise 5: pre-norm feed forward


@steps("pre_norm_feed_forward")
def pre_norm_feed_forward_steps() -> Iterator[str]:
    axes, d_model, d_ff = "batch token feature", 6, 10
    x = 2 * torch.randn(2, 3, d_model) + 3 * torch.randn(2, 3, 1)

    yield "Can it be built from d_model and d_ff?"
    layer = student.PreNormFeedForward(d_model, d_ff).eval()
    yield "Does it answer, with one tensor of the shape of x?"
    answer = layer(x.clone())
    has_shape(answer, 2, 3, d_model)
    yield "Does `parameters()` find two linear layers with biases, and a norm with scale and shift?"
    shapes = [tuple(weight.shape) for weight in layer.parameters()]
    total = 2 * d_model * d_ff + d_ff + d_model + 2 * d_model
    said = f"With d_model = {d_model} and d_ff = {d_ff} the shapes are {shapes}."
    assert sum(map(math.prod, shapes)) == total, said
    yield "Is x after the call what it was? Which line changes a tensor in place?"
    leaves_alone(layer, x, axes=axes)
    yield "Asked twice, and in training: is the answer the same?"
    answers_alike(layer, x, axes=axes)
    rests_in_training(layer, x, axes=axes)

    yield "If the sub-layer returns zero, is the answer x, exactly as it came in?"
    silent = student.PreNormFeedForward(d_model, d_ff).eval()
    for weight in silent.parameters():
        if not torch.equal(weight, torch.ones_like(weight)):  # all but the norm's scale
            set_to(weight, torch.zeros_like(weight))
    returned = silent(x.clone())
    for what, other in what_it_may_be(x).items():
        assert not torch.allclose(returned, other, atol=1e-3), f"What comes back is {what}."
    same(returned, x, axes)
    yield "x ten times as large: is what the sub-layer adds the same? Where does the norm stand?"
    added = answer - x
    same(layer(10 * x) - 10 * x, added, axes, 1e-3)
    yield "x larger by 5 in every feature: is what the sub-layer adds the same? Which norm is it?"
    same(layer(x + 5) - (x + 5), added, axes, 1e-3)

    parts = feed_forward_parts(layer, d_model, d_ff)
    if parts:
        yield "Is the sub-layer linear2(relu(linear1(norm(x))))?"
        same(answer, pre_normed(x, *parts), axes, 1e-4)
        yield "With another scale and shift: does the norm use them?"
        set_to(parts[0], torch.randn(d_model).view_as(parts[0]))
        set_to(parts[1], torch.randn(d_model).view_as(parts[1]))
        same(layer(x.clone()), pre_normed(x, *parts), axes, 1e-4)
        yield "Tokens whose features hardly differ: has the norm torch's own eps?"
        small = 3e-3 * torch.randn(2, 3, d_model)
        same(layer(small.clone()), pre_normed(small, *parts), axes, 1e-4)
    yield "One sentence, or one word: has the answer still three axes?"
    for part in (x[:1], x[:, :1], x[:1, :1]):
        has_shape(layer(part.clone()), *part.shape)
    yield "Does gradient arrive at every parameter and at x?"
    learns(layer, x)
    if parts:
        yield "Is the gradient at x that of the equation: through the norm, and past it?"
        mine, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
        upstream = torch.randn_like(x)
        (layer(mine.clone()) * upstream).sum().backward()
        (pre_normed(theirs, *parts) * upstream).sum().backward()
        same(mine.grad, theirs.grad, axes, 1e-3)
    yield "Does a token get the same answer alone and among others?"
    alone = [layer(x[b : b + 1, i : i + 1]) for b in range(2) for i in range(3)]
    same(torch.cat(alone).view_as(x), layer(x.clone()), axes, 1e-4)


def what_it_may_be(x: Tensor) -> dict[str, Tensor]:
    """What often comes back in place of x, in words; no two of them agree."""
    return {
        "zero": torch.zeros_like(x),
        "twice x": 2 * x,
        "x, normalised by its mean and variance": F.layer_norm(x, x.shape[-1:]),
        "x, divided by its root mean square": F.rms_norm(x, x.shape[-1:], eps=1e-5),
    }


def feed_forward_parts(layer: nn.Module, d_model: int, d_ff: int) -> list[Tensor]:
    """Scale, shift, W1 (d_ff, d_model), b1, W2 (d_model, d_ff), b2, as views, of a fresh layer;
    nothing where they cannot be told apart.
    """
    weights = [weight.detach().squeeze() for weight in layer.parameters()]
    vectors = [one for one in weights if one.shape == (d_model,)]
    scale = [one for one in vectors if (one == 1).all()]
    shift = [one for one in vectors if (one == 0).all()]
    rest = [one for one in vectors if not any(one is other for other in scale + shift)]
    b1 = [one for one in weights if one.shape == (d_ff,)]
    wide = [one for one in weights if one.shape in ((d_ff, d_model), (d_model, d_ff))]
    if [len(scale), len(shift), len(rest), len(b1), len(wide)] != [1, 1, 1, 1, 2]:
        return []
    linears = [part for part in layer.modules() if isinstance(part, nn.Linear)]
    if len(linears) != 2 or wide[0].shape == wide[1].shape:
        return []
    first, second = sorted(wide, key=lambda one: one.size(1) != d_model)
    return [scale[0], shift[0], first, b1[0], second, rest[0]]


def pre_normed(
    x: Tensor, scale: Tensor, shift: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor
) -> Tensor:
    """What the equation adds up to, hidden unit by hidden unit."""
    normed = F.layer_norm(x, scale.shape, scale, shift)
    answer = x + b2
    for row, bias, column in zip(w1, b1, w2.T, strict=True):
        height = (normed * row).sum(-1, keepdim=True) + bias
        answer = answer + torch.where(height > 0, height, 0) * column
    return answer


# ------------------------------------------------------------------ stand-ins for your parts
# The checks of exercises 6 and 7 use them in any case, so that what is wrong in one exercise is not
# complained about in another. They know no answer.


CALLS: list[Call] = []  # of the stand-ins, in their order


def noted(part: nn.Module, tensors: Sequence[Any], answer: Tensor) -> Tensor:
    """Note a call, and hand its answer on."""
    kept = [one.clone() for one in tensors if isinstance(one, Tensor)]
    words = [one for one in kept if one.is_floating_point() and one.dim() == 3]
    CALLS.append(Call(part, words, [one for one in kept if one.dim() == 2], answer.clone()))
    return answer


def calls_of(kind: type[nn.Module]) -> list[Call]:
    return [call for call in CALLS if isinstance(call.part, kind)]


class StandInNorm(nn.Module):
    """For `RMSNorm`: torch's own, with another gain if it is told one."""

    def __init__(self, *sizes: Any, **named: Any):
        super().__init__()
        said = sizes + tuple(named.values())
        self.sizes = said[:1] if said[1:] == (1e-5,) else said  # the default may be said
        self.gamma = nn.Parameter(torch.ones(self.sizes[0]))

    def forward(self, x: Tensor) -> Tensor:
        return noted(self, [x], F.rms_norm(x, x.shape[-1:], self.gamma, 1e-5))


def mean_of_seen(x: Tensor, masks: Sequence[Tensor], queries: int = 1) -> Tensor:
    """The mean over the words that all masks let be seen, for each query: (batch, queries, d_model)."""
    seen = torch.ones(1, queries, x.size(1))
    for one in masks:
        seen = seen * one.reshape(len(one), -1, x.size(1))
    return seen @ x / seen.sum(-1, keepdim=True).clamp(min=1)


class StandInAttention(nn.Module):
    """For `MultiHeadAttention`: a fixed map of the mean over the words that may be seen."""

    silent = False

    def __init__(self, *sizes: Any, **named: Any):
        super().__init__()
        self.sizes = sizes + tuple(named.values())
        self.scale = nn.Parameter(torch.ones(()))

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, *mask: Any, **named: Any
    ) -> Tensor:
        masks = [one for one in (*mask, *named.values()) if one is not None]
        mean = mean_of_seen(value + key.tanh(), masks, query.size(1))
        answer = self.scale * ((mean + query.sin()) @ fixed_map(value.size(-1)))
        return noted(self, [query, key, value, *masks], 0 * answer if self.silent else answer)


class StandInFeedForward(nn.Module):
    """For `SwiGLU`: a fixed map of each word."""

    silent = False

    def __init__(self, *sizes: Any, **named: Any):
        super().__init__()
        self.sizes = sizes + tuple(named.values())
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, x: Tensor) -> Tensor:
        answer = self.scale * (x @ fixed_map(x.size(-1)).T)
        return noted(self, [x], 0 * answer if self.silent else answer)


class StandInBlock(nn.Module):
    """For `ModernBlock`: a map of each word, and the mean over the words that may be seen."""

    def __init__(self, *sizes: Any, **named: Any):
        super().__init__()
        self.sizes = sizes + tuple(named.values())
        d_model = self.sizes[0]
        self.matrix = nn.Parameter(torch.randn(d_model, d_model) / math.sqrt(d_model))

    def forward(self, x: Tensor, *mask: Any, **named: Any) -> Tensor:
        masks = [one for one in (*mask, *named.values()) if one is not None]
        mean = mean_of_seen(x, masks)
        return noted(self, [x, *masks], x @ self.matrix + mean)


@contextlib.contextmanager
def silenced(*kinds: Any) -> Iterator[None]:
    """Stand-ins that answer zeros, for a moment."""
    for kind in kinds:
        kind.silent = True
    try:
        yield
    finally:
        for kind in kinds:
            kind.silent = False


def norm_of(x: Tensor, *gamma: Tensor) -> Tensor:
    return F.rms_norm(x, x.shape[-1:], *gamma, eps=1e-5)


# ------------------------------------------------------------------ exercise 6: the block


@steps("modern_block")
def modern_block_steps() -> Iterator[str]:
    CALLS.clear()
    parts = {
        "RMSNorm": StandInNorm,
        "MultiHeadAttention": StandInAttention,
        "SwiGLU": StandInFeedForward,
    }
    with replaced(**parts):
        yield "Can it be built, as `ModernBlock(d_model, num_heads, d_ff)`?"
        block = student.ModernBlock(8, 4, 12).eval()
        yield "Does it answer, with one tensor of the shape of x?"
        x = 3 * torch.randn(2, 5, 8) + 1
        CALLS.clear()
        answer = block(x.clone())
        has_shape(answer, 2, 5, 8)
        yield from the_parts(block, parts)
        yield from the_stream(block, x)
        yield from the_equations(block, x)
        yield from the_rest_of_a_block(block, x)


def the_parts(block: nn.Module, parts: dict[str, Any]) -> Iterator[str]:
    """Ask for what stands in the block, and for how it was built."""
    yield "Does `print(block)` show each part that it asks, so that an optimiser finds its weights?"
    inside = list(block.modules())
    for name, kind in parts.items():
        lost = [call for call in calls_of(kind) if call.part not in inside]
        assert not lost, f"It does not show {name}."
    yield "Which sizes does each part get, in which order?"
    wanted = {"RMSNorm": (8,), "MultiHeadAttention": (8, 4), "SwiGLU": (8, 12)}
    for name, kind in parts.items():
        for part in [part for part in inside if isinstance(part, kind)]:
            said = f"With d_model 8, num_heads 4, d_ff 12 it is {name}{part.sizes}."
            assert part.sizes == wanted[name], said
    yield "Is each of the two sub-layers asked, once?"
    for name, kind in parts.items():
        built = any(isinstance(part, kind) for part in inside)
        its = len(calls_of(kind))
        assert name == "RMSNorm" or its == 1 or not built, f"{name} is asked {its} times."
    yield "How many norms has the block, each with a gain of its own, and is each asked?"
    norms = [part for part in inside if isinstance(part, StandInNorm)]
    asked_ones = sum(any(call.part is part for call in CALLS) for part in norms)
    said = f"It has {len(norms)}, and asks {asked_ones}."
    assert not norms or len(norms) == asked_ones == 2, said
    gains = gains_of(block, 8)
    assert gains >= 2, f"`parameters()` has gains for {gains} norms."


def gains_of(module: nn.Module, d_model: int) -> int:
    """How many vectors of d_model numbers can be learned, also where two are one parameter."""
    vectors = [p for p in module.parameters() if p.numel() % d_model == 0]
    return sum(p.numel() // d_model for p in vectors if p.numel() <= 2 * d_model)


def the_stream(block: nn.Module, x: Tensor) -> Iterator[str]:
    """Ask what comes back where sub-layers answer zeros."""
    axes = "batch word feature"
    yield "Is x after the call what it was? Which line changes a tensor in place?"
    leaves_alone(block, x, axes=axes)
    yield "Both sub-layers return zeros: is the answer x, exactly as it came in?"
    zeroed = student.ModernBlock(8, 4, 12).eval()  # parts of your own inside are silenced, too
    matrices = [one for one in zeroed.parameters() if one.dim() > 1]
    for matrix in matrices:
        set_to(matrix, torch.zeros_like(matrix))
    with silenced(StandInAttention, StandInFeedForward):
        returned = zeroed(x.clone())
    others = what_it_may_be(x) | {"four times x": 4 * x}
    for what, other in others.items():
        assert not torch.allclose(returned, other, atol=1e-3), f"What comes back is {what}."
    same(returned, x, axes)


def the_equations(block: nn.Module, x: Tensor) -> Iterator[str]:
    """Ask what each part gets, and what becomes of its answer."""
    axes = "batch word feature"
    CALLS.clear()
    answer = block(x.clone())
    heads, features = calls_of(StandInAttention), calls_of(StandInFeedForward)
    if not (heads and features):
        return
    attended, transformed = heads[0].answer, features[0].answer
    yield "Which of the two sub-layers comes first?"
    kinds = [type(call.part) for call in CALLS if not isinstance(call.part, StandInNorm)]
    assert kinds[0] is StandInAttention, "In yours, the feed forward layer does."
    yield "Query, key and value: what does the attention get?"
    assert len(heads[0].words) == 3, f"It gets {len(heads[0].words)} tensors."
    for tensor in heads[0].words:
        said = "One of the three is x itself: where does the norm stand in the equations?"
        assert not torch.allclose(tensor, x, atol=1e-3), said
        same(tensor, norm_of(x), axes, 1e-3)
    yield "The feed forward layer: does it get anything of what attention has gathered?"
    z = features[0].words[0]
    assert not torch.allclose(z, norm_of(x), atol=1e-3), "It gets the same as attention."
    yield "What does the feed forward layer get: a norm of which sum?"
    h = x + attended
    assert not torch.allclose(z, h, atol=1e-3), "It gets the sum itself."
    same(z, norm_of(h), axes, 1e-3)
    yield "Attention returns zeros: is what is left x, and the answer of the feed forward layer?"
    with silenced(StandInAttention):
        CALLS.clear()
        left = block(x.clone())
    same(left, x + calls_of(StandInFeedForward)[0].answer, axes, 1e-3)
    yield "The feed forward layer returns zeros: is what is left x, and the answer of attention?"
    with silenced(StandInFeedForward):
        left = block(x.clone())
    assert not torch.allclose(left, x, atol=1e-3), "x alone is left: what is added to what?"
    same(left, x + attended, axes, 1e-3)
    yield "What is added to what, at the end of the block?"
    same(answer, h + transformed, axes, 1e-3)
    yield "With another gain in each norm: does each act once, inside its branch?"
    norms = [part for part in block.modules() if isinstance(part, StandInNorm)]
    for norm in norms:
        set_to(norm.gamma, torch.randn(8))
    CALLS.clear()
    answer = block(x.clone())
    attended, transformed = (calls_of(kind)[0] for kind in (StandInAttention, StandInFeedForward))
    if norms:
        found = [(a.gamma, b.gamma) for a, b in permutations(norms, 2)] or [(norms[0].gamma,) * 2]
        first, second = next(
            (pair for pair in found if torch.allclose(attended.words[0], norm_of(x, pair[0]))),
            found[0],
        )
        same(attended.words[0], norm_of(x, first), axes, 1e-3)
        same(transformed.words[0], norm_of(x + attended.answer, second), axes, 1e-3)
    same(answer, x + attended.answer + transformed.answer, axes, 1e-3)


def the_rest_of_a_block(block: nn.Module, x: Tensor) -> Iterator[str]:
    """Ask for the mask, for training and for gradients."""
    axes = "batch word feature"
    mask = torch.tensor([[1, 1, 1, 0, 0], [1, 0, 1, 1, 0]])
    yield "May the mask be left out, and may it be None?"
    same(block(x.clone(), None), block(x.clone()), axes)
    yield "With a mask, is the answer another? Who gets to see it?"
    CALLS.clear()
    masked = block(x.clone(), mask.clone())
    assert not torch.allclose(masked, block(x.clone()), atol=1e-4), "It is the same."
    yield "Does attention get the mask as it is, a row for each sentence?"
    for call in calls_of(StandInAttention)[:1]:
        same(call.masks[0].float(), mask.float(), "sentence key")
    yield "What stands where the mask is 0: does it change the other words?"
    seen = mask.unsqueeze(-1) == 1
    loud = block(torch.where(seen, x, 9 - x), mask)
    same(torch.where(seen, loud, 0), torch.where(seen, masked, 0), axes, 1e-4)
    yield "Does a mask of True and False do what one of 1 and 0 does?"
    same(block(x.clone(), mask.bool()), masked, axes)
    yield "Does gradient come back to every parameter and to x?"
    learns(block, x)
    yield "Is the gradient at x that of the equations: through both norms, and past them?"
    near = 0.3 * torch.randn_like(x)
    upstream, ways = torch.randn_like(x), 5e-3 * torch.randn(12, *x.shape)
    mine = near.clone().requires_grad_()
    (block(mine.clone()) * upstream).sum().backward()
    with torch.no_grad():
        steps_along = [((block(near + w) - block(near - w)) * upstream).sum() / 2 for w in ways]
    along = torch.stack([(mine.grad * way).sum() for way in ways])
    largest = torch.stack(steps_along).abs().max()
    same(along / largest, torch.stack(steps_along) / largest, "direction", 0.03)
    yield "One sentence, or one word: has the answer still three axes?"
    for part in (x[:1], x[:, :1], x[:1, :1]):
        has_shape(block(part.clone(), torch.ones(part.shape[:2]).long()), *part.shape)
        has_shape(block(part.clone()), *part.shape)
    yield "Asked twice, and in training: is the answer the same? Nobody asked for dropout here."
    answers_alike(block, x, mask, axes=axes)
    rests_in_training(block, x, mask, axes=axes)


# ------------------------------------------------------------------ exercise 7: the stack


@steps("modern_stack")
def modern_stack_steps() -> Iterator[str]:
    axes = "batch word feature"
    with replaced(ModernBlock=StandInBlock, RMSNorm=StandInNorm):
        yield "Can it be built, as `ModernStack(d_model, num_heads, d_ff, num_layers)`?"
        stack = student.ModernStack(8, 4, 12, 3).eval()
        yield "Does it answer, with one tensor of the shape of x?"
        x, mask = torch.randn(2, 5, 8), torch.tensor([[1, 1, 1, 0, 0], [1, 0, 1, 1, 0]])
        CALLS.clear()
        answer = stack(x.clone())
        has_shape(answer, 2, 5, 8)
        blocks, norms = calls_of(StandInBlock), calls_of(StandInNorm)
        if blocks:
            yield "Does `print(stack)` show every block, so that an optimiser finds its weights?"
            inside = list(stack.modules())
            shown = sum(call.part in inside for call in blocks)
            assert shown == len(blocks), f"It shows {shown} of the {len(blocks)} that it asks."
            yield "How many blocks are asked, if num_layers is 3, 1 or 4?"
            assert len(blocks) == 3, f"With 3, it is {len(blocks)}."
            for count in (1, 4):
                CALLS.clear()
                student.ModernStack(8, 4, 12, count).eval()(x.clone())
                asked = len(calls_of(StandInBlock))
                assert asked == count, f"With {count}, it is {asked}."
            yield "Are these blocks different objects, with weights of their own?"
            own = {id(call.part.matrix) for call in blocks}
            assert len(own) == 3, f"Of three blocks, {len(own)} have weights of their own."
            yield "Do the blocks begin with different numbers?"
            first, *others = (call.part.matrix for call in blocks)
            assert not any(torch.equal(first, one) for one in others), "Two begin alike."
            yield "Which sizes does each block get, in which order?"
            for call in blocks:
                said = f"With 8, 4, 12 and 3 layers it is ModernBlock{call.part.sizes}."
                assert call.part.sizes == (8, 4, 12), said
            yield "Does each block get what the one before it returned?"
            for call, given in zip(blocks, [x, *(call.answer for call in blocks)], strict=False):
                same(call.words[0], given, axes)
        yield "What comes after the last block: have the words of your answer one size?"
        same(answer.square().mean(-1), torch.ones(2, 5), "batch word", 1e-3)
        if blocks:
            yield "What does the norm at the end get, and what is returned?"
            same(answer, norm_of(blocks[-1].answer), axes, 1e-3)
        if blocks and norms:
            yield "With another gain: does the norm at the end act once?"
            set_to(norms[-1].part.gamma, torch.randn(8))
            target = norm_of(blocks[-1].answer, norms[-1].part.gamma)
            same(stack(x.clone()), target, axes, 1e-3)
            yield "Is that norm told anything but d_model?"
            sizes = norms[-1].part.sizes
            assert sizes == (8,), f"It is RMSNorm{sizes}."
        yield "Has the norm at the end a gain that `parameters()` finds?"
        assert gains_of(stack, 8) >= 1, "It finds none."
        yield "One sentence, or one word: has the answer still three axes?"
        for part in (x[:1], x[:, :1], x[:1, :1]):
            has_shape(stack(part.clone()), *part.shape)
        yield "Is x after the call what it was?"
        leaves_alone(stack, x, axes=axes)
        yield "May the mask be left out, and may it be None?"
        same(stack(x.clone(), None), stack(x.clone()), axes)
        yield "With a mask, is the answer another?"
        CALLS.clear()
        masked = stack(x.clone(), mask.clone())
        assert not torch.allclose(masked, stack(x.clone()), atol=1e-4), "It is the same."
        yield "Does every block get the mask, as it is?"
        for number, call in enumerate(calls_of(StandInBlock)[:3]):
            assert call.masks, f"Block {number} gets none."
            same(call.masks[0].float(), mask.float(), "sentence key")
        yield "Does a mask of True and False do what one of 1 and 0 does?"
        same(stack(x.clone(), mask.bool()), masked, axes)
        yield "Does gradient come back to every parameter and to x?"
        learns(stack, x)
        yield "Asked twice, and in training: is the answer the same?"
        answers_alike(stack, x, mask, axes=axes)
        rests_in_training(stack, x, mask, axes=axes)


# ------------------------------------------------------------------ exercise 8: gradient by layer

Block = Callable[[Tensor], Tensor]


def times(factor: float) -> Block:
    return lambda x: factor * x


def by_matrix(matrix: Tensor) -> Block:
    return lambda x: x @ matrix


def nothing_of(x: Tensor) -> Tensor:
    """A block that answers ones, whatever it gets."""
    return torch.ones_like(x)


def without_a_path(x: Tensor) -> Tensor:
    """A block that answers with what it gets, and cuts the way back."""
    return 2 * x.detach()


@steps("gradient_by_layer")
def gradient_by_layer_steps() -> Iterator[str]:
    axes = "block"
    x, upstream = torch.randn(2, 3, 6), torch.randn(2, 3, 6)
    length = upstream.norm()

    yield "Does a call with three blocks come back?"
    answer = student.gradient_by_layer(
        [times(2), times(3), times(0.5)], x.clone(), upstream.clone()
    )
    yield "Is the answer one tensor with a number for each block?"
    has_shape(answer, 3)
    has_shape(student.gradient_by_layer([times(2)], x.clone(), upstream), 1)
    yield "Does the answer still hang on a graph?"
    assert not answer.requires_grad, "It requires a gradient: what it cost is kept."
    yield "One block that doubles: how long is the gradient of what enters it?"
    one = student.gradient_by_layer([times(2)], x.clone(), upstream.clone())
    assert not torch.allclose(one, length.view(1)), "Yours is that of what leaves it."
    same(one, 2 * length.view(1), axes, 1e-4)
    yield "The upstream twice as large: is each number?"
    twice = student.gradient_by_layer([times(2)], x.clone(), 2 * upstream)
    same(twice, 4 * length.view(1), axes, 1e-4)
    yield "Blocks that multiply by 2, 3 and a half: which number belongs to which block?"
    assert answer.all(), (
        "In front of one there is 0: is the way back cut there, or is its number kept in another place?"
    )
    same(answer, length * torch.tensor([3, 1.5, 0.5]), axes, 1e-4)
    yield "A matrix after another: is the gradient one length, of all tokens and features together?"
    matrices = torch.randn(3, 6, 6)
    target = lengths_back(upstream, list(matrices))
    same(asked([by_matrix(one) for one in matrices], x, upstream), target, axes, 1e-4)
    yield "A block that squares each number: does the gradient depend on what enters?"
    squares = asked([times(2), torch.square], x, upstream)
    same(squares, torch.stack([(8 * x * upstream).norm(), (4 * x * upstream).norm()]), axes, 1e-4)
    yield "x added to three times x: do both ways count?"
    same(
        asked([lambda x: x + 3 * x, times(1)], x, upstream),
        length * torch.tensor([4, 1]),
        axes,
        1e-4,
    )
    yield "Words that are mixed along the sentence: does the way back go across positions?"
    mixed = asked([lambda x: x.cumsum(1), times(1)], x, upstream)
    back = upstream.flip(1).cumsum(1).flip(1)
    same(mixed, torch.stack([back.norm(), length]), axes, 1e-4)

    yield "Blocks that hand over the very tensor that they got: is each a place of its own?"
    same(asked([lambda x: x] * 3, x, upstream), length.expand(3), axes, 1e-4)
    same(
        asked([times(3), lambda x: x, times(2)], x, upstream),
        length * torch.tensor([6, 2, 2]),
        axes,
        1e-4,
    )
    yield "One block in two places: are there two numbers?"
    again = times(3)
    same(asked([again, again], x, upstream), length * torch.tensor([9, 3]), axes, 1e-4)
    yield "A block that detaches what it gets: what arrives in front of it, and what behind it?"
    cut = asked([times(2), without_a_path, times(3)], x, upstream)
    same(cut, length * torch.tensor([0, 0, 3]), axes, 1e-4)
    yield "A block that does not look at what it gets: which gradients are zero?"
    ignored = asked([times(2), nothing_of, times(3)], x, upstream)
    same(ignored, length * torch.tensor([0, 0, 3]), axes, 1e-4)
    yield "Two such blocks that hand out one tensor: is nothing in front of either?"
    kept = torch.randn_like(x)
    same(asked([times(2), lambda x: kept, lambda x: kept], x, upstream), torch.zeros(3), axes)
    yield "What if the last block is such a one, so that the output requires no gradient?"
    for last in (nothing_of, without_a_path):
        same(asked([times(2), last], x, upstream), torch.zeros(2), axes)

    yield "x requires a gradient, or was made of something that does: is the answer the same?"
    leaf = x.clone().requires_grad_()
    for entered in (leaf, 1 * leaf):
        found = student.gradient_by_layer([times(2), times(3)], entered, upstream)
        same(found, length * torch.tensor([6, 3]), axes, 1e-4)
        assert not found.requires_grad, "Then your answer still requires a gradient."
        assert entered.requires_grad, "Afterwards x requires none any more."
    yield "Has x no more of a gradient than before, nor what it was made of?"
    assert leaf.grad is None, "Something arrived."
    leaf.grad = torch.ones_like(leaf)
    student.gradient_by_layer([times(2)], leaf, upstream)
    same(leaf.grad, torch.ones_like(x), axes_of(x))
    yield "Are x and upstream afterwards what they were, and ask for no gradient that they did not?"
    given, above = x.clone(), upstream.clone()
    student.gradient_by_layer([times(2)], given, above)
    same(given, x, axes_of(x))
    same(above, upstream, axes_of(x))
    assert not (given.requires_grad or above.requires_grad), "One of them requires a gradient now."
    yield "May the blocks be layers with weights, in a tuple or an `nn.ModuleList`?"
    layers = nn.ModuleList(nn.Linear(6, 6) for _ in range(3))
    target = lengths_back(upstream, [layer.weight.detach().T for layer in layers])
    same(student.gradient_by_layer(layers, x.clone(), upstream), target, axes, 1e-4)
    same(student.gradient_by_layer(tuple(layers), x.clone(), upstream), target, axes, 1e-4)
    yield "In which type does the answer come, if x is double?"
    exact = student.gradient_by_layer([times(2)], x.double(), upstream.double())
    assert exact.dtype == torch.float64, f"It comes in {exact.dtype}."
    yield "In another batch size, and with forty blocks?"
    many = asked([times(1.1)] * 40, x[:1], upstream[:1])
    same(many, upstream[:1].norm() * 1.1 ** torch.arange(40, 0, -1), axes, 1e-3)


def asked(blocks: Sequence[Block], x: Tensor, upstream: Tensor) -> Tensor:
    """The student's gradients; their shape is right, and none of them is None or nan."""
    answer = student.gradient_by_layer(list(blocks), x.clone(), upstream.clone())
    has_shape(answer, len(blocks))
    assert answer.isfinite().all(), f"Yours are {answer.tolist()}."
    assert not answer.requires_grad, "Your answer still requires a gradient."
    return answer


def lengths_back(upstream: Tensor, matrices: list[Tensor]) -> Tensor:
    """Of blocks x @ matrix: how long the way back is, matrix by matrix, from the last."""
    lengths = []
    for matrix in matrices[::-1]:
        upstream = upstream @ matrix.T
        lengths.append(upstream.norm())
    return torch.stack(lengths[::-1])


# ------------------------------------------------------------------ exercise 9: find the block

PRE, POST, NORMED, NONE = (
    "pre-norm",
    "post-norm",
    "residual from the normed input",
    "no residual",
)


def played(kind: str, sublayer: Block) -> Block:
    """A block of a kind, with this sub-layer in it."""

    def block(x: Tensor) -> Tensor:
        assert x.dim() == 3, f"A block is asked with three axes; here x has {x.dim()}."

        def norm(x: Tensor) -> Tensor:
            return F.layer_norm(x, x.shape[-1:])

        if kind == POST:
            return norm(x + sublayer(x))
        stream = {PRE: x, NORMED: norm(x), NONE: 0}[kind]
        return stream + sublayer(norm(x))

    return block


def weak(size: float, seed: int = 1, features: int = 8) -> Block:
    """A sub-layer that returns this share of what it gets: the token before, turned by a fixed map."""
    matrix = torch.randn(features, features, generator=torch.Generator().manual_seed(seed))
    turn = torch.linalg.qr(matrix).Q

    def sublayer(x: Tensor) -> Tensor:
        return size * (x.roll(1, dims=1) @ turn.to(x.dtype))

    return sublayer


@steps("find_the_block")
def find_the_block_steps() -> Iterator[str]:
    x = torch.randn(2, 3, 8)
    kinds = PRE, POST, NORMED, NONE

    yield "Does it come back with one of the four texts, whatever it is asked about?"
    for kind in kinds:
        word_for(kind, weak(0.1), x)
    yield "Is x afterwards what it was?"
    given = x.clone()
    word_for(POST, weak(0.1), given)
    same(given, x, "sentence position feature")
    for kind in kinds:
        yield f"What does it say of a block that is: {kind}?"
        for seed in range(3):
            says(kind, weak(0.1, seed), x)
    yield "x is normed already, so that pre-norm and a residual from the normed input agree on it?"
    normed = F.layer_norm(x, (8,))
    for kind in kinds:
        says(kind, weak(0.1), normed)
    yield "The sub-layer returns less than a tenth: a twentieth, a fiftieth?"
    for size in (0.05, 0.02):
        for kind in kinds:
            says(kind, weak(size), x)
    yield "The sub-layer is not linear, or takes part of the features only?"
    for sublayer in (lambda x: 0.1 * x.relu(), lambda x: 0.1 * x.sin(), half_of_the_features):
        for kind in kinds:
            says(kind, sublayer, x)
    yield "Another number of sentences, positions and features?"
    for shape in ((1, 1, 6), (3, 2, 16), (1, 5, 32)):
        for kind in kinds:
            says(kind, weak(0.1, features=shape[-1]), torch.randn(shape))
    yield "The sub-layer acts on one token only, or makes one larger and the next smaller?"
    for sublayer in (on_the_last_token, in_turns):
        for kind in kinds:
            says(kind, sublayer, torch.randn(2, 4, 8))
    yield "Its answer has the mean 0, or leaves the variance at 1: are both asked of the block?"
    for sublayer in (without_a_mean, alike_in_all_features):
        for kind in kinds:
            says(kind, sublayer, x)
    yield "Asked ten times, does it say the same?"
    for kind in kinds:
        for _ in range(10):
            says(kind, weak(0.1), x)


def half_of_the_features(x: Tensor) -> Tensor:
    """A tenth of the first half of the features, and nothing of the others."""
    half = torch.arange(x.size(-1)) < x.size(-1) // 2
    return 0.1 * x * half


def on_the_last_token(x: Tensor) -> Tensor:
    """A tenth of the last token of the last sentence, and nothing of the others."""
    answer = torch.zeros_like(x)
    answer[-1, -1] = 0.1 * x[-1, -1]
    return answer


def in_turns(x: Tensor) -> Tensor:
    """Every second token grows, the others shrink; the mean of all squares of a normed x stays 1."""
    grows = torch.arange(x.size(1)) % 2 == 0
    return torch.where(grows.view(-1, 1), 0.09, 0.8119**0.5 - 1) * x


def without_a_mean(x: Tensor) -> Tensor:
    """A tenth of the features, turned round, less their mean."""
    turned = weak(0.1)(x)
    return turned - turned.mean(dim=-1, keepdim=True)


def alike_in_all_features(x: Tensor) -> Tensor:
    """The same number in all features of a token: a tenth of a feature of it."""
    return 0.1 * x[..., :1].expand_as(x) / math.sqrt(x.size(-1))


def word_for(kind: str, sublayer: Block, x: Tensor) -> str:
    """What the student's function says; it must be one of the four texts, and asks 300 times at most."""
    count = 0

    def counted(entered: Tensor) -> Tensor:
        nonlocal count
        count += 1
        assert count <= 300, "It calls the block more than 300 times."
        return played(kind, sublayer)(entered)

    said = student.kind_of_block(counted, x)
    known = [one for one in (PRE, POST, NORMED, NONE) if letters_of(one) == letters_of(said)]
    assert known, f"It returns {said!r}. Does each way return a text?"
    return known[0]


def says(kind: str, sublayer: Block, x: Tensor) -> None:
    """Assert that the student's function says this kind."""
    said = word_for(kind, sublayer, x)
    assert said == kind, f"It says {said!r} of {kind!r}."


# ------------------------------------------------------------------ pictures


PART_COLOURS = {
    "attention": BLUE,
    "feed forward": TEAL,
    "norms": YELLOW,
    "biases": ROSE,
    "embedding": GREY,
}


def draw_where_parameters_sit(parameters: dict[str, Any]) -> None:
    """Draw for each model which share of its parameters sits where; what is still open is left out."""
    figure, axes = plt.subplots(1, 2, figsize=(8.2, 2.6), layout="constrained")
    told = []
    for ax, (model, parts) in zip(axes, PARTS.items(), strict=True):
        counts = by_letters(by_letters(parameters)[model])
        found = {part: counts.get(letters_of(part)) for part in parts if part != "d_ff"}
        filled = {part: whole_number(n, part) for part, n in found.items() if not is_unanswered(n)}
        if not filled:
            ax.set(xticks=[], yticks=[], title=f"{model}: still open")
            continue
        total = sum(filled.values())
        colours = [PART_COLOURS[part] for part in filled]
        bars = ax.barh(list(filled), list(filled.values()), color=colours)
        labels = [f"{n:,} ({n / total:.1%})" for n in filled.values()]
        ax.bar_label(bars, labels, padding=3, fontsize=8, color=GREY)
        ax.invert_yaxis()
        ax.set(title=f"{model}: {total:,} in all", xticks=[])
        ax.margins(x=0.45)
        told.append(f"{model}: " + ", ".join(f"{p} {n:,}" for p, n in filled.items()))
    show(figure, "; ".join(told) + ".")


def what_a_norm_keeps(norm: nn.Module, guesses: Any) -> None:
    """Show what RMSNorm and torch's LayerNorm make of a token, ten times it, and it plus a hundred."""
    if not predicted(guesses):
        return
    x = torch.tensor([1.0, -2.0, 4.0, 5.0])
    rows = []
    plain = norm(x).detach()
    has_shape(plain, 4)
    for name, token in {"x": x, "10 * x": 10 * x, "x + 100": x + 100}.items():
        own, theirs = norm(token).detach(), F.layer_norm(token, (4,))
        alike = "same" if torch.allclose(own, plain, atol=1e-3) else "changes"
        said = "" if name == "x" else guess_of(guesses, name)
        rows.append([name, said, alike, in_digits(own), in_digits(theirs)])
    means = f"{plain.mean():.2f}", f"{F.layer_norm(x, (4,)).mean().abs():.2f}"
    rows.append(["mean of the answer to x", guess_of(guesses, "the mean is 0"), "", *means])
    table(["x = 1, -2, 4, 5", "you said", "RMSNorm", "your RMSNorm", "torch's LayerNorm"], rows)


def in_digits(numbers: Tensor) -> str:
    return ", ".join(f"{number:.3f}" for number in numbers.tolist())


def predicted(guesses: Any) -> bool:
    """Whether anything is predicted; where it is not, ask for that."""
    if isinstance(guesses, dict) and any(not is_unanswered(one) for one in guesses.values()):
        return True
    print("Predict first: put a word in place of at least one `...`, and run this cell once more.")
    return False


def beside_guesses(guesses: dict[str, Any], measured: dict[str, str]) -> None:
    """Show what was predicted beside what was measured."""
    rows = [[name, guess_of(guesses, name), found] for name, found in measured.items()]
    table(["", "you said", "measured"], rows)


def change_in_words(ratio: float, smaller: str, alike: str, larger: str) -> str:
    """One of three words: less than 0.6 times, more than 1.7 times, or in between."""
    return smaller if ratio < 0.6 else larger if ratio > 1.7 else alike


def guess_of(guesses: dict[str, Any], name: str) -> str:
    guess = guesses.get(name)
    return "?" if is_unanswered(guess) else str(guess)


def draw_three_functions() -> None:
    """Draw ReLU, GELU and SiLU, and their slopes."""
    z = torch.linspace(-5, 5, 201, requires_grad=True)
    figure, axes = plt.subplots(1, 2, figsize=(8.2, 2.8), layout="constrained")
    functions = {"ReLU": (F.relu, GREY), "GELU": (F.gelu, BLUE), "SiLU": (F.silu, TEAL)}
    for name, (function, colour) in functions.items():
        y = function(z)
        (slope,) = torch.autograd.grad(y.sum(), z)
        for ax, line in zip(axes, (y, slope), strict=True):
            ax.plot(z.detach(), line.detach(), color=colour, label=name)
    for ax, title in zip(axes, ("value", "slope"), strict=True):
        ax.set(title=title, xlabel="z")
        ax.axhline(0, color=GREY, linewidth=0.6)
    axes[0].set_ylim(-0.6, 3)
    axes[0].legend()
    alt = "Left: all three rise like z on the right. On the left ReLU is 0; GELU and SiLU dip below it, "
    show(
        figure,
        alt + "SiLU furthest and widest, to -0.28. Right: ReLU's slope jumps, theirs do not.",
    )


def beside_relu(new_layer: Callable[[int, int], nn.Module], guesses: Any) -> None:
    """Show SwiGLU beside a bias-free ReLU layer with as many weights: d_model 96, d_ff 256 and 384."""
    if not predicted(guesses):
        return
    torch.manual_seed(1)
    own = new_layer(96, 256)
    relu = nn.Sequential(nn.Linear(96, 384, False), nn.ReLU(), nn.Linear(384, 96, False))
    x = torch.randn(64, 96)
    has_shape(own(x), 64, 96)
    rows = []
    for name, layer in (("ReLU, d_ff 384", relu), ("your SwiGLU, d_ff 256", own)):
        count = sum(weight.numel() for weight in layer.parameters())
        with torch.no_grad():
            sizes = [layer(factor * x).norm() for factor in (1, 10, 100)]
        growth = [f"{after / before:.3g}" for before, after in pairwise(sizes)]
        rows.append([name, f"{count:,}", *growth])
    said = guess_of(guesses, "ReLU"), guess_of(guesses, "SwiGLU")
    head = ["", "weights", "f(10 x) / f(x)", "f(100 x) / f(10 x)", "you said"]
    table(head, [[*row, one] for row, one in zip(rows, said, strict=True)])


def words_of_four_sizes(d_model: int = 8) -> Tensor:
    """(1, 4, d_model), with words from small to large."""
    return torch.tensor([0.3, 1.0, 3.0, 9.0]).view(1, 4, 1) * torch.randn(1, 4, d_model)


def what_is_left(new_stack: Callable[..., nn.Module]) -> None:
    """Draw how much of x is left behind stacks of more and more layers, as a cosine."""
    counts, left = (1, 2, 4, 8, 16, 32), []
    for count in counts:
        alike = []
        for seed in range(SEEDS):
            torch.manual_seed(seed)
            stack, x = louder(new_stack(32, 4, 88, count)), torch.randn(4, 8, 32)
            with torch.no_grad():
                answer = stack(x)
            has_shape(answer, 4, 8, 32)
            alike.append(F.cosine_similarity(answer, x, dim=-1).mean().item())
        left.append(sum(alike) / SEEDS)
    figure, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
    bars = ax.bar([str(count) for count in counts], left, color=BLUE)
    ax.bar_label(bars, fmt="%.2f", padding=2, color=GREY)
    ax.set(xlabel="blocks in your stack", ylabel="cosine with x", ylim=(0, 1))
    words = ", ".join(f"{one:.2f} with {count}" for count, one in zip(counts, left, strict=True))
    show(figure, f"Bars that fall with depth: {words}.")


def tell_the_blocks(kind_of_block: Callable[..., str]) -> None:
    """Show what the student's function says of four blocks, with what each makes of a large token."""
    rows = []
    torch.manual_seed(1)
    x = torch.randn(2, 3, 8)
    for kind in (PRE, POST, NORMED, NONE):
        block = played(kind, weak(0.1))
        said = kind_of_block(block, x.clone())
        rows.append([kind, said, f"{size_of(block(x)):.3f}", f"{size_of(block(50 * x)):.3f}"])
    table(["the block is", "you say", "size of block(x)", "size of block(50 x)"], rows)


def size_of(x: Tensor) -> float:
    """The root of the mean square of all numbers."""
    return x.detach().square().mean().sqrt().item()


# ------------------------------------------------------------------ experiments with deep stacks

BY_ROOT = "divided by the root of l"
SEEDS, DEPTHS, DEEP = 3, (2, 6, 12, 24, 48), 24
KINDS = {PRE: BLUE, POST: ROSE, NONE: YELLOW}


def louder(model: nn.Module) -> nn.Module:
    """Draw each matrix anew, with a variance of 1 / in: then a sub-layer returns, at the beginning,
    about half the size of what it gets.
    """
    for weight in model.parameters():
        if weight.dim() == 2:
            nn.init.normal_(weight, std=weight.size(1) ** -0.5)
    return model


class OtherBlock(nn.Module):
    """The parts of your block, put together in another way."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, kind: str):
        super().__init__()
        self.kind = kind
        self.norm_1, self.norm_2 = student.RMSNorm(d_model), student.RMSNorm(d_model)
        self.attention = student.MultiHeadAttention(d_model, num_heads)
        self.feed_forward = student.SwiGLU(d_model, d_ff)

    def forward(self, x: Tensor) -> Tensor:
        if self.kind == POST:
            x = self.norm_1(x + self.attention(x, x, x))
            return self.norm_2(x + self.feed_forward(x))
        x = self.norm_1(x)
        return self.feed_forward(self.norm_2(self.attention(x, x, x)))


def deep_stack(kind: str, depth: int) -> list[nn.Module]:
    """Blocks of one kind: your own for pre-norm, with your norm at the end."""
    sizes = 32, 4, 88
    if kind != PRE:
        return [louder(OtherBlock(*sizes, kind)) for _ in range(depth)]
    return [*(louder(student.ModernBlock(*sizes)) for _ in range(depth)), student.RMSNorm(32)]


def gradients_of(measure: Callable[..., Tensor], kind: str, depth: int) -> Tensor:
    """What your function measures in front of each block, as a share of the upstream: (SEEDS, depth)."""
    found = []
    for seed in range(SEEDS):
        torch.manual_seed(seed)
        blocks = deep_stack(kind, depth)
        x, upstream = torch.randn(2, 8, 32), torch.randn(2, 8, 32)
        measured = measure(blocks, x, upstream)
        has_shape(measured, len(blocks))
        found.append(measured[:depth] / upstream.norm())
    return torch.stack(found)


def gradients_in_depth(measure: Callable[..., Tensor], guesses: Any) -> None:
    """Measure stacks of three kinds with the student's function, and draw two pictures of it."""
    if not predicted(guesses):
        return
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.2, 3.2), layout="constrained")
    told, measured = [], {}
    for kind, colour in KINDS.items():
        found = {depth: gradients_of(measure, kind, depth) for depth in DEPTHS}
        last = torch.stack([found[depth][:, -1] for depth in DEPTHS])  # (depths, SEEDS)
        if kind != NONE:
            ends = last.log().mean(1).exp()[[0, -1]]
            measured[kind] = change_in_words(float(ends[1] / ends[0]), "falls", "stays", "grows")
            left.plot(DEPTHS, last.log().mean(1).exp(), "o-", color=colour, label=kind)
            told.append(
                f"{kind}, at the last of 2 and of 48 blocks: {ends[0]:.2f} and {ends[1]:.2f}"
            )
        by_layer = found[DEEP].log().mean(0).exp()
        first = float(by_layer[0] / by_layer[-1])
        measured.setdefault(kind, change_in_words(first, "smaller", "alike", "larger"))
        right.plot(range(1, DEEP + 1), by_layer, color=colour, label=kind)
        told.append(
            f"{kind}, at block 1 and {DEEP} of {DEEP}: {by_layer[0]:.3g}, {by_layer[-1]:.3g}"
        )
    roots = [(2 / depth) ** 0.5 for depth in DEPTHS]
    left.plot(DEPTHS, roots, ":", color=GREY, label="1 / root of depth")
    left.set(xscale="log", yscale="log", title="in front of the last block", xlabel="blocks in all")
    left.set(
        xticks=DEPTHS, xticklabels=DEPTHS, yticks=[0.1, 0.3, 1], yticklabels=["0.1", "0.3", "1"]
    )
    left.minorticks_off()
    right.set(yscale="log", title=f"in front of each of {DEEP} blocks", xlabel="block")
    left.set_ylabel("gradient / upstream")
    left.legend()
    right.legend()
    show(figure, "; ".join(told) + ".")
    beside_guesses(guesses, measured)


def stream_in_depth(guesses: Any) -> None:
    """Draw how large the stream is behind each of 48 blocks, without a cure and with 1 / root of l."""
    if not predicted(guesses):
        return
    figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
    told, measured = [], {}
    kinds = ("48 blocks", "your blocks", BLUE), (BY_ROOT, "norms divided by the root of l", TEAL)
    for guessed, name, colour in kinds:
        sizes = []
        for seed in range(SEEDS):
            torch.manual_seed(seed)
            blocks, x = deep_stack(PRE, 48)[:-1], torch.randn(2, 8, 32)
            if guessed == BY_ROOT:
                divide_gains(blocks)
            sizes.append([size_of(one) for one in stream(blocks, x)])
        mean = torch.tensor(sizes).mean(0)
        measured[guessed] = f"{mean[-1]:.1f}"
        ax.plot(mean, color=colour, label=name)
        told.append(f"{name}: {mean[-1]:.1f} times as large behind the last of 48 blocks")
    ax.set(xlabel="behind block l", ylabel="size of the stream", ylim=(0, None))
    ax.legend()
    show(figure, "; ".join(told) + ".")
    beside_guesses(guesses, measured)


def divide_gains(blocks: Sequence[nn.Module]) -> None:
    """Divide what the norms of block l return by the root of l: their gains, since they have no shift."""
    for number, block in enumerate(blocks, start=1):
        for weight in block.parameters():
            if weight.dim() == 1:
                set_to(weight, weight / math.sqrt(number))


@torch.no_grad()
def stream(blocks: Sequence[Block], x: Tensor) -> list[Tensor]:
    """x, and what is behind each block."""
    found = [x]
    for block in blocks:
        found.append(block(found[-1]))
    return found


def collapse_in_depth(guesses: Any) -> None:
    """Draw how far the tokens of a sentence are from each other, behind twelve layers of three kinds."""
    if not predicted(guesses):
        return
    figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
    kinds = ("your blocks", BLUE), ("attention alone", ROSE), ("no residual", YELLOW)
    told, measured = [], {}
    for name, colour in kinds:
        apart = []
        for seed in range(SEEDS):
            torch.manual_seed(seed)
            layers = [layer_of(name) for _ in range(12)]
            apart.append([spread(one) for one in stream(layers, torch.randn(2, 8, 32))])
        mean = torch.tensor(apart).log().mean(0).exp()
        ax.plot(mean, "o-", markersize=3, color=colour, label=name)
        measured[name] = "one" if mean[-1] < 1e-3 else "apart"
        told.append(f"{name}: {mean[3]:.2g} behind 3, {mean[-1]:.2g} behind 12 layers")
    ax.set(yscale="log", xlabel="behind layer", ylabel="how far tokens are apart")
    ax.legend()
    show(figure, "; ".join(told) + ".")
    beside_guesses(guesses, measured)


def layer_of(name: str) -> Block:
    """Your block; or attention of a norm alone; or your block's parts without a sum."""
    if name == "your blocks":
        return louder(student.ModernBlock(32, 4, 88))
    if name == "no residual":
        return louder(OtherBlock(32, 4, 88, NONE))
    norm, attention = student.RMSNorm(32), louder(student.MultiHeadAttention(32, 4))

    def layer(x: Tensor) -> Tensor:
        normed = norm(x)
        return attention(normed, normed, normed)

    return layer


def spread(x: Tensor) -> float:
    """The distance of tokens from the mean of their sentence, as a share of their length."""
    return ((x - x.mean(1, keepdim=True)).norm() / x.norm()).item()


# ------------------------------------------------------------------ claims


def returns_x(new_block: Callable[..., nn.Module]) -> None:
    """Show what is left of x where the sub-layers return nearly nothing: your block, and post-norm."""
    torch.manual_seed(1)
    x = 4 * torch.randn(2, 8, 32)
    rows = []
    for name, block in (("your block", new_block(32, 4, 88)), (POST, OtherBlock(32, 4, 88, POST))):
        for weight in block.parameters():
            if weight.dim() > 1:
                set_to(weight, 1e-3 * weight)
        answer = block(x)
        cosine = F.cosine_similarity(answer, x, dim=-1).mean().item()
        rows.append([name, f"{size_of(x):.2f}", f"{size_of(answer):.2f}", f"{cosine:.3f}"])
    table(["sub-layers near 0", "size of x", "size of the answer", "cosine of both"], rows)


def seconds_of(layer: nn.Module, x: Tensor) -> float:
    """The shortest of nine calls, with its gradients."""
    found = []
    for _ in range(9):
        begin = time.perf_counter()
        layer(x).sum().backward()
        found.append(time.perf_counter() - begin)
    return min(found)


def times_of_norms(own: nn.Module, d_model: int) -> None:
    """Show how long norms take here, forwards and backwards."""
    x = torch.randn(512, d_model, requires_grad=True)
    has_shape(own(x), 512, d_model)
    norms = {"torch's LayerNorm": nn.LayerNorm(d_model), "your RMSNorm": own}
    norms["torch's RMSNorm"] = nn.RMSNorm(d_model)
    taken = {name: seconds_of(norm, x) for name, norm in norms.items()}
    first = taken["torch's LayerNorm"]
    rows = [[name, f"{1e3 * one:.2f} ms", f"{one / first:.2f}"] for name, one in taken.items()]
    table(["512 tokens, 512 features", "on this machine", "beside LayerNorm"], rows)


def gradients_and_distributions(measure: Callable[..., Tensor]) -> None:
    """Show, for 24 blocks with and without a sum, the size of what enters sub-layers, and gradients."""
    rows = []
    for kind in (PRE, NONE):
        found = gradients_of(measure, kind, DEEP).log().mean(0).exp()
        torch.manual_seed(0)
        blocks = deep_stack(kind, DEEP)[:DEEP]
        entered = stream(blocks, torch.randn(2, 8, 32))[:-1]
        sizes = [size_of(F.rms_norm(one, (32,), eps=1e-5)) for one in entered]
        ratio = found.max() / found.min()
        rows.append([kind, f"{min(sizes):.3f} to {max(sizes):.3f}", f"{ratio:,.3g}"])
    table(["24 blocks", "size behind each first norm", "largest gradient / smallest"], rows)


# ------------------------------------------------------------------ what was built

EQUATIONS = {  # by what the student wrote: where it comes from, and the equation
    "RMSNorm.forward": (
        "Zhang and Sennrich 2019, equation 4",
        r"\gamma \odot \frac{x}{\sqrt{\frac{1}{d} \sum_{i} x_i^2 + \epsilon}}",
    ),
    "fold_centering": (
        "Jiang et al. 2023",
        r"W'_{oi} = W_{oi} - \frac{1}{d} \sum_{k} W_{ki}, \qquad b'_o = b_o - \frac{1}{d} \sum_{k} b_k",
    ),
    "SwiGLU.forward": (
        "Shazeer 2020, equation 6",
        r"\left(\mathrm{SiLU}(x W_{\text{gate}}) \odot x W_{\text{up}}\right) W_{\text{down}}",
    ),
    "PreNormFeedForward.forward": (
        "Xiong et al. 2020, figure 1",
        r"x + \max(0,\; \mathrm{LayerNorm}(x)\, W_1 + b_1)\, W_2 + b_2",
    ),
    "ModernBlock.forward": (
        "the block",
        r"h = x + \mathrm{Attention}(\mathrm{RMSNorm}_1(x)), \quad h + \mathrm{SwiGLU}(\mathrm{RMSNorm}_2(h))",
    ),
    "ModernStack.forward": (
        "block after block, and a norm at the end",
        r"\mathrm{RMSNorm}(x_L), \qquad x_{l} = \mathrm{Block}_l(x_{l-1})",
    ),
    "gradient_by_layer": (
        "in front of each block",
        r"\left\lVert \frac{\partial \sum (\text{upstream} \odot x_L)}{\partial x_{l-1}} \right\rVert",
    ),
}


def show_what_was_built() -> None:
    """Show each equation beside the lines that the student wrote for it."""
    for name, (what, equation) in EQUATIONS.items():
        whole, _, method = name.partition(".")
        found = names().get(whole)
        wrote = getattr(found, method, None) if method else found
        beside_equation(f"{whole}: {what}", equation, wrote)


# Made by `release`: the exercises, fingerprints of the cells, the map.
RELEASED = {'exercises': {'count_parameters': {'number': '1',
                                    'title': 'Count parameters',
                                    'points': 2,
                                    'minutes': 15,
                                    'defines': ('parameters',),
                                    'by_hand': False,
                                    'form_only': False},
               'rms_norm': {'number': '2',
                            'title': 'RMSNorm',
                            'points': 5,
                            'minutes': 35,
                            'defines': ('RMSNorm',),
                            'by_hand': False,
                            'form_only': False},
               'fold_centering': {'number': '3',
                                  'title': 'Fold the mean in',
                                  'points': 3,
                                  'minutes': 25,
                                  'defines': ('fold_centering',),
                                  'by_hand': False,
                                  'form_only': False},
               'swiglu': {'number': '4',
                          'title': 'SwiGLU',
                          'points': 4,
                          'minutes': 25,
                          'defines': ('SwiGLU',),
                          'by_hand': False,
                          'form_only': False},
               'pre_norm_feed_forward': {'number': '5',
                                         'title': 'Pre-norm feed forward',
                                         'points': 2,
                                         'minutes': 10,
                                         'defines': ('PreNormFeedForward',),
                                         'by_hand': False,
                                         'form_only': False},
               'modern_block': {'number': '6',
                                'title': 'The block',
                                'points': 5,
                                'minutes': 35,
                                'defines': ('ModernBlock',),
                                'by_hand': False,
                                'form_only': False},
               'modern_stack': {'number': '7',
                                'title': 'The stack',
                                'points': 3,
                                'minutes': 20,
                                'defines': ('ModernStack',),
                                'by_hand': False,
                                'form_only': False},
               'gradient_by_layer': {'number': '8',
                                     'title': 'Gradient by layer',
                                     'points': 4,
                                     'minutes': 40,
                                     'defines': ('gradient_by_layer',),
                                     'by_hand': False,
                                     'form_only': False},
               'find_the_block': {'number': '9',
                                  'title': 'Find the block',
                                  'points': 3,
                                  'minutes': 30,
                                  'defines': ('kind_of_block',),
                                  'by_hand': False,
                                  'form_only': False},
               'explain_depth': {'number': '10',
                                 'title': 'Explain depth',
                                 'points': 2,
                                 'minutes': 20,
                                 'defines': (),
                                 'by_hand': True,
                                 'form_only': False}},
 'cells': [('title', 'markdown', 'e21f09f8b3aa', '', (), ''),
           ('overview', 'markdown', '25130b9720cc', '', (), ''),
           ('how_to_work', 'markdown', '9eeceb4fa39b', '', (), ''),
           ('files_beside', 'markdown', 'ee229554fe45', '', (), ''),
           ('how_it_is_graded', 'markdown', '95f815024d51', '', (), ''),
           ('how_to_hand_in', 'markdown', '4b1e9c79e0ad', '', (), ''),
           ('symbols', 'markdown', 'cad6a97cb82d', '', (), ''),
           ('set_up', 'code', 'eea755d5e25b', 'not run', (), ''),
           ('imports', 'code', '25763fc83a7a', '', (), ''),
           ('count_parameters_goal', 'markdown', 'ba305e88ddff', '', (), ''),
           ('count_parameters_equation', 'markdown', 'a1fc6956c16c', '', (), ''),
           ('count_parameters_figure', 'markdown', '5488ad7700f0', '', (), ''),
           ('count_parameters_contract', 'markdown', '8d5ff07e336c', '', (), ''),
           ('count_parameters_hints', 'markdown', '25cba95de99e', '', (), ''),
           ('count_parameters', 'code', '36b323f6e92d', 'answer', ('parameters',), ''),
           ('count_parameters_try', 'markdown', '1f603a3573e2', '', (), ''),
           ('count_parameters_picture', 'code', 'fc2a9921f613', 'not run', (), ''),
           ('count_parameters_check', 'markdown', 'edc3b54472ba', '', (), ''),
           ('check_count_parameters', 'code', 'f6c7f16cbb74', 'check', (), ''),
           ('rms_norm_goal', 'markdown', 'ae7d488cfe55', '', (), ''),
           ('rms_norm_equation', 'markdown', '31507278f939', '', (), ''),
           ('rms_norm_figure', 'markdown', '527ebee857ee', '', (), ''),
           ('rms_norm_contract', 'markdown', 'd46598838823', '', (), ''),
           ('rms_norm_hints', 'markdown', 'd1af4192c418', '', (), ''),
           ('rms_norm', 'code', 'd0f89805ca69', 'answer', ('RMSNorm',), ''),
           ('rms_norm_try', 'markdown', '23b5641ba01f', '', (), ''),
           ('rms_norm_guess', 'code', '93d0826be34f', 'not run', (), ''),
           ('rms_norm_seen', 'markdown', 'd70e1d811ce4', '', (), ''),
           ('rms_norm_check', 'markdown', '241ae16f7aad', '', (), ''),
           ('check_rms_norm', 'code', '4bb5f47e5ec1', 'check', (), ''),
           ('fold_centering_goal', 'markdown', '72d6dc769d27', '', (), ''),
           ('fold_centering_equation', 'markdown', '37902d75d271', '', (), ''),
           ('fold_centering_figure', 'markdown', 'e94603aaa281', '', (), ''),
           ('fold_centering_contract', 'markdown', '8e70214abd01', '', (), ''),
           ('fold_centering_hints', 'markdown', '3eaab2283a42', '', (), ''),
           ('fold_centering', 'code', 'd9ac13c75de3', 'answer', ('fold_centering',), ''),
           ('fold_centering_try', 'markdown', '623570d0fc97', '', (), ''),
           ('fold_centering_picture', 'code', '1bb8ff287518', 'not run', (), ''),
           ('fold_centering_check', 'markdown', '3826cd864876', '', (), ''),
           ('check_fold_centering', 'code', 'f1467b91f9d8', 'check', (), ''),
           ('swiglu_goal', 'markdown', 'bda2a1bbc3c3', '', (), ''),
           ('swiglu_functions_text', 'markdown', '260ca6ada63c', '', (), ''),
           ('swiglu_functions', 'code', '81d581388e81', 'not run', (), ''),
           ('swiglu_equation', 'markdown', 'd7fa40f8aa10', '', (), ''),
           ('swiglu_figure', 'markdown', 'c1b65a2aeddd', '', (), ''),
           ('swiglu_contract', 'markdown', '84955f81deb8', '', (), ''),
           ('swiglu_hints', 'markdown', '91bfc1e41315', '', (), ''),
           ('swiglu', 'code', 'e5383f1e2a84', 'answer', ('SwiGLU',), ''),
           ('swiglu_try', 'markdown', 'be85eba97419', '', (), ''),
           ('swiglu_guess', 'code', '3482f87adb39', 'not run', (), ''),
           ('swiglu_seen', 'markdown', '246acf1b5cb2', '', (), ''),
           ('swiglu_published', 'markdown', 'aecf31221d42', '', (), ''),
           ('swiglu_check', 'markdown', 'a0a145b41c43', '', (), ''),
           ('check_swiglu', 'code', 'b8119d78497c', 'check', (), ''),
           ('pre_norm_feed_forward_goal', 'markdown', 'a2739a950a26', '', (), ''),
           ('pre_norm_feed_forward_equation', 'markdown', 'e3ba6e426b6b', '', (), ''),
           ('pre_norm_feed_forward_figure', 'markdown', 'f5bdcafec4ae', '', (), ''),
           ('pre_norm_feed_forward_dropout', 'markdown', '28c086154d7f', '', (), ''),
           ('pre_norm_feed_forward_contract', 'markdown', '9a01611a1a2a', '', (), ''),
           ('pre_norm_feed_forward_hints', 'markdown', '5cfcc43582af', '', (), ''),
           ('pre_norm_feed_forward', 'code', '97a1dbe0005e', 'answer', ('PreNormFeedForward',), ''),
           ('pre_norm_feed_forward_try', 'markdown', '6f777dc0e9d4', '', (), ''),
           ('pre_norm_feed_forward_picture', 'code', '4135622f56ff', 'not run', (), ''),
           ('pre_norm_feed_forward_check', 'markdown', 'daed0572b9dd', '', (), ''),
           ('check_pre_norm_feed_forward', 'code', 'f02667eb3cc7', 'check', (), ''),
           ('modern_block_goal', 'markdown', '47968a385f2b', '', (), ''),
           ('modern_block_equation', 'markdown', 'd4441ecf3fb9', '', (), ''),
           ('modern_block_figure', 'markdown', 'c91806eb2e9f', '', (), ''),
           ('given_attention_text', 'markdown', 'ce8e74944204', '', (), ''),
           ('given_attention', 'code', 'b8013862ac7d', '', (), ''),
           ('modern_block_contract', 'markdown', '27d644ef1ac3', '', (), ''),
           ('modern_block_hints', 'markdown', '6fa64cf57026', '', (), ''),
           ('modern_block', 'code', '689fbc40373d', 'answer', ('ModernBlock',), ''),
           ('modern_block_try', 'markdown', '4efa5466f5fd', '', (), ''),
           ('modern_block_picture', 'code', 'd167f21723f8', 'not run', (), ''),
           ('modern_block_check', 'markdown', 'ae2683a00094', '', (), ''),
           ('check_modern_block', 'code', '0f29afd33bef', 'check', (), ''),
           ('modern_stack_goal', 'markdown', '16145cf3f70a', '', (), ''),
           ('modern_stack_equation', 'markdown', '755f7bcfb1d3', '', (), ''),
           ('modern_stack_figure', 'markdown', '74e9b2219393', '', (), ''),
           ('modern_stack_contract', 'markdown', '1be84e34a670', '', (), ''),
           ('modern_stack_hints', 'markdown', '512d4b1b1f71', '', (), ''),
           ('modern_stack', 'code', 'ac25be0e50c6', 'answer', ('ModernStack',), ''),
           ('modern_stack_try', 'markdown', 'b8759717df75', '', (), ''),
           ('modern_stack_picture', 'code', '24a169a5f36c', 'not run', (), ''),
           ('modern_stack_check', 'markdown', '695ef4c8117f', '', (), ''),
           ('check_modern_stack', 'code', '9fa352453b96', 'check', (), ''),
           ('gradient_by_layer_goal', 'markdown', '389a8641f777', '', (), ''),
           ('gradient_by_layer_equation', 'markdown', 'd8b086a6b395', '', (), ''),
           ('gradient_by_layer_figure', 'markdown', 'd21477d62cd1', '', (), ''),
           ('gradient_by_layer_contract', 'markdown', '27cd4b5b6bde', '', (), ''),
           ('gradient_by_layer_hints', 'markdown', '4328820090e5', '', (), ''),
           ('given_blocks_text', 'markdown', 'f711280c4f3e', '', (), ''),
           ('given_blocks', 'code', 'f1d7ee402702', '', (), ''),
           ('gradient_by_layer', 'code', 'd6ce211a6789', 'answer', ('gradient_by_layer',), ''),
           ('gradient_by_layer_check', 'markdown', '8002490a087f', '', (), ''),
           ('check_gradient_by_layer', 'code', 'c048b7fe5267', 'check', (), ''),
           ('depth_goal', 'markdown', 'c8e73f68a39b', '', (), ''),
           ('depth_equation', 'markdown', 'a47efccb7dc0', '', (), ''),
           ('depth_guess', 'markdown', '590722abc006', '', (), ''),
           ('depth_guesses', 'code', '7869b79f480f', 'not run', (), ''),
           ('depth_seen_last', 'markdown', '1fda7472ddd8', '', (), ''),
           ('depth_seen_layers', 'markdown', 'ed0358b6b932', '', (), ''),
           ('depth_not_seen', 'markdown', '19673373f83d', '', (), ''),
           ('find_the_block_goal', 'markdown', '44dee06eccb3', '', (), ''),
           ('find_the_block_equation', 'markdown', 'bb85dc667763', '', (), ''),
           ('find_the_block_figure', 'markdown', '4ba8b28a7d4e', '', (), ''),
           ('find_the_block_contract', 'markdown', '082fac9adf4e', '', (), ''),
           ('find_the_block_hints', 'markdown', '85c2c5a680b3', '', (), ''),
           ('find_the_block', 'code', '94228d8adbdf', 'answer', ('kind_of_block',), ''),
           ('find_the_block_try', 'markdown', '17fcd5bdcfb4', '', (), ''),
           ('find_the_block_picture', 'code', 'db5625841d89', 'not run', (), ''),
           ('find_the_block_check', 'markdown', '2a5d514037e3', '', (), ''),
           ('check_find_the_block', 'code', 'd62cefed2eb9', 'check', (), ''),
           ('explain_depth_goal', 'markdown', 'e43236834351', '', (), ''),
           ('explain_depth_equation', 'markdown', '63ca7680bcf1', '', (), ''),
           ('explain_depth_figure', 'markdown', '54efe390bc74', '', (), ''),
           ('explain_depth_contract', 'markdown', 'd4c6afb8a971', '', (), ''),
           ('explain_depth_hints', 'markdown', '5d92ff30a0bb', '', (), ''),
           ('explain_depth',
            'markdown',
            '13ba8076919c',
            'answer',
            (),
            '**Your answer** (equation, measured curve, three sentences):\n\nYOUR ANSWER HERE'),
           ('progress_intro', 'markdown', '83cbf087521f', '', (), ''),
           ('progress', 'code', '9a89c0baf159', 'not run', (), ''),
           ('stream_goal', 'markdown', 'ee63f3ed8a54', '', (), ''),
           ('stream_guess', 'markdown', '983227e85021', '', (), ''),
           ('stream_guesses', 'code', '1f47ca64cdda', 'not run', (), ''),
           ('stream_seen', 'markdown', 'eeff7e9745cf', '', (), ''),
           ('collapse_goal', 'markdown', '7b0bb9a1bb24', '', (), ''),
           ('collapse_guess', 'markdown', '1756d4f8eaa0', '', (), ''),
           ('collapse_guesses', 'code', 'd76b805df0a5', 'not run', (), ''),
           ('collapse_seen', 'markdown', 'ec11464ac29f', '', (), ''),
           ('built_goal', 'markdown', 'fcc1d35c4923', '', (), ''),
           ('built_lines', 'code', 'c01fe8bee5c9', 'not run', (), ''),
           ('claims_goal', 'markdown', 'c4bda83b9dad', '', (), ''),
           ('claims_identity', 'markdown', '868a53449b70', '', (), ''),
           ('claims_identity_code', 'code', '786db8c04ed8', 'not run', (), ''),
           ('claims_identity_seen', 'markdown', '7276a8a777c6', '', (), ''),
           ('claims_fast', 'markdown', '799b479a71d9', '', (), ''),
           ('claims_fast_code', 'code', '468d18c7f5c5', 'not run', (), ''),
           ('claims_fast_seen', 'markdown', '49b919913d4a', '', (), ''),
           ('claims_rescale', 'markdown', '6a02ced3be59', '', (), ''),
           ('claims_rescale_code', 'code', '05bdeb871830', 'not run', (), ''),
           ('claims_rescale_seen', 'markdown', '6c51e53c0271', '', (), ''),
           ('claims_flow', 'markdown', 'b221d77d4c59', '', (), ''),
           ('claims_flow_code', 'code', '4e8ce08cbebb', 'not run', (), ''),
           ('claims_flow_seen', 'markdown', '4e8ae4d3014d', '', (), ''),
           ('next_papers', 'markdown', '82f28289bf7b', '', (), ''),
           ('next_depth', 'markdown', '4e4d062201e4', '', (), ''),
           ('next_rest', 'markdown', 'a936848e0b61', '', (), ''),
           ('how_i_used_ai', 'markdown', '55cbcd4a3aa3', '', (), ''),
           ('closing', 'markdown', '1b2aeb8d2d74', '', (), ''),
           ('hand_in', 'code', 'd63a4d7093c8', 'not run', (), '')],
 'overview': '<svg xmlns="http://www.w3.org/2000/svg" width="720" height="470" viewBox="0 0 720 '
             '470" role="img">\n'
             '  <title>What you write, exercise by exercise</title>\n'
             '  <desc>Exercise 7 is a stack of blocks of exercise 6, with an RMSNorm behind the '
             'last. A block holds, from left to right, the RMSNorm of exercise 2, attention, which '
             'is given, a sum with x, a second norm, the SwiGLU of exercise 4 and a second sum. '
             'Six more exercises are about these parts: 1 counts parameters, 3 folds the mean into '
             'a linear layer, 5 writes a feed forward layer with the norm before it, 8 measures '
             'gradients by layer, 9 finds out where a block has its norm, 10 explains depth. Each '
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
             '    .attention { fill: #dce9f8; stroke: #4f86c6 }\n'
             '    .norm { fill: #fcf0b8; stroke: #b08d12 }\n'
             '    .layer { fill: #f1f3f6; stroke: #7a8899 }\n'
             '    .axis { fill: #f6dbe4; stroke: #c2557a }\n'
             '    .line { fill: none; stroke: #4a5665; stroke-width: 1.5 }\n'
             '    .residual { fill: none; stroke: #c0405a; stroke-width: 2.2 }\n'
             '    .plus { fill: #ffffff; stroke: #c0405a; stroke-width: 2.2 }\n'
             '  </style>\n'
             '  <defs>\n'
             '    <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
             'markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#4a5665"/></marker>\n'
             '    <marker id="tip-residual" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" '
             'markerHeight="6" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#c0405a"/></marker>\n'
             '  </defs>\n'
             '  <rect x="1" y="1" width="718" height="468" rx="14" fill="#fcfbf8" '
             'stroke="#e3ded2"/>\n'
             '  <rect data-exercise="modern_stack" class="layer" x="16" y="18" width="688" '
             'height="270" rx="12"/>\n'
             '  <circle class="badge" cx="42" cy="43" r="13"/><text class="number" x="42" '
             'y="48">7</text>\n'
             '  <text class="title" x="62" y="48">ModernStack</text>\n'
             '  <text class="small" x="178" y="48">num_layers blocks, one after the other, then a '
             'norm</text>\n'
             '  <text data-exercise="modern_stack" class="small end" x="686" y="48">3 points · 20 '
             'min</text>\n'
             '  <rect data-exercise="modern_block" class="plain" x="66" y="68" width="524" '
             'height="204" rx="10"/>\n'
             '  <circle class="badge" cx="91" cy="92" r="13"/><text class="number" x="91" '
             'y="97">6</text>\n'
             '  <text class="title" x="112" y="97">ModernBlock</text>\n'
             '  <text data-exercise="modern_block" class="small end" x="576" y="97">5 points · 35 '
             'min</text>\n'
             '  <rect class="token" x="24" y="168" width="30" height="56" rx="8"/>\n'
             '  <text class="middle" x="39" y="201">x</text>\n'
             '  <path class="line" marker-end="url(#tip)" d="M54 196 H80"/>\n'
             '  <rect data-exercise="rms_norm" class="norm" x="82" y="154" width="130" height="84" '
             'rx="8"/>\n'
             '  <circle class="badge" cx="103" cy="176" r="13"/><text class="number" x="103" '
             'y="181">2</text>\n'
             '  <text x="122" y="181">RMSNorm</text>\n'
             '  <text data-exercise="rms_norm" class="small" x="90" y="222">5 points · 35 '
             'min</text>\n'
             '  <path class="line" marker-end="url(#tip)" d="M212 196 H224"/>\n'
             '  <rect class="attention" x="226" y="168" width="74" height="56" rx="8"/>\n'
             '  <text class="middle" x="263" y="193">attention</text>\n'
             '  <text class="small middle" x="263" y="211">given</text>\n'
             '  <path class="line" marker-end="url(#tip)" d="M300 196 H310"/>\n'
             '  <circle class="plus" cx="326" cy="196" r="13"/>\n'
             '  <path class="residual" d="M319 196 H333 M326 189 V203"/>\n'
             '  <path class="line" marker-end="url(#tip)" d="M339 196 H352"/>\n'
             '  <rect class="norm" x="354" y="168" width="48" height="56" rx="8"/>\n'
             '  <text class="middle" x="378" y="201">norm</text>\n'
             '  <path class="line" marker-end="url(#tip)" d="M402 196 H412"/>\n'
             '  <rect data-exercise="swiglu" class="feed" x="414" y="154" width="130" height="84" '
             'rx="8"/>\n'
             '  <circle class="badge" cx="435" cy="176" r="13"/><text class="number" x="435" '
             'y="181">4</text>\n'
             '  <text x="454" y="181">SwiGLU</text>\n'
             '  <text data-exercise="swiglu" class="small" x="422" y="222">4 points · 25 '
             'min</text>\n'
             '  <path class="line" marker-end="url(#tip)" d="M544 196 H551"/>\n'
             '  <circle class="plus" cx="567" cy="196" r="13"/>\n'
             '  <path class="residual" d="M560 196 H574 M567 189 V203"/>\n'
             '  <path class="residual" marker-end="url(#tip-residual)" d="M70 196 V140 Q70 128 82 '
             '128 H314 Q326 128 326 140 V180"/>\n'
             '  <path class="residual" marker-end="url(#tip-residual)" d="M345 196 V140 Q345 128 '
             '357 128 H555 Q567 128 567 140 V180"/>\n'
             '  <path class="line" marker-end="url(#tip)" d="M580 196 H606"/>\n'
             '  <rect class="norm" x="608" y="168" width="56" height="56" rx="8"/>\n'
             '  <text class="middle" x="636" y="201">norm</text>\n'
             '  <path class="line" marker-end="url(#tip)" d="M664 196 H674"/>\n'
             '  <rect class="token" x="676" y="168" width="22" height="56" rx="8"/>\n'
             '  <text class="middle" x="687" y="201">y</text>\n'
             '  <text class="small" x="22" y="312">about these parts, in the order of the '
             'exercises</text>\n'
             '  <rect data-exercise="count_parameters" class="plain" x="16" y="322" width="220" '
             'height="60" rx="8"/>\n'
             '  <circle class="badge" cx="41" cy="352" r="13"/><text class="number" x="41" '
             'y="357">1</text>\n'
             '  <text x="64" y="349">Count parameters</text>\n'
             '  <text data-exercise="count_parameters" class="small" x="64" y="368">2 points · 15 '
             'min</text>\n'
             '  <rect data-exercise="fold_centering" class="norm" x="250" y="322" width="220" '
             'height="60" rx="8"/>\n'
             '  <circle class="badge" cx="275" cy="352" r="13"/><text class="number" x="275" '
             'y="357">3</text>\n'
             '  <text x="298" y="349">Fold the mean in</text>\n'
             '  <text data-exercise="fold_centering" class="small" x="298" y="368">3 points · 25 '
             'min</text>\n'
             '  <rect data-exercise="pre_norm_feed_forward" class="feed" x="484" y="322" '
             'width="220" height="60" rx="8"/>\n'
             '  <circle class="badge" cx="509" cy="352" r="13"/><text class="number" x="509" '
             'y="357">5</text>\n'
             '  <text x="532" y="349">Pre-norm feed forward</text>\n'
             '  <text data-exercise="pre_norm_feed_forward" class="small" x="532" y="368">2 points '
             '· 10 min</text>\n'
             '  <rect data-exercise="gradient_by_layer" class="axis" x="16" y="394" width="220" '
             'height="60" rx="8"/>\n'
             '  <circle class="badge" cx="41" cy="424" r="13"/><text class="number" x="41" '
             'y="429">8</text>\n'
             '  <text x="64" y="421">Gradient by layer</text>\n'
             '  <text data-exercise="gradient_by_layer" class="small" x="64" y="440">4 points · 40 '
             'min</text>\n'
             '  <rect data-exercise="find_the_block" class="plain" x="250" y="394" width="220" '
             'height="60" rx="8"/>\n'
             '  <circle class="badge" cx="275" cy="424" r="13"/><text class="number" x="275" '
             'y="429">9</text>\n'
             '  <text x="298" y="421">Find the block</text>\n'
             '  <text data-exercise="find_the_block" class="small" x="298" y="440">3 points · 30 '
             'min</text>\n'
             '  <rect data-exercise="explain_depth" class="axis" x="484" y="394" width="220" '
             'height="60" rx="8"/>\n'
             '  <circle class="badge" cx="509" cy="424" r="13"/><text class="number" x="509" '
             'y="429">10</text>\n'
             '  <text x="532" y="421">Explain depth</text>\n'
             '  <text data-exercise="explain_depth" class="small" x="532" y="440">2 points · 20 '
             'min</text>\n'
             '</svg>',
 'ungraded': (),
 'notebook': 'modern-block.ipynb'}
