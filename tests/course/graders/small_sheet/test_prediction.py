"""Exercise 3: what the student predicts, a value."""

import pytest


@pytest.mark.points(1)
def test_prediction_is_right(candidate):
    prediction = candidate.value("prediction")
    assert prediction == {"sum": "same", 2: [0.5, 0.5]}, (
        "What becomes of the weights when all scores grow by the same number?"
    )
