"""The known mistakes of this assignment, as edits of the solution: what people really write.

A file an exercise. Each mistake has a sentence for the student, the checks that must fail, and the
ways in which it is made.
"""

TOGETHER = [  # pairs that have to be told apart, in one exercise or in two
    ("feed_forward: no_relu", "feed_forward: residual_inside"),
    ("feed_forward: another_activation", "feed_forward: no_bias"),
    ("attention: unscaled", "attention: future_ignored"),
    ("attention: unscaled", "attention: mask_upside_down"),
    ("attention: wrong_scale", "attention: weak_fill"),
    ("attention: returns_more_than_the_output", "attention: mask_ignored"),
    (
        "multi_head_attention: split_without_transpose",
        "multi_head_attention: merge_without_transpose",
    ),
    ("multi_head_attention: biased_projections", "multi_head_attention: heads_not_checked"),
    ("multi_head_attention: projection_taken_twice", "multi_head_attention: mask_forgotten"),
    ("encoder_layer: no_residual", "encoder_layer: mask_forgotten"),
    ("encoder_layer: one_shared_norm", "encoder_layer: no_dropout"),
    ("encoder_layer: pre_norm", "encoder_layer: mask_mandatory"),
    ("encoder: positions_begin_at_one", "encoder: mask_mandatory"),
    ("encoder: embedding_not_scaled", "encoder: shared_layers"),
    ("encoder: sine_and_cosine_swapped", "encoder: mask_stops_on_the_way"),
    ("attention: unscaled", "encoder_layer: pre_norm"),
    ("multi_head_attention: merge_without_transpose", "encoder: no_positions"),
]
