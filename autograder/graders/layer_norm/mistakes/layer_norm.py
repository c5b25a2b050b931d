"""What goes wrong in `layer_norm`.

TODO(author): what people really write.
"""

from autograder.engine.mistake import Mistakes

mistakes = Mistakes("layer_norm")

mistakes.add(
    "factor_forgotten",
    "Your layer answers what its linear layer answers. Which factor does the equation have?",
    "answer_is_twice_that_of_the_linear_layer",
    ("2 * self.linear(x)", "self.linear(x)"),
    ("return 2 * self.linear(x)", "y = self.linear(x)\n        2 * y\n        return y"),
)
