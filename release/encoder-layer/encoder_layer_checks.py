"""The checks of the practical `encoder-layer`, exercise by exercise, and what its pictures need.

The notebook imports this file, and you may read it: nothing hidden is in it. `student` is what the
notebook defines at the moment of a check. Each `yield` is a question; what follows it up to the next
one is how the answer is tried.
"""

import html
import io
import json
import math
import re
import textwrap
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from inspect import getsource, isfunction, signature
from itertools import accumulate, pairwise, permutations, product
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import torch
from IPython.core.magic import register_cell_magic
from IPython.display import display
from safetensors import SafetensorError, safe_open
from toolbox import (
    CHECKS,
    SEED,
    Call,
    answers_alike,
    beside_equation,
    fixed_map,
    has_shape,
    is_open,
    is_stub,
    keeps_inputs,
    learns,
    names,
    open_exercise,
    panel,
    play,
    replaced,
    rests_in_training,
    same,
    show,
    slider,
    steps,
    student,
    table,
    title_of,
    try_it,
)
from torch import Tensor, nn
from torch.nn import functional as F

# --- Exercise 2: the feed forward layer


def parts_in_order(module: nn.Module) -> list[nn.Module]:
    """The modules inside that hold no others, in the order of the members; dropout is left out."""
    found = [part for child in module.children() for part in parts_in_order(child) or [child]]
    return [part for part in found if not isinstance(part, (nn.Dropout, nn.Identity))]


def chain_of(layer: nn.Module) -> list[nn.Module]:
    """The parts of the nn.Sequential that the layer is or holds."""
    chains = [parts_in_order(part) for part in layer.modules() if isinstance(part, nn.Sequential)]
    return max(chains, key=len, default=[])


@steps("feed_forward")
def feed_forward_steps() -> Iterator[str]:
    x, axes = 10 * torch.randn(2, 3, 6), "batch position feature"

    yield "Can the layer be built from d_model and d_ff?"
    layer = student.PositionWiseFeedForward(6, 10).eval()
    shapes = [tuple(weight.shape) for weight in layer.parameters()]

    yield "Does parameters() find the weights, so that an optimizer can?"
    assert shapes, "It finds none. Modules in a plain list, or made in forward, are no members."

    yield "Is the layer an nn.Sequential, or does it hold one?"
    chain = chain_of(layer)
    assert chain, "There is none. Whoever inherits from it needs no forward."

    yield "How many weights and how many biases does your equation have?"
    weights, biases = (sum(len(shape) == dims for shape in shapes) for dims in (2, 1))
    assert weights == biases == 2, f"The parameters of your layer have the shapes {shapes}."

    yield "How many features does each linear layer take, and how many does it return?"
    linears = [part for part in chain if isinstance(part, nn.Linear)]
    sizes = [(part.in_features, part.out_features) for part in linears]
    assert sizes == [(6, 10), (10, 6)], f"With d_model = 6 and d_ff = 10 yours have {sizes}."

    yield "Which three modules does the figure have, in which order?"
    names = [type(part).__name__ for part in chain]
    unmade = [name for name, part in vars(layer).items() if isinstance(part, type)]
    assert not unmade, f"`{unmade[0]}` is a class: brackets behind it make a layer of it."
    assert len(chain) == 3 and names[1] != "Linear", f"Yours are {', '.join(names)}."
    linear1, relu, linear2 = chain

    yield "Is the answer one tensor, shaped like x, for a single token as well?"
    for tokens in (x, x[:1], x[:, :1], x[:1, :1]):
        has_shape(layer(tokens.clone()), *tokens.shape)

    yield "After eval(), does the same x give the same answer twice?"
    answers_alike(layer, x, axes=axes)

    yield "Is x afterwards what it was? The caller needs it for the residual sum."
    keeps_inputs(layer, x, axes=axes)

    yield "What should the middle module make of a negative number, and what of a positive one?"
    hidden = linear1(x)
    same(relu(hidden.clone()), torch.where(hidden > 0, hidden, 0), "batch position unit")

    yield "Does a token get the same answer alone as among others?"
    alone = [layer(x[b : b + 1, i : i + 1]) for b in range(2) for i in range(3)]
    same(layer(x), torch.cat(alone).view(2, 3, 6), axes, atol=1e-4)

    yield "When linear2 returns nothing but ones, what does the layer return?"
    ones = student.PositionWiseFeedForward(6, 10).eval()
    nn.init.zeros_(chain_of(ones)[2].weight)
    nn.init.ones_(chain_of(ones)[2].bias)
    same(ones(x), torch.ones(2, 3, 6), axes)

    yield "Which module acts last? Can the answer be negative?"
    assert (layer(x) < 0).any(), "None of your numbers is negative."

    yield "Does a negative feature of x make a difference?"
    negative, zeros = layer(-x.abs()), layer(torch.zeros(2, 3, 6))
    assert not torch.allclose(negative, zeros), "Without positive features x acts like zeros."

    yield "Is there more to the layer than a single linear map?"
    assert not torch.allclose(layer(x) + layer(-x), 2 * zeros, atol=1e-3), "Yours is linear."

    yield "Does each of the three modules act once, and nothing else?"
    target = linear2(relu(linear1(x)))
    same(layer(x), target, axes, atol=0.05)

    yield "Are the numbers rounded on the way, or made another type?"
    same(layer(x), target, axes, atol=1e-4)

    yield "Is it still right where d_model, d_ff, batch and seq are all equal?"
    square, cube = student.PositionWiseFeedForward(5, 5).eval(), 10 * torch.randn(5, 5, 5)
    linear1, relu, linear2 = chain_of(square)
    same(square(cube), linear2(relu(linear1(cube))), axes, atol=1e-4)

    yield "Does gradient come back to every weight and to x?"
    learns(layer, x)

    yield "Is the answer the same in training? Nobody asked for dropout here."
    rests_in_training(layer, x, axes=axes)


# --- Exercise 3a: attention


def slow_attention(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The notebook's own: one query (d_k,), keys (key_len, d_k), values (key_len, d_v)"""
    scores = []
    for key in keys:
        score = sum(query[i] * key[i] for i in range(len(query)))
        scores.append(score / math.sqrt(len(query)))

    total = sum(math.exp(score) for score in scores)
    output = torch.zeros(values.shape[1])
    for score, value in zip(scores, values, strict=True):
        weight = math.exp(score) / total
        output += weight * value
    return output


def sample(
    query_len: int, key_len: int, d_k: int = 6, batch: int = 2, heads: int = 3
) -> list[Tensor]:
    """Query, key and value, each (batch, heads, its length, its features)."""
    return [
        1.5 * torch.randn(batch, heads, *size)
        for size in ((query_len, d_k), (key_len, d_k), (key_len, 7))
    ]


def slow_weights(
    query: Tensor, key: Tensor, mask: Tensor | None = None, future: bool = False
) -> Tensor:
    """The table of weights by slow_attention, from the keys alone that a query may see."""
    batch, heads, query_len, _ = query.shape
    weights = torch.zeros(batch, heads, query_len, key.size(2))
    for b, h, i in torch.cartesian_prod(*map(torch.arange, (batch, heads, query_len))).tolist():
        seen = [
            j for j in range(key.size(2)) if (mask is None or mask[b, j]) and not (future and j > i)
        ]
        identity = torch.eye(len(seen))
        weights[b, h, i, seen] = slow_attention(query[b, h, i], key[b, h, seen], identity)
    return weights


def weights_of(layer: nn.Module, query: Tensor, key: Tensor, *mask: Tensor) -> Tensor:
    """Your table of weights: what you return if the value is the identity matrix."""
    return layer(query, key, torch.eye(key.size(2)).expand(*key.shape[:2], -1, -1), *mask)


@steps("attention")
def attention_steps() -> Iterator[str]:
    axes, table_axes = "batch head query feature", "batch head query key"
    equal, longer, shorter = sample(4, 4), sample(4, 5), sample(5, 4)
    query, key, value = equal

    yield "Can Attention() and Attention(True) be built?"
    layer, causal = student.Attention().eval(), student.Attention(True).eval()

    yield "Does a call without a mask run? Which shapes have query, key and the scores?"
    answer = layer(*equal)

    yield "Is the output returned alone: for each query a vector as long as a value?"
    has_shape(answer, 2, 3, 4, 7)

    yield "After eval(), does the same input give the same output twice?"
    answers_alike(layer, *equal, axes=axes)

    yield "Are query, key and value afterwards what they were?"
    keeps_inputs(layer, *equal, axes=axes)

    yield "Do the weights of each query add up to one?"
    weights, target = weights_of(layer, query, key), slow_weights(query, key)
    same(weights.sum(-1), torch.ones(2, 3, 4), "batch head query")

    yield "Nothing is masked: does every query see every key, in self-attention as well?"
    for other in (key, query):
        assert (weights_of(layer, query / 9, other) > 0).all(), "Some weights are not above zero."
    same(layer(query, query, query), layer(query, query.clone(), query.clone()), axes)

    yield "Which tensors meet in a score, and what makes weights of the scores of a query?"
    found, scores = (w.log() - w.log().mean(-1, keepdim=True) for w in (weights, target))
    factor = (found * scores).sum() / scores.square().sum()
    same(found, factor * scores, table_axes, atol=0.05)

    yield "By which number is a score divided?"
    assert abs(factor - 1) < 0.01, f"Your scores are the right ones times {factor:.3g}."
    wider = sample(4, 4, d_k=11)[:2]
    same(weights_of(layer, *wider), slow_weights(*wider), table_axes, atol=0.01)

    yield "Which tensor is averaged with these weights?"
    same(answer, target @ value, axes, atol=0.01)

    yield "Are the numbers rounded on the way, or made another type?"
    same(answer, target @ value, axes)

    yield "Does it also work with more keys than queries, with fewer, with a single one?"
    for query_len, key_len in ((4, 5), (5, 4), (1, 5), (4, 1), (3, 3)):
        for batch, heads in ((1, 3), (3, 1), (3, 3)):
            query, key, value = sample(query_len, key_len, 6, batch, heads)
            same(layer(query, key, value), slow_weights(query, key) @ value, axes)

    yield "May the mask be left out, or be None?"
    query, key, value = longer
    same(layer(*longer, None), layer(*longer), axes)

    yield "Does a call with a mask (batch, key_len) of 1 and 0 run? Which shape have the scores?"
    mask = torch.tensor([[1, 0, 1, 1, 0]] * 2)
    masked, weights = layer(*longer, mask), weights_of(layer, query / 9, key, mask)

    yield "Does the mask make a difference?"
    assert not torch.allclose(masked, layer(*longer)), "The output is the one without a mask."

    yield "Do keys whose mask is 1 keep some weight?"
    target = slow_weights(query / 9, key, mask)
    assert (weights[target > 0] > 0.001).all(), "Some of them have none."

    yield "Which weight has a key whose mask is 0? Which score leads to that?"
    same(torch.where(target == 0, weights, 0), torch.zeros(2, 3, 4, 5), table_axes)

    yield "A mask of ones hides nothing. Does it change anything?"
    same(layer(*longer, torch.ones(2, 5).long()), layer(*longer), axes)

    yield "Do the weights of the other keys add up to one?"
    same(weights.sum(-1), torch.ones(2, 3, 4), "batch head query")

    yield "Has each sentence of the batch its own row of the mask?"
    mask = torch.tensor([[1, 1, 1, 0, 0], [1, 0, 0, 1, 1]])
    same(weights_of(layer, query, key, mask), slow_weights(query, key, mask), table_axes)
    cube = *sample(3, 3, batch=3)[:2], torch.tensor([[1, 1, 0], [1, 0, 1], [0, 1, 1]])
    same(weights_of(layer, *cube), slow_weights(*cube), table_axes)

    yield "Does a mask of True and False do what one of 1 and 0 does?"
    same(weights_of(layer, query, key, mask.bool()), slow_weights(query, key, mask), table_axes)

    yield "Is a masked score low enough, however low the others are?"
    low = torch.zeros(2, 3, 5, 6)
    low[..., 0] = 14  # scores of -80 where a key is seen, else 0
    weights = slow_weights(low, low, mask)
    seen = weights[:, :, :1].mT > 0  # (batch, heads, key_len, 1)
    same(layer(low, -low * seen, torch.where(seen, value, 1e20), mask), weights @ value, axes)

    yield "With mask_future=True, does query i see key i and the keys before it?"
    query, key, value = equal
    weights, target = weights_of(causal, query / 9, key), slow_weights(query / 9, key, future=True)
    assert (weights[target > 0] > 0.001).all(), "Some of these keys have no weight."

    yield "With mask_future=True, what weight has a later key?"
    same(torch.where(target == 0, weights, 0), torch.zeros(2, 3, 4, 4), table_axes)

    yield "Do the weights of the keys that are not later add up to one?"
    same(weights, target, table_axes)

    yield "Which keys are later than query i, if there are more keys than queries, or fewer?"
    for query, key, _ in (longer, shorter, sample(1, 5)):
        same(weights_of(causal, query, key), slow_weights(query, key, future=True), table_axes)

    yield "Both masks: is a key hidden that one of them hides?"
    for query, key, _ in (longer, equal):
        both = mask[:, : key.size(2)]
        target = slow_weights(query, key, both, True)
        same(weights_of(causal, query, key, both), target, table_axes)

    yield "Is the score of a later key low enough, however low the others are?"
    first = torch.arange(5).view(5, 1) == 0
    answer = causal(low[:, :, :1], -low * first, torch.where(first, longer[2], 1e20))
    same(answer, longer[2][:, :, :1], axes)

    yield "Without an axis for the heads, is the answer the same, with the same mask?"
    heads = [[one[:, head] for one in longer] for head in range(3)]
    for some in ((), (mask,)):
        same(torch.stack([layer(*one, *some) for one in heads], 1), layer(*longer, *some), axes)

    yield "With 301 keys, all alike: does each one count that may be seen, and no other?"
    alike, many = torch.zeros(1, 1, 301, 6), torch.arange(301).view(1, 301) % 3 != 1
    for attention, seen in (layer, torch.ones(301, 301)), (causal, torch.ones(301, 301).tril()):
        for hidden in ((), (many,)):
            may = seen * many if hidden else seen
            target = (may / may.sum(-1, keepdim=True)).view(1, 1, 301, 301)
            same(weights_of(attention, alike, alike, *hidden), target, table_axes)

    yield "Does gradient come back to query, key and value?"
    learns(layer, *equal)

    yield "Is the output the same in training, with both masks? Nobody asked for dropout here."
    rests_in_training(layer, *equal, axes=axes)
    rests_in_training(causal, *longer, mask, axes=axes)


# --- Exercise 3b: multi-head attention


class GivenAttention(nn.Module):
    """Stands for your Attention, which may be open: PyTorch's own, one query after the other."""

    d_k: int | None = None  # features of a query in the last call
    query: Tensor | None = None  # of the last call, unless that was inside torch.vmap

    def __init__(self, mask_future: bool = False, *_: object, **named: object):
        super().__init__()
        self.mask_future = bool(mask_future) or True in named.values()

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, *mask: Tensor, **named_mask: Tensor
    ) -> Tensor:
        *leading, query_len, GivenAttention.d_k = query.shape
        with suppress(RuntimeError):
            GivenAttention.query = torch.tensor(query.tolist())
        key_len, values = key.size(-2), value.size(-2)
        assert key_len == values, f"Your attention gets {key_len} keys and {values} values."
        key, value = (part.expand(*leading, -1, -1) for part in (key, value))
        seen = self.seen(leading, query_len, key_len, *mask, *named_mask.values())
        answers = []
        for *place, i in product(*map(range, (*leading, query_len))):
            one = tuple(place)
            keys = seen[one][i]
            alone = query[one][i : i + 1], key[one][keys], value[one][keys]
            answers.append(F.scaled_dot_product_attention(*alone))
        return torch.cat(answers).view(*leading, query_len, -1)

    def seen(
        self, leading: list[int], query_len: int, key_len: int, mask: Tensor | None = None
    ) -> Tensor:
        """Which keys a query may see: (..., query_len, key_len)"""
        seen = torch.ones(*leading, query_len, key_len, dtype=torch.bool)
        if mask is not None and mask.is_floating_point():
            mask = mask == mask.max()  # of 1 and 0, or of 0 and -inf
        if mask is not None and mask.dim() == 2:
            sizes = leading[0], key_len
            assert mask.shape == sizes, f"A mask {tuple(mask.shape)} reaches it, for {sizes}."
            for sentence, row in zip(seen, mask, strict=True):
                sentence &= row.bool()
        elif mask is not None:
            seen &= mask.bool()
        for i in range(query_len if self.mask_future else 0):
            seen[..., i, i + 1 :] = False
        return seen


def heads_of(
    d_model: int, num_heads: int, *mask_future: bool, like: nn.Module | None = None
) -> nn.Module:
    """Your layer with weights of a good size, or with those of another."""
    layer = student.MultiHeadAttention(d_model, num_heads, *mask_future).eval()
    for i, weight in enumerate(layer.parameters()):
        nn.init.normal_(weight, std=d_model**-0.5)
        weight.data = list(like.parameters())[i].data if like else weight.data
    return layer


ROLES = "query", "key", "value", "output"


def orders_of(four: Sequence[Tensor]) -> list[tuple[Tensor, ...]]:
    """Every order of four matrices, as they are and transposed: names tell no roles."""
    return [*permutations(four), *permutations([matrix.T for matrix in four])]


def twin_of(layer: nn.Module, d_model: int, num_heads: int) -> Callable[..., Tensor]:
    """PyTorch's own layer with your matrices; yours itself, if it does not show which is which."""

    def twin(q: Tensor, k: Tensor, v: Tensor, out: Tensor) -> Callable[..., Tensor]:
        theirs = nn.MultiheadAttention(d_model, num_heads, bias=False, batch_first=True)
        theirs.in_proj_weight.data, theirs.out_proj.weight.data = torch.cat([q, k, v]), out
        return lambda *tensors: theirs(*tensors)[0].detach()

    roles = [getattr(layer, f"{role}_transform", None) for role in ROLES]
    if all(isinstance(linear, nn.Linear) for linear in roles):
        return twin(*(linear.weight.data for linear in roles))
    own = [w.data.reshape(-1, d_model) for w in layer.parameters() if w.size(-1) == d_model]
    four = torch.cat(own).chunk(4)
    x = torch.randn(3, 2, 4, d_model)
    for order in orders_of(four):
        if torch.allclose(twin(*order)(*x), layer(*x), atol=1e-4):
            return twin(*order)
    linears = sum(isinstance(part, nn.Linear) for part in layer.modules())
    return twin(*four) if linears == len(list(layer.parameters())) == 4 else layer


def one_by_one(
    layer: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
    mask_future: bool = False,
) -> Tensor:
    """Each query alone with the keys that it may see."""
    rows = []
    for b, i in product(range(len(query)), range(query.size(1))):
        seen = [j for j in range(key.size(1)) if mask[b, j] and not (mask_future and j > i)]
        rows.append(layer(query[[b], i : i + 1], key[[b]][:, seen], value[[b]][:, seen]))
    return torch.cat(rows).view(query.shape)


def sequences(query_len: int, key_len: int, batch: int = 2) -> list[Tensor]:
    """Query, key and value, each (batch, its length, 18)."""
    return [torch.randn(batch, length, 18) for length in (query_len, key_len, key_len)]


def reaches_attention(layer: nn.Module, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The query that the attention inside gets: (..., query_len, d_k)."""
    layer(query, key, value)
    reached = GivenAttention.query
    assert reached is not None
    size, query_len = reached.size(-2), query.size(1)
    assert size == query_len, f"The last axis but one has the size {size}, for {query_len} queries."
    return reached


def multi_head_attention_steps() -> Iterator[str]:
    """With `GivenAttention` for the notebook's own."""
    axes = "batch query feature"
    x, *_ = sequences(4, 4)
    inputs = query, key, value = sequences(4, 5)
    lengths = [sequences(*sizes) for sizes in ((5, 4), (1, 5), (4, 1), (4, 5, 1), (3, 3, 3))]

    yield "Can a layer be built whose num_heads divides d_model?"
    for sizes in ((18, 3), (12, 4), (20, 5), (7, 7), (8, 1)):
        student.MultiHeadAttention(*sizes)

    yield "If num_heads does not divide d_model, is a ValueError raised?"
    by_assert = False
    for sizes in ((10, 3), (14, 4), (9, 2)):
        try:
            student.MultiHeadAttention(*sizes)
        except (ValueError, AssertionError) as error:
            by_assert |= isinstance(error, AssertionError)
            continue
        raise AssertionError(f"MultiHeadAttention{sizes} was built.")
    if by_assert:
        print("Yours is an AssertionError. It counts, but `python -O` leaves asserts out.")

    yield "Does parameters() find your projections, so that an optimizer can?"
    layer = heads_of(18, 3)
    shapes = [tuple(weight.shape) for weight in layer.parameters()]
    assert shapes, "It finds none. Modules in a plain list, or made in forward, are no members."

    yield "Which projections of the equation have a bias?"
    said = f"With d_model = 18 and num_heads = 3 your parameters have the shapes {shapes}."
    assert all(len(shape) > 1 for shape in shapes), said

    yield "How many projections are there, of which size, each with weights of its own?"
    assert sum(map(math.prod, shapes)) == 4 * 18 * 18, said

    yield "Does self-attention run without a mask? Which shape is behind each line?"
    answer = layer(x, x, x)

    yield "Is the output returned alone, and shaped like the query?"
    has_shape(answer, 2, 4, 18)

    yield "After eval(), does the same input give the same output twice?"
    answers_alike(layer, x, x, x, axes=axes)

    yield "Does it run with more keys than queries, with fewer, with a single one?"
    for tensors in (inputs, *lengths):
        has_shape(layer(*tensors), *tensors[0].shape)

    yield "Are query, key and value afterwards what they were?"
    keeps_inputs(layer, *inputs, axes=axes)
    answer = layer(*inputs)

    yield "How many features has one head, when it reaches the attention?"
    for d_model, num_heads in ((18, 3), (18, 1), (20, 5)):
        heads_of(d_model, num_heads)(*torch.randn(3, 2, 4, d_model))
        d_k = GivenAttention.d_k
        said = f"It has {d_k}, with d_model = {d_model} and num_heads = {num_heads}."
        assert d_k in (None, d_model // num_heads), said

    yield "Do query, key and value each have a say?"
    for i, name in enumerate(("query", "key", "value")):
        changed = list(inputs)
        changed[i] = torch.randn_like(inputs[i])
        assert not torch.allclose(layer(*changed), answer, atol=1e-3), (
            f"With another {name} the output is the same."
        )

    turned = query.clone()
    turned[:, 1] *= -1
    others = [0, 2, 3]
    if GivenAttention.query is not None:
        yield "Only query 1 changes: in a head, does its row alone change? Which axis is where, once split?"
        reached = [reaches_attention(layer, one, key, value) for one in (query, turned)]
        per_head = "batch head query feature" if reached[0].dim() == 4 else "place query feature"
        same(reached[1][..., others, :], reached[0][..., others, :], per_head)

    yield "Only query 1 changes: does its output alone change? If not, which line lets positions mix?"
    same(layer(turned, key, value)[:, others], answer[:, others], axes)

    yield "Nothing is masked: does every query hear every key, in self-attention as well?"
    other = torch.cat([x[:, :3], torch.randn(2, 1, 18)], 1)
    for before, after in ((x, other), (query, query)):
        move = layer(before, x, x) - layer(after, other, other)
        assert (move[:, :3].abs().amax(-1) > 1e-5).all(), (
            "The last key changes, and some outputs do not."
        )

    yield "Does a query get the same answer alone as among other queries?"
    same(torch.cat([layer(query[:, i : i + 1], key, value) for i in range(4)], 1), answer, axes)

    yield "Does a sentence get the same answer alone as in a batch?"
    same(torch.cat([layer(query[b], key[b], value[b]) for b in ([0], [1])]), answer, axes)

    yield "Keys and values in another order: is the output the same, in self-attention as well?"
    order = [2, 0, 4, 1, 3]
    same(layer(query, key[:, order], value[:, order]), answer, axes)
    same(layer(key, key[:, order], key[:, order]), layer(key, key, key), axes)

    yield "With a single key all the weight is on it. Does the query matter then?"
    single = key[:, :1], value[:, :1]
    same(layer(query, *single), layer(torch.randn(2, 4, 18), *single), axes)

    yield "One key: if its value is multiplied by -2, is the output as well?"
    same(layer(query, single[0], -2 * single[1]), -2 * layer(query, *single), axes)

    yield "One head, one key: which projections does the value pass?"
    one = heads_of(18, 1)
    one_twin, twin = twin_of(one, 18, 1), twin_of(layer, 18, 3)
    same(one(query, *single), one_twin(query, *single), axes)

    yield "One head: which projections do query and key pass?"
    found, target = (  # as far as the output follows a short query
        (part(query / 2000, key, value) - part(0 * query, key, value)) * 2000
        for part in (one, one_twin)
    )
    factor = (found * target).sum() / target.square().sum()
    if not torch.allclose(one(*inputs), one_twin(*inputs), atol=0.01):
        same(found, factor * target, axes, atol=0.05)

    yield "One head: by which number is a score divided in all?"
    if not torch.allclose(one(*inputs), one_twin(*inputs), atol=0.01):
        raise AssertionError(f"Your scores are the right ones times {factor:.3g}.")

    yield "Three heads, one key: are the features split and merged in the same order?"
    same(layer(query, *single), twin(query, *single), axes)

    yield "Does each head get its own features of query, of key and of value?"
    same(answer, twin(*inputs), axes, atol=0.01)

    yield "Are the numbers rounded on the way, or made another type?"
    for tensors in (inputs, *lengths):
        same(layer(*tensors), twin(*tensors), axes)

    yield "May the mask be left out, or be None?"
    same(layer(*inputs, None), answer, axes)

    yield "Does a call with a mask (batch, key_len) of 1 and 0 run? What reaches the attention?"
    mask = torch.tensor([[1, 0, 1, 1, 0]] * 2)
    masked, seen = layer(*inputs, mask), mask.unsqueeze(-1) == 1

    yield "Does the mask make a difference?"
    assert not torch.allclose(masked, answer, atol=1e-4), "The output is the one without a mask."

    yield "Is a key heard whose mask is 1?"
    assert masked.isfinite().all(), "Your output is nan or infinite."
    loud = torch.where(seen, value + 1, value)
    assert not torch.allclose(layer(query, key, loud, mask), masked, atol=1e-3), (
        "Another value of it changes nothing."
    )

    yield "Is a key silent whose mask is 0? Which score leads to that?"
    same(layer(query, key, torch.where(seen, value, 9), mask), masked, axes)

    yield "Is the output the one of the other keys alone?"
    same(masked, one_by_one(layer, *inputs, mask), axes)

    yield "A mask of ones hides nothing. Does it change anything?"
    same(layer(*inputs, torch.ones(2, 5).long()), answer, axes)

    yield "Has each sentence its own row of the mask, in every head?"
    calls = [
        (*inputs, torch.tensor([[1, 1, 1, 0, 0], [1, 0, 0, 1, 1]])),
        (*lengths[-1], torch.tensor([[1, 1, 0], [1, 0, 1], [0, 1, 1]])),
    ]
    for call in calls:
        same(layer(*call), one_by_one(layer, *call), axes)

    yield "Does a mask of True and False do what one of 1 and 0 does?"
    for *tensors, mask in calls:
        same(layer(*tensors, mask.bool()), layer(*tensors, mask), axes)

    yield "Is a masked score low enough, however low the others are?"
    for query, key, value, mask in calls:
        call = 4 * query, 4 * key, torch.where(mask.unsqueeze(-1) == 1, value, 1e30), mask
        same(layer(*call), one_by_one(layer, *call), axes)

    yield "Does mask_future=True make a difference?"
    causal = heads_of(18, 3, True, like=layer)
    assert not torch.allclose(causal(x, x, x), layer(x, x, x), atol=1e-4), "It makes none."

    yield "With mask_future=True, does query i hear the keys up to i, and no later one?"
    same(causal(x, x, x), one_by_one(layer, x, x, x, torch.ones(2, 4), True), axes)

    yield "Is that so with more keys than queries, and with fewer?"
    for tensors in (inputs, *lengths):
        same(causal(*tensors), one_by_one(layer, *tensors, torch.ones(3, 5), True), axes)

    yield "Both masks: is a key hidden that one of them hides?"
    same(causal(*calls[0]), one_by_one(layer, *calls[0], True), axes)

    yield "With 301 keys, all alike: does each value count that may be heard, and no other?"
    query, value = torch.randn(2, 1, 301, 18)
    many = torch.arange(301).view(1, 301) % 3 != 1
    means = (value * many.unsqueeze(-1)).cumsum(1) / many.cumsum(1).unsqueeze(-1)
    call = query, torch.zeros(1, 301, 18), value, many
    single = torch.zeros(301, 1, 18)
    target = causal(query.transpose(0, 1), single, means.transpose(0, 1)).transpose(0, 1)
    same(causal(*call), target, axes, atol=1e-4)
    last = means[:, -1:].expand(301, 1, 18)
    target = layer(query.transpose(0, 1), single, last).transpose(0, 1)
    same(layer(*call), target, axes, atol=1e-4)

    yield "Does gradient come back to all projections, and to query, key and value?"
    learns(layer, *inputs)

    yield "Is the output the same in training, with both masks? Nobody asked for dropout here."
    rests_in_training(layer, *inputs, axes=axes)
    rests_in_training(causal, *calls[0], axes=axes)


@steps("multi_head_attention")
def multi_head_attention_alone() -> Iterator[str]:
    GivenAttention.d_k = GivenAttention.query = None  # of the layer that was checked before
    with replaced(Attention=GivenAttention):
        yield from multi_head_attention_steps()


# --- Stand-ins for exercises that may still be open: they know no answer
# The checks of exercises 5 and 7 use them in any case, so that what is wrong in one exercise is not
# complained about in another.


def rates_in(*arguments: object) -> list[float]:
    """Rates of dropout, among arguments that perhaps only your own class has."""
    return [value for value in arguments if isinstance(value, float)]


class StandInAttention(nn.Module):
    """For `MultiHeadAttention`: a fixed map of the mean over the words that may be seen."""

    name = "MultiHeadAttention"

    def __init__(
        self, d_model: int, num_heads: int, mask_future: bool = False, *own: object, **named: object
    ):
        super().__init__()
        self.sizes, self.mask_future = (d_model, num_heads), mask_future
        self.rates = rates_in(*own, *named.values())

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        **named: Tensor,
    ) -> Tensor:
        """Each (batch, seq, d_model) -> (batch, seq, d_model); the mask may have another name."""
        mask = next(iter(named.values()), attention_mask)
        if value.dim() != 3:
            return torch.zeros_like(query)
        seen = torch.ones(1, query.size(1), value.size(1))
        if self.mask_future:
            seen = seen.tril()
        if mask is not None:
            seen = seen * mask.reshape(len(mask), -1, value.size(1))
        mean = seen @ value / seen.sum(-1, keepdim=True).clamp(min=1)
        return mean @ fixed_map(value.size(-1))


class StandInFeedForward(nn.Module):
    """For `PositionWiseFeedForward`: a fixed map of each word."""

    name = "PositionWiseFeedForward"

    def __init__(self, d_model: int, d_ff: int, *own: object, **named: object):
        super().__init__()
        self.sizes, self.rates = (d_model, d_ff), rates_in(*own, *named.values())

    def forward(self, x: Tensor) -> Tensor:
        """x (batch, seq, d_model) -> (batch, seq, d_model)"""
        return x @ fixed_map(x.size(-1)).T


class StandInLayer(nn.Module):
    """For `EncoderLayer`: a fixed map of each word, and one of the mean over those it may see."""

    name = "EncoderLayer"

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        *own: object,
        **named: object,
    ):
        super().__init__()
        self.sizes = d_model, num_heads, d_ff
        self.rates = rates_in(dropout, *own, *named.values())
        self.attention = StandInAttention(d_model, num_heads)
        self.transform = StandInFeedForward(d_model, d_ff)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None, **named: Tensor) -> Tensor:
        """x (batch, seq, d_model) -> (batch, seq, d_model)"""
        return (self.transform(x) + self.attention(x, x, x, attention_mask, **named)) / 2


def listening(kind: Any, calls: list[Call]) -> Any:
    """A class of stand-ins that note in `calls` what they are asked.

    Your own class may call its first arguments as it likes.
    """
    own, theirs = names().get(kind.name, kind), list(signature(kind).parameters)
    renamed = dict(zip(signature(own).parameters, theirs[: theirs.index("own")], strict=False))

    def note(part: nn.Module, inputs: tuple, named: dict, answer: Tensor) -> None:
        kept = [t.clone() for t in (*inputs, *named.values()) if isinstance(t, Tensor)]
        words = [t for t in kept if t.dim() == 3 and t.is_floating_point()]
        masks = [t for t in kept if t.dim() != 3 or not t.is_floating_point()]
        calls.append(Call(part, words, masks, answer.clone()))

    class Listening(kind):
        def __init__(self, *inputs: object, **named: object):
            signature(own).bind(*inputs, **named)  # raises what your own class would
            super().__init__(*inputs, **{renamed.get(name, name): named[name] for name in named})
            self.register_forward_hook(note, with_kwargs=True)

    return Listening


def answering(answer: Tensor) -> type[nn.Module]:
    """A class of stand-ins that give this answer, whatever they are asked."""

    class Answering(nn.Module):
        def __init__(self, *_: object, **__: object):
            super().__init__()

        def forward(self, *_: object, **__: object) -> Tensor:
            return answer.clone()

    return Answering


def error_of(function: Callable[..., Any], *inputs: Any) -> str:
    """What a call raises; "" if it does not."""
    try:
        function(*inputs)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def nearest(candidates: list[Tensor], answer: Tensor) -> Tensor:
    """The candidate from which `answer` differs least."""
    far = [float((one - answer).detach().abs().nan_to_num(1e9).max()) for one in candidates]
    return candidates[far.index(min(far))]


def attention_inside(
    layer: nn.Module, num_heads: int, x: Tensor, mask: Tensor | None
) -> list[Tensor]:
    """What an attention of the layer's own may answer, if that has four square matrices: query,
    key, value and output are told apart by none of their names, so every order is there.
    """
    found, size = [], x.size(-1)
    squares = [p for p in layer.parameters() if p.shape == (size, size)]
    seen = None if mask is None else mask.bool()[:, None, None, :]
    for *three, output in orders_of(squares) if len(squares) == 4 else ():
        heads = [(x @ m.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for m in three]
        attended = F.scaled_dot_product_attention(*heads, attn_mask=seen)
        found.append(attended.transpose(1, 2).flatten(2) @ output.T)
    return found


def feed_forward_linears(
    layer: nn.Module, d_model: int, d_ff: int
) -> tuple[nn.Linear | None, nn.Linear | None]:
    """The two linear layers from d_model to d_ff and back, whatever they are called."""
    linears = [part for part in layer.modules() if isinstance(part, nn.Linear)]
    sizes = {(linear.in_features, linear.out_features): linear for linear in linears}
    return sizes.get((d_model, d_ff)), sizes.get((d_ff, d_model))


def feed_forward_inside(
    layer: nn.Module, d_model: int, d_ff: int
) -> Callable[[Tensor], Tensor] | None:
    """What two linear layers of the layer's own compute, with a ReLU between them; None without."""
    wide, narrow = feed_forward_linears(layer, d_model, d_ff)
    return (lambda x: narrow(wide(x).relu())) if wide and narrow else None


def scales_and_shifts(layer: nn.Module, d_model: int) -> tuple[list[Tensor], list[Tensor]]:
    """The ones and the zeros, one a feature, that norms begin with."""
    vectors = [vector for one in vectors_of_norms(layer, d_model).values() for vector in one]
    return [v for v in vectors if v.mean() > 0.5], [v for v in vectors if v.mean() <= 0.5]


def vectors_of_norms(layer: nn.Module, d_model: int) -> dict[nn.Parameter, Sequence[Tensor]]:
    """The vectors of d_model numbers of each parameter that holds some, and is no linear layer's."""
    parts = [m for m in layer.modules() if not isinstance(m, nn.Linear)]
    own = {parameter for part in parts for parameter in part.parameters(recurse=False)}
    kept = {one: vectors_in(one.detach(), d_model) for one in layer.parameters() if one in own}
    return {parameter: vectors for parameter, vectors in kept.items() if vectors}


def vectors_in(parameter: Tensor, d_model: int) -> Sequence[Tensor]:
    """One vector, or up to four in rows, in columns or in line; none of anything else."""
    sizes = [size for size in parameter.shape if size != 1]
    if sizes[1:] in ([], [d_model]) and parameter.numel() in range(d_model, 5 * d_model, d_model):
        return parameter.reshape(-1, d_model).unbind()
    in_columns = sizes[:1] == [d_model] and sizes[1:] in ([2], [3], [4])
    return parameter.view(d_model, -1).unbind(1) if in_columns else ()


def silenced(layer: nn.Module, d_model: int) -> nn.Module:
    """The layer, with zeros in all that is no norm: then sub-layers of its own answer zeros."""
    norms = vectors_of_norms(layer, d_model)
    for parameter in layer.parameters():
        if parameter not in norms:
            nn.init.zeros_(parameter)
    return layer


@contextmanager
def others_in(*parameters: Tensor) -> Iterator[None]:
    """Other numbers in these parameters, for a moment."""
    before = [parameter.detach().clone() for parameter in parameters]
    for parameter in parameters:
        nn.init.normal_(parameter)
    yield
    for parameter, numbers in zip(parameters, before, strict=True):
        parameter.data.copy_(numbers)


def added(output: Tensor, x: Tensor) -> Tensor:
    """What was added to x before norms, if nothing was to its features 0 and 1.

    A norm shifts and scales all features of a word alike; these two say by how much.
    """
    scale = (x[..., :1] - x[..., 1:2]) / (output[..., :1] - output[..., 1:2])
    return (output - output[..., :1]) * scale + x[..., :1] - x


# --- Exercise 5: the encoder layer


@steps("encoder_layer")
def encoder_layer_steps() -> Iterator[str]:
    calls: list[Call] = []
    roles = StandInAttention.name, StandInFeedForward.name
    kinds = listening(StandInAttention, calls), listening(StandInFeedForward, calls)
    x, mask = torch.randn(2, 5, 8), torch.tensor([[1, 1, 1, 1, 0], [1, 0, 1, 1, 0]])
    axes, zeros, ones = "batch word feature", torch.zeros(2, 5), torch.ones(2, 5)
    attend = transform = None

    def norm(total, scale=None, shift=None):
        return F.layer_norm(total, (8,), scale, shift)

    def expected(x, mask=None, norms=((), ())):
        """What the layer may answer; more than one thing, where it has an attention of its own."""
        attended = [attend(x, x, x, mask)] if attend else attention_inside(layer, 4, x, mask)
        middle = [norm(x + one, *norms[0]) for one in attended]
        return [norm(z + transform(z), *norms[1]) for z in middle if transform]

    with replaced(**dict(zip(roles, kinds, strict=True))):
        yield "Can it be built, as `EncoderLayer(d_model, num_heads, d_ff, dropout)`?"
        layer = student.EncoderLayer(8, 4, 12, 0.5).eval()

        yield "Does it answer, with one tensor of the shape of x?"
        needs_mask = error_of(layer, x.clone())
        inputs = (torch.ones_like(mask),) if needs_mask else ()
        calls.clear()
        given = x.clone()
        output = layer(given, *inputs)
        has_shape(output, 2, 5, 8)
        heads = [call for call in calls if isinstance(call.part, kinds[0])]
        features = [call for call in calls if isinstance(call.part, kinds[1])]

        yield "Is x after the call what it was before? Which line changes a tensor in place?"
        same(given, x, axes)
        yield "Asked the same twice after `eval()`, does it answer the same? What is still random?"
        same(layer(x.clone(), *inputs), output, axes)
        yield "Is each sub-layer asked once, on the way from x to the output?"
        for kind, its in zip(kinds, (heads, features), strict=True):
            built = its or any(isinstance(part, kind) for part in layer.modules())
            assert len(its) == 1 or not built, f"{kind.name} is asked {len(its)} times."
        first = calls[0].part if calls else None
        yield "Which of the two sub-layers comes first?"
        assert not (heads and isinstance(first, kinds[1])), f"In yours, {first.name} does."
        yield "Does `print(layer)` show every sub-layer, so that an optimiser finds its weights?"
        for call in heads + features:
            assert call.part in layer.modules(), f"It does not show {call.part.name}."
        yield "Which sizes does each sub-layer get, in which order?"
        for calls_of, wanted in (heads, (8, 4)), (features, (8, 12)):
            for call in calls_of:
                said = f"{call.part.name}{call.part.sizes}"
                assert call.part.sizes == wanted, (
                    f"With d_model 8, num_heads 4, d_ff 12 it is {said}."
                )
        yield "In an encoder, may a word look at the words after it? What is its attention told?"
        assert not any(call.part.mask_future for call in heads), "Its `mask_future` is not False."
        yield "After `eval()`, does the rate of dropout still matter?"
        without = student.EncoderLayer(8, 4, 12, 0.0).eval()
        without.load_state_dict(layer.state_dict())
        same(without(x.clone(), *inputs), output, axes)
        yield "Query, key and value of the self-attention: where does each of the three come from?"
        for call in heads:
            assert len(call.words) == 3, f"It gets {len(call.words)} tensors (batch, seq, d_model)."
            for tensor in call.words:
                said = "They are x, normalised: where does the norm stand in the equations?"
                assert not torch.allclose(tensor, norm(x), atol=1e-3), said
                same(tensor, x, axes)

        inside = (
            "Your layer has parts of exercises 2 and 3 inside, written anew: do they compute "
            "what the equations say?"
        )
        sums = "what is added there, and what is normalised?"
        attend = heads[0].part if heads else None
        transform = features[0].part if features else feed_forward_inside(layer, 8, 12)
        for call in features:
            z = call.words[0]
            yield "Does the feed forward layer get to see anything of what attention has gathered?"
            assert not torch.equal(z, x), "It gets x itself."
            yield "What goes into the feed forward layer: has each word's vector the mean 0?"
            same(z.mean(-1), zeros, "batch word", 1e-3)
            yield "What goes into the feed forward layer: has each word's vector the variance 1?"
            same(z.var(-1, correction=0), ones, "batch word", 1e-3)
            attended = [heads[0].answer] if heads else attention_inside(layer, 4, x, None)
            if attended:
                yield f"Before the feed forward layer: {sums}" if heads else inside
                same(z, nearest([norm(x + one) for one in attended], z), axes, 1e-3)
        yield "What your layer returns: has each word's vector the mean 0?"
        same(output.mean(-1), zeros, "batch word", 1e-3)
        yield "What your layer returns: has each word's vector the variance 1?"
        same(output.var(-1, correction=0), ones, "batch word", 1e-3)
        known = bool(expected(x))
        if known:
            yield f"Behind the feed forward layer: {sums}" if heads or features else inside
            same(output, nearest(expected(x), output), axes, 1e-3)

        yield "Does every norm have a scale and a shift of its own, a number for each feature?"
        scales, shifts = scales_and_shifts(layer, 8)
        assert min(len(scales), len(shifts)) >= 2, (
            f"`parameters()` has {len(scales)} scales and {len(shifts)} shifts of norms."
        )
        if known:
            yield "With other scales and shifts: does each norm act once, its scale, then its shift?"
            with others_in(*scales, *shifts):
                pairs = [
                    [(a.view(8), b.view(8)) for a, b in zip(some, others, strict=True)]
                    for some in permutations(scales, 2)
                    for others in permutations(shifts, 2)
                ]
                changed = layer(x.clone(), *inputs)
                wanted = [one for norms in pairs for one in expected(x, norms=norms)]
                same(changed, nearest(wanted, changed), axes, 1e-3)

        yield "Does gradient come back to x and every parameter, through both sub-layers and sums?"
        mine, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
        output, upstream = layer(mine.clone(), *inputs), torch.randn(2, 5, 8)
        assert output.requires_grad, "None comes back: is the graph cut, or not recorded?"
        (output * upstream).sum().backward()
        idle = [name for name, weight in layer.named_parameters() if weight.grad is None]
        assert not idle, f"None comes to {', '.join(idle)}."
        if known:
            (nearest(expected(theirs), output) * upstream).sum().backward()
            same(mine.grad, theirs.grad, axes, 1e-3)

        yield "May the mask be left out, and may it be None?"
        assert not needs_mask, f"Without a mask it stops. {needs_mask}"
        same(layer(x.clone(), None), layer(x.clone()), axes)
        yield "With a mask and without one, is the answer another? Who gets to see the mask?"
        calls.clear()
        kept = mask.clone()
        masked = layer(x.clone(), kept)
        blind = [call for call in calls if isinstance(call.part, kinds[0]) and not call.masks]
        assert not blind, "The self-attention gets none."
        assert not torch.allclose(masked, output), "It is the same."
        yield "A call with a mask: are x and the mask themselves left as they are?"
        same(kept, mask, "batch word")
        for call in calls[:1] if heads else ():
            same(call.words[0], x, axes)
        if known:
            yield "Which words may be seen, those with 1 or 0? Does each sentence get its own mask?"
            same(masked, nearest(expected(x, mask), masked), axes, 1e-3)
        yield "A mask of True and False: does it do what 1 and 0 do?"
        same(layer(x.clone(), mask.bool()), masked, axes)

        layer = student.EncoderLayer(8, 4, 12, 0.0)
        for hidden, words in ((), ""), ((mask,), ", with a mask"):
            yield f"With dropout 0.0{words}: is the answer in training that of `eval()`?"
            same(layer.train()(x.clone(), *hidden), layer.eval()(x.clone(), *hidden), axes)

        yield "In training: where both sub-layers answer zeros, is something else dropped?"
        x = torch.randn(4, 50, 16)
        silent, loud = torch.zeros(4, 50, 16), torch.ones(4, 50, 16)
        loud[..., :2] = 0
        with replaced(**dict.fromkeys(roles, answering(silent))):
            layer = silenced(student.EncoderLayer(16, 4, 12, 0.7), 16)
            same(layer.train()(x.clone()), layer.eval()(x.clone()), axes)
        bases = x, F.layer_norm(x, (16,))
        for name, its, base in zip(roles, (heads, features), bases, strict=True):
            if not its or its[0].part.rates:  # has perhaps a dropout of its own
                continue
            with replaced(**dict.fromkeys(roles, answering(silent)) | {name: answering(loud)}):
                layer = silenced(student.EncoderLayer(16, 4, 12, 0.7), 16).train()
                once, again = (added(layer(x.clone()), base)[..., 2:] for _ in range(2))
            kept, other = once.abs() > 0.1, again.abs() > 0.1
            yield f"In training: is anything dropped of what {name} returns, before it is added?"
            assert not kept.all(), "All of it is still there."
            yield f"In training: is each number of {name} dropped by itself, each time anew?"
            alike = {"call": other, "sentence": kept[:1], "word": kept[:, :1]}
            for what, others in (alike | {"feature": kept[..., :1]}).items():
                assert (kept != others).any(), f"It is the same for every {what}."
            yield f"In training: which share of {name} is dropped, and by what is the rest scaled?"
            share = 1 - kept.double().mean().item()
            assert abs(share - 0.7) < 0.05, f"With dropout 0.7, {share:.0%} of it is dropped."
            same(once[kept], torch.full_like(once[kept], 1 / 0.3), "number", atol=1e-2)

    if not all(its and not its[0].part.rates for its in (heads, features)):
        yield "With dropout near 1, all that the sub-layers return is dropped: are x and norms left?"
        x, rate = torch.randn(2, 5, 8), 1 - 2**-30  # 1.0 is 0 / 0 where dropout is made by hand
        if not error_of(lambda: student.EncoderLayer(8, 4, 12, rate)(x)):  # some refuse that rate
            same(student.EncoderLayer(8, 4, 12, rate)(x.clone()), norm(norm(x)), axes, 1e-3)


# --- Exercise 6: the tests of a cell that begins with %%ipytest


def use_ipytest() -> None:
    """Let `%%ipytest` run the tests of its cell; where it is not installed, the cell says a line."""
    try:
        import ipytest
    except ImportError:
        register_cell_magic(say_that_ipytest_is_missing)
        return
    options = ["-q", "--color=yes", "--tb=short", "-o", "addopts=", "-p", "no:cacheprovider"]
    options += ["-p", __name__, "-W", "ignore:Module already imported"]
    ipytest.autoconfig(rewrite_asserts=False, addopts=options)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Pytest calls it at the end: say for what the tests wait that were skipped."""
    skipped = terminalreporter.stats.get("skipped", [])
    for reason, count in Counter(report.longrepr[2] for report in skipped).items():
        said = f"{reason.removeprefix('Skipped: ')}: {count} of these tests wait for it."
        terminalreporter.write_line(said)


def say_that_ipytest_is_missing(_line: str, _cell: str) -> None:
    """In the place of the magic that is not there."""
    print("These tests need ipytest: `%pip install ipytest`, then restart the kernel.")


say_that_ipytest_is_missing.__name__ = "ipytest"


def build(*sizes: int, **named: float) -> nn.Module:
    """Your `EncoderLayer`; the test is skipped while that, or a part of it, is still open."""
    try:
        layer = student.EncoderLayer(*sizes, **named)
        layer(torch.zeros(1, 2, sizes[0]))
    except Exception as error:  # the test will say which, if it is another
        if is_stub(error):
            import pytest

            pytest.skip(f"{title_of(open_exercise(error)) or 'An exercise'} is still open")
    return student.EncoderLayer(*sizes, **named)


class LawfulLayer(nn.Module):
    """PyTorch's own encoder layer in the place of yours."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(d_model, num_heads, d_ff, dropout, batch_first=True)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        """x (batch, seq, d_model) -> (batch, seq, d_model)"""
        hidden = None if attention_mask is None else ~attention_mask.bool()
        return self.layer(x, src_key_padding_mask=hidden)


class ChangesItsInput(LawfulLayer):
    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        output = super().forward(x, attention_mask)
        x.data += 1
        return output


class MixesSentences(LawfulLayer):
    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return super().forward(x, attention_mask) + x.mean(0)


class KnowsPositions(LawfulLayer):
    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return super().forward(x + torch.arange(x.size(1)).unsqueeze(1), attention_mask)


class ForgetsTheMask(LawfulLayer):
    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return super().forward(x)


PLANTED = {
    "keeps all laws": LawfulLayer,
    "changes its input": ChangesItsInput,
    "lets the sentences of a batch mix": MixesSentences,
    "knows the positions": KnowsPositions,
    "forgets the mask": ForgetsTheMask,
}


def in_a_line(said: str) -> str:
    """The first line of what an error says, cut where it is long."""
    return said.partition("\n")[0].strip(": ")[:80]


def show_what_your_tests_notice() -> None:
    """Run the tests that the notebook has now with each planted layer, and show what they say."""
    functions = {name: test for name, test in names().items() if isfunction(test)}
    tests = {name: test for name, test in functions.items() if name.startswith("test_")}
    alone = {name: test for name, test in tests.items() if not signature(test).parameters}
    if not alone:
        print(
            "There is no test yet: write a function without parameters whose name begins with `test_` "
            "into the cell above, and run that first."
        )
        return
    rows = []
    for law, kind in PLANTED.items():
        with replaced(EncoderLayer=kind, build=build), torch.random.fork_rng(devices=[]):
            torch.manual_seed(1)
            said = {name: in_a_line(error_of(test)) for name, test in alone.items()}
        noticed = [f"{name}: {error}" for name, error in said.items() if error]
        as_wanted = "yes" if bool(noticed) == (kind is not LawfulLayer) else "no"
        rows.append([law, "; ".join(noticed) or "passes", as_wanted])
    table(["a layer that ...", "your test", "as it should"], rows)


# --- Exercise 7: the encoder


@steps("encoder")
def encoder_steps() -> Iterator[str]:
    calls: list[Call] = []
    axes = "batch word feature"
    tokens = torch.stack([torch.randperm(11), torch.randperm(11)])  # each of them twice
    mask = torch.ones_like(tokens)
    mask[0, 8:] = mask[1, 5:] = 0
    kind = listening(StandInLayer, calls)

    def ask(encoder: nn.Module, *inputs: Tensor | None) -> tuple[Tensor, list[Call]]:
        """The answer, and the calls of its layers."""
        calls.clear()
        answer = encoder(*inputs)
        return answer, list(calls)

    with replaced(EncoderLayer=kind):
        yield "Can it be built, with all seven arguments in the order of the signature?"
        encoder = student.Encoder(11, 6, 3, 8, 3, 0.7, 600).eval()
        deeper = student.Encoder(11, 6, 3, 8, 4, 0.7, 600).eval()

        yield "Does it answer each token, up to vocab_size - 1, with a vector of d_model numbers?"
        needs_mask = error_of(encoder, tokens)
        inputs = (tokens, torch.ones_like(mask)) if needs_mask else (tokens,)
        output, asked = ask(encoder, *inputs)
        has_shape(output, 2, 11, 6)
        yield "Asked the same twice after `eval()`, does it answer the same? What is still random?"
        again, _ = ask(encoder, *inputs)
        same(again, output, axes)

        yield "Which `EncoderLayer` acts in your encoder?"
        assert asked, "None was asked."
        yield "Does `print(encoder)` show the layers, so that an optimiser finds their weights?"
        assert all(call.part in encoder.modules() for call in asked), "Not all that act are there."
        yield "How many layers are there, each with weights of its own? Who says how many?"
        for built, number in (encoder, 3), (deeper, 4):
            shown = len([part for part in built.modules() if isinstance(part, kind)])
            assert shown == number, f"With num_layers={number}, it has {shown}."
        yield "How many of the layers act, each how often?"
        for built, number in (encoder, 3), (deeper, 4):
            parts = [call.part for call in ask(built, *inputs)[1]]
            act = len(set(parts))
            assert act == number, f"With num_layers={number}, {act} of them act."
            assert len(parts) == number, f"With num_layers={number}, there are {len(parts)} calls."
        yield "Which sizes does each layer get, in which order?"
        for call in asked:
            said = f"With d_model 6, num_heads 3, d_ff 8 it is EncoderLayer{call.part.sizes}."
            assert call.part.sizes == (6, 3, 8), said
        yield "Which rate of dropout does each layer get?"
        for call in asked:
            assert 0.7 in call.part.rates, f"With dropout 0.7 it is {call.part.rates}."

        yield "Does `parameters()` have one vector that learns for every token?"
        learned = {name: p for name, p in encoder.named_parameters() if p.requires_grad}
        tables = [p for p in learned.values() if p.shape == (11, 6)]
        assert tables, "There is no such parameter of shape (vocab_size, d_model)."
        yield "Positions are fixed here: what else learns, beside embedding and layers?"
        for name, parameter in learned.items():
            assert 600 not in parameter.shape, f"{name} does, of length max_len."

        start, vectors = asked[0].words[0], tables[0][tokens].detach()
        yield "Before the first layer: is a vector scaled, a position added, and nothing else done?"
        difference, wanted = start[0] - start[1], vectors[0] - vectors[1]
        factor = ((difference * wanted).sum() / (wanted * wanted).sum()).item()
        same(difference, factor * wanted, "position feature", 1e-4)
        yield "By which number is the embedding multiplied?"
        assert abs(factor - math.sqrt(6)) < 1e-3, f"With d_model 6, by {factor:.3g}."

        positions = (start - math.sqrt(6) * vectors)[0]
        pairs = torch.arange(0, 6, 2)
        angles = torch.arange(600).unsqueeze(1) / 10000 ** (pairs / 6)
        waves = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        yield "What tells the layers where a token stands?"
        assert positions.abs().max() > 1e-3, "Nothing is added to the embedding."
        yield "At position 0 every angle is 0: which two numbers are all that can stand there?"
        first = positions[:1]
        same(first, first.round().clamp(0, 1), "position feature", 1e-4)
        yield "Which features are sines, and which ones cosines?"
        same(first, waves[:1], "position feature", 1e-4)
        yield "Features 0 and 1 share the first angle: what is it at each position?"
        same(positions[:, :2], waves[:11, :2], "position feature", 1e-4)
        yield "The other pairs of features: how much slower does each angle grow?"
        same(positions, waves[:11], "position feature", 1e-4)
        yield "Is a sentence of max_len tokens answered, and has each position its row?"
        long = torch.randint(11, (1, 600))
        _, asked_long = ask(encoder, long, torch.ones_like(long))
        rows = asked_long[0].words[0][0] - math.sqrt(6) * tables[0][long[0]]
        same(rows, waves, "position feature", 1e-3)

        yield "Does every layer take what the one before it returned, just so?"
        for before, after in pairwise(asked):
            same(after.words[0], before.answer, axes)
        yield "Is what the last layer returned your answer, just so?"
        same(output, asked[-1].answer, axes)

        yield "Does gradient come back to the embedding of every token?"
        output, _ = ask(encoder, *inputs)
        assert output.requires_grad, "None comes back: is the graph cut, or not recorded?"
        (output * torch.randn(2, 11, 6)).sum().backward()
        gradient = tables[0].grad
        assert gradient is not None, "None comes to the embedding."
        assert gradient[1:].abs().sum(-1).all(), "None comes to some of the tokens."

        yield "May the mask be left out, and may it be None?"
        assert not needs_mask, f"Without a mask it stops. {needs_mask}"
        same(ask(encoder, tokens, None)[0], output, axes)
        yield "Which of the layers get to see the mask?"
        _, masked = ask(encoder, tokens, mask.clone())
        blind = [str(i) for i, call in enumerate(masked) if not call.masks]
        assert not blind, f"Of the layers 0, 1 and 2 these get none: {', '.join(blind)}."
        yield "Is it the very mask that was handed over, for each sentence its own?"
        for call in masked:
            same(call.masks[0].reshape(2, -1, 11)[:, 0].long(), mask, "batch word")
        yield "With a mask: does the first layer still get embeddings and positions as they are?"
        same(masked[0].words[0], start, axes)
        yield "A mask of True and False: does it do what 1 and 0 do?"
        same(ask(encoder, tokens, mask.bool())[0], ask(encoder, tokens, mask)[0], axes)

        encoder = student.Encoder(11, 60, 3, 8, 2, 0.7, 600)
        _, calm = ask(encoder.eval(), long, torch.ones_like(long))
        output, trained = ask(encoder.train(), long, torch.ones_like(long))
        start, kept = calm[0].words[0], trained[0].words[0] != 0
        yield "In training: before the first layer, is anything dropped?"
        assert not torch.equal(trained[0].words[0], start), "Nothing is."
        yield "In training: is the sum dropped, what a token means and where it stands at once?"
        times = trained[0].words[0][kept] / start[kept]
        same(times, times.median().expand_as(times), "number", 1e-2)
        yield "In training: which share of the sum is dropped, and by what is the rest scaled?"
        share = 1 - kept.double().mean().item()
        assert abs(share - 0.7) < 0.05, f"With dropout 0.7, {share:.0%} of it is dropped."
        same(trained[0].words[0][kept], start[kept] / 0.3, "number", 1e-3)
        yield "In training: do all layers still get to see the mask?"
        assert all(call.masks for call in trained), "Not all of them get it."
        yield "In training: what acts between the layers, and behind the last one?"
        same(trained[1].words[0], trained[0].answer, axes)
        same(output, trained[1].answer, axes)


# --- What the pictures and experiments of the notebook call


def attention_maps(model: nn.Module, attention: nn.Module, *inputs: Tensor) -> Tensor:
    """What `attention` looks at while `model(*inputs)` runs: (num_heads, query_len, key_len).

    With the identity matrix as value, its output is the table of its weights.
    """
    calls, maps, in_order = [], [], signature(attention.forward)
    with attention.register_forward_pre_hook(
        lambda module, args, named: calls.append(in_order.bind(*args, **named)), with_kwargs=True
    ):
        model(*inputs)
    for query, key, _, *mask in (call.arguments.values() for call in calls):
        identity = torch.eye(key.size(-2)).expand(*key.shape[:-1], key.size(-2))
        maps.append(attention(query, key, identity, *mask).flatten(0, -3))
    return torch.cat(maps).detach()


def layer_with_stand_ins(d_model: int, num_heads: int, d_ff: int) -> nn.Module:
    """Your encoder layer; a stand-in takes the place of a part that is still open, and that is said."""
    x, stand_ins = torch.zeros(1, 2, d_model), {}
    if is_open(lambda: student.MultiHeadAttention(d_model, num_heads)(x, x, x)):
        stand_ins[StandInAttention.name] = StandInAttention
    if is_open(lambda: student.PositionWiseFeedForward(d_model, d_ff)(x)):
        stand_ins[StandInFeedForward.name] = StandInFeedForward
    with replaced(**stand_ins):
        layer = student.EncoderLayer(d_model, num_heads, d_ff).eval()
    for name in stand_ins:
        print(f"{name} is still open: a stand-in takes its place.")
    return layer


def influence(layer: nn.Module, x: Tensor, *mask: Tensor) -> Tensor:
    """(seq, seq): how far output i moves when word j is nudged."""
    nudge = torch.tensor([1.0, -1.0]).repeat(x.size(-1) // 2)  # LayerNorm nearly undoes a constant
    moves = []
    for word in torch.eye(x.size(1)):
        nudged = x + torch.outer(word, nudge)
        moves.append((layer(nudged, *mask) - layer(x, *mask)).norm(dim=-1)[0])
    return torch.stack(moves, dim=1).detach()


LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Speller:
    """An encoder that learns to write letters backwards, and what it was on the way."""

    trained: "list[Speller]" = []  # the cells below the training look at the last one

    def __init__(self, encoder: nn.Module, d_model: int):
        self.encoder, self.to_letters = encoder, nn.Linear(d_model, len(LETTERS))
        nn.init.normal_(encoder.embedding.weight, std=d_model**-0.5)  # else letters drown positions
        self.losses: list[float] = []
        self.steps: dict[int, dict[str, Tensor]] = {}  # its weights, after every 20th step

    def learn(self, length: int, last_step: int, rate: float) -> None:
        """Train on random letters, and print how far it is."""
        parameters = [*self.encoder.parameters(), *self.to_letters.parameters()]
        optimizer = torch.optim.Adam(parameters, lr=rate)
        self.keep(0)
        for step in range(1, last_step + 1):
            tokens = torch.randint(len(LETTERS), (64, length))  # (batch, seq)
            scores = self.to_letters(self.encoder(tokens))  # (batch, seq, vocab_size)
            loss = F.cross_entropy(scores.flatten(0, 1), tokens.flip(1).flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            self.losses.append(loss.item())
            if step % 20 == 0:
                self.keep(step)
            if step % 100 == 0:
                accuracy = (scores.argmax(-1) == tokens.flip(1)).float().mean()
                print(f"step {step}: loss {loss:.3f}, {accuracy:.1%} of the letters right")
        Speller.trained.append(self)

    def keep(self, step: int) -> None:
        weights = self.encoder.state_dict()
        self.steps[step] = {name: numbers.clone() for name, numbers in weights.items()}

    def backwards(self, word: str) -> str:
        """What it writes for a word."""
        scores = self.to_letters(self.encoder.eval()(tokens_of(word)))
        return "".join(LETTERS[i] for i in scores.argmax(-1)[0])

    def attention(self, word: str, step: int | None = None) -> Tensor:
        """(num_heads, seq, seq): what its last layer looked at after a step, or looks at now."""
        last = max(self.steps)
        self.encoder.load_state_dict(self.steps[last if step is None else min(step, last)])
        attention = self.encoder.layers[-1].self_attention.attention
        maps = attention_maps(self.encoder, attention, tokens_of(word))
        self.encoder.load_state_dict(self.steps[last])
        return maps


def tokens_of(word: str) -> Tensor:
    """(1, seq)"""
    return torch.tensor([[LETTERS.index(letter) for letter in word]])


def learn_to_spell_backwards(
    encoder: nn.Module, d_model: int, length: int = 11, last_step: int = 400, rate: float = 1e-3
) -> None:
    """Train an encoder of 26 letters; the same random letters each time."""
    Speller(encoder, d_model).learn(length, last_step, rate)


def speller() -> Speller:
    """The last one that was trained; while there is none, what is open says so."""
    if not Speller.trained:
        student.Encoder(2, 4, 2, 4, 1)(torch.zeros(1, 2, dtype=torch.long))
        raise AssertionError("Nothing has learned yet: run the cell of the training first.")
    return Speller.trained[-1]


def plot_losses(losses: list[float]) -> None:
    """The loss over the steps of a training."""
    figure, ax = plt.subplots(figsize=(8.2, 2.6), layout="constrained")
    ax.plot(losses, color="#8f63c9")
    ax.set(xlabel="step", ylabel="loss")
    broke = next((step for step, loss in enumerate(losses) if not math.isfinite(loss)), None)
    course = f"goes from {losses[0]:.1f} to {losses[-1]:.2f}"
    show(figure, f"The loss {course if broke is None else f'is no number from step {broke} on'}.")


def layers_of(encoder: nn.Module) -> list[nn.Module]:
    """The encoder layers inside, in their order, whatever holds them."""
    return parts_like(encoder, student.EncoderLayer(4, 2, 4, 0.0))


def parts_like(module: nn.Module, other: nn.Module) -> list[nn.Module]:
    """The modules inside that are of the class of another: a function may have made both."""
    return [part for part in module.modules() if isinstance(part, type(other))]


def first_input(inputs: tuple, named: dict) -> Tensor:
    """The first tensor that a module is handed, by place or by name, masks left out."""
    tensors = [one for one in (*inputs, *named.values()) if isinstance(one, Tensor)]
    return next(one for one in tensors if one.is_floating_point())


def without_positions(encoder: nn.Module) -> None:
    """The first layer gets what it would get if none were added."""

    @cache
    def positions(d_model: int) -> Tensor:
        bare = student.Encoder(1, d_model, 1, 1, 0, 0.0, 200).eval()
        for parameter in bare.parameters():
            if parameter.requires_grad:  # else it may be the table of positions
                nn.init.zeros_(parameter)
        return bare(torch.zeros(1, 200, dtype=torch.long)).detach()  # (1, seq, d_model)

    def without(module: nn.Module, inputs: tuple, named: dict) -> tuple[tuple, dict]:
        x = first_input(inputs, named)
        bare = x - positions(x.size(-1))[:, : x.size(1)]
        handed = {name: bare if one is x else one for name, one in named.items()}
        return tuple(bare if one is x else one for one in inputs), handed

    for layer in layers_of(encoder)[:1]:
        layer.register_forward_pre_hook(without, with_kwargs=True)


def without_residuals(encoder: nn.Module) -> None:
    """Each sub-layer takes away what will be added: f(x) - x + x is f(x)."""

    def less_input(module: nn.Module, inputs: tuple, named: dict, output: Tensor) -> Tensor:
        return output - first_input(inputs, named)

    for layer in encoder.layers:
        for part in (layer.self_attention, layer.feature_transformation):
            part.register_forward_hook(less_input, with_kwargs=True)


def without_the_scale(encoder: nn.Module) -> None:
    """Queries that are sqrt(d_k) times as long undo the division; d_k is 16 here."""

    def longer_query(module: nn.Module, inputs: tuple, named: dict) -> tuple[tuple, dict]:
        if inputs:
            return (4 * inputs[0], *inputs[1:]), named
        return inputs, named | {"query": 4 * named["query"]}

    attentions = [part for part in encoder.modules() if isinstance(part, student.Attention)]
    assert attentions, "Your heads do without Attention: its scale cannot be taken away."
    for attention in attentions:
        attention.register_forward_pre_hook(longer_query, with_kwargs=True)


def without_norm(encoder: nn.Module) -> None:
    """Nothing is normalised."""
    for layer in encoder.layers:
        layer.layer_norm_1 = layer.layer_norm_2 = nn.Identity()


class Run(NamedTuple):
    """One training of the experiment."""

    right: list[float]  # the share of letters that is right, at each step
    output: Tensor  # of the last step


def run_of(
    change: Callable[[nn.Module], None] | None, num_heads: int, seed: int, last_step: int = 200
) -> Run:
    """Train on six of ten letters."""
    torch.manual_seed(seed)
    encoder, to_letters = student.Encoder(10, 32, num_heads, 64, 4, 0.0), nn.Linear(32, 10)
    nn.init.normal_(encoder.embedding.weight, std=32**-0.5)
    if change:
        change(encoder)
    optimizer = torch.optim.Adam([*encoder.parameters(), *to_letters.parameters()], lr=2e-3)
    right = []
    for _ in range(last_step):
        tokens = torch.randint(10, (32, 6))  # (batch, seq)
        output = encoder(tokens)
        scores = to_letters(output)  # (batch, seq, vocab_size)
        loss = F.cross_entropy(scores.flatten(0, 1), tokens.flip(1).flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        right.append((scores.argmax(-1) == tokens.flip(1)).float().mean().item())
    return Run(right, output.detach())


CHANGES = {  # by the name of a variant: what is taken away, and how many heads are left
    "your encoder": (None, 2),
    "without positions": (without_positions, 2),
    "without residuals": (without_residuals, 2),
    "without the scale": (without_the_scale, 2),
    "without norm": (without_norm, 2),
    "with one head": (None, 1),
}


def predict_then_run(guesses: dict[str, Any]) -> None:
    """Train each variant, and show what came out beside the guesses; first there must be one."""
    if all(guess is ... for guess in guesses.values()):
        print('Guess first: write "learns" or "fails" for at least one part, then run this cell.')
    elif runs := runs_of_variants():
        show_runs(runs, guesses)


def runs_of_variants(last_step: int = 200) -> dict[str, list[Run]]:
    """By variant: one run for each of three seeds. What is still open is said; then there is none."""
    runs: dict[str, list[Run]] = {}

    def run_variant(name: str) -> None:
        change, num_heads = CHANGES[name]
        with torch.random.fork_rng(devices=[]):
            runs[name] = [run_of(change, num_heads, seed, last_step) for seed in range(3)]

    first, *others = CHANGES
    if try_it(run_variant, first):
        for name in others:
            try_it(run_variant, name)
    return runs


def show_runs(runs: dict[str, list[Run]], guesses: dict[str, Any]) -> None:
    """A table of what was measured, and the curves."""
    header = "variant", "you said", "letters right", "size of the output", "likeness of neighbours"
    table(header, [measured(name, seeds, guesses.get(name, "")) for name, seeds in runs.items()])
    lines = math.ceil(len(runs) / 3)
    size = {"figsize": (8.2, 2.2 * lines), "squeeze": False, "layout": "constrained"}
    figure, axes = plt.subplots(lines, 3, sharex=True, sharey=True, **size)
    for ax in axes.flat[len(runs) :]:
        ax.set_visible(False)
    for ax, (name, seeds) in zip(axes.flat, runs.items(), strict=False):
        for right, _ in seeds:
            ax.plot(torch.tensor(right).unflatten(0, (-1, 10)).mean(1), color="#9a6fd0")
        ax.set(title=name, ylim=(0, 1.05), xticks=(0, 10, 20), xticklabels=(0, 100, 200))
    axes[0, 0].set(ylabel="letters right")
    axes[-1, 0].set(xlabel="step")
    show(figure, "The share of right letters over 200 steps, for three seeds of each variant.")


def measured(name: str, seeds: list[Run], guess: Any) -> list[str]:
    """A row: the guess, and for each of three seeds what was measured."""
    shares = [f"{sum(run.right[-20:]) / 20:.0%}" for run in seeds]
    sizes = [f"{run.output.std():.1f}" for run in seeds]
    alike = [
        F.cosine_similarity(run.output[:, 1:], run.output[:, :-1], dim=-1).mean() for run in seeds
    ]
    columns = [shares, sizes, [f"{number:.2f}" for number in alike]]
    return [name, "?" if guess is ... else guess, *(", ".join(column) for column in columns)]


EQUATIONS = {  # by class and method: where it stands in the paper, and how
    ("PositionWiseFeedForward", "__init__"): (
        "section 3.3",
        r"\mathrm{FFN}(x) = \max(0,\; x W_1 + b_1)\, W_2 + b_2",
    ),
    ("Attention", "forward"): (
        "section 3.2.1, equation 1",
        r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{Q K^{\top}}{\sqrt{d_k}}\right) V",
    ),
    ("MultiHeadAttention", "forward"): (
        "section 3.2.2",
        r"\mathrm{Concat}(\mathrm{head}_1, \ldots, \mathrm{head}_h)\, W^O,"
        r"\quad \mathrm{head}_i = \mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V)",
    ),
    ("EncoderLayer", "forward"): (
        "section 3.1",
        r"\mathrm{LayerNorm}(x + \mathrm{Sublayer}(x)), \quad \text{twice}",
    ),
    ("Encoder", "__init__"): (
        "section 3.5",
        r"PE_{pos,\,2i} = \sin\left(pos / 10000^{2i/d_{\text{model}}}\right), "
        r"\quad PE_{pos,\,2i+1} = \cos\left(pos / 10000^{2i/d_{\text{model}}}\right)",
    ),
    ("Encoder", "forward"): (
        "sections 3.4 and 3.5",
        r"\sqrt{d_{\text{model}}} \cdot \mathrm{Embedding} + PE",
    ),
}


def lines_beside_equations() -> None:
    """Each equation of the paper, and the lines that you wrote for it."""
    for (name, method), (section, equation) in EQUATIONS.items():
        own = getattr(names().get(name), method, None)
        beside_equation(f"{name}, {section}", equation, own)


# --- The end: your encoder, with weights that were trained beforehand, fills in gaps of Python code

GAP = "___"  # in the code that you write
WEIGHTS = "python_gaps.safetensors"  # made by train_python_gaps.py
LONGEST = 96  # tokens, as in training
SIZES = {"d_model": 128, "num_heads": 4, "d_ff": 512, "num_layers": 4}
PADDING = 40  # tokens that follow where parts are taken away
FILLED: list[str] = []  # the code whose gaps were filled last, for the cells below
GREEN, PURPLE = "42, 157, 87", "143, 99, 201"
SLOTS = [f"<name {i}>" for i in range(1, 17)]  # names that are in no vocabulary, as they come
LINES = ["<line>", "<in>", "<out>"]  # what ends a line, or begins one
MARKS = ["<pad>", "<gap>", "<other>", *LINES, "<text>", "<number>", *SLOTS]
KINDS = {
    tokenize.NEWLINE: "<line>",
    tokenize.INDENT: "<in>",
    tokenize.DEDENT: "<out>",
    tokenize.STRING: "<text>",
}
LEFT_OUT = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}
TEXT_STARTS, TEXT_ENDS = (  # of f-strings since Python 3.12, of t-strings since 3.14
    {getattr(tokenize, f"{letter}STRING_{edge}", None) for letter in "FT"}
    for edge in ("START", "END")
)


class Token(NamedTuple):
    """A token of Python code, and where it begins and ends: line from 1, column from 0."""

    word: str
    kind: int
    start: tuple[int, int]
    end: tuple[int, int]


def whole_texts(tokens: Iterable[tokenize.TokenInfo]) -> Iterator[tokenize.TokenInfo]:
    """Tokens with each f-string as one text, as it was before Python 3.12 and in training."""
    starts: list[tokenize.TokenInfo] = []  # of the f-strings around a token: they may be nested
    for token in tokens:
        if token.type in TEXT_STARTS:
            starts.append(token)
        elif token.type in TEXT_ENDS:
            start = starts.pop().start
            token = token._replace(type=tokenize.STRING, start=start)
        if not starts:
            yield token


def code_tokens(code: str) -> list[Token]:
    """The tokens of Python code, without comments and docstrings; up to where it cannot be read."""
    found: list[Token] = []
    with suppress(tokenize.TokenError, SyntaxError):
        for token in whole_texts(tokenize.generate_tokens(io.StringIO(code).readline)):
            word = KINDS.get(token.type, token.string)
            word = GAP if re.fullmatch(f"{GAP}_*", word) else word
            before, last = (["<line>", "<line>"] + [one.word for one in found[-2:]])[-2:]
            if word == "<line>" and last == "<text>" and before in LINES:
                found.pop()  # a line that is nothing but a text is a docstring
            elif token.type not in LEFT_OUT:
                found.append(Token(word, token.type, token.start, token.end))
    return found


def number_of(token: Token, numbers: dict[str, int]) -> int | None:
    """The number of a token in the vocabulary; None of a name that is not in it."""
    if token.word in numbers:
        return numbers[token.word]
    if token.kind == tokenize.NAME:
        return None
    return numbers["<number>" if token.kind == tokenize.NUMBER else "<other>"]


class Guess(NamedTuple):
    """A word for a gap, and how sure it is."""

    word: str
    share: float


def word_scores(table: Tensor, bias: Tensor, output: Tensor) -> Tensor:
    """(places, vocab_size): the score of each word, from the encoder's output there, (places, d_model).

    `table` is the embedding of the words, (vocab_size, d_model).
    """
    return output @ table.T + bias


class GapFiller:
    """An encoder with the stored weights, and what is needed to ask it about code."""

    def __init__(
        self, encoder: nn.Module, stored: dict[str, Tensor], vocabulary: list[str], fits: bool
    ):
        self.encoder, self.vocabulary, self.fits = encoder.eval(), vocabulary, fits
        self.table, self.bias = stored["embedding.weight"], stored["bias"]
        self.numbers = {word: number for number, word in enumerate(vocabulary)}

    def encoded(self, tokens: list[Token]) -> tuple[Tensor, dict[str, int]]:
        """(1, seq), and the names that are in no vocabulary, each with the number of its slot."""
        slots: dict[str, int] = {}
        numbers = []
        for token in tokens:
            number = self.numbers["<gap>"] if token.word == GAP else number_of(token, self.numbers)
            if number is None and len(slots) < len(SLOTS):
                number = slots.setdefault(token.word, self.numbers[SLOTS[len(slots)]])
            elif number is None:
                number = slots.get(token.word, self.numbers["<other>"])
            numbers.append(number)
        return torch.tensor([numbers]), slots

    @torch.no_grad()
    def best(
        self, tokens: list[Token], count: int = 3, padding: int = 0, masked: bool = True
    ) -> list[list[Guess]]:
        """For each gap the `count` likeliest of the words that can stand there, the likeliest first.

        `padding` tokens follow, which a mask hides if `masked`.
        """
        numbers, slots = self.encoded(tokens)
        gaps = numbers[0] == self.numbers["<gap>"]
        mask = F.pad(torch.ones_like(numbers), (0, padding))
        masks = [mask] if padding and masked else []
        output = self.encoder(F.pad(numbers, (0, padding)), *masks)  # (1, seq, d_model)
        has_shape(output, 1, len(tokens) + padding, SIZES["d_model"])
        assert output.isfinite().all(), "Your encoder answers with inf or nan: where do they begin?"
        scores = word_scores(self.table, self.bias, output[0, : len(tokens)][gaps])
        ruled_out = [word for word in MARKS if self.numbers[word] not in slots.values()]
        scores[:, [self.numbers[word] for word in ruled_out]] = -torch.inf
        likely = scores.softmax(-1).topk(count)
        names_of = {number: name for name, number in slots.items()}
        return [
            [
                Guess(names_of.get(number, self.vocabulary[number]), share)
                for share, number in zip(shares, best, strict=True)
            ]
            for shares, best in zip(*(part.tolist() for part in likely), strict=True)
        ]

    def attention(self, tokens: list[Token], layer: int) -> Tensor:
        """(num_heads, seq, seq): what looks at what in one layer."""
        layers = layers_of(self.encoder)
        assert layer < len(layers), f"Your encoder has {len(layers)} of the {layer + 1} layers."
        attentions = parts_like(layers[layer], student.Attention())
        numbers = self.encoded(tokens)[0]
        try:
            maps = [attention_maps(self.encoder, attention, numbers) for attention in attentions]
            return torch.cat(maps)
        except (RuntimeError, ValueError) as error:  # none is called, or with tensors of `vmap`
            raise AssertionError(
                "Your heads do without calls of `Attention`: what they look at cannot be seen."
            ) from error


def with_gaps(code: str) -> tuple[str, list[Token]]:
    """Code without empty lines around it, and its tokens. Raises `AssertionError` in words."""
    assert isinstance(code, str), "The code is a text: put it between three quotes."
    code = code.strip("\n")
    tokens = code_tokens(code)
    gaps = [token.start for token in tokens if token.word == GAP]
    for number, line in enumerate(code.split("\n"), 1):
        for found in re.finditer(f"{GAP}_*", line):
            assert (number, found.start()) in gaps, (
                f"Line {number}, `{line.strip()}`: a gap is a whole word that Python reads; no part of "
                "one, none in a text or comment, none below a line that cannot be read."
            )
    assert gaps, f"There is no gap: write {GAP}, three underscores, in the place of a word."
    assert len(tokens) <= LONGEST, (
        f"It reads {LONGEST} words, signs and ends of lines at once; your code has {len(tokens)}."
    )
    return code, tokens


@cache
def stored_numbers() -> tuple[dict[str, Tensor], list[str]]:
    """What was learned beforehand, by the names of the contracts, and the vocabulary."""
    path = Path(__file__).with_name(WEIGHTS)
    again = "take it from where the notebook came from, and put it beside the notebook."
    assert path.is_file(), f"`{WEIGHTS}` is missing: {again}"
    try:
        with safe_open(path, "pt") as file:
            stored = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118  no mapping
            return stored, json.loads(file.metadata()["vocabulary"])
    except (SafetensorError, OSError, TypeError, KeyError) as error:
        raise AssertionError(f"`{WEIGHTS}` is damaged: {again}") from error


def gap_filler(change: Callable[[nn.Module], None] | None = None) -> GapFiller:
    """Your Encoder with the stored weights; `change` takes a part of it away."""
    stored, vocabulary = stored_numbers()
    encoder = student.Encoder(len(vocabulary), *SIZES.values(), 0.0, 2 * LONGEST).eval()
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        fits = fill_weights(encoder, stored)
    if change:
        change(encoder)
    return GapFiller(encoder, stored, vocabulary, fits)


def fill_weights(encoder: nn.Module, stored: dict[str, Tensor]) -> bool:
    """Give an encoder the stored numbers, whatever it calls what it learns; whether its layers then answer
    as they should.
    """
    words = stored["embedding.weight"]
    tables = [table for table in encoder.parameters() if table.shape == words.shape]
    assert tables, "Your encoder learns no table of shape (vocab_size, d_model)."
    tables[0].copy_(words)
    layers = layers_of(encoder)[: SIZES["num_layers"]]
    fits = [fill_layer(layer, numbers_of(stored, i)) for i, layer in enumerate(layers)]
    return all(fits)


def numbers_of(stored: dict[str, Tensor], layer: int) -> dict[str, Tensor]:
    """What is stored for one layer, by the names inside it."""
    start = f"layers.{layer}."
    return {name.removeprefix(start): stored[name] for name in stored if name.startswith(start)}


def fill_layer(layer: nn.Module, stored: dict[str, Tensor]) -> bool:
    """Give an encoder layer the stored numbers: which matrix and which norm is which tells its answer.

    Whether it then is as that of PyTorch's own.
    """
    d_model, d_ff = SIZES["d_model"], SIZES["d_ff"]
    wanted, x = torchs_layer(stored), torch.randn(1, 8, d_model)
    linears = feed_forward_linears(layer, d_model, d_ff)
    for linear, name in zip(linears, ("linear1", "linear2"), strict=True):
        if linear:
            fill_linear(linear, stored, f"feature_transformation.{name}")
    fed = {id(p) for linear in linears if linear for p in linear.parameters()}
    heads = parts_like(layer, student.MultiHeadAttention(4, 2))[:1]
    ways = ways_to_fill_attention((heads or [layer])[0], fed, stored)
    if heads:
        ways = [fit(ways, lambda: heads[0](x, x, x), wanted.self_attn(x, x, x)[0])]
    norms = ways_to_fill_norms(layer, stored)

    def both(way: Callable[[], None], norm: Callable[[], None]) -> None:
        way()
        norm()

    fit([partial(both, *pair) for pair in product(ways, norms)], lambda: layer(x), wanted(x))
    return agrees(lambda: layer(x), wanted(x))


def fill_linear(linear: nn.Linear, stored: dict[str, Tensor], name: str) -> None:
    linear.weight.copy_(stored[f"{name}.weight"])
    if linear.bias is not None:
        linear.bias.copy_(stored[f"{name}.bias"])


def ways_to_fill_attention(
    heads: nn.Module, fed: set[int], stored: dict[str, Tensor]
) -> list[Callable[[], None]]:
    """A way for each order of the four matrices; they may be kept in one parameter or in many.

    `fed` are the ids of parameters that are none of them. Biases become zero.
    """
    matrices = [p for p in heads.parameters() if id(p) not in fed and p.dim() == 2]
    rows = [len(matrix) for matrix in matrices]
    four = [stored[f"self_attention.{role}_transform.weight"] for role in ROLES]
    shapes = ", ".join(str(tuple(matrix.shape)) for matrix in matrices)
    assert sum(rows) == 4 * len(four[0]) and all(p.size(1) == len(four[0]) for p in matrices), (
        f"The numbers for query, key, value and output are four matrices {tuple(four[0].shape)}, and find no "
        f"place in those that your attention learns: {shapes}."
    )
    for part in heads.modules():
        if isinstance(part, nn.Linear) and part.bias is not None and id(part.bias) not in fed:
            part.bias.zero_()

    def fill(whole: Sequence[Tensor]) -> None:
        for matrix, numbers in zip(matrices, torch.cat(whole).split(rows), strict=True):
            matrix.copy_(numbers)

    orders = orders_of(four)
    return [partial(fill, order) for order in [*orders, *map(head_by_head, orders)]]


def head_by_head(order: Sequence[Tensor]) -> list[Tensor]:
    """The same rows, where each head keeps its own three matrices."""
    *three, last = order
    chunks = [matrix.chunk(SIZES["num_heads"]) for matrix in three]
    return [chunk for head in zip(*chunks, strict=True) for chunk in head] + [last]


def ways_to_fill_norms(layer: nn.Module, stored: dict[str, Tensor]) -> list[Callable[[], None]]:
    """A way for each order of the two norms."""
    scales, shifts = scales_and_shifts(layer, SIZES["d_model"])

    def fill(order: tuple[int, int]) -> None:
        for vectors, kind in ((scales, "weight"), (shifts, "bias")):
            for vector, number in zip(vectors, order, strict=False):
                vector.copy_(stored[f"layer_norm_{number}.{kind}"])

    return [partial(fill, order) for order in permutations((1, 2))]


def fit(
    ways: list[Callable[[], None]], ask: Callable[[], Tensor], wanted: Tensor
) -> Callable[[], None]:
    """Fill in the first way after which the answer is the wanted one, or else the very first; return it."""
    for way in ways:
        way()
        if agrees(ask, wanted):
            return way
    ways[0]()
    return ways[0]


def agrees(ask: Callable[[], Tensor], wanted: Tensor) -> bool:
    with suppress(Exception):  # what is wrong shows itself where the encoder is asked
        return torch.allclose(ask(), wanted, atol=1e-3)
    return False


@torch.no_grad()
def torchs_layer(stored: dict[str, Tensor]) -> nn.Module:
    """PyTorch's own encoder layer with the numbers of one of ours."""
    d_model, num_heads, d_ff, _ = SIZES.values()
    layer = nn.TransformerEncoderLayer(d_model, num_heads, d_ff, 0.0, batch_first=True).eval()
    *three, out = (stored[f"self_attention.{role}_transform.weight"] for role in ROLES)
    layer.self_attn.in_proj_weight.copy_(torch.cat(three))
    layer.self_attn.in_proj_bias.zero_()
    layer.self_attn.out_proj.weight.copy_(out)
    layer.self_attn.out_proj.bias.zero_()
    for number in (1, 2):
        names = f"feature_transformation.linear{number}", f"layer_norm_{number}"
        theirs = getattr(layer, f"linear{number}"), getattr(layer, f"norm{number}")
        for name, part in zip(names, theirs, strict=True):
            fill_linear(part, stored, name)
    return layer


def first_layer_only(encoder: nn.Module) -> None:
    """The other layers hand on what they get."""
    for layer in layers_of(encoder)[1:]:
        layer.register_forward_hook(
            lambda module, inputs, named, output: first_input(inputs, named), with_kwargs=True
        )


class Shaded(NamedTuple):
    """A token as it is shown: with which word in its place, how dark from 0 to 1, in which colour."""

    token: Token
    word: str | None  # or else its own
    strength: float
    colour: str


def shaded_code(code: str, shaded: list[Shaded], title: str = "") -> tuple[str, str]:
    """Code in which some tokens stand on a colour, as HTML and as text."""
    begins = [0, *accumulate(len(line) + 1 for line in code.split("\n"))]
    marked, plain, last = [], [], 0
    for token, word, strength, colour in shaded:
        begin, end = (begins[line - 1] + column for line, column in (token.start, token.end))
        shown = code[begin:end] if word is None else word
        style = f"background: rgba({colour}, {strength:.2f}); border-radius: 3px"
        between = html.escape(code[last:begin])
        marked.append(f'{between}<span style="{style}">{html.escape(shown)}</span>')
        plain.append(code[last:begin] + shown)
        last = end
    frame = "font-family: monospace; line-height: 1.5; white-space: pre; overflow-x: auto; color: inherit"
    body = "".join(marked) + html.escape(code[last:])
    block = f'<div style="max-width: 100%">{html.escape(title)}<pre style="{frame}; background: none">{body}</pre></div>'
    return block, f"{title}\n{''.join(plain)}{code[last:]}".strip()


def show_code(*blocks: tuple[str, str]) -> None:
    """Show code below the cell, side by side where there is room."""
    marked, plain = zip(*blocks, strict=True)
    row = f'<div style="display: flex; flex-wrap: wrap; gap: 0 3em">{"".join(marked)}</div>'
    display({"text/html": row, "text/plain": "\n\n".join(plain)}, raw=True)


def percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.005 else "< 1%"


def tell_what_fails(filler: GapFiller) -> None:
    """Say first which exercise is not right yet, if one is: the encoder may run all the same."""
    said = "What follows is what such an encoder makes of it."
    if exercise := first_that_fails():
        panel("failing", f"The check of {title_of(exercise)} does not pass yet.", said)
    elif not filler.fits:
        panel("failing", "The numbers do not fit how your layers keep theirs.", said)


def first_that_fails() -> str:
    """The first exercise whose check does not pass with what is defined now; "" if all do."""
    for exercise, steps_of in CHECKS.items():
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(SEED)
            if error_of(lambda of_it=steps_of: list(of_it())):
                return exercise
    return ""


def fill_gaps(code: str) -> None:
    """Show code with its gaps filled in, the darker the surer, and the likeliest words for each."""
    try_it(draw_filled, code)


def draw_filled(code: str) -> None:
    code, tokens = with_gaps(code)
    filler = gap_filler()
    guesses = filler.best(tokens)
    FILLED[:] = [code]
    tell_what_fails(filler)
    gaps = [token for token in tokens if token.word == GAP]
    filled = [Shaded(gap, *best[0], GREEN) for gap, best in zip(gaps, guesses, strict=True)]
    show_code(shaded_code(code, filled))
    rows = [
        [i, "  ·  ".join(f"{word} {percent(share)}" for word, share in best)]
        for i, best in enumerate(guesses, 1)
    ]
    table(["gap", "the likeliest words for it"], rows)


def last_filled() -> tuple[str, list[Token]]:
    """The code of the cell above, and its tokens. Raises `AssertionError` in words, and what is open
    raises that it is.
    """
    if not FILLED:
        gap_filler().best(code_tokens(GAP))
    assert FILLED, "No gaps are filled yet: run the cell above that has the code."
    return with_gaps(FILLED[0])


def show_looks() -> None:
    """Show what the last gap looks at in a layer that a slider chooses."""
    play(slider("layer", [1, 2, 3, 4], start=1, stills=[1, 4]))(draw_looks)


def draw_looks(layer: int) -> None:
    """Once for each head what the last gap looks at in one of the layers, counted from 1."""
    code, tokens = last_filled()
    place = [i for i, token in enumerate(tokens) if token.word == GAP][-1]
    looks = gap_filler().attention(tokens, layer - 1)[:, place]  # (num_heads, seq)
    assert looks.isfinite().all(), "Your attention has weights of inf or nan: where do they begin?"
    blocks = []
    for head, row in enumerate((looks / looks.amax(1, keepdim=True)).clamp(0, 1).tolist(), 1):
        shades = [
            Shaded(token, None, look, PURPLE) for token, look in zip(tokens, row, strict=True)
        ]
        blocks.append(shaded_code(code, shades, f"layer {layer}, head {head}"))
    show_code(*blocks)


def show_without() -> None:
    """A table: what is filled in where a part is missing, and the share right in code not seen."""
    try_it(draw_without)


def draw_without() -> None:
    _, tokens = last_filled()
    unseen = code_tokens(getsource(textwrap))
    cases: dict[str, tuple[Callable[[nn.Module], None] | None, bool]] = {
        "all of it": (None, True),
        "without the mask": (None, False),
        "one layer": (first_layer_only, True),
        "without positions": (without_positions, True),
    }
    rows = []
    for name, (change, masked) in cases.items():
        filler = gap_filler(change)
        pairs = filled_again(filler, unseen, masked)
        right = sum(guess == token.word for token, guess in pairs) / len(pairs)
        words = [best[0].word for best in filler.best(tokens, 1, PADDING, masked)]
        rows.append([name, f"{right:.0%}", "  ·  ".join(words)])
    tell_what_fails(gap_filler())
    table(["what there is", "right in textwrap", "your gaps"], rows)


def filled_again(filler: GapFiller, tokens: list[Token], masked: bool) -> list[tuple[Token, str]]:
    """Hide every sixth word, and return each with what is filled in for it."""
    pairs = []
    for begin in range(0, len(tokens), LONGEST):
        part = tokens[begin : begin + LONGEST]
        hidden = [token for token in part if token.kind in (tokenize.NAME, tokenize.NUMBER)][3::6]
        seen = [token._replace(word=GAP) if token in hidden else token for token in part]
        guesses = filler.best(seen, 1, PADDING, masked) if hidden else []
        pairs += [(token, best[0].word) for token, best in zip(hidden, guesses, strict=True)]
    return pairs


# Made by `release`: the exercises, fingerprints of the cells, the map.
RELEASED = {'exercises': {'explain_feed_forward': {'number': '1',
                                        'title': 'Explain the feed forward layer',
                                        'points': 2,
                                        'minutes': 20,
                                        'defines': (),
                                        'by_hand': True,
                                        'form_only': False},
               'feed_forward': {'number': '2',
                                'title': 'Build the feed forward layer',
                                'points': 4,
                                'minutes': 20,
                                'defines': ('PositionWiseFeedForward',),
                                'by_hand': False,
                                'form_only': False},
               'attention': {'number': '3a',
                             'title': 'Attention',
                             'points': 4,
                             'minutes': 40,
                             'defines': ('Attention',),
                             'by_hand': False,
                             'form_only': False},
               'multi_head_attention': {'number': '3b',
                                        'title': 'Multi-head attention',
                                        'points': 6,
                                        'minutes': 45,
                                        'defines': ('MultiHeadAttention',),
                                        'by_hand': False,
                                        'form_only': False},
               'explain_layer_norm': {'number': '4',
                                      'title': 'Explain layer normalisation',
                                      'points': 2,
                                      'minutes': 20,
                                      'defines': (),
                                      'by_hand': True,
                                      'form_only': False},
               'encoder_layer': {'number': '5',
                                 'title': 'The encoder layer',
                                 'points': 6,
                                 'minutes': 40,
                                 'defines': ('EncoderLayer',),
                                 'by_hand': False,
                                 'form_only': False},
               'encoder': {'number': '7',
                           'title': 'The encoder',
                           'points': 4,
                           'minutes': 40,
                           'defines': ('Encoder',),
                           'by_hand': False,
                           'form_only': False}},
 'cells': [('title', 'markdown', 'fd7be9d3c867', '', (), ''),
           ('overview', 'markdown', '862dc3d6c8f7', '', (), ''),
           ('how_to_work', 'markdown', '18eff4d6c7de', '', (), ''),
           ('files_beside', 'markdown', '122d2ebf54d7', '', (), ''),
           ('how_it_is_graded', 'markdown', 'a50e15b5ffe3', '', (), ''),
           ('how_to_hand_in', 'markdown', '4b1e9c79e0ad', '', (), ''),
           ('symbols', 'markdown', 'eb7a7c317ad1', '', (), ''),
           ('set_up', 'code', '0f1ef0fe93f6', 'not run', (), ''),
           ('imports', 'code', '25763fc83a7a', '', (), ''),
           ('explain_feed_forward_goal', 'markdown', 'da13713fd8fb', '', (), ''),
           ('explain_feed_forward_equation', 'markdown', 'f3f4fae438d0', '', (), ''),
           ('explain_feed_forward_figure', 'markdown', '97e238a619ed', '', (), ''),
           ('explain_feed_forward_contract', 'markdown', 'dce3d612283b', '', (), ''),
           ('explain_feed_forward_hints', 'markdown', '973360225c71', '', (), ''),
           ('explain_feed_forward',
            'markdown',
            '00dc66fbe6c8',
            'answer',
            (),
            '**Your answer** (equation, shapes, three or four sentences):\n\nYOUR ANSWER HERE'),
           ('explain_feed_forward_try', 'markdown', '7b01f54b180d', '', (), ''),
           ('explain_feed_forward_picture', 'code', '64e0a4549a93', 'not run', (), ''),
           ('feed_forward_goal', 'markdown', '22de69d33850', '', (), ''),
           ('feed_forward_equation', 'markdown', '3e1a514a54ef', '', (), ''),
           ('feed_forward_figure', 'markdown', '6de9d35dc52b', '', (), ''),
           ('feed_forward_contract', 'markdown', '4f8c8740b89d', '', (), ''),
           ('feed_forward_hints', 'markdown', 'e6c3241bc258', '', (), ''),
           ('feed_forward', 'code', 'f97731962b9f', 'answer', ('PositionWiseFeedForward',), ''),
           ('feed_forward_try', 'markdown', 'b42ab108dff5', '', (), ''),
           ('feed_forward_picture', 'code', '99b3e2670ab4', 'not run', (), ''),
           ('feed_forward_check', 'markdown', 'f7763d40a0c0', '', (), ''),
           ('check_feed_forward', 'code', 'dc6b72f57731', 'check', (), ''),
           ('attention_goal', 'markdown', 'b2fc901c3596', '', (), ''),
           ('attention_equation', 'markdown', '384bcb517ae0', '', (), ''),
           ('attention_figure', 'markdown', 'd814523d8ac7', '', (), ''),
           ('attention_slowly', 'markdown', '2eb567980968', '', (), ''),
           ('slow_attention', 'code', 'b26e9a77e2de', '', (), ''),
           ('attention_masks', 'markdown', '54e3de1db484', '', (), ''),
           ('attention_contract', 'markdown', 'a322adf87b22', '', (), ''),
           ('attention_hints', 'markdown', '51547cfa2413', '', (), ''),
           ('attention', 'code', '60e948f61d65', 'answer', ('Attention',), ''),
           ('attention_try', 'markdown', 'fd674b818c13', '', (), ''),
           ('attention_picture', 'code', '6368f5972f1f', 'not run', (), ''),
           ('attention_play', 'markdown', 'd610fb7cb51a', '', (), ''),
           ('attention_scale_play', 'code', '530d39b88a2e', 'not run', (), ''),
           ('attention_mask_play', 'code', 'bccf756507a8', 'not run', (), ''),
           ('attention_check', 'markdown', '1ac4fcca4774', '', (), ''),
           ('check_attention', 'code', '956e574082ff', 'check', (), ''),
           ('multi_head_attention_goal', 'markdown', 'f830a4fc66aa', '', (), ''),
           ('multi_head_attention_equation', 'markdown', '4adfd22690f6', '', (), ''),
           ('multi_head_attention_figure', 'markdown', '98904227ab81', '', (), ''),
           ('multi_head_attention_contract', 'markdown', '5a7d9779ee59', '', (), ''),
           ('multi_head_attention_hints', 'markdown', 'a274e5b6ae0b', '', (), ''),
           ('multi_head_attention', 'code', '3740eb2180c5', 'answer', ('MultiHeadAttention',), ''),
           ('multi_head_attention_try', 'markdown', 'f55a2bcc3e6a', '', (), ''),
           ('multi_head_attention_picture', 'code', 'ec74810c0253', 'not run', (), ''),
           ('multi_head_attention_play_text', 'markdown', 'd3af32513c8b', '', (), ''),
           ('multi_head_attention_play', 'code', '372e241888a0', 'not run', (), ''),
           ('multi_head_attention_check', 'markdown', '9188e7548714', '', (), ''),
           ('check_multi_head_attention', 'code', '3eb7205aacaf', 'check', (), ''),
           ('explain_layer_norm_goal', 'markdown', '1d8d693e6b80', '', (), ''),
           ('explain_layer_norm_equation', 'markdown', '0e498e72e03b', '', (), ''),
           ('explain_layer_norm_figure', 'markdown', 'bae7361f3933', '', (), ''),
           ('explain_layer_norm_contract', 'markdown', '5e7339ea7f89', '', (), ''),
           ('explain_layer_norm_hints', 'markdown', '8d8c82b80e5c', '', (), ''),
           ('explain_layer_norm',
            'markdown',
            'a41fffecbfe8',
            'answer',
            (),
            '**Your answer** (equation, symbols, three or four sentences):\n\nYOUR ANSWER HERE'),
           ('explain_layer_norm_try', 'markdown', 'a5bbab8d1ae9', '', (), ''),
           ('explain_layer_norm_picture', 'code', '0bd3f0f4d9e8', 'not run', (), ''),
           ('encoder_layer_goal', 'markdown', '4e6471e9da2d', '', (), ''),
           ('encoder_layer_equation', 'markdown', '7a40c24d7588', '', (), ''),
           ('encoder_layer_figure', 'markdown', 'b82f514f3ac1', '', (), ''),
           ('encoder_layer_contract', 'markdown', '1857cffc0fce', '', (), ''),
           ('encoder_layer_hints', 'markdown', 'fb7e50d014dd', '', (), ''),
           ('encoder_layer', 'code', '50611ce967c4', 'answer', ('EncoderLayer',), ''),
           ('encoder_layer_try', 'markdown', '7a29c2d47c6d', '', (), ''),
           ('encoder_layer_picture', 'code', 'f0e64d7eea65', 'not run', (), ''),
           ('encoder_layer_check', 'markdown', '521fac957cfd', '', (), ''),
           ('check_encoder_layer', 'code', 'c0dfb93d5434', 'check', (), ''),
           ('tests_goal', 'markdown', 'b1d5b001da65', '', (), ''),
           ('tests_equation', 'markdown', '7cb0c85c4b51', '', (), ''),
           ('tests_figure', 'markdown', '26a5dcc0b0e8', '', (), ''),
           ('tests_contract', 'markdown', 'a6dcf045acd9', '', (), ''),
           ('tests_setup', 'code', '1e062324108f', 'not run', (), ''),
           ('tests_order', 'code', 'dfb3a5302e6f', 'not run', (), ''),
           ('tests_mask', 'code', '8c16e6a7eca5', 'not run', (), ''),
           ('tests_training', 'code', '4b6b3f21d9ac', 'not run', (), ''),
           ('tests_hints', 'markdown', '365012eb24e1', '', (), ''),
           ('tests_your_own', 'markdown', '38986b9d241d', '', (), ''),
           ('tests_yours', 'code', 'd02e3405bdf6', 'not run', (), ''),
           ('tests_planted_text', 'markdown', '54538ddfa2b8', '', (), ''),
           ('tests_planted', 'code', '3302bca773b8', 'not run', (), ''),
           ('encoder_goal', 'markdown', 'adfeaf191a3c', '', (), ''),
           ('encoder_equation', 'markdown', '92f69446dd32', '', (), ''),
           ('encoder_figure', 'markdown', '7719fa0e2e9e', '', (), ''),
           ('encoder_contract', 'markdown', 'ff9c53037439', '', (), ''),
           ('encoder_hints', 'markdown', 'dff4c0192453', '', (), ''),
           ('encoder', 'code', 'ff675ff93358', 'answer', ('Encoder',), ''),
           ('encoder_try', 'markdown', '7b1b9ef233a2', '', (), ''),
           ('encoder_picture', 'code', '7851c414e68a', 'not run', (), ''),
           ('encoder_check', 'markdown', 'dbbd670c1458', '', (), ''),
           ('check_encoder', 'code', '42f5ff97c38c', 'check', (), ''),
           ('progress_intro', 'markdown', '1a78469ca33d', '', (), ''),
           ('progress', 'code', '9a89c0baf159', 'not run', (), ''),
           ('demo_goal', 'markdown', 'a33f86e53358', '', (), ''),
           ('demo_training', 'code', '42dfcf800a73', 'not run', (), ''),
           ('demo_word', 'code', 'a306180efcb7', 'not run', (), ''),
           ('demo_look', 'markdown', 'f8c422e2674f', '', (), ''),
           ('demo_loss', 'code', '01c7b8663ce8', 'not run', (), ''),
           ('demo_attention', 'code', '27a67e45ed5f', 'not run', (), ''),
           ('demo_attention_play_text', 'markdown', '688f20aab33a', '', (), ''),
           ('demo_attention_play', 'code', '0e0af0485279', 'not run', (), ''),
           ('predict_goal', 'markdown', 'a3d32801df1e', '', (), ''),
           ('predict_how', 'markdown', '2b3b4a4d72f1', '', (), ''),
           ('predict_yours', 'code', 'd36778ef6a50', 'not run', (), ''),
           ('predict_seen', 'markdown', 'd1dd7a9b5c90', '', (), ''),
           ('predict_not_seen', 'markdown', '3a360a30ef88', '', (), ''),
           ('gaps_goal', 'markdown', '8d05c7fed953', '', (), ''),
           ('gaps_text', 'markdown', 'a1142e8d8dc9', '', (), ''),
           ('gaps_fill', 'code', '6274c3ee76e3', 'not run', (), ''),
           ('gaps_looks_text', 'markdown', 'fb563092c2a9', '', (), ''),
           ('gaps_looks', 'code', 'c5c4350d50ba', 'not run', (), ''),
           ('gaps_without_text', 'markdown', 'd04da00de77b', '', (), ''),
           ('gaps_without', 'code', 'eaad5c25022f', 'not run', (), ''),
           ('built_goal', 'markdown', 'e41a52c2778e', '', (), ''),
           ('built_lines', 'code', 'cdb3b7ccf671', 'not run', (), ''),
           ('next_paper', 'markdown', 'e9847debabd4', '', (), ''),
           ('next_warm_up', 'markdown', '38a0f2689b4d', '', (), ''),
           ('next_without_warm_up', 'markdown', 'ef6944903616', '', (), ''),
           ('next_since', 'markdown', 'd4a3ca48652b', '', (), ''),
           ('next_practical', 'markdown', '64354b1bd64a', '', (), ''),
           ('how_i_used_ai', 'markdown', '55cbcd4a3aa3', '', (), ''),
           ('closing', 'markdown', '1b2aeb8d2d74', '', (), ''),
           ('hand_in', 'code', 'd63a4d7093c8', 'not run', (), '')],
 'overview': '<svg xmlns="http://www.w3.org/2000/svg" width="720" height="362" viewBox="0 0 720 '
             '362" role="img">\n'
             '  <title>What you build, exercise by exercise</title>\n'
             '  <desc>The encoder of exercise 7 holds embedding and positions and a stack of '
             'encoder layers of exercise 5. A layer holds multi-head attention of exercise 3b with '
             'the attention of exercise 3a inside, two layer norms, which exercise 4 explains, and '
             'the feed forward layer of exercise 2, which exercise 1 explains. Exercise 6 tests it '
             'all. Each says its points and minutes.</desc>\n'
             '  <style>\n'
             '    text { font: 14px sans-serif; fill: #243040 }\n'
             '    .small { font-size: 11.5px; fill: #465364 }\n'
             '    .title { font-weight: bold }\n'
             '    .middle { text-anchor: middle }\n'
             '    .end { text-anchor: end }\n'
             '    .number { font-weight: bold; text-anchor: middle; fill: #fff }\n'
             '    .badge { fill: #243040 }\n'
             '    .token { fill: #e8ecf1; stroke: #7a8899 }\n'
             '    .weights { fill: #e5daf5; stroke: #7a4fb0 }\n'
             '    .plain { fill: #ffffff; stroke: #7a8899 }\n'
             '    .feed { fill: #cfeeee; stroke: #23888a }\n'
             '    .norm { fill: #fcf0b8; stroke: #b08d12 }\n'
             '    .layer { fill: #f1f3f6; stroke: #7a8899 }\n'
             '    .line { fill: none; stroke: #4a5665; stroke-width: 1.5 }\n'
             '  </style>\n'
             '  <defs>\n'
             '    <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
             'markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#4a5665"/></marker>\n'
             '  </defs>\n'
             '  <rect x="1" y="1" width="718" height="360" rx="14" fill="#fcfbf8" '
             'stroke="#e3ded2"/>\n'
             '  <!-- exercise 7 -->\n'
             '  <rect data-exercise="encoder" class="plain" x="16" y="18" width="688" height="292" '
             'rx="12"/>\n'
             '  <circle class="badge" cx="42" cy="43" r="13"/><text class="number" x="42" '
             'y="48">7</text>\n'
             '  <text class="title" x="62" y="48">Encoder</text>\n'
             '  <text data-exercise="encoder" class="small end" x="686" y="48">4 points · 40 '
             'min</text>\n'
             '  <rect class="token" x="32" y="150" width="104" height="80" rx="8"/>\n'
             '  <text class="middle" x="84" y="185">embedding</text>\n'
             '  <text class="middle" x="84" y="205">+ positions</text>\n'
             '  <path class="line" marker-end="url(#tip)" d="M136 190 H170"/>\n'
             '\n'
             '  <!-- exercise 5: a stack of layers -->\n'
             '  <rect data-exercise="encoder_layer" class="layer" x="188" y="62" width="500" '
             'height="220" rx="10"/>\n'
             '  <rect data-exercise="encoder_layer" class="layer" x="181" y="69" width="500" '
             'height="220" rx="10"/>\n'
             '  <rect data-exercise="encoder_layer" class="layer" x="174" y="76" width="500" '
             'height="220" rx="10"/>\n'
             '  <circle class="badge" cx="200" cy="98" r="13"/><text class="number" x="200" '
             'y="103">5</text>\n'
             '  <text class="title" x="220" y="103">EncoderLayer</text>\n'
             '  <text data-exercise="encoder_layer" class="small end" x="660" y="103">6 points · '
             '40 min</text>\n'
             '\n'
             '  <!-- exercises 3b and 3a -->\n'
             '  <rect data-exercise="multi_head_attention" class="weights" x="186" y="120" '
             'width="198" height="162" rx="8"/>\n'
             '  <rect class="badge" x="195" y="130" width="32" height="24" rx="12"/><text '
             'class="number" x="211" y="147">3b</text>\n'
             '  <text x="234" y="147">MultiHeadAttention</text>\n'
             '  <text data-exercise="multi_head_attention" class="small" x="234" y="165">6 points '
             '· 45 min</text>\n'
             '  <rect data-exercise="attention" class="plain" x="198" y="186" width="174" '
             'height="80" rx="8"/>\n'
             '  <rect class="badge" x="208" y="208" width="32" height="24" rx="12"/><text '
             'class="number" x="224" y="225">3a</text>\n'
             '  <text x="247" y="225">Attention</text>\n'
             '  <text data-exercise="attention" class="small" x="247" y="243">4 points · 40 '
             'min</text>\n'
             '\n'
             '  <!-- exercises 4, 2 and 1, 4 -->\n'
             '  <rect data-exercise="explain_layer_norm" class="norm" x="400" y="120" width="50" '
             'height="162" rx="8"/>\n'
             '  <circle class="badge" cx="425" cy="142" r="13"/><text class="number" x="425" '
             'y="147">4</text>\n'
             '  <text class="middle" style="font-size: 12px" transform="translate(422 220) '
             'rotate(-90)">explain LayerNorm</text>\n'
             '  <text data-exercise="explain_layer_norm" class="small middle" '
             'transform="translate(440 220) rotate(-90)">2 points · 20 min</text>\n'
             '  <rect data-exercise="feed_forward" class="feed" x="466" y="120" width="132" '
             'height="162" rx="8"/>\n'
             '  <circle class="badge" cx="487" cy="142" r="13"/><text class="number" x="487" '
             'y="147">2</text>\n'
             '  <text x="476" y="174">PositionWise</text>\n'
             '  <text x="476" y="191">FeedForward</text>\n'
             '  <text data-exercise="feed_forward" class="small" x="476" y="209">4 points · 20 '
             'min</text>\n'
             '  <rect data-exercise="explain_feed_forward" class="plain" x="471" y="220" '
             'width="122" height="56" rx="8"/>\n'
             '  <circle class="badge" cx="488" cy="238" r="12"/><text class="number" x="488" '
             'y="243">1</text>\n'
             '  <text x="506" y="243">explain it</text>\n'
             '  <text data-exercise="explain_feed_forward" class="small" x="477" y="266">2 points '
             '· 20 min</text>\n'
             '  <rect data-exercise="explain_layer_norm" class="norm" x="614" y="120" width="50" '
             'height="162" rx="8"/>\n'
             '  <circle class="badge" cx="639" cy="142" r="13"/><text class="number" x="639" '
             'y="147">4</text>\n'
             '  <text class="middle" style="font-size: 12px" transform="translate(643 220) '
             'rotate(-90)">explain LayerNorm</text>\n'
             '  <path class="line" marker-end="url(#tip)" d="M384 200 H398"/>\n'
             '  <path class="line" marker-end="url(#tip)" d="M450 200 H464"/>\n'
             '  <path class="line" marker-end="url(#tip)" d="M598 200 H612"/>\n'
             '\n'
             '  <circle class="badge" cx="42" cy="335" r="13"/><text class="number" x="42" '
             'y="340">6</text>\n'
             '  <text x="62" y="340">tests: the laws that all of this must keep</text>\n'
             '</svg>',
 'ungraded': ('6 · Test the laws',),
 'notebook': 'encoder-layer.ipynb'}
