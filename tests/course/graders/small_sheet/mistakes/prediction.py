"""What is predicted wrongly."""

from autograder.engine.mistake import Mistakes

mistakes = Mistakes("prediction")
mistakes.add(
    "weights_grow",
    "When all scores grow by the same number, the weights stay as they are.",
    "prediction_is_right",
    ('"same"', '"larger"'),
)
