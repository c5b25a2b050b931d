"""Exercise 2: the position-wise feed forward layer."""

import pytest
import torch

from autograder.graders.encoder_layer.reference import PositionWiseFeedForward, shake

BATCH, SEQ, D_MODEL, D_FF = 3, 5, 8, 14


@pytest.mark.points(1)
def test_layers_are_an_nn_sequential(candidate):
    modules = candidate.build("PositionWiseFeedForward", D_MODEL, D_FF).modules()
    chains = [_leaves(modules, module) for module in modules if module.is_a("Sequential")]
    assert any(_is_linear_relu_linear(chain) for chain in chains), (
        "The statement asks for an `nn.Sequential`: does one hold the first linear layer, the ReLU "
        "and the second linear layer, in this order?"
    )


@pytest.mark.points(0.5)
def test_parameters_are_those_of_the_equation(candidate):
    parameters = candidate.build("PositionWiseFeedForward", D_MODEL, D_FF).parameters()
    shapes = sorted({parameter.identity: parameter.shape for parameter in parameters}.values())
    assert shapes == sorted([(D_FF, D_MODEL), (D_FF,), (D_MODEL, D_FF), (D_MODEL,)]), (
        "The equation has two weights and two biases, from d_model to d_ff and back. Which "
        "parameters does yours have? `[p.shape for p in layer.parameters()]` lists them."
    )


@pytest.mark.points(2)
def test_each_position_goes_through_the_equation(candidate, agrees):
    layer, reference = _built(candidate)
    x = torch.randn(BATCH, SEQ, D_MODEL)
    assert agrees(layer.eval()(x), reference(x)), (
        "Follow one position through the equation: which layer comes first, where does the ReLU "
        "act, and does anything act before, between or after that the equation does not have?"
    )


@pytest.mark.points(0.5)
def test_training_changes_nothing(candidate, agrees):
    layer, _ = _built(candidate)
    x = torch.randn(BATCH, SEQ, D_MODEL)
    evaluated = layer.eval()(x)
    assert not agrees(_built(candidate)[0].eval()(x), evaluated), (
        "With other weights in its linear layers, your layer answers the same. Are they used?"
    )
    assert agrees(layer.train()(x), evaluated), (
        "Why does this layer answer differently in training? Nobody asked it for dropout here."
    )


def _built(candidate):
    reference = shake(PositionWiseFeedForward(D_MODEL, D_FF))
    layer = candidate.build("PositionWiseFeedForward", D_MODEL, D_FF)
    layer.load_state_dict(reference.state_dict())
    return layer, reference


def _leaves(modules, parent):
    """The modules below `parent` that have none below themselves; dropout is not of interest."""
    prefix = f"{parent.name}." if parent.name else ""
    below = [
        module for module in modules if module.name.startswith(prefix) and module is not parent
    ]
    leaves = [m for m in below if not any(o.name.startswith(f"{m.name}.") for o in below)]
    return [leaf for leaf in leaves if not (leaf.is_a("_DropoutNd") or leaf.is_a("Identity"))]


def _is_linear_relu_linear(chain):
    if len(chain) != 3:
        return False
    first, between, last = chain
    own = between.kinds == ("Module",) and "relu" in f"{between.name} {between.class_name}".lower()
    relu = between.is_a("ReLU") or own
    return first.is_a("Linear") and relu and last.is_a("Linear")
