"""What is predicted wrongly."""

from autograder.engine.mistake import Mistakes

mistakes = Mistakes("predict_norm")

MEAN, VARIANCE = '"mean": 0', '"variance": 1'
ORDER, TIMES, PLUS = '"order": "same"', '"10 * x": "same"', '"x + 100": "same"'


def instead(entry: str, *values: object) -> list[tuple[str, str]]:
    """Each value in the place of the right one."""
    key = entry.rpartition(": ")[0]
    return [(entry, f"{key}: {value}") for value in values]


mistakes.add(
    "mean_stays",
    "You expect that the mean stays what it is before the norm. What does the numerator of the "
    "equation do with it?",
    "mean_after_the_norm",
    *instead(MEAN, "5", "5.0", "sum([2, 4, 6, 8]) / 4"),
)
mistakes.add(
    "mean_like_gamma",
    "You expect a mean of 1: that is where gamma begins. Which of gamma and beta moves the mean?",
    "mean_after_the_norm",
    *instead(MEAN, "1"),
)
mistakes.add(
    "mean_in_the_middle_of_0_and_1",
    "You expect features between 0 and 1. Which two numbers does the equation take of a token: mean "
    "and deviation, or smallest and largest?",
    "mean_after_the_norm",
    *instead(MEAN, "0.5"),
)
mistakes.add(
    "variance_stays",
    "You expect that the variance stays what it is before the norm. What is everything divided by?",
    "variance_after_the_norm",
    *instead(VARIANCE, "5", "5.0"),
)
mistakes.add(
    "variance_over_n_minus_1",
    "That is a variance over n - 1: over how many numbers does the equation average?",
    "variance_after_the_norm",
    *instead(VARIANCE, "4 / 3", "1.333", "20 / 3", "6.67"),
)
mistakes.add(
    "variance_is_a_deviation",
    "That is the standard deviation before the norm. What is asked for is the variance after it.",
    "variance_after_the_norm",
    *instead(VARIANCE, "math.sqrt(5)", "2.236"),
)
mistakes.add(
    "variance_of_0",
    "A variance of 0 means that all features are equal. Do the four become one number?",
    "variance_after_the_norm",
    *instead(VARIANCE, "0"),
)
mistakes.add(
    "variance_between_0_and_1",
    "You expect a variance between 0 and 1, as if features were brought between 0 and 1. What is "
    "left of a variance that is divided by itself?",
    "variance_after_the_norm",
    *instead(VARIANCE, "0.25", "5 / 36", "0.2"),
)
mistakes.add(
    "order_changes",
    "You expect that a feature overtakes another. Each loses the same number, and is divided by the "
    "same positive one.",
    "order_of_the_features",
    *instead(ORDER, '"changes"'),
)
mistakes.add(
    "ten_times_changes_the_answer",
    "You expect that a token ten times as large is answered otherwise. Its deviation is ten times "
    "as large, too.",
    "ten_times_the_token",
    *instead(TIMES, '"changes"'),
)
mistakes.add(
    "a_hundred_more_changes_the_answer",
    "You expect that a hundred more in each feature is seen in the answer. Its mean is a hundred "
    "more, too.",
    "a_hundred_more_in_each_feature",
    *instead(PLUS, '"changes"'),
)
mistakes.add(
    "scale_and_shift_change_the_answer",
    "You expect that size and place of a token are seen in the answer. Which of them are left, "
    "after the mean is subtracted and the deviation divided away?",
    "ten_times_the_token a_hundred_more_in_each_feature",
    ((TIMES, TIMES.replace("same", "changes")), (PLUS, PLUS.replace("same", "changes"))),
)
