"""What goes wrong in softmax."""

from autograder.engine.mistake import Mistakes

mistakes = Mistakes("softmax")
mistakes.add(
    "another_axis",
    "The weights add up to 1 over the first axis, not over the last.",
    "weights_are_those_of_the_equation",
    ("sum(-1, keepdim=True)", "sum(0, keepdim=True)"),
)
mistakes.add(
    "overflow",
    "The exponential of a large score is no number any more.",
    "large_scores_give_numbers",
    ("scores - scores.amax(-1, keepdim=True)", "scores"),
)
