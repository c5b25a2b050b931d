"""What goes wrong in `as_convolution`.

TODO(author): what people really write.
"""

from autograder.engine.mistake import Mistakes

mistakes = Mistakes("as_convolution")

mistakes.add(
    "mean_over_the_batch",
    "The mean is taken over the batch: what one row becomes depends on the other rows.",
    "each_row_loses_its_own_mean",
    ("dim=-1", "dim=0"),
)
