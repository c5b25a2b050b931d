"""The known mistakes of this assignment, as edits of the solution: what people really write.

A file an exercise. Each mistake has a sentence for the student, the checks that must fail, and the
ways in which it is made.
"""

TOGETHER: list[tuple[str, str]] = [
    # pairs that have to be told apart: ("exercise: mistake", "exercise: mistake")
    ("predict_norm: mean_stays", "predict_norm: order_changes"),
    ("predict_norm: variance_over_n_minus_1", "predict_norm: ten_times_changes_the_answer"),
    ("layer_norm: variance_over_n_minus_1", "layer_norm: eps_outside_the_root"),
    ("layer_norm: beta_before_gamma", "layer_norm: another_default_eps"),
    ("layer_norm: one_number_for_all_features", "layer_norm: gradient_is_cut"),
    ("layer_norm: squares_that_cancel", "layer_norm: begin_at_random"),
    ("add_and_norm: minus", "add_and_norm: another_default_rate"),
    ("add_and_norm: dropout_on_the_sum", "add_and_norm: gradient_is_cut"),
    ("layer_norm: eps_argument_ignored", "add_and_norm: no_residual"),
]
