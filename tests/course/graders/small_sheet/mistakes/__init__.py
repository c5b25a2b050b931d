"""The known mistakes of this assignment, a file an exercise."""

TOGETHER = [("rms_norm: mean_not_root", "rms_norm: no_scale")]
