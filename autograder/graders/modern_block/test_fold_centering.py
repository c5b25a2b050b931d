"""Fold centering.

TODO(author): a check for each belief. A mistake in the file of the same name in `mistakes/` shows
that it can fail, and the points of all checks add up to those of the check cell.
"""

import pytest
import torch

from . import reference


@pytest.mark.points(1)
def test_each_row_loses_its_own_mean(candidate, tensors_agree):
    batch, d_model = 3, 5  # sizes that the notebook does not show, each another number
    x = torch.randn(batch, d_model)
    answer = candidate.function("fold_centering")(x)
    expected = reference.fold_centering(x)
    assert isinstance(answer, torch.Tensor), "Does your function return one tensor?"
    assert tensors_agree(answer, expected), "Over which axis do you take the mean?"
