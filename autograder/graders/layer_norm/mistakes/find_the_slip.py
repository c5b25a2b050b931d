"""What goes wrong in `find_the_slip`: steps of two calculations, each an entry of its own.

Wrong numbers are computed here as they come about, and not typed, except those that are printed.
"""

from autograder.engine.mistake import Mistakes

from ..reference import INPUTS, PRINTED

mistakes = Mistakes("find_the_slip")

IN_ADD, IN_FEED = '"first wrong step": "variance"', '"first wrong step": "hidden"'
SUM = '"sum": [1.5, 1.7, 3.2, 4.1]'
MEAN = '"mean": 2.625'
VARIANCE = '"variance": 1.157'
NORMALISED = '"normalised": [-1.046, -0.860, 0.535, 1.371]'
HIDDEN = '"hidden": [0.49, -0.03, 0.96]'
RELU = '"relu": [0.49, 0, 0.96]'
OUTPUT = '"output": [-0.043, 0.194, 0.431, 0.531]'

ADD, FEED = INPUTS["add and norm"], INPUTS["feed forward"]
X, SUB = (f"torch.tensor({ADD[name]})" for name in ("x", "sub-layer output"))
TOTAL = f"({X} + {SUB})"
FROM_MEAN = f"({TOTAL} - {TOTAL}.mean())"
V, W1, B1, W2 = (f"torch.tensor({FEED[name]})" for name in ("x", "W1", "b1", "W2"))
UNITS = f"({V} @ {W1} + {B1})"
RELU_OF_UNITS = f"{UNITS}.relu()"


def entry(piece: str, code: object) -> tuple[str, str]:
    """Another value under the key of a piece."""
    return piece, f"{piece.partition(': ')[0]}: {code}"


def printed(piece: str) -> tuple[str, str]:
    """The value that the article prints."""
    name = piece.split('"')[1]
    return entry(piece, next(steps[name] for steps in PRINTED.values() if name in steps))


mistakes.add(
    "consequence_named_in_add_and_norm",
    "Add and norm: the step that you name is computed rightly of the printed line before it. It is "
    "wrong, and not the first.",
    "first_wrong_step_of_add_and_norm",
    (IN_ADD, '"first wrong step": "normalised"'),
)
mistakes.add(
    "right_step_named_in_add_and_norm",
    "Add and norm: the step that you name is printed as it should be. Compute it once more.",
    "first_wrong_step_of_add_and_norm",
    (IN_ADD, '"first wrong step": "mean"'),
    (IN_ADD, '"first wrong step": "sum"'),
)
mistakes.add(
    "consequence_named_in_feed_forward",
    "Feed forward: the step that you name is computed rightly of the printed line before it. It is "
    "wrong, and not the first.",
    "first_wrong_step_of_feed_forward",
    (IN_FEED, '"first wrong step": "output"'),
    (IN_FEED, '"first wrong step": "relu"'),
)
mistakes.add(
    "calculations_mixed_up",
    "Each of the two answers stands under the other calculation.",
    "first_wrong_step_of_add_and_norm first_wrong_step_of_feed_forward",
    ((IN_ADD, '"first wrong step" : "hidden"'), (IN_FEED, '"first wrong step": "variance"')),
)
mistakes.add(
    "number_instead_of_a_name",
    "Add and norm: which step is the first wrong one is asked for by its name, not by its number or "
    "its value.",
    "first_wrong_step_of_add_and_norm",
    *((IN_ADD, f'"first wrong step": {code}') for code in (1.359, 3, 2, "'1.359'")),
)
mistakes.add(
    "sum_with_a_sign_lost",
    "One of the numbers that are added is negative. Did its sign come along?",
    "sum",
    entry(SUM, f"({X} + {SUB}.abs()).tolist()"),
)
mistakes.add(
    "difference_for_sum",
    "The sub-layer's output is subtracted where Add & Norm adds it.",
    "sum",
    entry(SUM, f"({X} - {SUB}).tolist()"),
    entry(SUM, f"({SUB} - {X}).tolist()"),
)
mistakes.add(
    "input_for_sum",
    "One of the two vectors stands alone where their sum is asked for.",
    "sum",
    entry(SUM, ADD["x"]),
    entry(SUM, ADD["sub-layer output"]),
)
mistakes.add(
    "total_for_mean",
    "These are the four numbers added up. By how many is the total divided?",
    "mean",
    entry(MEAN, f"{TOTAL}.sum()"),
)
mistakes.add(
    "mean_of_the_input",
    "This is the mean of x, before anything is added to it.",
    "mean",
    entry(MEAN, f"{X}.mean()"),
)
mistakes.add(
    "median_for_mean",
    "This is a number in the middle of the four in order. The mean is another.",
    "mean",
    entry(MEAN, f"{TOTAL}.quantile(0.5)"),
    entry(MEAN, f"{TOTAL}.median()"),
    entry(MEAN, f"({TOTAL}.max() + {TOTAL}.min()) / 2"),
)
mistakes.add(
    "mean_and_variance_swapped",
    "Mean and variance stand under each other's names.",
    "mean variance",
    (entry(MEAN, 1.157), entry(VARIANCE, 2.625)),
)
mistakes.add(
    "printed_variance_repeated",
    "This is the variance as it is printed. Do you get it, too, from the four numbers and their mean?",
    "variance",
    printed(VARIANCE),
    entry(VARIANCE, 1.36),
)
mistakes.add(
    "variance_with_n_minus_1",
    "This is the variance with n - 1, which estimates that of a larger population: what `torch.var` "
    "computes unless it is told otherwise. By how many does LayerNorm divide?",
    "variance",
    entry(VARIANCE, f"{TOTAL}.var()"),
    (
        entry(VARIANCE, f"{TOTAL}.var()"),
        entry(NORMALISED, f"{FROM_MEAN} / {TOTAL}.std()"),
    ),
)
mistakes.add(
    "standard_deviation_for_variance",
    "This is the standard deviation, the root of what is asked for.",
    "variance",
    entry(VARIANCE, f"{TOTAL}.std(correction=0)"),
)
mistakes.add(
    "root_with_n_minus_1_or_variance_of_x",
    "Two wrong numbers lie here: the root that `torch.std` takes, with n - 1 under it, and the variance "
    "of x before the sum. Which of the two is yours?",
    "variance",
    entry(VARIANCE, f"{TOTAL}.std()"),
    entry(VARIANCE, f"{X}.var(correction=0)"),
)
mistakes.add(
    "squares_not_divided",
    "These are the squared distances added up. A variance is their mean.",
    "variance",
    entry(VARIANCE, f"{FROM_MEAN}.square().sum()"),
)
mistakes.add(
    "absolute_distances",
    "Here the distances from the mean are taken as they are. What does a variance do with them first?",
    "variance",
    entry(VARIANCE, f"{FROM_MEAN}.abs().mean()"),
    entry(VARIANCE, f"{FROM_MEAN}.abs().sum()"),
)
mistakes.add(
    "distances_cancel",
    "The distances from the mean always add up to zero. Which step makes all of them positive?",
    "variance",
    entry(VARIANCE, 0),
    entry(VARIANCE, f"{FROM_MEAN}.mean()"),
)
mistakes.add(
    "squares_from_zero",
    "The numbers themselves are squared. From where are the distances of a variance measured?",
    "variance",
    entry(VARIANCE, f"{TOTAL}.square().mean()"),
    entry(VARIANCE, f"{TOTAL}.square().sum()"),
)
mistakes.add(
    "variance_of_another_vector",
    "This is a variance of x or of the sub-layer's output. Which vector is normalised?",
    "variance",
    entry(VARIANCE, f"{SUB}.var(correction=0)"),
    entry(VARIANCE, f"{X}.var(correction=0) + {SUB}.var(correction=0)"),
    entry(VARIANCE, f"{X}.var()"),
)
mistakes.add(
    "variance_with_too_few_digits",
    "This is rounded too far. Three digits are asked for.",
    "variance",
    entry(VARIANCE, 1.2),
    entry(VARIANCE, 1),
    entry(VARIANCE, 1.1),
)
mistakes.add(
    "printed_normalised_repeated",
    "These four are as printed. They belong to the printed variance; does your own have them follow?",
    "normalised",
    printed(NORMALISED),
)
mistakes.add(
    "divided_by_the_variance",
    "The distances are divided by the variance. Is that of their own size, or of that of squares?",
    "normalised",
    entry(NORMALISED, f"{FROM_MEAN} / {TOTAL}.var(correction=0)"),
)
mistakes.add(
    "normalised_with_n_minus_1",
    "These have the variance 1 only with n - 1. By how many does LayerNorm divide?",
    "normalised",
    entry(NORMALISED, f"{FROM_MEAN} / {TOTAL}.std()"),
)
mistakes.add(
    "normalised_not_centred",
    "These four have not the mean 0. What is taken away before the division?",
    "normalised",
    entry(NORMALISED, f"{TOTAL} / {TOTAL}.std(correction=0)"),
)
mistakes.add(
    "normalised_not_divided",
    "These are the distances from the mean, and not divided by anything.",
    "normalised",
    entry(NORMALISED, FROM_MEAN),
)
mistakes.add(
    "normalised_without_brackets",
    "Here the mean alone is divided, and not the distance from it. Which comes first in Python, a minus or "
    "a division?",
    "normalised",
    entry(NORMALISED, f"{TOTAL} - {TOTAL}.mean() / {TOTAL}.std(correction=0)"),
    entry(NORMALISED, f"{TOTAL} - {TOTAL}.mean() / {TOTAL}.var(correction=0)"),
    entry(NORMALISED, f"{TOTAL} - {TOTAL}.mean() / {TOTAL}.std()"),
)
mistakes.add(
    "normalised_to_a_unit_length",
    "These have the length 1, or lie between 0 and 1. LayerNorm gives them mean 0 and variance 1.",
    "normalised",
    entry(NORMALISED, f"{FROM_MEAN} / {FROM_MEAN}.norm()"),
    entry(NORMALISED, f"{TOTAL} / {TOTAL}.norm()"),
    entry(NORMALISED, f"({TOTAL} - {TOTAL}.min()) / ({TOTAL}.max() - {TOTAL}.min())"),
    entry(NORMALISED, f"{TOTAL} / {TOTAL}.sum()"),
    entry(NORMALISED, f"{TOTAL}.softmax(0)"),
)
mistakes.add(
    "normalised_with_a_sign_lost",
    "Two of the four lie below the mean. Which sign have these?",
    "normalised",
    entry(NORMALISED, f"{FROM_MEAN}.abs() / {TOTAL}.std(correction=0)"),
    entry(NORMALISED, f"-{FROM_MEAN} / {TOTAL}.std(correction=0)"),
)
mistakes.add(
    "normalised_of_the_input",
    "These belong to x before the sum. Which comes first in Add & Norm?",
    "normalised",
    entry(NORMALISED, f"F.layer_norm({X}, (4,))"),
    entry(NORMALISED, f"F.layer_norm({SUB}, (4,))"),
    entry(NORMALISED, f"{X} + F.layer_norm({SUB}, (4,))"),
    entry(NORMALISED, f"F.layer_norm({X}, (4,)) + {SUB}"),
)
mistakes.add(
    "normalised_in_another_order",
    "The numbers are right, and stand in another order than the features.",
    "normalised",
    entry(NORMALISED, [1.371, 0.535, -0.860, -1.046]),
    entry(NORMALISED, [-0.860, -1.046, 0.535, 1.371]),
)
mistakes.add(
    "normalised_with_too_few_digits",
    "These are rounded too far. Three digits are asked for.",
    "normalised",
    entry(NORMALISED, f"(10 * {FROM_MEAN} / {TOTAL}.std(correction=0)).round() / 10"),
    entry(NORMALISED, f"(100 * {FROM_MEAN} / {TOTAL}.std(correction=0)).round() / 100"),
    entry(NORMALISED, f"({FROM_MEAN} / {TOTAL}.std(correction=0)).round()"),
)
mistakes.add(
    "printed_hidden_repeated",
    "These three are as printed. Do you get them, too, from x, W1 and b1?",
    "hidden",
    printed(HIDDEN),
    (printed(HIDDEN), printed(RELU)),
)
mistakes.add(
    "all_lines_copied",
    "The lines of a calculation stand as they are printed, each of them. Compute them, from the first on.",
    "sum mean variance normalised",
    (printed(VARIANCE), printed(NORMALISED)),
)
mistakes.add(
    "feed_forward_copied",
    "The lines of the feed forward layer stand as they are printed, each of them. Compute them, from the "
    "first on.",
    "hidden relu output",
    (printed(HIDDEN), printed(RELU), printed(OUTPUT)),
)
mistakes.add(
    "anything_behind_a_huge_variance",
    "Your variance is far from the size of what is squared, and what is divided by its root is nearly 0 or "
    "nearly endless.",
    "variance normalised",
    (entry(VARIANCE, 1e8), entry(NORMALISED, f"{FROM_MEAN} / 1e4")),
    (entry(VARIANCE, 1e-12), entry(NORMALISED, f"{FROM_MEAN} / 1e-6")),
)
mistakes.add(
    "bias_forgotten",
    "This is x W1 alone. What else does the first linear map add?",
    "hidden",
    entry(HIDDEN, f"{V} @ {W1}"),
)
mistakes.add(
    "bias_subtracted",
    "`b1` has a sign of its own: it is added as it stands.",
    "hidden",
    entry(HIDDEN, f"{V} @ {W1} - {B1}"),
)
mistakes.add(
    "weight_read_along_the_other_side",
    "W1 is read along its rows. Each hidden unit has a column of four weights, one for each feature.",
    "hidden",
    entry(HIDDEN, f"{W1}.reshape(3, 4) @ {V} + {B1}"),
    entry(HIDDEN, f"{V}[:3] @ {W1}[:3].T + {B1}"),
    entry(HIDDEN, f"{W1} @ {V}[:3]"),
    entry(HIDDEN, f"({W1} @ {V}[:3])[:3] + {B1}"),
    entry(HIDDEN, f"({V}[:, None] * {W1}).sum(1)"),
)
mistakes.add(
    "hidden_with_a_sign_lost",
    "A sign got lost in your hidden units, in a product or in what is added. Which numbers of x, W1 and "
    "b1 are negative, and which products?",
    "hidden",
    entry(HIDDEN, f"{V} @ {W1} + {B1}.abs()"),  # or that of one product in the second unit
    entry(HIDDEN, [0.59, -0.03, 0.96]),
    entry(HIDDEN, [0.61, -0.03, 0.96]),
    entry(HIDDEN, [0.49, -0.03, 0.66]),
    entry(HIDDEN, f"{V}.abs() @ {W1} + {B1}"),
    entry(HIDDEN, f"{V} @ {W1}.abs() + {B1}"),
    entry(HIDDEN, f"{V}.abs() @ {W1}.abs() + {B1}"),
)
mistakes.add(
    "relu_in_hidden",
    "A number of yours is zero already. In the printed calculation the ReLU is a step of its own.",
    "hidden",
    entry(HIDDEN, RELU_OF_UNITS),
)
mistakes.add(
    "hidden_in_another_order",
    "The numbers are right, and stand in another order than the columns of W1.",
    "hidden",
    entry(HIDDEN, [0.96, -0.03, 0.49]),
    entry(HIDDEN, [0.49, 0.96, -0.03]),
)
mistakes.add(
    "printed_relu_repeated",
    "These three are as printed. They follow from the printed hidden units; from yours, too?",
    "relu",
    printed(RELU),
)
mistakes.add(
    "negative_number_kept",
    "A number of yours is negative, and max(0, .) is never that.",
    "relu",
    entry(RELU, UNITS),
    entry(RELU, f"F.leaky_relu({UNITS}, 0.1)"),
)
mistakes.add(
    "relu_takes_the_sign_away",
    "A negative number has lost its sign. Is that what max(0, .) makes of it?",
    "relu",
    entry(RELU, f"{UNITS}.abs()"),
)
mistakes.add(
    "relu_to_zero_and_one",
    "Positive numbers pass a ReLU as they are; yours became something else.",
    "relu",
    entry(RELU, [1, 0, 1]),
    entry(RELU, f"{UNITS}.clamp(max=0)"),
    entry(RELU, f"{UNITS}.sigmoid()"),
    entry(RELU, f"F.gelu({UNITS})"),
)
mistakes.add(
    "printed_output_repeated",
    "These four are as printed. They follow from the printed step before; from yours, too?",
    "output",
    printed(OUTPUT),
)
mistakes.add(
    "output_without_relu",
    "The negative hidden unit takes part in your output. Which step comes before the second product?",
    "output",
    entry(OUTPUT, f"{UNITS} @ {W2}"),
)
mistakes.add(
    "relu_on_the_output",
    "The first number of yours is zero. Does anything in the printed equation forbid a negative output?",
    "output",
    entry(OUTPUT, f"({RELU_OF_UNITS} @ {W2}).relu()"),
    entry(OUTPUT, f"({UNITS} @ {W2}).relu()"),
    entry(OUTPUT, f"({RELU_OF_UNITS} @ {W2}).abs()"),
)
mistakes.add(
    "second_weight_read_along_the_other_side",
    "W2 is read along its rows. Each output feature has a column of three weights, one for each "
    "hidden unit.",
    "output",
    entry(OUTPUT, f"{W2}.reshape(4, 3) @ {RELU_OF_UNITS}"),
    entry(OUTPUT, f"({W2}[:, :3] @ {RELU_OF_UNITS})"),
    entry(OUTPUT, f"({RELU_OF_UNITS}[:, None] * {W2}).sum(1)"),
)
mistakes.add(
    "output_with_the_residual",
    "The input is in your output. This calculation ends before any residual sum.",
    "output",
    entry(OUTPUT, f"{V} + {RELU_OF_UNITS} @ {W2}"),
)
mistakes.add(
    "output_with_a_sign_lost",
    "Some weights in W2 are negative, and your sum has them as positive.",
    "output",
    entry(OUTPUT, f"{RELU_OF_UNITS} @ {W2}.abs()"),
)
mistakes.add(
    "output_with_too_few_digits",
    "These are rounded too far. Three digits are asked for, and the inputs are exact.",
    "output",
    entry(OUTPUT, f"({RELU_OF_UNITS} @ {W2}).mul(100).round() / 100"),
    entry(OUTPUT, f"({RELU_OF_UNITS} @ {W2}).mul(10).round() / 10"),
)
