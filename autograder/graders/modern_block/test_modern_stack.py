"""Exercise 7: the stack. Stand-ins take the place of its blocks and of its norm, so that a broken
`ModernBlock` or `RMSNorm` costs nothing here; a stack that has blocks inside is compared as a whole.
"""

import pytest
import torch

from .weights import padding

NOT_CALLED = "Through which blocks does x go in your `forward`?"


@pytest.mark.points(1)
def test_blocks_are_called_one_after_another(asked_stack, tensors_agree, noted):
    """Does each block take what the one before it returned, the first one x, and does `num_layers`
    say how many there are?"""
    asked, sizes = asked_stack, asked_stack.sizes
    stack, single = asked.build(), asked.build(1)
    stack.strictly(asked.x)
    if asked.parts:
        handed = torch.stack(asked.seen)
        expected = torch.stack([asked.x, *asked.returned[:-1]])
        assert tensors_agree(handed, expected) and noted(len(asked.parts)) == sizes.num_layers
        single(asked.x)
        assert noted(len(asked.parts)) == sizes.num_layers + 1
    else:
        for layers, one in ((sizes.num_layers, stack), (1, single)):
            assert tensors_agree(
                one(asked.x), asked.reference.norm(asked.expected(asked.x, layers))
            )
    wanted = [sizes.d_model, sizes.num_heads, sizes.d_ff]
    assert noted([built for built in asked.built() if built != wanted]) == [], (
        "Which arguments do the blocks get: d_model, num_heads and d_ff, each where it belongs?"
    )
    (gradient,) = stack.gradients(asked.x).arguments
    assert noted(gradient is not None and bool((gradient != 0).any())), (
        "Does gradient come back to x? `detach`, `.data` and `no_grad` cut it."
    )


@pytest.mark.points(0.5)
def test_one_norm_comes_after_the_last_block(asked_stack, tensors_agree):
    """What is done to what the last block returned, how often, and with which gain, before your stack
    returns it?"""
    asked = asked_stack
    answer = asked.build()(asked.x)
    last = asked.returned[-1] if asked.returned else asked.expected(asked.x)
    assert not torch.allclose(last, asked.x), NOT_CALLED
    assert tensors_agree(answer, asked.reference.norm(last))


@pytest.mark.points(0.5)
def test_blocks_have_weights_of_their_own(asked_stack, noted):
    """How many blocks does `print(stack)` show? A plain Python list hides them from it, and
    `[block] * n` is one block, n times."""
    asked = asked_stack
    stack = asked.build()
    stack.each((asked.x,), (asked.x,))  # in which blocks that are made anew are others
    own = asked.learns_as_much(stack)
    if asked.parts:
        numbers = asked.numbers()
        own = 2 * len(numbers) == len(asked.parts) and set(numbers) <= asked.registered(stack)
        noted([len(numbers), len(asked.registered(stack))])
    assert noted(own)


@pytest.mark.points(0.25)
def test_blocks_begin_with_different_values(asked_stack, answer_or_none, noted):
    """Blocks that begin with the same numbers learn the same to begin with. What makes yours alike?"""
    asked = asked_stack
    alike = answer_or_none(asked.begin_alike)  # None: of a block that breaks nobody can tell
    stack = asked.build()
    stack(asked.x)
    assert asked.calls_blocks(stack), NOT_CALLED
    assert not noted(bool(alike))


@pytest.mark.points(0.25)
def test_padding_mask_reaches_every_block(asked_stack, padding_is_absent):
    """Padding should be as good as absent for the other tokens. Which of the blocks get to see the
    `attention_mask`?"""
    padding_is_absent(asked_stack.build(), asked_stack.x, padding(*asked_stack.x.shape[:2]))


@pytest.mark.points(0.25)
def test_mask_may_be_left_out(asked_stack, tensors_agree):
    stack = asked_stack.build().supply(None)
    assert tensors_agree(stack(asked_stack.x, None), stack(asked_stack.x)), (
        "Without a mask and with `None` your answers differ. What stands for no mask?"
    )
    assert asked_stack.calls_blocks(stack), NOT_CALLED


@pytest.mark.points(0.25)
def test_training_is_as_evaluation(asked_stack, tensors_agree):
    """Nothing in this stack is dropped. What does yours do in training that it does not do after
    `eval()`?"""
    stack = asked_stack.build()
    evaluated, again = stack.each((asked_stack.x,), (asked_stack.x,))
    assert asked_stack.calls_blocks(stack), NOT_CALLED
    chance = not torch.equal(evaluated, again)  # another check asks for what is made anew
    often = [(asked_stack.x,)] * 24  # a block that is skipped one time in ten is noticed
    trained = [] if chance else stack.train().each(*often)
    assert all(tensors_agree(one, evaluated) for one in trained)
