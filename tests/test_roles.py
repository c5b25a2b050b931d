"""Weights find their role, whatever the layers are called."""

import pytest
import torch
from torch import nn

from autograder.engine.examiner.roles import NoSuchRole, Parameter, assign
from autograder.graders.encoder_layer import ALIASES
from autograder.graders.encoder_layer.reference import EncoderLayer, MultiHeadAttention, shake

D = 6


def parameters(module: nn.Module) -> list[Parameter]:
    named = module.named_parameters(remove_duplicate=False)
    return [Parameter(name, id(value), tuple(value.shape), True) for name, value in named]


def projections(*names: str, bias: bool = False) -> nn.Module:
    module = nn.Module()
    for name in names:
        module.add_module(name, nn.Linear(D, D, bias=bias))
    return module


@pytest.mark.parametrize(
    "names",
    [
        ("query_transform", "key_transform", "value_transform", "output_transform"),
        ("w_q", "w_k", "w_v", "w_o"),
        ("WQ", "WK", "WV", "WO"),
        ("to_q", "to_k", "to_v", "to_out"),
        ("q_proj", "k_proj", "v_proj", "out_proj"),
        ("queries", "keys", "values", "fc_out"),
        ("q_linear", "k_linear", "v_linear", "out"),
        ("first", "second", "third", "fourth"),
    ],
)
def test_projections_are_told_by_name_or_else_by_order(names):
    reference = shake(MultiHeadAttention(D, 2)).state_dict()
    loads = assign(reference, parameters(projections(*names)), ALIASES)
    for ours, theirs in zip(reference, names, strict=True):
        assert torch.equal(loads[f"{theirs}.weight"], reference[ours])


def test_names_count_more_than_order():
    reference = shake(MultiHeadAttention(D, 2)).state_dict()
    loads = assign(reference, parameters(projections("key", "query", "value", "proj")), ALIASES)
    assert torch.equal(loads["key.weight"], reference["key_transform.weight"])
    assert torch.equal(loads["proj.weight"], reference["output_transform.weight"])


def test_biases_that_nobody_asked_for_become_zero():
    reference = shake(MultiHeadAttention(D, 2)).state_dict()
    loads = assign(reference, parameters(projections("q", "k", "v", "o", bias=True)), ALIASES)
    assert all(not loads[f"{name}.bias"].any() for name in "qkvo")


def test_an_own_norm_is_told_by_its_two_vectors():
    class Norm(nn.Module):
        def __init__(self):
            super().__init__()
            self.beta, self.gamma = nn.Parameter(torch.zeros(D)), nn.Parameter(torch.ones(D))

    reference = {"layer_norm_1.weight": torch.rand(D), "layer_norm_1.bias": torch.rand(D)}
    loads = assign(reference, parameters(nn.ModuleDict({"n": Norm()})), ALIASES)
    assert torch.equal(loads["n.gamma"], reference["layer_norm_1.weight"])
    assert torch.equal(loads["n.beta"], reference["layer_norm_1.bias"])


def test_parts_that_somebody_else_plays_are_left_out():
    reference = shake(EncoderLayer(D, 2, 9)).state_dict()
    norms = nn.ModuleDict({"ln2": nn.LayerNorm(D), "ln1": nn.LayerNorm(D)})
    loads = assign(reference, parameters(norms), ALIASES)
    assert torch.equal(loads["ln1.weight"], reference["layer_norm_1.weight"])
    assert len(loads) == 4


def test_too_few_layers_of_one_shape_are_no_match():
    reference = shake(MultiHeadAttention(D, 2)).state_dict()
    with pytest.raises(NoSuchRole, match="output_transform"):
        assign(reference, parameters(projections("q", "k", "v")), ALIASES)
