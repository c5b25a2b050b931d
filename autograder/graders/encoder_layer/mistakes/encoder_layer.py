"""What goes wrong in the encoder layer."""

from autograder.engine.mistake import Mistakes

from .common import (
    MANDATORY,
    OF_ONE_SENTENCE,
    ONLY_OF_INTEGERS,
    unless_none,
)

mistakes = Mistakes("encoder_layer")

CLASS = "class EncoderLayer(nn.Module):"
ATTENTION = "self.self_attention = MultiHeadAttention(d_model, num_heads)"
FEATURES = "self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)"
NORM_1 = "self.layer_norm_1 = nn.LayerNorm(d_model)"
NORM_2 = "self.layer_norm_2 = nn.LayerNorm(d_model)"
DROPOUT = "self.dropout = nn.Dropout(dropout)"
ATTENDED = "self.self_attention(x, x, x, attention_mask)"
TRANSFORMED = "self.feature_transformation(z)"
FIRST = f"z = self.layer_norm_1(x + self.dropout({ATTENDED}))"
SECOND = f"return self.layer_norm_2(z + self.dropout({TRANSFORMED}))"

SUMS = "each_sub_layer_is_added_and_then_normalised"
PADDING = "padding_mask_reaches_the_attention"
NORMS = "layer_norms_are_two_of_their_own"
PLACE = "dropout_acts_on_sub_layer_outputs_before_the_residual"
RATE = "dropout_rate_is_the_argument"
REST = "dropout_rests_in_evaluation_and_at_rate_zero"
LEFT_OUT = "mask_may_be_left_out"
REGISTERED = "whatever_it_learns_is_among_its_parameters"


def first(new: str) -> tuple[str, str]:
    return FIRST, f"z = {new}"


def second(new: str) -> tuple[str, str]:
    return SECOND, f"return {new}"


def norms(body: str, size: str = "d_model") -> tuple[tuple[str, str], ...]:
    """Both norms of a class of one's own, with a scale and a shift."""
    own = (
        "class Norm(nn.Module):\n    def __init__(self, size):\n        super().__init__()\n"
        "        self.weight = nn.Parameter(torch.ones(size))\n"
        "        self.bias = nn.Parameter(torch.zeros(size))\n\n"
        f"    def forward(self, x):\n        {body}\n\n\n"
    )
    made = f"Norm({size})"
    return (
        (CLASS, own + CLASS),
        (NORM_1, f"self.layer_norm_1 = {made}"),
        (NORM_2, f"self.layer_norm_2 = {made}"),
    )


def dropouts(body: str) -> tuple[tuple[str, str], ...]:
    """A dropout of one's own; `p` is its rate."""
    own = (
        "class Drop(nn.Module):\n    def __init__(self, p):\n        super().__init__()\n"
        f"        self.p = p\n\n    def forward(self, x):\n        {body}\n\n\n"
    )
    return (CLASS, own + CLASS), (DROPOUT, "self.dropout = Drop(dropout)")


def masked(mask: str) -> tuple[str, str]:
    """The self-attention gets this mask where there is one."""
    return FIRST, FIRST.replace("attention_mask", unless_none(mask))


def attentions(line: str, new: str, given: str = "") -> tuple[tuple[str, str], ...]:
    """A self-attention of the layer's own, with another line in it; `given` to its constructor."""
    own = """class SelfAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.query_transform(x), self.key_transform(x), self.value_transform(x)
        q, k, v = (t.unflatten(2, (self.num_heads, -1)).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.transpose(2, 3) / math.sqrt(q.size(-1))
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask[:, None, None] == 0, -math.inf)
        weights = self.dropout(scores.softmax(-1))
        return self.output_transform((weights @ v).transpose(1, 2).flatten(2))


"""
    assert line in own
    return (
        (CLASS, own.replace(line, new) + CLASS),
        (ATTENTION, f"self.self_attention = SelfAttention(d_model, num_heads{given})"),
        (FIRST, FIRST.replace("(x, x, x, ", "(x, ")),
    )


PRE_FIRST = (
    "y = self.layer_norm_1(x)\n"
    "        z = x + self.dropout(self.self_attention(y, y, y, attention_mask))"
)
PRE_SECOND = "return z + self.dropout(self.feature_transformation(self.layer_norm_2(z)))"

mistakes.add(
    "pre_norm",
    "The norms act before the sub-layers, on what these get to see. In this exercise they act on the "
    "sums.",
    SUMS,
    ((FIRST, PRE_FIRST), (SECOND, PRE_SECOND)),
    (FIRST, PRE_FIRST),
    (SECOND, PRE_SECOND),
    (
        (FIRST, PRE_FIRST),
        (
            SECOND,
            PRE_SECOND.replace("return z + ", "return self.layer_norm_2(z + ").replace(
                "(self.layer_norm_2(z))", "(z)"
            )
            + ")",
        ),
    ),
)
mistakes.add(
    "norm_before_the_sum",
    "The output of a sub-layer is normalised, and then added to what went in. The norm should act "
    "on the sum.",
    SUMS,
    (
        first(f"x + self.layer_norm_1(self.dropout({ATTENDED}))"),
        second(f"z + self.layer_norm_2(self.dropout({TRANSFORMED}))"),
    ),
    (
        first(f"x + self.dropout(self.layer_norm_1({ATTENDED}))"),
        second(f"z + self.dropout(self.layer_norm_2({TRANSFORMED}))"),
    ),
    first(f"x + self.layer_norm_1(self.dropout({ATTENDED}))"),
    second(f"z + self.layer_norm_2(self.dropout({TRANSFORMED}))"),
)
mistakes.add(
    "no_residual",
    "A sub-layer's input is missing from the sum: nothing is added to what the sub-layer returns.",
    SUMS,
    (FIRST, FIRST.replace("x + ", "")),
    (SECOND, SECOND.replace("z + ", "")),
    ((FIRST, FIRST.replace("x + ", "")), (SECOND, SECOND.replace("z + ", ""))),
)
mistakes.add(
    "second_residual_from_the_input",
    "The second sum adds x, the input of the whole layer. What went into the second sub-layer?",
    SUMS,
    (SECOND, SECOND.replace("z + ", "x + ")),
    (SECOND, SECOND.replace("z + ", "x + z + ")),
)
mistakes.add(
    "residual_of_another_size",
    "What goes around a sub-layer is added twice, or halved.",
    SUMS,
    (SECOND, SECOND.replace("z + ", "2 * z + ")),
    (FIRST, FIRST.replace("x + ", "2 * x + ")),
    ((FIRST, FIRST.replace("x + ", "2 * x + ")), (SECOND, SECOND.replace("z + ", "2 * z + "))),
    (FIRST, FIRST.replace("x + ", "0.5 * x + ")),
    (SECOND, SECOND.replace("z + ", "0.5 * z + ")),
)
mistakes.add(
    "feed_forward_sees_x",
    "The feed forward layer gets x, and with it nothing of what attention has gathered.",
    SUMS,
    (SECOND, SECOND.replace("transformation(z)", "transformation(x)")),
    (
        (FIRST, "z = x"),
        second(
            f"self.layer_norm_2(x + self.dropout({ATTENDED}) + self.dropout(self.feature_transformation(x)))"
        ),
    ),
    (
        (FIRST, f"z = self.layer_norm_1(x + self.dropout({ATTENDED}))"),
        second("self.layer_norm_2(x + self.dropout(self.feature_transformation(x))) + z"),
    ),
)
mistakes.add(
    "feed_forward_first",
    "The feed forward layer acts first, and the attention second.",
    SUMS,
    (
        first("self.layer_norm_1(x + self.dropout(self.feature_transformation(x)))"),
        second("self.layer_norm_2(z + self.dropout(self.self_attention(z, z, z, attention_mask)))"),
    ),
    (
        first("self.layer_norm_2(x + self.dropout(self.feature_transformation(x)))"),
        second("self.layer_norm_1(z + self.dropout(self.self_attention(z, z, z, attention_mask)))"),
    ),
)
mistakes.add(
    "a_sub_layer_is_missing",
    "One of the two sub-layers has no part in the answer.",
    SUMS,
    (SECOND, "return z"),
    (FIRST, "z = x"),
    (FIRST, "z = self.layer_norm_1(x)"),
    (SECOND, "return self.layer_norm_2(z)"),
    (SECOND, f"self.layer_norm_2(z + self.dropout({TRANSFORMED}))\n        return z"),
)
mistakes.add(
    "a_sub_layer_acts_twice",
    "One of the two sub-layers acts twice in a row.",
    SUMS,
    (
        SECOND,
        SECOND.replace(TRANSFORMED, "self.feature_transformation(self.feature_transformation(z))"),
    ),
    (FIRST, f"{FIRST}\n        {FIRST.replace('x', 'z')}"),
)
mistakes.add(
    "attention_gets_other_tensors",
    "The self-attention gets other tensors than x, x and x.",
    SUMS,
    (FIRST, FIRST.replace("(x, x, x, ", "(x, x, ")),
    (FIRST, FIRST.replace("(x, x, x, attention_mask)", "(x)")),
    (FIRST, FIRST.replace("(x, x, x, attention_mask)", "(x, attention_mask)")),
    (FIRST, FIRST.replace("(x, x, x, ", "(x, x, self.layer_norm_1(x), ")),
    (FIRST, FIRST.replace("(x, x, x, ", "(self.layer_norm_1(x), x, x, ")),
)
mistakes.add(
    "one_shared_norm",
    "Both sums go through one and the same LayerNorm, with one scale and one shift for two places.",
    NORMS,
    (NORM_2, "self.layer_norm_2 = self.layer_norm_1"),
    (SECOND, SECOND.replace("layer_norm_2", "layer_norm_1")),
    (FIRST, FIRST.replace("layer_norm_1", "layer_norm_2")),
    ((NORM_2, ""), (SECOND, SECOND.replace("layer_norm_2", "layer_norm_1"))),
)
mistakes.add(
    "no_norm",
    "A sum is not normalised. How many LayerNorms does the figure of the layer have, and where?",
    f"{SUMS} {NORMS}",
    (
        (FIRST, f"z = x + self.dropout({ATTENDED})"),
        (SECOND, f"return z + self.dropout({TRANSFORMED})"),
    ),
    (FIRST, f"z = x + self.dropout({ATTENDED})"),
    (SECOND, f"return z + self.dropout({TRANSFORMED})"),
)
mistakes.add(
    "a_norm_too_many",
    "A norm acts where none is asked for: there are two, and each acts once.",
    SUMS,
    (SECOND, SECOND.replace("return ", "return self.layer_norm_2(") + ")"),
    (FIRST, FIRST.replace("(x + ", "(self.layer_norm_1(x) + ")),
    (SECOND, SECOND.replace("z + ", "self.layer_norm_2(z) + ")),
    (
        (DROPOUT, f"{DROPOUT}\n        self.norm = nn.LayerNorm(d_model)"),
        (SECOND, SECOND.replace("return ", "return self.norm(") + ")"),
    ),
    (SECOND, SECOND.replace("transformation(z)", "transformation(self.layer_norm_2(z))")),
)
mistakes.add(
    "norm_over_another_axis",
    "The mean and the deviation are not those of one token's features. Over which axis does a "
    "LayerNorm go?",
    SUMS,
    norms(
        "return (x - x.mean(1, keepdim=True)) / (x.var(1, unbiased=False, keepdim=True) + 1e-5).sqrt() * self.weight + self.bias"
    ),
    norms(
        "return (x - x.mean(0, keepdim=True)) / (x.var(0, unbiased=False, keepdim=True) + 1e-5).sqrt() * self.weight + self.bias"
    ),
    norms(
        "return (x - x.mean((1, 2), keepdim=True)) / (x.var((1, 2), unbiased=False, keepdim=True) + 1e-5).sqrt() * self.weight + self.bias"
    ),
    norms(
        "return (x - x.mean()) / (x.var(unbiased=False) + 1e-5).sqrt() * self.weight + self.bias"
    ),
    norms(
        "return (x - x.mean((0, 1))) / (x.var((0, 1), unbiased=False) + 1e-5).sqrt() * self.weight + self.bias"
    ),
)
mistakes.add(
    "norm_is_no_layer_norm",
    "Your norm computes something else than a LayerNorm. Which mean, which variance (over how many "
    "features), what is divided by its root, and what comes then?",
    SUMS,
    norms(
        "return self.weight * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6) + self.bias"
    ),
    norms(
        "return self.weight * (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + 1e-5).sqrt() + self.bias"
    ),
    norms("return self.weight * x / (x.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt() + self.bias"),
    norms(
        "return self.weight * x / (x.var(-1, unbiased=False, keepdim=True) + 1e-5).sqrt() + self.bias"
    ),
    norms("return self.weight * (x - x.mean(-1, keepdim=True)) + self.bias"),
    norms(
        "return self.weight * (x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True) + 1e-5) + self.bias"
    ),
    norms(
        "return (x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True) + 1e-5).sqrt() * (self.weight + self.bias)"
    ),
    norms(
        "return self.weight * ((x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True) + 1e-5).sqrt() + self.bias)"
    ),
    (
        (NORM_1, NORM_1.replace("d_model", "d_model, eps=0.1")),
        (NORM_2, NORM_2.replace("d_model", "d_model, eps=0.1")),
    ),
    (
        (NORM_1, NORM_1.replace("d_model", "d_model, eps=1.0")),
        (NORM_2, NORM_2.replace("d_model", "d_model, eps=1.0")),
    ),
    (
        (NORM_1, NORM_1.replace("LayerNorm", "RMSNorm")),
        (NORM_2, NORM_2.replace("LayerNorm", "RMSNorm")),
    ),
    norms(
        "return self.weight * (x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True) + 1e-5).sqrt()"
    ),
)
mistakes.add(
    "norm_without_scale_and_shift",
    "Your norms have no scale and no shift of their own to learn, or none that `parameters()` finds.",
    NORMS,
    (
        (NORM_1, NORM_1.replace("d_model", "d_model, elementwise_affine=False")),
        (NORM_2, NORM_2.replace("d_model", "d_model, elementwise_affine=False")),
    ),
    (NORM_2, NORM_2.replace("d_model", "d_model, elementwise_affine=False")),
    (
        first(f"F.layer_norm(x + self.dropout({ATTENDED}), x.shape[-1:])"),
        second(f"F.layer_norm(z + self.dropout({TRANSFORMED}), x.shape[-1:])"),
    ),
    norms(
        "return (x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True) + 1e-5).sqrt()"
    ),
    norms(
        "return (x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True) + 1e-5).sqrt() + self.bias"
    ),
    (
        (NORM_1, "self.norms = [nn.LayerNorm(d_model), nn.LayerNorm(d_model)]"),
        (NORM_2, ""),
        (FIRST, FIRST.replace("self.layer_norm_1(", "self.norms[0](")),
        (SECOND, SECOND.replace("self.layer_norm_2(", "self.norms[1](")),
    ),
    (
        (NORM_1, ""),
        (NORM_2, ""),
        (FIRST, FIRST.replace("self.layer_norm_1(", "nn.LayerNorm(x.size(-1))(")),
        (SECOND, SECOND.replace("self.layer_norm_2(", "nn.LayerNorm(x.size(-1))(")),
    ),
)
mistakes.add(
    "no_dropout",
    "Nothing is dropped in training. What is the argument `dropout` for?",
    f"{PLACE} {RATE}",
    (DROPOUT, "self.dropout = nn.Identity()"),
    (DROPOUT, "self.dropout = nn.Dropout(0.0)"),
    (
        (FIRST, f"z = self.layer_norm_1(x + {ATTENDED})"),
        (SECOND, f"return self.layer_norm_2(z + {TRANSFORMED})"),
    ),
)
mistakes.add(
    "dropout_on_one_sub_layer",
    "The output of one sub-layer is dropped, and that of the other never is.",
    f"{PLACE} {RATE}",
    (FIRST, f"z = self.layer_norm_1(x + {ATTENDED})"),
    (SECOND, f"return self.layer_norm_2(z + {TRANSFORMED})"),
)
mistakes.add(
    "dropout_rate_is_fixed",
    "The rate of dropout is a number of its own, whatever the argument `dropout` says.",
    f"{RATE} {REST}",
    *[
        (DROPOUT, f"self.dropout = nn.Dropout({rate})")
        for rate in ("0.1", "", "0.2", "0.3", "0.05", "0.9")
    ],
    (
        (
            FIRST,
            FIRST.replace("self.dropout(", "F.dropout(").replace(
                "))", "), training=self.training)"
            ),
        ),
        (
            SECOND,
            SECOND.replace("self.dropout(", "F.dropout(").replace(
                "))", "), training=self.training)"
            ),
        ),
    ),
)
mistakes.add(
    "dropout_rate_is_what_is_kept",
    "The argument says which share is dropped. Your layer takes it for the share that is kept.",
    f"{RATE} {REST}",
    (DROPOUT, "self.dropout = nn.Dropout(1 - dropout)"),
    dropouts(
        "return x * (torch.rand_like(x) < self.p) / max(self.p, 1e-9) if self.training else x"
    ),
)
mistakes.add(
    "dropout_rate_is_computed",
    "The rate of dropout is made from the argument, but it is not the argument: which share is "
    "dropped, which is kept?",
    RATE,
    (DROPOUT, "self.dropout = nn.Dropout(dropout / 2)"),
    (DROPOUT, "self.dropout = nn.Dropout(dropout ** 2)"),
    (DROPOUT, "self.dropout = nn.Dropout(dropout ** 0.5)"),
    (DROPOUT, "self.dropout = nn.Dropout(min(dropout, 0.1))"),
    (DROPOUT, "self.dropout = nn.Dropout(min(dropout, 0.5))"),
)
mistakes.add(
    "dropout_acts_twice",
    "On one way through a sub-layer dropout acts more than once, so that more is lost than the rate "
    "says.",
    RATE,
    (
        (FIRST, FIRST.replace("self.dropout(", "self.dropout(self.dropout(").replace("))", ")))")),
        (
            SECOND,
            SECOND.replace("self.dropout(", "self.dropout(self.dropout(").replace("))", ")))"),
        ),
    ),
    (FIRST, FIRST.replace("self.dropout(", "self.dropout(self.dropout(").replace("))", ")))")),
    (SECOND, SECOND.replace("self.dropout(", "self.dropout(self.dropout(").replace("))", ")))")),
    (
        (
            FIRST,
            FIRST.replace("self.dropout(", "self.dropout(self.dropout(self.dropout(").replace(
                "))", "))))"
            ),
        ),
        (
            SECOND,
            SECOND.replace("self.dropout(", "self.dropout(self.dropout(self.dropout(").replace(
                "))", "))))"
            ),
        ),
    ),
)
mistakes.add(
    "dropout_behind_the_norm",
    "Dropout acts on what the norm returns, so that the residual is dropped with it.",
    PLACE,
    (
        first(f"self.dropout(self.layer_norm_1(x + {ATTENDED}))"),
        second(f"self.dropout(self.layer_norm_2(z + {TRANSFORMED}))"),
    ),
    first(f"self.dropout(self.layer_norm_1(x + {ATTENDED}))"),
    second(f"self.dropout(self.layer_norm_2(z + {TRANSFORMED}))"),
    (SECOND, SECOND.replace("return ", "return self.dropout(") + ")"),
    (FIRST, FIRST.replace("z = ", "z = self.dropout(") + ")"),
    (
        (FIRST, FIRST.replace("z = ", "z = self.dropout(") + ")"),
        (SECOND, SECOND.replace("return ", "return self.dropout(") + ")"),
    ),
)
mistakes.add(
    "dropout_on_the_sum",
    "Dropout acts on the sum, so that the residual is dropped with it.",
    PLACE,
    (
        first(f"self.layer_norm_1(self.dropout(x + {ATTENDED}))"),
        second(f"self.layer_norm_2(self.dropout(z + {TRANSFORMED}))"),
    ),
    first(f"self.layer_norm_1(self.dropout(x + {ATTENDED}))"),
    second(f"self.layer_norm_2(self.dropout(z + {TRANSFORMED}))"),
    (
        (FIRST, FIRST.replace("x + ", "self.dropout(x) + ")),
        (SECOND, SECOND.replace("z + ", "self.dropout(z) + ")),
    ),
)
mistakes.add(
    "dropout_on_the_input",
    "Dropout acts on what goes into a sub-layer, and not on what comes out.",
    RATE,
    (
        (
            FIRST,
            f"y = self.dropout(x)\n        z = self.layer_norm_1(x + {ATTENDED.replace('x, x, x', 'y, y, y')})",
        ),
        second("self.layer_norm_2(z + self.feature_transformation(self.dropout(z)))"),
    ),
    (
        FIRST,
        f"y = self.dropout(x)\n        z = self.layer_norm_1(x + {ATTENDED.replace('x, x, x', 'y, y, y')})",
    ),
    second("self.layer_norm_2(z + self.feature_transformation(self.dropout(z)))"),
    (FIRST, f"x = self.dropout(x)\n        {FIRST}"),
    (FIRST, f"x = self.dropout(x)\n        z = self.layer_norm_1(x + {ATTENDED})"),
)
mistakes.add(
    "dropout_on_the_residual",
    "Dropout acts on what goes around a sub-layer.",
    PLACE,
    (
        (FIRST, f"z = self.layer_norm_1(self.dropout(x) + {ATTENDED})"),
        (SECOND, f"return self.layer_norm_2(self.dropout(z) + {TRANSFORMED})"),
    ),
    (FIRST, f"z = self.layer_norm_1(self.dropout(x) + {ATTENDED})"),
    (SECOND, f"return self.layer_norm_2(self.dropout(z) + {TRANSFORMED})"),
)
mistakes.add(
    "dropout_as_mask_future",
    "The rate of dropout is handed to `MultiHeadAttention` as its third argument, `mask_future`: as "
    "soon as it is not 0, the encoder cannot see what comes later.",
    REST,
    (ATTENTION, ATTENTION.replace("num_heads)", "num_heads, dropout)")),
    (ATTENTION, ATTENTION.replace("num_heads)", "num_heads, mask_future=dropout)")),
)
mistakes.add(
    "dropout_never_rests",
    "After `eval()` features are dropped as in training.",
    REST,
    (
        (FIRST, FIRST.replace("self.dropout(", "F.dropout(").replace("))", "), self.p)")),
        (SECOND, SECOND.replace("self.dropout(", "F.dropout(").replace("))", "), self.p)")),
        (DROPOUT, "self.p = dropout"),
    ),
    dropouts("return F.dropout(x, self.p)"),
    (
        (DROPOUT, "self.dropout = [nn.Dropout(dropout), nn.Dropout(dropout)]"),
        (FIRST, FIRST.replace("self.dropout(", "self.dropout[0](")),
        (SECOND, SECOND.replace("self.dropout(", "self.dropout[1](")),
    ),
    dropouts("return x * (torch.rand_like(x) >= self.p) / max(1 - self.p, 1e-9)"),
)
mistakes.add(
    "dropout_at_a_rate_of_its_own_never_rests",
    "`F.dropout` is told neither the layer's rate nor whether the layer is in training.",
    f"{RATE} {REST}",
    (
        (FIRST, FIRST.replace("self.dropout(", "F.dropout(").replace("))", "), 0.1)")),
        (SECOND, SECOND.replace("self.dropout(", "F.dropout(").replace("))", "), 0.1)")),
    ),
    (
        (FIRST, FIRST.replace("self.dropout(", "F.dropout(")),
        (SECOND, SECOND.replace("self.dropout(", "F.dropout(")),
    ),
)
mistakes.add(
    "default_dropout_in_the_heads",
    "The self-attention has a dropout whose rate is a default of its own: nobody hands it the "
    "layer's.",
    REST,
    attentions("softmax(-1)", "softmax(-1)"),
    attentions(
        "self.dropout(scores.softmax(-1))", "F.dropout(scores.softmax(-1), 0.1, self.training)"
    ),
    (
        FIRST,
        FIRST.replace(
            ATTENDED, ATTENDED.replace("x, x, x", "x, x, F.dropout(x, 0.1, self.training)")
        ),
    ),
)
mistakes.add(
    "dropout_of_whole_tokens_or_features",
    "What dropout takes is not chosen for each feature of each token: whole tokens, or one feature "
    "of all of them, go together.",
    RATE,
    (DROPOUT, "self.dropout = nn.Dropout1d(dropout)"),
    dropouts("return x * F.dropout(torch.ones_like(x[:, :1]), self.p, self.training)"),
    dropouts("return x * F.dropout(torch.ones_like(x[..., :1]), self.p, self.training)"),
    dropouts("return x * F.dropout(torch.ones_like(x[:1, :1]), self.p, self.training)"),
)
mistakes.add(
    "dropout_does_not_scale",
    "What dropout leaves is not made larger by as much as is missing (or by the wrong amount), or "
    "evaluation shrinks it instead.",
    RATE,
    dropouts("return x * (torch.rand_like(x) >= self.p) if self.training else x"),
    dropouts("return x * (torch.rand_like(x) >= self.p) if self.training else x * (1 - self.p)"),
    dropouts("return x * (torch.rand_like(x) >= self.p) * (1 - self.p) if self.training else x"),
    dropouts(
        "return x * (torch.rand_like(x) >= self.p) / max(self.p, 1e-9) if self.training else x"
    ),
    dropouts(
        "return x * (torch.rand_like(x) < self.p) / max(1 - self.p, 1e-9) if self.training else x"
    ),
)
mistakes.add(
    "mask_forgotten",
    "The `attention_mask` stops here: the self-attention never gets it.",
    PADDING,
    (FIRST, FIRST.replace(", attention_mask", "")),
    (FIRST, FIRST.replace(", attention_mask", ", None")),
    masked("torch.ones_like(attention_mask)"),
)
mistakes.add(
    "mask_upside_down",
    "The self-attention gets a mask in which 1 and 0 have changed places.",
    PADDING,
    masked("attention_mask == 0"),
    masked("1 - attention_mask.long()"),
)
mistakes.add(
    "mask_on_the_tokens",
    "The mask sets tokens to zero. They are seen by the others all the same, as zeros.",
    PADDING,
    (
        FIRST,
        f"if attention_mask is not None:\n            x = x * attention_mask.unsqueeze(-1)\n        {FIRST.replace(', attention_mask', '')}",
    ),
)
mistakes.add(
    "mask_of_one_sentence",
    OF_ONE_SENTENCE,
    PADDING,
    masked("attention_mask[:1].expand_as(attention_mask)"),
)
mistakes.add(
    "mask_only_in_training",
    "The self-attention gets the mask in training, and not in evaluation.",
    f"{PADDING} {REST}",
    (FIRST, FIRST.replace("attention_mask", "attention_mask if self.training else None")),
)
mistakes.add(
    "mask_only_in_evaluation",
    "The self-attention gets the mask in evaluation, and not in training.",
    REST,
    (FIRST, FIRST.replace("attention_mask", "None if self.training else attention_mask")),
)
mistakes.add(
    "mask_mandatory",
    MANDATORY,
    LEFT_OUT,
    ("attention_mask: Tensor | None = None", "attention_mask: Tensor"),
    (FIRST, FIRST.replace("attention_mask", "attention_mask.bool()")),
    (FIRST, FIRST.replace("attention_mask", "attention_mask[:, None, None]")),
)
mistakes.add(
    "mask_only_of_integers",
    ONLY_OF_INTEGERS,
    PADDING,
    masked("1 - (1 - attention_mask)"),
)
mistakes.add(
    "always_causal",
    "The self-attention is built to hide later tokens. In an encoder each token sees all others.",
    SUMS,
    (ATTENTION, ATTENTION.replace("num_heads)", "num_heads, True)")),
    (ATTENTION, ATTENTION.replace("num_heads)", "num_heads, mask_future=True)")),
)
mistakes.add(
    "attention_of_its_own_scales_wrongly",
    "The self-attention that your layer has inside divides the scores by another number than the "
    "equation does. How long are the vectors that one head compares?",
    SUMS,
    attentions("math.sqrt(q.size(-1))", "math.sqrt(x.size(-1))", ", 0.0"),
    attentions(" / math.sqrt(q.size(-1))", "", ", 0.0"),
    attentions("math.sqrt(q.size(-1))", "q.size(-1)", ", 0.0"),
    attentions("math.sqrt(q.size(-1))", "math.sqrt(self.num_heads)", ", 0.0"),
)
mistakes.add(
    "attention_of_its_own_mixes_heads",
    "The self-attention that your layer has inside splits or merges its heads in another way than "
    "the equation, so that features and tokens get mixed up.",
    SUMS,
    attentions(".transpose(1, 2).flatten(2)", ".reshape(x.shape)", ", 0.0"),
    attentions(".transpose(1, 2).flatten(2)", ".permute(0, 2, 3, 1).flatten(2)", ", 0.0"),
    attentions(
        "t.unflatten(2, (self.num_heads, -1)).transpose(1, 2)",
        "t.reshape(len(x), self.num_heads, x.size(1), -1)",
        ", 0.0",
    ),
    attentions("t.unflatten(2, (self.num_heads, -1)).transpose(1, 2)", "t.unsqueeze(1)", ", 0.0"),
)
mistakes.add(
    "attention_of_its_own_over_another_axis",
    "In the self-attention that your layer has inside, the weights of a query do not add up to 1 "
    "over the keys.",
    SUMS,
    attentions("softmax(-1)", "softmax(-2)", ", 0.0"),
    attentions("softmax(-1)", "softmax(1)", ", 0.0"),
    attentions("scores.softmax(-1)", "scores.sigmoid()", ", 0.0"),
)
mistakes.add(
    "sub_layers_are_not_registered",
    "The sub-layers are in a plain list or dict, where neither `parameters()` nor an optimiser finds "
    "them.",
    REGISTERED,
    (
        (ATTENTION, f"self.parts = {{'attend': {ATTENTION.partition(' = ')[2]}}}"),
        (FEATURES, f"self.parts['transform'] = {FEATURES.partition(' = ')[2]}"),
        (FIRST, FIRST.replace("self.self_attention(", "self.parts['attend'](")),
        (SECOND, SECOND.replace("self.feature_transformation(", "self.parts['transform'](")),
    ),
    (
        (ATTENTION, f"self.self_attention = [{ATTENTION.partition(' = ')[2]}]"),
        (FIRST, FIRST.replace("self.self_attention(", "self.self_attention[0](")),
    ),
    (
        (FEATURES, f"self.feature_transformation = [{FEATURES.partition(' = ')[2]}]"),
        (SECOND, SECOND.replace("_transformation(", "_transformation[0](")),
    ),
)
mistakes.add(
    "parts_made_in_forward",
    "`forward` makes a part anew in each call: what it learns is forgotten at once.",
    REGISTERED,
    (
        (FEATURES, "self.sizes = d_model, d_ff"),
        (
            SECOND,
            SECOND.replace("self.feature_transformation(", "PositionWiseFeedForward(*self.sizes)("),
        ),
    ),
    (
        (ATTENTION, "self.sizes = d_model, num_heads"),
        (FIRST, FIRST.replace("self.self_attention(", "MultiHeadAttention(*self.sizes)(")),
    ),
)
mistakes.add(
    "a_local_variable",
    "A part is assigned to a name without `self.`: it is gone when the constructor ends.",
    SUMS,
    (NORM_2, NORM_2.replace("self.", "")),
    (NORM_1, NORM_1.replace("self.", "")),
    (DROPOUT, DROPOUT.replace("self.", "")),
    (FEATURES, FEATURES.replace("self.", "")),
    (ATTENTION, ATTENTION.replace("self.", "")),
)
mistakes.add(
    "nothing_is_returned",
    "`forward` computes and returns nothing.",
    f"{SUMS} {PADDING} {NORMS} {PLACE} {RATE} {REST} {LEFT_OUT} {REGISTERED}",
    (SECOND, SECOND.replace("return ", "output = ")),
    (SECOND, SECOND.replace("return ", "")),
)
mistakes.add(
    "first_sentence_for_all",
    "What a sub-layer returns is taken apart by an index: what does `[0]` take of a tensor?",
    SUMS,
    (FIRST, FIRST.replace(ATTENDED, f"{ATTENDED}[0]")),
    (SECOND, SECOND.replace(TRANSFORMED, f"{TRANSFORMED}[0]")),
)
mistakes.add(
    "residual_of_what_is_normalised",
    "What goes around a sub-layer has gone through a norm first: the sum has lost x itself.",
    SUMS,
    (
        (
            FIRST,
            f"y = self.layer_norm_1(x)\n        z = y + self.dropout({ATTENDED.replace('x, x, x', 'y, y, y')})",
        ),
        (
            SECOND,
            f"y = self.layer_norm_2(z)\n        return y + self.dropout({TRANSFORMED.replace('(z)', '(y)')})",
        ),
    ),
    (
        FIRST,
        f"y = self.layer_norm_1(x)\n        z = y + self.dropout({ATTENDED.replace('x, x, x', 'y, y, y')})",
    ),
    (
        SECOND,
        f"y = self.layer_norm_2(z)\n        return y + self.dropout({TRANSFORMED.replace('(z)', '(y)')})",
    ),
)
mistakes.add(
    "sizes_of_sub_layers",
    "A sub-layer is built with other sizes than d_model, num_heads and d_ff, or with these in "
    "another order.",
    SUMS,
    (ATTENTION, ATTENTION.replace("d_model, num_heads", "num_heads, d_model")),
    (FEATURES, FEATURES.replace("d_model, d_ff", "d_ff, d_model")),
    (ATTENTION, ATTENTION.replace("num_heads", "8")),
    (ATTENTION, ATTENTION.replace("num_heads", "1")),
    (FEATURES, FEATURES.replace("d_ff", "2048")),
    (FEATURES, FEATURES.replace("d_ff", "d_model")),
    (FEATURES, FEATURES.replace("d_ff", "4 * d_model")),
    (ATTENTION, ATTENTION.replace("d_model, num_heads", "512, 8")),
)
mistakes.add(
    "gradient_is_cut",
    "The answer is right, but gradient does not come back through both sub-layers and both sums. "
    "Which call takes a tensor out of the graph?",
    SUMS,
    (SECOND, SECOND.replace("transformation(z)", "transformation(z.detach())")),
    (FIRST, FIRST.replace(ATTENDED, f"{ATTENDED}.detach()")),
    (SECOND, SECOND.replace(TRANSFORMED, f"{TRANSFORMED}.detach()")),
    (FIRST, FIRST.replace("x + ", "x.detach() + ")),
    (SECOND, SECOND.replace("z + ", "z.detach() + ")),
    (SECOND, f"{SECOND}.detach()"),
    (FIRST, f"{FIRST}.detach()"),
    ("    def forward(", "    @torch.no_grad()\n    def forward("),
)
mistakes.add(
    "input_is_changed",
    "The call changes the tensor that it was given.",
    SUMS,
    (FIRST, f"x += self.dropout({ATTENDED})\n        z = self.layer_norm_1(x)"),
    (FIRST, f"z = self.layer_norm_1(x.add_(self.dropout({ATTENDED})))"),
)
mistakes.add(
    "returns_more_than_the_output",
    "`forward` returns several things, where one tensor is asked for.",
    SUMS,
    (SECOND, f"{SECOND}, z"),
    (SECOND, SECOND.replace("return ", "return [") + "]"),
)
mistakes.add(
    "something_behind_the_layer",
    "Something acts on the layer's answer that the statement does not have.",
    SUMS,
    (SECOND, f"{SECOND}.relu()"),
    (SECOND, f"{SECOND} + x"),
    (SECOND, f"{SECOND} + z"),
)
mistakes.add(
    "constructor_never_begins",
    "The constructor never calls that of `nn.Module` (or not first), so that it cannot hold any part.",
    f"{SUMS} {PADDING} {NORMS} {PLACE} {RATE} {REST} {LEFT_OUT} {REGISTERED}",
    ("        super().__init__()\n", ""),
)
