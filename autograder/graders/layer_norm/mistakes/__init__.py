"""The known mistakes of this assignment, as edits of the solution: what people really write.

A file an exercise. Each mistake has a sentence for the student, the checks that must fail, and the
ways in which it is made.
"""

TOGETHER: list[tuple[str, str]] = [
    # pairs that have to be told apart: ("exercise: mistake", "exercise: mistake")
    ("predict_norm: mean_stays", "predict_norm: order_changes"),
    ("predict_norm: variance_over_n_minus_1", "predict_norm: ten_times_changes_the_answer"),
    ("layer_norm: variance_over_n_minus_1", "layer_norm: eps_argument_ignored"),
    ("layer_norm: beta_before_gamma", "layer_norm: another_default_eps"),
    ("layer_norm: one_number_for_all_features", "layer_norm: gradient_is_cut"),
    ("layer_norm: squares_that_cancel", "layer_norm: begin_at_random"),
    ("add_and_norm: minus", "add_and_norm: nothing_to_learn_in_the_norm"),
    ("add_and_norm: no_dropout", "add_and_norm: nothing_to_learn_in_the_norm"),
    ("layer_norm: eps_argument_ignored", "add_and_norm: no_residual"),
    ("find_the_slip: variance_with_n_minus_1", "find_the_slip: bias_forgotten"),
    (
        "find_the_slip: consequence_named_in_feed_forward",
        "find_the_slip: printed_variance_repeated",
    ),
    ("find_the_slip: output_without_relu", "find_the_slip: normalised_not_centred"),
    ("twelve_tokens: no_relu", "twelve_tokens: variance_with_n_minus_1"),
    ("twelve_tokens: second_bias_forgotten", "twelve_tokens: no_residual"),
    ("twelve_tokens: residual_of_ffn_twice", "twelve_tokens: gamma_and_beta_swapped"),
    ("recover: beta_with_the_other_sign", "recover: tables_are_changed"),
    ("recover: half_of_the_tokens", "recover: wrong_axes_of_the_answer"),
    ("twelve_tokens: norm_over_tokens", "recover: sign_lost_in_a_ratio_of_spreads"),
    ("who_depends: shifted", "who_depends: never_both"),
    ("who_depends: first_sentence_only", "who_depends: compared_exactly"),
    ("who_depends: too_lax", "as_convolution: wide_kernel_of_zeros"),
    ("as_convolution: weight_transposed", "as_convolution: nothing_learns"),
    ("quiz: a_taken_for_false", "quiz: c_taken_for_true"),
]
