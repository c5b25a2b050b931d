"""The visible checks of the practical `layer-norm`: what the notebook asks, step by step.

The notebook imports this file; nothing hidden is in it. `student` is what the notebook defines at the moment
of a check.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from toolbox import steps, student


# --- check_predict_norm
@steps("predict_norm")
def steps():
    numbers, words = ("mean", "variance"), ("order", "10 * x", "x + 100")

    def is_open(answer):
        return answer is None or answer is ...

    def folded(key):
        return "".join(letter for letter in str(key).casefold() if letter not in " _-")

    yield "Is `prediction` a dict with the five keys of the cell?"
    assert isinstance(prediction, dict), f"It is of type {type(prediction).__name__}."
    said = {folded(key): answer for key, answer in prediction.items()}
    missing = [key for key in numbers + words if folded(key) not in said]
    assert not missing, f"Not there: {', '.join(missing)}."
    found = {key: said[folded(key)] for key in numbers + words}
    if all(map(is_open, found.values())):
        raise NotImplementedError

    yield "Is every answer filled in?"
    still_open = [key for key in numbers + words if is_open(found[key])]
    assert not still_open, f"Still open: {', '.join(still_open)}."

    yield "Are mean and variance numbers?"
    for key in numbers:
        try:
            float(str(found[key]).replace(",", ".")
                  if isinstance(found[key], str) else found[key])
        except (TypeError, ValueError, RuntimeError):
            raise AssertionError(f"`{key}` is not a number.") from None

    yield 'Is each of the other three "same" or "changes"?'
    for key in words:
        word = str(found[key]).strip().lower()
        assert word in ("same", "changes"), f"`{key}` is neither."


# --- check_layer_norm
import unittest.mock


def learned_by(layer):
    return [parameter for parameter in layer.parameters() if parameter.requires_grad]


@steps("layer_norm")
def steps():
    axes, d_model = "batch token feature", 6
    x = torch.randn(2, 5, d_model) * (1 + torch.rand(2, 5, 1)) + 3 * torch.randn(2, 5, 1)

    yield "Can it be built, as `LayerNorm(d_model)` and as `LayerNorm(d_model, eps)`?"
    layer, blurred = LayerNorm(d_model).eval(), LayerNorm(d_model, 2.0).eval()
    yield "Does it answer, with one tensor of the shape of x?"
    answer = layer(x.clone())
    has_shape(answer, 2, 5, d_model)
    yield "What is learned: does `list(layer.parameters())` show gamma and beta?"
    learned = learned_by(layer)
    assert len(learned) == 2, f"It shows {len(learned)} of them."
    yield "How many numbers has gamma, and how many has beta?"
    sizes = [parameter.numel() for parameter in learned]
    assert sizes == [d_model] * 2, f"With {d_model} features they have {sizes}."
    yield "Where do gamma and beta begin, so that nothing is scaled or shifted yet?"
    first, second = ([value for value in (1, 0) if (p == value).all()] for p in learned)
    assert sorted(first + second) == [0, 1], f"They begin at {[p.flatten()[0].item() for p in learned]}."
    gamma, beta = learned if first == [1] else learned[::-1]
    if {name for name, _ in layer.named_parameters()} == {"gamma", "beta"}:
        assert gamma is layer.gamma, "Your beta begins at 1, and your gamma at 0."

    yield "Is it your own, without `nn.LayerNorm` and `F.layer_norm`?"
    with unittest.mock.patch.object(F, "layer_norm", wraps=F.layer_norm) as ready_made:
        layer(x.clone())
    assert not ready_made.called, "It calls `F.layer_norm`, as `nn.LayerNorm` does."

    yield "Which mean have the features of each token of your answer?"
    same(answer.mean(-1), torch.zeros(2, 5), "batch token", 1e-3)
    yield "Which variance have they? Over how many numbers does yours average, and is a root taken?"
    same(answer.var(-1, correction=0), torch.ones(2, 5), "batch token", 1e-3)
    yield "Feature by feature: what is subtracted from x, and what is it divided by?"
    same(answer, F.layer_norm(x, (d_model,)), axes, 1e-3)
    yield "Does a token get the same answer alone and among others?"
    same(torch.cat([layer(token.view(1, 1, -1)) for token in x.view(10, -1)]).view_as(x), answer, axes)
    yield "Are other numbers of axes before the features as good: none, one, three?"
    for other in (x[0, 0], x[:, 0], torch.randn(3, 2, 4, d_model)):
        same(layer(other), F.layer_norm(other, (d_model,)), atol=1e-3)

    yield "With another gamma and beta: which one multiplies, which one is added, and when?"
    with torch.no_grad():
        gamma.copy_(torch.randn(d_model).view_as(gamma))
        beta.copy_(torch.randn(d_model).view_as(beta))
    scale, shift = gamma.detach().flatten(), beta.detach().flatten()
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
    fresh, small = LayerNorm(d_model).eval(), 1e-3 * torch.randn(2, 5, d_model)
    same(fresh(small), F.layer_norm(small, (d_model,), eps=1e-6), axes, 1e-3)
    yield "All features of a token are equal: what is it divided by, and what is left?"
    flat = torch.randn(2, 5, 1).expand(2, 5, d_model)
    same(fresh(flat), torch.zeros(2, 5, d_model), axes, 1e-2)
    yield "A mean of 16 384: how many digits of your variance are left?"
    whole = torch.randint(-9, 9, (2, 5, 8)).float()
    wide = LayerNorm(8).eval()
    same(wide(whole + 2.0 ** 14), F.layer_norm(whole, (8,)), axes, 1e-2)

    yield "Is x after the call what it was? Which line changes a tensor in place?"
    keeps_inputs(layer, x, axes=axes)
    yield "Asked twice, and in training: is the answer the same?"
    answers_alike(layer, x, axes=axes)
    rests_in_training(layer, x, axes=axes)


# --- check_add_and_norm
class StandInNorm(nn.LayerNorm):
    """For `LayerNorm`: torch's own, so that what is wrong in exercise 2 is not complained about here."""

    def __init__(self, d_model, eps=1e-6):
        super().__init__(d_model, eps)


def without_norm(answer):
    """Undo the norm of x: of its first two features it is known that they are 10 and -10."""
    deviation = 20 / (answer[..., :1] - answer[..., 1:2])
    return (answer - answer[..., :1]) * deviation + 10


@steps("add_and_norm")
def steps():
    axes, d_model = "batch token feature", 6
    x, added = 2 * torch.randn(2, 5, d_model) + 1, torch.randn(2, 5, d_model)

    with replaced(LayerNorm=StandInNorm):
        yield "Can it be built, as `AddAndNorm(d_model)` and as `AddAndNorm(d_model, dropout)`?"
        layer, dropping = AddAndNorm(d_model).eval(), AddAndNorm(d_model, 0.5).eval()
        yield "Does it answer, with one tensor of the shape of x?"
        answer = layer(x.clone(), added.clone())
        has_shape(answer, 2, 5, d_model)
        yield "Has x a part in the answer?"
        assert not torch.allclose(layer(-x, added), answer), "With another x it is the same."
        yield "Has the sub-layer's output a part in the answer?"
        assert not torch.allclose(layer(x.clone(), -added), answer), "With another one it is the same."
        yield "What comes last: has each word of your answer the mean 0?"
        same(answer.mean(-1), torch.zeros(2, 5), "batch token", 1e-3)
        yield "What comes last: has each word of your answer the variance 1?"
        same(answer.var(-1, correction=0), torch.ones(2, 5), "batch token", 1e-3)
        yield "What is normalised: what is added to what, before the norm?"
        same(answer, F.layer_norm(x + added, (d_model,)), axes, 1e-3)
        yield "Has the norm a gamma and a beta that `parameters()` finds?"
        sizes = [weight.numel() for weight in layer.parameters() if weight.requires_grad]
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

        x, added = torch.zeros(4, 50, 16), torch.full((4, 50, 16), 0.01)
        x[..., 0], x[..., 1] = 10, -10
        added[..., :2] = 0
        layer = AddAndNorm(16, 0.7).train()
        yield "In training: if the sub-layer returned zeros, is anything else dropped?"
        same(layer(x.clone(), torch.zeros_like(x)), F.layer_norm(x, (16,)), axes, 1e-3)
        yield "In training: is anything dropped of what the sub-layer returned?"
        once, again = (without_norm(layer(x.clone(), added.clone()))[..., 2:] for _ in range(2))
        kept, other = once > 0.005, again > 0.005
        assert not kept.all(), "All of it is still there."
        yield "Is each number dropped by itself, each time anew?"
        for what, others in {"call": other, "sentence": kept[:1], "word": kept[:, :1],
                             "feature": kept[..., :1]}.items():
            assert (kept != others).any(), f"It is the same for every {what}."
        yield "Which share is dropped, and by what is the rest multiplied?"
        share = 1 - kept.double().mean().item()
        assert abs(share - 0.7) < 0.05, f"With dropout 0.7, {share:.0%} is dropped."
        same(once[kept] / 0.01, torch.full_like(once[kept], 1 / 0.3), atol=2e-2)


# --- cell find_the_slip_reading (was provided to checks only)
def numbers_of(entry):
    """The numbers of a list, tuple, tensor or text as one vector; none where it is still open."""
    items = entry.tolist() if hasattr(entry, "tolist") else entry
    if isinstance(items, (list, tuple)):
        return torch.cat([numbers_of(item) for item in items]) if items else torch.zeros(0)
    if items in (..., None):
        return torch.zeros(0)
    try:
        return torch.tensor([float(str(items).replace(",", "."))])
    except ValueError:
        raise AssertionError(f"{items!r} is not a number.") from None


def close(yours, target, atol=4e-3):
    """Whether numbers are the same to three digits."""
    return torch.allclose(torch.as_tensor(yours), torch.as_tensor(target).float(), rtol=0, atol=atol)


def draw_beside(ax, steps, slips):
    """Two bars for each number: as printed, and as in `slips`, as far as that is filled in."""
    for colour, label in (("#c2557a", "printed"), ("#23888a", "yours")):
        ax.scatter([], [], marker="s", color=colour, label=label)
    place, ticks = 0, {}
    for step, on_paper in steps.items():
        paper, own = numbers_of(on_paper), numbers_of(slips[step])
        at = torch.arange(place, place + len(paper))
        ax.bar(at - 0.2, paper, 0.4, color="#c2557a")
        ax.bar(at[: len(own)] + 0.2, own[: len(paper)], 0.4, color="#23888a")
        ticks[float(at.float().mean())] = step
        place += len(paper) + 1
    ax.set_xticks(list(ticks), list(ticks.values()))
    ax.axhline(0, color=GREY, linewidth=0.8)


# --- check_find_the_slip
FIRST = "first wrong step"


def spelt_as(key, names):
    """The one of the names that a key is meant for, whatever its case, spaces and dashes."""
    letters = lambda text: "".join(c for c in str(text).casefold() if c.isalnum())
    return next((name for name in names if letters(name) == letters(key)), key)


@steps("find_the_slip")
def find_the_slip_steps():
    add, feed = given["add and norm"], given["feed forward"]
    sizes = {name: {step: len(numbers_of(v)) for step, v in steps.items()}
             for name, steps in printed.items()}

    yield "Is `slips` a dict with the two calculations, and is each of them a dict?"
    assert isinstance(slips, dict), f"It is of type {type(slips).__name__}."
    parts = {spelt_as(name, printed): part for name, part in slips.items()}
    assert set(parts) == set(printed), f"It should hold {' and '.join(printed)}, and no more."
    assert all(isinstance(part, dict) for part in parts.values())

    yield "Has each its steps, named as in the cell?"
    for name, steps in printed.items():
        wanted = {FIRST: ..., **steps}
        parts[name] = {spelt_as(step, wanted): v for step, v in parts[name].items()}
        missing = set(wanted) - set(parts[name])
        assert not missing, f"In {name} there is no {' and no '.join(sorted(missing))}."

    entries = {(name, step): v for name, part in parts.items() for step, v in part.items()}
    left = [f"{name}: {step}" for (name, step), v in entries.items() if v is ... or v is None]
    if len(left) == len(entries):
        raise NotImplementedError

    yield "Is every step filled in?"
    assert not left, f"Still open: {', '.join(left)}."

    yield "Has each step as many numbers as the printed one?"
    own = {key: numbers_of(v) for key, v in entries.items() if key[1] != FIRST}
    for (name, step), numbers in own.items():
        wanted = sizes[name][step]
        assert len(numbers) == wanted, f"{name}: {step} has {wanted}, yours {len(numbers)}."
    total, mean, variance, normalised = (own["add and norm", step] for step in sizes["add and norm"])
    hidden, relu, output = (own["feed forward", step] for step in sizes["feed forward"])

    yield "Is each first wrong step one of the names of the steps?"
    for name, steps in printed.items():
        said = str(parts[name][FIRST])
        named = [step for step in steps if step in said.casefold()]
        assert len(named) == 1, f"{name}: {said} is not one of {', '.join(steps)}."

    yield "Without what the sub-layer adds, is your sum x again?"
    assert close(total - add["sub-layer output"], add["x"])

    yield "Do your numbers lie as far above your mean as below it, all taken together?"
    assert close((total - mean).mean(), 0, 6e-3), "They do not: is that the mean of your sum?"

    yield "Is your variance the mean of the squared distances of your sum from your mean?"
    assert close(variance, slow_variance(total.tolist()), 6e-3)

    yield "Have your normalised numbers the mean 0?"
    assert close(normalised.mean(), 0), f"Their mean is {normalised.mean():.3g}."

    yield "Have they the variance 1?"
    theirs = slow_variance(normalised.tolist())
    assert abs(theirs - 1) < 4e-3, f"It is {theirs:.4g}. Which digits were rounded, and where?"

    yield "Is each above zero where the sum is above its mean, and in the same order?"
    assert (normalised.sign() == (total - mean).sign()).all()
    assert normalised.argsort().tolist() == total.argsort().tolist()

    yield "Backwards: times the root of your variance, plus your mean, are they your sum again?"
    assert close(normalised * variance.sqrt() + mean, total, 6e-3)

    yield "Do your hidden units add up to x times the sums of the rows of W1, plus all of b1?"
    assert close(hidden.sum(), feed["x"] @ feed["W1"].sum(1) + feed["b1"].sum())

    yield "The same with weights 1, 2, 3 of the units: is each unit at its place?"
    weights = torch.tensor([1.0, 2.0, 3.0])
    assert close(hidden @ weights, feed["x"] @ (feed["W1"] @ weights) + feed["b1"] @ weights)

    yield "And with 1, -2, 2?"
    weights = torch.tensor([1.0, -2.0, 2.0])
    assert close(hidden @ weights, feed["x"] @ (feed["W1"] @ weights) + feed["b1"] @ weights)

    yield "Is no number negative after the ReLU?"
    assert (relu >= 0).all()

    yield "Are your positive hidden units the same after it, and the others zero?"
    assert close(relu[hidden > 0], hidden[hidden > 0]) and (relu[hidden <= 0] == 0).all()

    yield "Do your outputs add up to what the ReLU leaves, times the sums of the rows of W2?"
    assert close(output.sum(), relu @ feed["W2"].sum(1) + feed["b2"].sum())

    yield "Is each output at its place, and are there 3 digits?"
    for weights in torch.tensor([[1.0, 2, 3, 4], [1.0, -1, 1, -1], [0.0, 0, 1, -2]]):
        assert close(output @ weights, relu @ (feed["W2"] @ weights) + feed["b2"] @ weights)

    for name, steps in printed.items():
        said = str(parts[name][FIRST]).casefold()
        (named,) = [step for step in steps if step in said]
        same_as_print = {step: close(own[name, step], numbers_of(v), 6e-3) for step, v in steps.items()}
        before = [*steps][: [*steps].index(named)]

        yield f"{name}: is the step that you name printed otherwise than yours?"
        assert not same_as_print[named]

        yield f"{name}: are all steps before it printed as yours?"
        assert all(same_as_print[step] for step in before), "An earlier one differs already."


# --- check_twelve_tokens
def random_tail(tokens, d, h):
    """x, w1, b1, w2, b2, gamma, beta of these sizes."""
    shapes = (tokens, d), (d, h), (h,), (h, d), (d,), (d,), (d,)
    return [torch.randn(*shape) for shape in shapes]


def three_of(answer):
    """The three outputs, whatever holds them: a dict by their names."""
    names = "ffn", "residual", "normalised"
    parts = [answer[name] for name in names] if isinstance(answer, dict) else [*answer]
    return [torch.as_tensor(part) for part in parts]


@steps("twelve_tokens")
def twelve_tokens_steps():
    axes, ones, zeros = "token feature", torch.ones(3), torch.zeros(3)
    weights = [twelve[name] for name in ("w1", "b1", "w2", "b2")]
    x = twelve["residual"] - twelve["ffn"]
    tail = random_tail(6, 4, 9)

    yield "Does a call with six tokens run?"
    answer = encoder_tail(*(table.clone() for table in tail))

    yield "Are three tables returned?"
    assert answer is not None, "Nothing is returned."
    assert len(answer) == 3, f"Your answer has the length {len(answer)}."
    ffn, residual, normalised = three_of(answer)

    yield "Has each of them a row for each token and a column for each feature?"
    for table in (ffn, residual, normalised):
        has_shape(table, 6, 4)

    yield "Is there no token too few, and no size that only works by chance?"
    for sizes in ((1, 4, 9), (2, 7, 3), (5, 5, 5)):
        for table in three_of(encoder_tail(*random_tail(*sizes))):
            has_shape(table, *sizes[:2])

    yield "Are the tables that come in afterwards what they were?"
    for number in range(7):
        copies = [table.clone() for table in tail]
        encoder_tail(*copies)
        assert torch.equal(copies[number], tail[number]), f"Argument {number + 1} is changed."

    def with_tables(**others):
        names = "x", "w1", "b1", "w2", "b2", "gamma", "beta"
        return three_of(encoder_tail(*(others.get(n, t) for n, t in zip(names, tail))))

    yield "If all weights in w2 are zero, what is left in each row of ffn?"
    same(with_tables(w2=torch.zeros(9, 4))[0], tail[4].expand(6, 4), axes)

    yield "If b1 is so low that every hidden unit is negative, what is left in ffn?"
    same(with_tables(b1=torch.full((9,), -1e3))[0], tail[4].expand(6, 4), axes)

    yield "Can ffn be negative?"
    assert (ffn < 0).any(), "None of your numbers is."

    yield "Is each row of ffn that of the slow one?"
    target = torch.stack([slow_feed_forward(token, *tail[1:5]) for token in tail[0]])
    same(ffn, target, axes, atol=1e-4)

    yield "And with as many tokens as features and hidden units?"
    square = random_tail(5, 5, 5)
    target = torch.stack([slow_feed_forward(token, *square[1:5]) for token in square[0]])
    same(three_of(encoder_tail(*square))[0], target, axes, atol=1e-4)

    yield "Do you get the first printed table?"
    printed_ffn, printed_residual, printed_normalised = three_of(encoder_tail(x, *weights, ones, zeros))
    same(printed_ffn, twelve["ffn"], axes, atol=5e-4)

    yield "Without ffn, is the second output x again?"
    same(residual - ffn, tail[0], axes, atol=1e-4)

    yield "Do you get the second printed table?"
    same(printed_residual, twelve["residual"], axes, atol=5e-4)

    yield "With gamma 1 and beta 0, has each token the mean 0 over its features?"
    plain = with_tables(gamma=torch.ones(4), beta=torch.zeros(4))[2]
    same(plain.mean(dim=1), torch.zeros(6), "token", atol=1e-4)

    yield "And the variance 1, which is its mean square then?"
    same(plain.square().mean(dim=1), torch.ones(6), "token", atol=1e-3)

    yield "Does a feature stay above the others of its token, if it was above them?"
    same(plain.argsort(dim=1), residual.argsort(dim=1), axes)

    yield "Is a token's third row the same without the other tokens?"
    alone = [three_of(encoder_tail(tail[0][i : i + 1], *tail[1:]))[2] for i in range(6)]
    same(normalised, torch.cat(alone), axes, atol=1e-4)

    yield "With beta higher by 1, is every number of the third table higher by 1?"
    same(with_tables(beta=tail[6] + 1)[2], normalised + 1, axes, atol=1e-4)

    yield "With gamma 0, is each row beta?"
    same(with_tables(gamma=torch.zeros(4))[2], tail[6].expand(6, 4), axes, atol=1e-4)

    yield "With gamma twice as large, is the distance from beta twice as large?"
    same(with_tables(gamma=2 * tail[5])[2] - tail[6], 2 * (normalised - tail[6]), axes, atol=1e-4)

    yield "With gamma 1 in one feature and 0 in the others, which column is left?"
    one = torch.tensor([0.0, 1.0, 0.0, 0.0])
    same(with_tables(gamma=one, beta=torch.zeros(4))[2], one * plain, axes, atol=1e-4)

    yield "Is the third printed table a line of yours, for each feature?"
    for feature in range(3):
        line = torch.stack([printed_normalised[:, feature], torch.ones(12)], dim=1)
        column = twelve["normalised"][:, feature : feature + 1]
        same(line @ torch.linalg.lstsq(line, column).solution, column, axes, atol=5e-4)

    yield "A token whose features are all alike: which row does it become?"
    flat = with_tables(x=torch.ones(6, 4), w2=torch.zeros(9, 4), b2=torch.zeros(4))[2]
    same(flat, tail[6].expand(6, 4), axes, atol=1e-4)

    yield "Features that hardly differ: which part of a variance of 1e-6 is left, with eps 1e-6?"
    near = torch.tensor([1e-3, -1e-3, 1e-3, -1e-3]).expand(6, 4)
    rest = with_tables(x=near, w2=torch.zeros(9, 4), b2=torch.zeros(4), gamma=torch.ones(4),
                       beta=torch.zeros(4))[2]
    same(rest.square().mean(dim=1), torch.full((6,), 0.5), "token", atol=1e-3)


# --- check_recover
def norm_tables(tokens, gamma, beta, noise=0.0):
    """A residual, x_hat, and what gamma and beta make of it, with noise on top."""
    gamma, beta = torch.tensor(gamma), torch.tensor(beta)
    residual = 3 * torch.randn(tokens, len(gamma)) + 2 * torch.randn(len(gamma))
    x_hat = F.layer_norm(residual, gamma.shape, eps=1e-6)
    return residual, x_hat, gamma * x_hat + beta + noise * torch.randn(tokens, len(gamma))


@steps("recover")
def recover_steps():
    axes = "feature"

    def line_of(residual, normalised):
        answer = recover(residual.clone(), normalised.clone())
        by_name = isinstance(answer, dict)
        parts = [answer["gamma"], answer["beta"]] if by_name else [*answer]
        return [torch.as_tensor(part).float() for part in parts]

    yield "Does a call with nine tokens of four features run, and return two things?"
    residual, x_hat, plain = norm_tables(9, [1.0] * 4, [0.0] * 4)
    answer = recover(residual.clone(), plain.clone())
    assert answer is not None, "Nothing is returned."
    assert len(answer) == 2, f"Your answer has the length {len(answer)}."

    yield "Is each of them one number for each feature?"
    for tokens, d in ((9, 4), (4, 9), (5, 5), (12, 3)):
        for part in line_of(*norm_tables(tokens, [1.0] * d, [0.0] * d)[::2]):
            has_shape(part, d)

    yield "Are the tables afterwards what they were?"
    copies = residual.clone(), plain.clone()
    recover(*copies)
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
    wanted = [0.5, 2.0, 4.0, 1.0]
    same(line_of(*norm_tables(9, wanted, [0.0] * 4)[::2])[0], torch.tensor(wanted), axes, atol=1e-3)

    yield "Can gamma be negative?"
    same(line_of(residual, -plain)[0], -gamma, axes, atol=1e-3)

    yield "And a gamma of 0, where the output is beta for every token?"
    zero = line_of(residual, torch.full((9, 4), 2.0))
    same(zero[0], torch.zeros(4), axes, atol=1e-3)
    same(zero[1], torch.full((4,), 2.0), axes, atol=1e-3)

    yield "Both at once, of both signs?"
    wanted = [1.5, -0.7, 2.2, -3.0], [0.3, 2.0, -1.0, 0.0]
    for yours, target in zip(line_of(*norm_tables(9, *wanted)[::2]), wanted):
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
        assert (line_of(residual, moved)[1] - beta).abs().max() > 1e-3, f"Not with token {token}."

    yield "In another order of the tokens, is the line the same?"
    order = torch.randperm(30)
    same(line_of(residual[order], noisy[order])[0], gamma, axes, atol=1e-3)

    yield "With fewer tokens than features?"
    few, _, table = norm_tables(4, [2.0, -1.0, 3.0, 0.5, 1.0, -2.0, 1.5], [1.0] * 7)
    same(line_of(few, table)[0], torch.tensor([2.0, -1.0, 3.0, 0.5, 1.0, -2.0, 1.5]), axes, atol=1e-3)

    yield "The twelve tokens: do your gamma and beta give the printed table?"
    gamma, beta = line_of(twelve["residual"], twelve["normalised"])
    x_hat = F.layer_norm(twelve["residual"], (3,), eps=1e-6)
    same(gamma * x_hat + beta, twelve["normalised"], "token feature", atol=4e-4)


# --- check_who_depends
def normalised(*axes):
    """Mean 0 and variance 1 over these axes of (batch, seq, d_model)."""
    return lambda x: ((x - x.mean(axes, keepdim=True))
                      / (x.var(axes, unbiased=False, keepdim=True) + 1e-6).sqrt())


own, in_batch, in_sentence, in_both = (normalised(*axes) for axes in ((2,), (0,), (1,), (0, 1)))


def leaking(source, target, strength=1.0, of=slice(None), into=slice(None)):
    """Layer norm, but the output of one token also gets features of another one."""
    def norm(x):
        answer = own(x).clone()
        try:
            answer[target][..., into] += strength * x[source][..., of]
        except IndexError:                              # x has no such token
            pass
        return answer
    return norm


def word(norm, x):
    """What your test says, without case and spaces; it must be one of four words."""
    said = depends_on(norm, x)
    words = "batch", "positions", "both", "neither"
    assert str(said).strip().lower() in words, f"It returns {said!r}. Does each way return a word?"
    return said.strip().lower()


@steps("who_depends")
def who_depends_steps():
    x = torch.randn(2, 3, 6)

    yield "Does your test come back, for layer norm, with one of the four words?"
    word(own, x)

    yield "What does it say of layer norm? Which tokens stay the same in your comparison?"
    assert word(own, x) == "neither", f"It says {word(own, x)!r}. Does your test change the token?"

    yield "And of norms that look at even less?"
    for norm in (lambda x: x + 0, lambda x: 0 * x, lambda x: (x - 0.3) / 1.7, nn.RMSNorm(6)):
        assert word(norm, x) == "neither", f"It says {word(norm, x)!r}."

    yield "Does it notice anything in batch norm, in training?"
    assert word(in_both, x) != "neither", "It says that nothing depends on anything."

    yield "A norm over the batch, at each position by itself: which word is that?"
    assert word(in_batch, x) == "batch", f"It says {word(in_batch, x)!r}."

    yield "A norm over the positions of each sentence: which word is that?"
    assert word(in_sentence, x) == "positions", f"It says {word(in_sentence, x)!r}."

    yield "A norm over both: which word is that?"
    assert word(in_both, x) == "both", f"It says {word(in_both, x)!r}."

    yield "Is x afterwards what it was?"
    given = torch.randn(2, 3, 6)
    before = given.clone()
    word(in_both, given)
    same(given, before, "sentence position feature")

    yield "Does it call norm no more than 300 times, for twelve tokens?"
    calls = []
    word(lambda x: [calls.append(1), own(x)][1], torch.randn(3, 4, 6))
    assert len(calls) <= 300, f"It calls it {len(calls)} times."

    x = torch.randn(3, 4, 6)
    tokens = [(b, i) for b in range(3) for i in range(4)]

    yield "Only one token of one sentence depends on one of another. Is that noticed, whichever they are?"
    for source, target in [(s, t) for s in tokens for t in tokens if s[0] != t[0]][::5]:
        assert word(leaking(source, target), x) == "batch", f"Not if {target} depends on {source}."

    yield "Only one token depends on one other of its sentence. Is that noticed, whichever they are?"
    each = slice(None)
    for j, i in [(j, i) for j in range(4) for i in range(4) if i != j]:
        said = word(leaking((each, j), (each, i)), x)
        assert said == "positions", f"Not if position {i} depends on position {j}."
    said = word(leaking((-1, 2), (-1, 0)), x)
    assert said != "neither", "Not if only tokens of the last sentence depend on each other."

    yield "The tokens are layer-normalised before batch norm. Which change of a token still moves others?"
    for norm in (lambda x: in_both(own(x)), lambda x: own(in_both(own(x)))):
        assert word(norm, x) == "both", f"It says {word(norm, x)!r}."

    yield "Only one feature depends on only one feature. Is that enough for your test?"
    for of, into in ((0, 4), (5, 0), (2, 2)):
        pairs = ((0, 2), (1, 1)), ((each, 3), (each, 1))
        norms = [leaking(*pair, 1.0, of, into) for pair in pairs]
        said = [word(norm, x) for norm in norms]
        assert said == ["batch", "positions"], f"Not feature {into} on feature {of}."

    yield "A token matters very little, and more than rounding. Does your test see it?"
    for source, target in (((0, 0), (2, 1)), ((each, 2), (each, 0))):
        assert word(leaking(source, target, 0.002), x) != "neither", "It says 'neither'."

    yield "Numbers that differ in the sixth decimal are rounded otherwise. Does your test mind?"
    said = word(lambda x: own(x) + 2e-6 * torch.rand(x.shape), x)
    assert said == "neither", f"It says {said!r}."

    yield "What is there to depend on in one sentence, in sentences of one token, in one token?"
    for shape, right in (((1, 4, 6), "positions"), ((3, 1, 6), "batch"), ((1, 1, 6), "neither")):
        said = word(in_both, torch.randn(shape))
        assert said == right, f"Of batch norm in training, with x {shape}, it says {said!r}."


# --- check_as_convolution
def linear_pair(d_model, d_ff):
    """Two linear layers with weights and biases of the same size."""
    pair = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
    for linear in pair:
        nn.init.normal_(linear.bias)
    return pair


def on_features(first, second, x):
    """The feed forward layer on (batch, d_model, seq)."""
    return second(first(x.mT).relu()).mT


@steps("as_convolution")
def as_convolution_steps():
    pair, x, axes = linear_pair(6, 10), 2 * torch.randn(2, 6, 4), "sentence feature position"
    before = [weight.detach().clone() for linear in pair for weight in linear.parameters()]

    yield "Does a call come back? Which shapes have both weights?"
    layer = as_convolution(*pair)

    yield "Is what comes back an nn.Sequential?"
    assert isinstance(layer, nn.Sequential), f"It is {type(layer).__name__}. Is a `return` missing?"

    yield "Of which three modules?"
    names = [type(part).__name__ for part in layer]
    assert names == ["Conv1d", "ReLU", "Conv1d"], f"Yours are {', '.join(names)}."

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
    same(layer(x), on_features(*pair, x), axes)

    yield "Is that so where d_model and d_ff are equal, too?"
    square, cube = linear_pair(5, 5), torch.randn(5, 5, 5)
    same(as_convolution(*square)(cube), on_features(*square, cube), axes)

    yield "Does gradient come back to every weight and to x?"
    learns(layer, x)
    learned = [weight for weight in layer.parameters() if weight.requires_grad]
    assert len(learned) == 4, f"Of two weights and two biases {len(learned)} can be learned."

    yield "The linear layers learn something else. Do your convolutions stay as they are?"
    answer = layer(x)
    with torch.no_grad():
        [weight.add_(1) for linear in pair for weight in linear.parameters()]
    same(layer(x), answer, axes)

    yield "Were the linear layers left as they were, and can they still learn?"
    for weight, old in zip([w for linear in pair for w in linear.parameters()], before):
        same(weight, old + 1)
        assert weight.requires_grad, "A weight of a linear layer can no longer learn."


# --- check_quiz
@steps("quiz")
def quiz_steps():
    def folded(said):
        return "".join(letter for letter in str(said).lower() if letter.isalnum())

    yield "Is `answers` a dict?"
    assert isinstance(answers, dict), f"It is of type {type(answers).__name__}."
    found = {folded(key): answer for key, answer in answers.items()}
    if all(answer is ... or answer is None for answer in found.values()):
        raise NotImplementedError

    yield "Are there answers to a, b, c, d, and to pre-norm?"
    open_ones = [key for key in ("a", "b", "c", "d", "prenorm") if found.get(key) in (..., None)]
    assert not open_ones, f"Nothing stands there for {', '.join(open_ones)}."

    yield "Is each statement answered by True or False?"
    truths = "true", "false", "yes", "no", "t", "f", "y", "n", "1", "0"
    odd = [key for key in "abcd" if folded(found[key]) not in truths]
    assert not odd, f"What stands there for {', '.join(odd)} is neither."

    yield "Is one of the two figures named, as a text?"
    assert folded(found["prenorm"]) in ("left", "right"), "It should be \"left\" or \"right\"."
