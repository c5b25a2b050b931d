"""Swiglu.

TODO(author): a check for each belief. A mistake in the file of the same name in `mistakes/` shows
that it can fail, and the points of all checks add up to those of the check cell.
"""

import pytest
import torch

from . import reference


@pytest.mark.points(1)
def test_answer_is_twice_that_of_the_linear_layer(candidate, tensors_agree):
    batch, d_model = 3, 5  # sizes that the notebook does not show, each another number
    correct = reference.SwiGLU(d_model)
    layer = candidate.build("SwiGLU", d_model)
    layer.load_state_dict(correct.state_dict())
    x = torch.randn(batch, d_model)
    assert tensors_agree(layer(x), correct(x)), (
        "Follow one row through the equation: what happens to what the linear layer answers?"
    )
