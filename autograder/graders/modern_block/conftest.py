"""Fixtures of these graders; each is made anew for every try at a check."""

from functools import partial

import pytest

from . import laws
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
