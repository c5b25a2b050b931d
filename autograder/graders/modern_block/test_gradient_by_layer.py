"""Exercise 8: gradient by layer. The blocks are the notebook's, torch's, or played here."""

import pytest
import torch

from .chains import D_MODEL, Chains


@pytest.fixture
def chains(candidate):
    return Chains(candidate)


@pytest.mark.points(1.5)
def test_each_number_is_the_norm_of_the_gradient_in_front_of_a_block(chains, tensors_agree):
    """Follow one tensor in front of a block to the sum of upstream * output: what is its gradient, and
    how long is that, over all sentences, tokens and features together? Which block comes first?"""
    first, second, bent, mixed = chains.linear(), chains.linear(), chains.bent(), chains.mixed()
    for chain in ([first, bent, mixed, second], [mixed, second], [bent]):
        assert tensors_agree(chains.ask(*chain), chains.expected(*chain))


@pytest.mark.points(0.5)
def test_each_place_has_a_number_of_its_own(chains, tensors_agree, tensors_differ):
    """An identity returns the tensor that it gets, and one block may stand in two places. How many
    places does x come through, and does each have its own number?"""
    chains.must_follow(tensors_differ)
    bent, linear, same, copy = chains.bent(), chains.linear(), chains.identity, chains.copy()
    for chain, other in (
        ([bent, same, linear], [bent, copy, linear]),
        ([same, same], [copy, copy]),
        ([bent, linear, bent], [bent, linear, chains.again(bent)]),
    ):
        assert tensors_agree(chains.ask(*chain), chains.ask(*other))


@pytest.mark.points(1)
def test_where_a_block_lets_no_gradient_through_there_is_zero(
    chains, tensors_agree, tensor_is_zero
):
    """Some blocks ignore what they get, or detach it. Which gradient is there from such a block to the
    front, and which behind it? None and NaN are no numbers."""
    bent, linear, constant = chains.bent(), chains.linear(), chains.constant()
    wall, learned = chains.detached, chains.constant(learned=True)
    for before, after in (
        ([linear, learned], [bent]),
        ([linear, wall], [bent, linear]),
        ([bent, constant], [linear]),
        ([bent, constant, bent, constant], [linear]),  # one tensor, handed out twice
        ([wall, linear, constant], [bent]),
        ([linear, bent, wall], []),
        ([constant], []),
    ):
        answer = (
            chains.ask(*before, *after).abs().sort().values
        )  # their order is another check's matter
        assert len(answer) == len(before) + len(after), "Is there a number for each block?"
        assert tensor_is_zero(answer[: len(before)])
        behind = (
            chains.ask(*after, x=chains.through(*before)).abs().sort().values if after else None
        )
        assert behind is None or tensors_agree(answer[len(before) :], behind)


@pytest.mark.points(0.75)
def test_x_gets_no_gradient_and_loses_none(chains, candidate, tensors_agree, tensors_differ, noted):
    """x may want a gradient, and may have one already. After the call, are `x.grad` and
    `x.requires_grad` as they were, and those of what x was made from?"""
    chain, question = [chains.linear(), chains.bent()], "What does your function do to x?"
    chains.must_follow(tensors_differ)
    leaf, plain = chains.leaf(True), chains.leaf(False)
    made = candidate.build("made_from", leaf)
    for x in (leaf, plain, made):
        assert tensors_agree(chains.ask(*chain, x=x), chains.ask(*chain)), question
    wants, gradient = chains.state(leaf)
    assert noted(wants) and tensors_agree(gradient, torch.ones_like(chains.x))
    assert noted(chains.state(plain)[0]) is False
    assert noted(chains.state(made)[0]) is True


@pytest.mark.points(0.25)
def test_answer_is_one_tensor_of_the_dtype_of_x(chains, candidate, tensors_differ, noted):
    """Which dtype has x, and which one has your answer? Does the answer still hold a graph?"""
    chains.must_follow(tensors_differ)
    blocks = [candidate.build_torch("Tanh"), candidate.build_torch("Identity")]
    ask = candidate.function("gradient_by_layer")
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        answer = ask(blocks, chains.x.to(dtype), chains.upstream.to(dtype))
        assert isinstance(answer, torch.Tensor), "Does your function return one tensor?"
        assert noted([answer.dtype == dtype, list(answer.shape)]) == [True, [len(blocks)]]
    inside = [candidate.build_torch("Linear", D_MODEL, D_MODEL)]
    answer = candidate.build("gradient_by_layer", inside, chains.x, chains.upstream)
    assert noted(chains.state(answer)[0]) is False
