"""SwiGLUs whose weights are found by what they do, whatever they are called and however they are kept.

With one number in all matrices no role matters: then each hidden unit is silu(z) * z, where z is that number
times the sum of a token's features. With gates that are wide open, silu(z) is z, whatever comes next to
it: then the answer is `down` of a product, and which of the two others is the gate is not seen.
"""

import itertools
import math

import torch

# Pairwise different, and no sizes of the notebook; rounded to whatever, d_ff is another number, not 0.
D_MODEL, D_FF, BATCH, SEQ = 5, 331, 3, 4


def build(candidate):
    return candidate.build("SwiGLU", D_MODEL, D_FF).expect(lambda x: x.shape).eval()


def matrices(layer):
    """What is learned and has two axes or more. Vectors are biases, and are made zero; a single number,
    such as a learned beta, stays as it begins.
    """
    learned = {one.identity: one for one in layer.parameters() if one.requires_grad}.values()
    vectors = [one for one in learned if len(one.shape) < 2 and math.prod(one.shape) > 1]
    layer.load_parameters({one.name: torch.zeros(one.shape) for one in vectors})
    return [one for one in learned if len(one.shape) > 1]


def hidden_units(layer):
    """How many it has, by its numbers: who takes another width is judged by that."""
    units, rest = divmod(sum(math.prod(one.shape) for one in matrices(layer)), 3 * D_MODEL)
    return D_FF if rest or not units else units


def with_one_number(layer, number):
    """Give all matrices this one number."""
    layer.load_parameters({one.name: torch.full(one.shape, number) for one in matrices(layer)})
    return layer


def tokens_with_gates(gates, number=1.0):
    """Tokens at which each gate is this, where all matrices have one number: (..., d_model)."""
    z = torch.as_tensor(gates, dtype=torch.get_default_dtype()).unsqueeze(-1)
    parts = 1 + torch.rand(*z.shape[:-1], D_MODEL)
    return z / number * parts / parts.sum(-1, keepdim=True)


def product_of_open_gates(layer, x):
    """Give the matrices positive numbers. Return the layer's answer to positive tokens, and what it may be:
    for each way to keep three matrices in fewer parameters, and each of the three as the way down.
    """
    matrices(layer)  # makes biases zero
    values = layer.randomise(lambda shape: 5 + 5 * torch.rand(shape) if len(shape) > 1 else None)
    answer, units = layer(x), hidden_units(layer)
    expected = [torch.zeros_like(answer)]  # with which nothing agrees
    for interleaved in (False, True):
        kept = [part for one in values.values() for part in parts_of(one, units, interleaved)]
        expected += [
            ((x @ one.T) * (x @ other.T)) @ down
            for one, other, down in itertools.permutations(kept, 3)
            if len(one) == len(other) == len(down)
        ]
    return answer, min(expected, key=lambda right: (answer - right).abs().max())


def parts_of(value, units, interleaved):
    """The matrices, (units, d_model) each, that are kept in one parameter."""
    features = [axis for axis, size in enumerate(value.shape) if size == D_MODEL]
    rows = value.movedim(features[0], -1).reshape(-1, D_MODEL) if features else value[:0]
    count = max(1, len(rows) // units)
    return [rows[i::count] for i in range(count)] if interleaved else rows.chunk(count)
