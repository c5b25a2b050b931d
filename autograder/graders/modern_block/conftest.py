"""Fixtures of these graders; each is made anew for every try at a check."""

from functools import partial

import pytest
import torch

from . import laws
from .reference import KINDS
from .stack import AskedStack
from .wiring import AskedBlock


@pytest.fixture
def asked(candidate):
    """The student's `ModernBlock`, and what to ask it with: `asked.build()(asked.x)`."""
    return AskedBlock(candidate)


@pytest.fixture
def asked_stack(candidate):
    """The student's `ModernStack`, and what to ask it with."""
    return AskedStack(candidate)


@pytest.fixture
def padding_is_absent(tensors_agree, tensors_differ):
    """padding_is_absent(layer, x, mask): the law of this name, with this check's comparisons."""
    return partial(laws.padding_is_absent, agree=tensors_agree, differ=tensors_differ)


@pytest.fixture
def says(candidate, values_agree):
    """says(x, block, ...): the student's word for each block that is played, which is asked with x. One of
    the four has to be returned; the blocks come in random order, so that to count them is no experiment.
    """

    def ask(x, *blocks, unchanged=False):
        kind_of, said = candidate.function("kind_of_block"), {}
        for place in torch.randperm(len(blocks)).tolist():
            question = candidate.play(blocks[place]), x
            said[place] = (kind_of.unchanged if unchanged else kind_of)(*question)
            assert any(values_agree(said[place], word) for word in KINDS), (
                "Which four answers may your function return? Does each way through it return one?"
            )
        return [said[place] for place in range(len(blocks))]

    return ask
