"""What goes wrong in add and norm."""

from autograder.engine.mistake import Mistakes

mistakes = Mistakes("add_and_norm")

CLASS = "class AddAndNorm(nn.Module):"
NORM = "self.norm = LayerNorm(d_model)"
DROPOUT = "self.dropout = nn.Dropout(dropout)"
DROPPED = "self.dropout(sublayer_output)"
ANSWER = f"return self.norm(x + {DROPPED})"

SUM = "sum_of_both_is_normalised"
GRADIENT = "gradient_reaches_both_inputs"
LEARNS = "norm_learns_with_the_block"
PLACE = "dropout_acts_on_the_sub_layers_output_before_the_sum"
RATE = "dropout_rate_is_the_argument"
REST = "dropout_rests_in_evaluation"
DEFAULT = "dropout_is_0_unless_a_rate_is_given"
STAYS = "answer_comes_alone_and_inputs_stay_as_they_were"


def answer(new: str) -> tuple[str, str]:
    return ANSWER, f"return {new}"


def norm_inside(body: str) -> tuple[tuple[str, str], ...]:
    """A norm of the block's own, with a scale and a shift."""
    own = (
        "class Norm(nn.Module):\n    def __init__(self, size):\n        super().__init__()\n"
        "        self.weight = nn.Parameter(torch.ones(size))\n"
        "        self.bias = nn.Parameter(torch.zeros(size))\n\n"
        f"    def forward(self, x):\n        {body}\n\n\n"
    )
    return (CLASS, own + CLASS), (NORM, "self.norm = Norm(d_model)")


def dropout_of_ones_own(body: str) -> tuple[tuple[str, str], ...]:
    """`p` is its rate."""
    own = (
        "class Drop(nn.Module):\n    def __init__(self, p):\n        super().__init__()\n"
        f"        self.p = p\n\n    def forward(self, x):\n        {body}\n\n\n"
    )
    return (CLASS, own + CLASS), (DROPOUT, "self.dropout = Drop(dropout)")


mistakes.add(
    "pre_norm",
    "`x` is normalised before the sum, and the sum is not. In this block the norm comes last.",
    SUM,
    answer(f"self.norm(x) + {DROPPED}"),
    answer("self.dropout(sublayer_output) + self.norm(x)"),
)
mistakes.add(
    "norm_of_the_sub_layers_output",
    "The sub-layer's output is normalised, and then x is added. What does the norm act on in the "
    "equation?",
    SUM,
    answer(f"x + self.norm({DROPPED})"),
    answer("x + self.dropout(self.norm(sublayer_output))"),
)
mistakes.add(
    "each_is_normalised",
    "`x` and the sub-layer's output are normalised each by itself, before they are added.",
    SUM,
    answer(f"self.norm(x) + self.norm({DROPPED})"),
    answer(f"self.norm(self.norm(x) + self.norm({DROPPED}))"),
)
mistakes.add(
    "no_residual",
    "`x` has no part in the sum: only what the sub-layer returns is normalised.",
    f"{SUM} {GRADIENT}",
    answer(f"self.norm({DROPPED})"),
)
mistakes.add(
    "sub_layer_left_out",
    "The sub-layer's output has no part in the answer.",
    f"{SUM} {GRADIENT}",
    answer("self.norm(x)"),
    answer("self.norm(x + self.dropout(x))"),
    (ANSWER, "self.dropout(sublayer_output)\n        return self.norm(x)"),
)
mistakes.add(
    "no_norm",
    "The sum is returned as it is. Which function stands around it in the equation?",
    SUM,
    answer(f"x + {DROPPED}"),
    (ANSWER, f"y = x + {DROPPED}\n        self.norm(y)\n        return y"),
)
mistakes.add(
    "minus",
    "The sub-layer's output is subtracted from x, or x from it.",
    SUM,
    answer(f"self.norm(x - {DROPPED})"),
    answer(f"self.norm({DROPPED} - x)"),
)
mistakes.add(
    "product",
    "`x` and the sub-layer's output are multiplied. Which sign stands between them?",
    SUM,
    answer(f"self.norm(x * {DROPPED})"),
)
mistakes.add(
    "side_by_side",
    "`x` and the sub-layer's output are put side by side, where they should be added.",
    SUM,
    answer(f"self.norm(torch.cat([x, {DROPPED}], dim=-1))"),
    answer(f"self.norm(torch.cat([x, {DROPPED}], dim=1))"),
    answer(f"self.norm(torch.stack([x, {DROPPED}]))"),
)
mistakes.add(
    "sum_of_another_size",
    "In the sum, x or the sub-layer's output has a factor that the equation does not have.",
    SUM,
    answer(f"self.norm(2 * x + {DROPPED})"),
    answer(f"self.norm(x + x + {DROPPED})"),
    answer(f"self.norm(x + 0.5 * {DROPPED})"),
    answer(f"self.norm(x + 2 * {DROPPED})"),
)
mistakes.add(
    "x_again_behind_the_norm",
    "`x` is added once more, behind the norm.",
    SUM,
    answer(f"x + self.norm(x + {DROPPED})"),
    answer(f"self.norm(x + {DROPPED}) + x"),
)
mistakes.add(
    "something_behind_the_norm",
    "Something acts on the norm's answer that the equation does not have.",
    SUM,
    answer(f"self.norm(x + {DROPPED}).relu()"),
    answer(f"F.relu(self.norm(x + {DROPPED}))"),
    answer(f"torch.tanh(self.norm(x + {DROPPED}))"),
)
mistakes.add(
    "norm_over_another_axis",
    "The norm's mean and deviation are not those of one token's features.",
    SUM,
    norm_inside(
        "return (x - x.mean(1, keepdim=True)) / (x.var(1, unbiased=False, keepdim=True) + 1e-6)"
        ".sqrt() * self.weight + self.bias"
    ),
    norm_inside(
        "return (x - x.mean(0)) / (x.var(0, unbiased=False) + 1e-6).sqrt() * self.weight + self.bias"
    ),
    norm_inside(
        "return (x - x.mean()) / (x.var(unbiased=False) + 1e-6).sqrt() * self.weight + self.bias"
    ),
)
mistakes.add(
    "another_norm",
    "Your block normalises, and with something else than a layer norm.",
    SUM,
    (NORM, "self.norm = nn.RMSNorm(d_model)"),
    norm_inside(
        "return self.weight * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6)"
        " + self.bias"
    ),
    norm_inside("return self.weight * F.normalize(x, dim=-1) + self.bias"),
)
mistakes.add(
    "nothing_to_learn_in_the_norm",
    "The norm of your block has no gamma and beta that `parameters()` finds: it is made in "
    "`forward`, kept in a plain list, or without them.",
    LEARNS,
    (NORM, "self.norm = nn.LayerNorm(d_model, elementwise_affine=False)"),
    ((NORM, ""), answer(f"F.layer_norm(x + {DROPPED}, x.shape[-1:])")),
    ((NORM, ""), answer(f"LayerNorm(x.size(-1))(x + {DROPPED})")),
    ((NORM, "self.norms = [LayerNorm(d_model)]"), answer(f"self.norms[0](x + {DROPPED})")),
    ((NORM, ""), answer(f"nn.LayerNorm(x.size(-1))(x + {DROPPED})")),
)
mistakes.add(
    "no_dropout",
    "Nothing is dropped in training. What is the argument `dropout` for?",
    f"{PLACE} {RATE} {REST}",
    answer("self.norm(x + sublayer_output)"),
    (DROPOUT, "self.dropout = nn.Identity()"),
    (DROPOUT, "self.dropout = nn.Dropout(0.0)"),
    (ANSWER, "self.dropout(sublayer_output)\n        return self.norm(x + sublayer_output)"),
)
mistakes.add(
    "one_input_is_returned",
    "What comes out is one of the inputs as it came in. What is added, and what is normalised?",
    f"{SUM} {GRADIENT} {PLACE} {RATE} {REST} {DEFAULT} {STAYS}",
    answer("x"),
    answer("sublayer_output"),
)
mistakes.add(
    "dropout_behind_the_norm",
    "Dropout acts on what the norm returns, so that x is dropped with it.",
    PLACE,
    answer("self.dropout(self.norm(x + sublayer_output))"),
    answer(f"self.dropout(self.norm(x + {DROPPED}))"),
)
mistakes.add(
    "dropout_on_the_sum",
    "Dropout acts on the sum, so that x is dropped with the sub-layer's output.",
    PLACE,
    answer("self.norm(self.dropout(x + sublayer_output))"),
    answer(f"self.norm(self.dropout(x) + {DROPPED})"),
)
mistakes.add(
    "dropout_on_x",
    "Dropout acts on x, and the sub-layer's output stays whole. Which of the two arguments is which?",
    PLACE,
    answer("self.norm(self.dropout(x) + sublayer_output)"),
    ("x: Tensor, sublayer_output: Tensor", "sublayer_output: Tensor, x: Tensor"),
    answer("self.norm(sublayer_output + self.dropout(x))"),
)
mistakes.add(
    "dropout_acts_twice",
    "Dropout acts more than once on the sub-layer's output: more of it is lost than the rate says.",
    RATE,
    answer(f"self.norm(x + self.dropout({DROPPED}))"),
    (ANSWER, f"sublayer_output = {DROPPED}\n        {ANSWER}"),
)
mistakes.add(
    "dropout_rate_is_fixed",
    "The rate of dropout is a number of its own, whatever the argument `dropout` says.",
    f"{RATE} {DEFAULT}",
    (DROPOUT, "self.dropout = nn.Dropout(0.1)"),
    (DROPOUT, "self.dropout = nn.Dropout()"),
    (DROPOUT, "self.dropout = nn.Dropout(0.2)"),
    (ANSWER, ANSWER.replace(DROPPED, "F.dropout(sublayer_output, training=self.training)")),
)
mistakes.add(
    "another_default_rate",
    "A block that is told no rate drops something. Which default does the signature have?",
    DEFAULT,
    ("dropout: float = 0.0", "dropout: float = 0.1"),
    ("dropout: float = 0.0", "dropout: float = 0.5"),
    (DROPOUT, "self.dropout = nn.Dropout(dropout or 0.1)"),
)
mistakes.add(
    "rate_is_what_is_kept",
    "The argument says which share is dropped. Your block takes it for the share that is kept.",
    f"{RATE} {DEFAULT}",
    (DROPOUT, "self.dropout = nn.Dropout(1 - dropout)"),
    dropout_of_ones_own(
        "return x * (torch.rand_like(x) < self.p) / max(self.p, 1e-9) if self.training else x"
    ),
)
mistakes.add(
    "dropout_not_scaled",
    "What is kept is not scaled up: by what does dropout multiply it, so that the mean stays?",
    RATE,
    dropout_of_ones_own(
        "return torch.where(torch.rand_like(x) < self.p, 0.0, x) if self.training else x"
    ),
    dropout_of_ones_own("return x * (torch.rand_like(x) >= self.p) if self.training else x"),
)
mistakes.add(
    "whole_tokens_are_dropped",
    "What is dropped goes together: a whole feature, a whole token, or a whole sentence.",
    RATE,
    dropout_of_ones_own("return F.dropout(torch.ones_like(x[..., :1]), self.p, self.training) * x"),
    dropout_of_ones_own("return F.dropout1d(x, self.p, self.training)"),
    dropout_of_ones_own("return F.dropout(torch.ones_like(x[:1]), self.p, self.training) * x"),
)
mistakes.add(
    "dropout_never_rests",
    "After `eval()` something is dropped as in training. Who tells `F.dropout` that it should rest?",
    REST,
    (
        (DROPOUT, "self.p = dropout"),
        answer("self.norm(x + F.dropout(sublayer_output, self.p))"),
    ),
    (
        (DROPOUT, "self.dropouts = [nn.Dropout(dropout)]"),
        answer("self.norm(x + self.dropouts[0](sublayer_output))"),
    ),
    (
        (DROPOUT, "self.p = dropout"),
        answer("self.norm(x + nn.Dropout(self.p)(sublayer_output))"),
    ),
)
mistakes.add(
    "dropout_rests_in_training",
    "Dropout acts after `eval()`, and rests in training: the wrong way round.",
    f"{PLACE} {RATE} {REST}",
    (
        (DROPOUT, "self.p = dropout"),
        answer("self.norm(x + F.dropout(sublayer_output, self.p, not self.training))"),
    ),
)
mistakes.add(
    "input_is_changed",
    "The call changes a tensor that it was given: x, or the sub-layer's output.",
    STAYS,
    (ANSWER, f"x += {DROPPED}\n        return self.norm(x)"),
    answer(f"self.norm(x.add_({DROPPED}))"),
    (ANSWER, f"y = {DROPPED}\n        y += x\n        return self.norm(y)"),
    (DROPOUT, "self.dropout = nn.Dropout(dropout, inplace=True)"),
)
mistakes.add(
    "gradient_is_cut",
    "The answer is right, but gradient does not come back to both inputs. Which call takes a tensor "
    "out of the graph?",
    GRADIENT,
    answer(f"self.norm(x.detach() + {DROPPED})"),
    answer("self.norm(x + self.dropout(sublayer_output.detach()))"),
    answer(f"self.norm(x.data + {DROPPED})"),
    ("    def forward(", "    @torch.no_grad()\n    def forward("),
)
mistakes.add(
    "returns_more_than_the_output",
    "`forward` returns several things, where one tensor is asked for.",
    STAYS,
    (ANSWER, f"{ANSWER}, x"),
    (ANSWER, f"y = x + {DROPPED}\n        return self.norm(y), y"),
)
mistakes.add(
    "nothing_is_returned",
    "`forward` computes and returns nothing.",
    f"{SUM} {GRADIENT} {PLACE} {RATE} {REST} {DEFAULT} {STAYS}",
    (ANSWER, ANSWER.replace("return ", "y = ")),
    (ANSWER, ANSWER.replace("return ", "")),
)
mistakes.add(
    "sub_layer_is_called",
    "The second argument is called as a function. What is it: the sub-layer, or what it returned?",
    SUM,
    answer("self.norm(x + self.dropout(sublayer_output(x)))"),
)
mistakes.add(
    "self_forgotten",
    "A name is used without `self.`: inside `forward`, only what `self` holds is known of what "
    "`__init__` made.",
    SUM,
    (ANSWER, ANSWER.replace("self.norm", "norm")),
    (NORM, NORM.replace("self.", "")),
    (DROPOUT, DROPOUT.replace("self.", "")),
)
mistakes.add(
    "constructor_never_begins",
    "The constructor never calls that of `nn.Module` (or not first), so that it cannot hold any part.",
    f"{SUM} {GRADIENT} {LEARNS} {PLACE} {RATE} {REST} {DEFAULT} {STAYS}",
    ("        super().__init__()\n", ""),
)
