"""What goes wrong in `find_the_slip`.

TODO(author): what people really write.
"""

from autograder.engine.mistake import Mistakes

mistakes = Mistakes("find_the_slip")

mistakes.add(
    "biases_forgotten",
    "These are the weights alone. What else does `nn.Linear` have, unless it is told not to?",
    "weights_and_biases_are_counted",
    ("3 * 5 + 5", "3 * 5"),
)
