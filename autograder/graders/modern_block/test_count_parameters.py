"""Count parameters.

TODO(author): a check for each belief. A mistake in the file of the same name in `mistakes/` shows
that it can fail, and the points of all checks add up to those of the check cell.
"""

import pytest

from .reference import PARAMETERS


@pytest.mark.points(1)
def test_weights_and_biases_are_counted(candidate):
    # whatever a student may have put there: look at its type
    answer = candidate.value("parameters")
    assert isinstance(answer, int | float), "Is it one number?"
    assert answer == PARAMETERS, (
        "How many numbers are in the weight of the layer, and what is there beside the weight?"
    )
