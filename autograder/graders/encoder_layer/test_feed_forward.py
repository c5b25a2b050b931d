"""Exercise 2: the position-wise feed forward layer."""

import pytest
import torch

from .own_weights import randomise
from .reference import PositionWiseFeedForward, draw_sizes, shake
from .relations import answered


@pytest.mark.points(1)
def test_layers_are_an_nn_sequential(candidate, noted, answer_or_none):
    """The statement asks for an `nn.Sequential`: does one hold the first linear layer, the ReLU
    and the second linear layer, in this order?"""
    sizes = draw_sizes()
    layer, x = _build(candidate, sizes), 10 * torch.randn(sizes.batch, 1, sizes.d_model)
    modules = layer.modules()
    randomise(layer)
    if answer_or_none(lambda: layer(x)) is not None:  # another check asks for that
        answered(layer.each, x)
    chains = [_leaves(modules, module) for module in modules if module.is_a("Sequential")]
    noted([[leaf.kinds[0] for leaf in chain] for chain in chains])
    assert any(_is_between_two_linears(chain) for chain in chains)


@pytest.mark.points(0.5)
def test_parameters_are_those_of_the_equation(candidate, noted):
    """The equation has two weights and two biases, from d_model to d_ff and back. Which parameters
    does yours have? `[p.shape for p in layer.parameters()]` lists them."""
    sizes = draw_sizes()
    parameters = _build(candidate, sizes).parameters()
    distinct = {parameter.identity: parameter.shape for parameter in parameters}
    shapes = noted(sorted(distinct.values()))
    d_model, d_ff = sizes.d_model, sizes.d_ff
    assert shapes == sorted([(d_ff, d_model), (d_ff,), (d_model, d_ff), (d_model,)])


@pytest.mark.points(2)
def test_each_position_goes_through_the_equation(candidate, tensors_agree):
    """Follow one position through the equation: which layer comes first, where does the ReLU act,
    and does anything act before, between or after that the equation does not have?"""
    layer, reference, x = _built(candidate)
    inputs = x, x[:1], x[:, :1]  # many, one sentence, one token of each
    whole, parts = layer.eval().strictly(x), layer.each(*((part,) for part in inputs[1:]))
    for part, answer in zip(inputs, [whole, *parts], strict=True):
        assert tensors_agree(answer, reference(part))
    assert layer.learns(x), (
        "Does gradient arrive at every weight, and at the input? `detach`, `.data` and `no_grad` "
        "cut the graph, and so does what is built inside `forward`."
    )


@pytest.mark.points(0.5)
def test_training_changes_nothing(candidate, tensors_agree, tensors_differ):
    """Why does this layer answer differently in training? Nobody asked it for dropout here."""
    layer, reference, x = _built(candidate)
    before = layer.eval()(x)
    layer.load_state_dict(shake(reference).state_dict())
    evaluated, trained = layer(x), layer.train()(x)
    assert tensors_differ(evaluated, before), (
        "With other weights in its linear layers, your layer answers the same. Are they used?"
    )
    assert tensors_agree(trained, evaluated)


def _build(candidate, sizes):
    layer = candidate.build("PositionWiseFeedForward", sizes.d_model, sizes.d_ff)
    return layer.expect(lambda x: x.shape)


def _built(candidate):
    """A layer with a reference's weights, and inputs large enough to tell ReLU from its like."""
    sizes = draw_sizes()
    reference = shake(PositionWiseFeedForward(sizes.d_model, sizes.d_ff))
    layer = _build(candidate, sizes)
    layer.load_state_dict(reference.state_dict())
    return layer, reference, 10 * torch.randn(sizes.batch, sizes.query_len, sizes.d_model)


def _leaves(modules, parent):
    """The modules below `parent` that have none below themselves; dropout is not of interest."""
    prefix = f"{parent.name}." if parent.name else ""
    below = [
        module for module in modules if module.name.startswith(prefix) and module is not parent
    ]
    leaves = [m for m in below if not any(o.name.startswith(f"{m.name}.") for o in below)]
    return [leaf for leaf in leaves if not (leaf.is_a("_DropoutNd") or leaf.is_a("Identity"))]


def _is_between_two_linears(chain):
    """Whether the chain is linear, something, linear; another check asks what that computes."""
    if len(chain) != 3:
        return False
    first, between, last = chain
    return first.is_a("Linear") and not between.is_a("Linear") and last.is_a("Linear")
