"""Known mistakes of this assignment, as edits of the solution: what people really write."""

from autograder.mistake import Mistake

MISTAKES = (
    Mistake(
        "no_sequential",
        "feed_forward",
        "The layer computes the right thing, but no `nn.Sequential` holds its three members.",
        (
            ("(nn.Sequential)", "(nn.Module)"),
            (
                "self.linear2 = nn.Linear(d_ff, d_model)",
                "self.linear2 = nn.Linear(d_ff, d_model)\n\n"
                "    def forward(self, x):\n        return self.linear2(self.relu(self.linear1(x)))",
            ),
        ),
    ),
    Mistake(
        "no_relu",
        "feed_forward",
        "Nothing stands between the two linear layers, and two linear layers in a row are one.",
        (("nn.ReLU()", "nn.Identity()"),),
    ),
    Mistake(
        "gelu",
        "feed_forward",
        "GELU came later; the equation here cuts off exactly what is negative.",
        (("nn.ReLU()", "nn.GELU()"),),
    ),
    Mistake(
        "no_bias",
        "feed_forward",
        "The equation adds b1 and b2; these linear layers have no bias.",
        (("nn.Linear(d_model, d_ff)", "nn.Linear(d_model, d_ff, bias=False)"),),
    ),
    Mistake(
        "unscaled",
        "attention",
        "The scores are not divided by the root of d_k.",
        ((" / math.sqrt(query.size(-1))", ""),),
    ),
    Mistake(
        "scaled_by_d_k",
        "attention",
        "The scores are divided by d_k, not by its root.",
        (("math.sqrt(query.size(-1))", "query.size(-1)"),),
    ),
    Mistake(
        "softmax_over_queries",
        "attention",
        "The softmax runs over the queries: the weights of one query do not add up to one.",
        (("softmax(dim=-1)", "softmax(dim=-2)"),),
    ),
    Mistake(
        "weak_fill",
        "attention",
        "The fill for masked scores is so close to zero that it hides nothing.",
        (("masked_fill(hidden, -torch.inf)", "masked_fill(hidden, -10e-12)"),),
    ),
    Mistake(
        "mask_upside_down",
        "attention",
        "The mask hides the keys that may be attended, and shows the padding.",
        (("hidden = ~attention_mask.bool()", "hidden = attention_mask.bool()"),),
    ),
    Mistake(
        "always_causal",
        "attention",
        "Later keys are hidden even though `mask_future` is False.",
        (("if self.mask_future:", "if True:"),),
    ),
    Mistake(
        "returns_weights_too",
        "attention",
        "`forward` returns two things where one is asked for.",
        (
            (
                "return scores.softmax(dim=-1) @ value",
                "weights = scores.softmax(dim=-1)\n        return weights @ value, weights",
            ),
        ),
    ),
    Mistake(
        "biased_projections",
        "multi_head_attention",
        "The projections have a bias; in the paper they are matrices alone.",
        ((", bias=False", ""),),
    ),
    Mistake(
        "heads_not_checked",
        "multi_head_attention",
        "Nobody notices that num_heads does not divide d_model.",
        (("if d_model % num_heads != 0:", "if False:"),),
    ),
    Mistake(
        "split_without_transpose",
        "multi_head_attention",
        "The features are cut as if the heads stood before the positions.",
        (
            (
                "part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in x",
                "part.reshape(len(part), self.num_heads, part.size(1), -1) for part in x",
            ),
        ),
    ),
    Mistake(
        "merge_without_transpose",
        "multi_head_attention",
        "The heads are put together before they stand next to their position again.",
        (("heads.transpose(1, 2).flatten(-2)", "heads.reshape(query.shape)"),),
    ),
    Mistake(
        "value_from_key",
        "multi_head_attention",
        "The values are computed from the key input.",
        (("self.value_transform(value)", "self.value_transform(key)"),),
    ),
    Mistake(
        "mask_forgotten",
        "multi_head_attention",
        "The attention mask stops here: the attention never gets it.",
        (("self.attention(*split, attention_mask)", "self.attention(*split)"),),
    ),
    Mistake(
        "pre_norm",
        "encoder_layer",
        "The norms act before the sub-layers; here they act on the sums.",
        (
            (
                "z = self.layer_norm_1(x + self.dropout(self.self_attention(x, x, x, attention_mask)))",
                "y = self.layer_norm_1(x)\n"
                "        z = x + self.dropout(self.self_attention(y, y, y, attention_mask))",
            ),
            (
                "self.layer_norm_2(z + self.dropout(self.feature_transformation(z)))",
                "z + self.dropout(self.feature_transformation(self.layer_norm_2(z)))",
            ),
        ),
    ),
    Mistake(
        "no_residual",
        "encoder_layer",
        "The second sum leaves out what went into the feed forward layer.",
        (("self.layer_norm_2(z + ", "self.layer_norm_2("),),
    ),
    Mistake(
        "second_residual_from_input",
        "encoder_layer",
        "The second sum adds x, the input of the whole layer.",
        (("self.layer_norm_2(z + ", "self.layer_norm_2(x + "),),
    ),
    Mistake(
        "one_shared_norm",
        "encoder_layer",
        "Both norms are one object, with one scale for two places.",
        (("self.layer_norm_2 = nn.LayerNorm(d_model)", "self.layer_norm_2 = self.layer_norm_1"),),
    ),
    Mistake(
        "no_dropout",
        "encoder_layer",
        "Nothing is dropped in training.",
        (("nn.Dropout(dropout)", "nn.Identity()"),),
    ),
    Mistake(
        "fixed_rate",
        "encoder_layer",
        "The rate of dropout is 0.1, whatever the argument says.",
        (("nn.Dropout(dropout)", "nn.Dropout(0.1)"),),
    ),
    Mistake(
        "dropout_after_norm",
        "encoder_layer",
        "Dropout acts on the normalised sum; the residual is dropped with it.",
        (
            (
                "self.layer_norm_1(x + self.dropout(self.self_attention(x, x, x, attention_mask)))",
                "self.dropout(self.layer_norm_1(x + self.self_attention(x, x, x, attention_mask)))",
            ),
        ),
    ),
    Mistake(
        "dropout_as_mask_future",
        "encoder_layer",
        "The third argument of MultiHeadAttention is `mask_future`, and gets the dropout rate.",
        (
            (
                "MultiHeadAttention(d_model, num_heads)",
                "MultiHeadAttention(d_model, num_heads, dropout)",
            ),
        ),
    ),
    Mistake(
        "embedding_not_scaled",
        "encoder",
        "The embedding is not multiplied by the root of d_model.",
        ((" * math.sqrt(self.embedding.embedding_dim)", ""),),
    ),
    Mistake(
        "no_positions",
        "encoder",
        "The positions are computed and never added.",
        (("self.dropout(x + self.positions[: tokens.size(1)])", "self.dropout(x)"),),
    ),
    Mistake(
        "shared_layers",
        "encoder",
        "One layer stands in the stack many times, so there is one set of weights.",
        (
            (
                "EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))",
                "[EncoderLayer(d_model, num_heads, d_ff, dropout)] * num_layers)",
            ),
        ),
    ),
    Mistake(
        "mask_stops_at_first_layer",
        "encoder",
        "Only the first layer gets the attention mask.",
        (
            (
                "x = layer(x, attention_mask)",
                "x, attention_mask = layer(x, attention_mask), None",
            ),
        ),
    ),
)
