"""Weights find their role, whatever the layers are called."""

import pytest
import torch
from torch import nn

from autograder.engine.examiner import Candidate, InProcessCandidate

D = 6


@pytest.fixture
def load(assignment):
    """Assign a reference's weights to a module's parameters, with the practical's names."""

    def run(state, module: nn.Module) -> dict[str, torch.Tensor]:
        backend = InProcessCandidate({"Own": lambda: module})
        candidate = Candidate(backend, assignment.aliases, assignment.signature)
        return (
            candidate.for_check(double=False, own_parts=False)
            .build("Own")
            .by_role(state, strict=True)
        )

    return run


@pytest.fixture
def heads(assignment):
    """The weights of a multi-head attention."""
    reference = assignment.module("reference")
    return reference.shake(reference.MultiHeadAttention(D, 2)).state_dict()


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
def test_projections_are_told_by_name_or_else_by_order(load, heads, names):
    loads = load(heads, projections(*names))
    for ours, theirs in zip(heads, names, strict=True):
        assert torch.equal(loads[f"{theirs}.weight"], heads[ours])


def test_biases_that_nobody_asked_for_become_zero(load, heads):
    loads = load(heads, projections("q", "k", "v", "o", bias=True))
    assert all(not loads[f"{name}.bias"].any() for name in "qkvo")


def test_an_own_norm_is_told_by_its_two_vectors(load):
    class Norm(nn.Module):
        def __init__(self):
            super().__init__()
            self.beta, self.gamma = nn.Parameter(torch.zeros(D)), nn.Parameter(torch.ones(D))

    reference = {"layer_norm_1.weight": torch.rand(D), "layer_norm_1.bias": torch.rand(D)}
    loads = load(reference, nn.ModuleDict({"n": Norm()}))
    assert torch.equal(loads["n.gamma"], reference["layer_norm_1.weight"])
    assert torch.equal(loads["n.beta"], reference["layer_norm_1.bias"])


def test_too_few_layers_of_one_shape_are_no_match(load, heads):
    with pytest.raises(AssertionError, match="of one shape"):
        load(heads, projections("q", "k", "v"))


@pytest.mark.parametrize("kernel", [3, 1])
def test_a_convolution_is_loaded_with_its_bias(load, kernel):
    reference = nn.Conv1d(4, 5, kernel).state_dict()
    loads = load(reference, nn.ModuleDict({"conv": nn.Conv1d(4, 5, kernel)}))
    assert torch.equal(loads["conv.weight"], reference["weight"])
    assert torch.equal(loads["conv.bias"], reference["bias"])


def test_a_bias_that_fits_no_axis_of_its_weight_is_none(load, heads):
    """A candidate may say that it is as long as it likes: zeros are made for it here."""
    module = projections("q", "k", "v", "o")
    for name in "qkvo":
        module.get_submodule(name).bias = nn.Parameter(torch.zeros(1 << 20))
    loads = load(heads, module)
    assert loads.keys() == {"q.weight", "k.weight", "v.weight", "o.weight"}
