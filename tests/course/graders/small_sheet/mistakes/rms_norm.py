"""What goes wrong in RMSNorm."""

from autograder.engine.mistake import Mistakes

mistakes = Mistakes("rms_norm")
mistakes.add(
    "mean_not_root",
    "The vector is divided by the mean of its squares, and not by the root of it.",
    "each_vector_is_divided_by_its_root_mean_square",
    (".rsqrt()", ".reciprocal()"),
)
mistakes.add(
    "no_scale",
    "The scale is not used.",
    "each_vector_is_divided_by_its_root_mean_square scale_is_learned",
    (" * self.weight", ""),
)
