"""What goes wrong in `as_convolution`."""

from autograder.engine.mistake import Mistakes

mistakes = Mistakes("as_convolution")

MADE = "convolution = nn.Conv1d(linear.in_features, linear.out_features, kernel_size=1)"
NO_GRAD = "with torch.no_grad():"
WEIGHT = "convolution.weight.copy_(linear.weight.unsqueeze(-1))       # (out, in, 1)"
BIAS = "convolution.bias.copy_(linear.bias)"
RETURN = "return convolution\n"
CHAIN = "return nn.Sequential(copied(linear1), nn.ReLU(), copied(linear2))"

SAME, LISTED = (
    "the_same_feed_forward_is_computed",
    "it_is_a_sequential_of_convolution_relu_convolution",
)
KERNEL, COPIES = "a_kernel_sees_one_token", "the_weights_are_copies"
LEARNS, STAY = "the_convolutions_can_learn", "the_linear_layers_stay_as_they_are"


def wrapped(code: str) -> tuple[str, str]:
    """A module of one's own around the chain."""
    body = "class Wrapped(nn.Module):\n        def __init__(self):\n            super().__init__()\n            "
    body += "self.chain = nn.Sequential(copied(linear1), nn.ReLU(), copied(linear2))\n\n        "
    return CHAIN, f"{body}def forward(self, x):\n            return {code}\n\n    return Wrapped()"


mistakes.add(
    "nothing_is_copied",
    "The numbers in your convolutions are the random ones with which torch makes them. Where would those "
    "of the linear layers come in?",
    f"{SAME} {COPIES}",
    ((WEIGHT, "pass"), (BIAS, "pass")),
    (
        CHAIN,
        "return nn.Sequential(nn.Conv1d(linear1.in_features, linear1.out_features, 1), nn.ReLU(), nn.Conv1d(linear2.in_features, linear2.out_features, 1))",
    ),
)
mistakes.add(
    "nothing_is_made",
    "What comes back has no number to learn of its own: x as it came in, or a ReLU of it.",
    f"{SAME} {LISTED} {KERNEL} {COPIES} {LEARNS} {STAY}",
    (CHAIN, "return nn.Sequential()"),
    (CHAIN, "return nn.Identity()"),
    (CHAIN, "return nn.ReLU()"),
)
mistakes.add(
    "not_all_is_copied",
    "Some of the numbers in your convolutions are the random ones with which torch makes them. Which "
    "weights and biases do two linear layers have, and which of them do you copy?",
    SAME,
    (WEIGHT, "pass"),
    (BIAS, "pass"),
    ((WEIGHT, "convolution.weight.clone().copy_(linear.weight.unsqueeze(-1))"), (BIAS, "pass")),
    (
        CHAIN,
        "return nn.Sequential(copied(linear1), nn.ReLU(), nn.Conv1d(linear2.in_features, linear2.out_features, 1))",
    ),
    (
        CHAIN,
        "return nn.Sequential(nn.Conv1d(linear1.in_features, linear1.out_features, 1), nn.ReLU(), copied(linear2))",
    ),
)
mistakes.add(
    "bias_of_zeros",
    "The weights are those of the linear layers, the biases are zero.",
    SAME,
    (BIAS, "convolution.bias.zero_()"),
    (BIAS, "nn.init.zeros_(convolution.bias)"),
)
mistakes.add(
    "shapes_do_not_fit",
    "The copy stops: both weights have other shapes. Print them, of `nn.Linear` and of `nn.Conv1d`: "
    "what comes first in each, and what stands last?",
    f"{SAME} {LISTED} {KERNEL} {COPIES} {LEARNS} {STAY}",
    (
        MADE,
        MADE.replace(
            "linear.in_features, linear.out_features", "linear.out_features, linear.in_features"
        ),
    ),
    (WEIGHT, "convolution.weight.copy_(linear.weight.T.unsqueeze(-1))"),
    (WEIGHT, "convolution.weight.copy_(linear.weight)"),
    (WEIGHT, "convolution.weight.copy_(linear.weight.unsqueeze(0))"),
)
mistakes.add(
    "weight_transposed",
    "The numbers of the weight stand in another order. Which axis holds the features that come in, in "
    "`nn.Linear` and in `nn.Conv1d`?",
    SAME,
    (WEIGHT, "convolution.weight.copy_(linear.weight.T.reshape(convolution.weight.shape))"),
    (WEIGHT, "convolution.weight.copy_(linear.weight.T.contiguous().view_as(convolution.weight))"),
)
mistakes.add(
    "linear_layers_inside",
    "There is no convolution in what you return: the linear layers themselves do the work, and want the "
    "features in the last axis.",
    f"{SAME} {LISTED} {KERNEL} {STAY}",
    (CHAIN, "return nn.Sequential(linear1, nn.ReLU(), linear2)"),
)
mistakes.add(
    "no_bias",
    "Your convolutions have no bias; the linear layers have one.",
    f"{SAME} {LEARNS}",
    ((MADE, MADE.replace("kernel_size=1", "kernel_size=1, bias=False")), (BIAS, "pass")),
)
mistakes.add(
    "wide_kernel",
    "A kernel of your convolutions covers more than one token. What would position-wise mean then?",
    f"{SAME} {KERNEL}",
    (MADE, MADE.replace("kernel_size=1", "kernel_size=3, padding=1")),
    (MADE, MADE.replace("kernel_size=1", 'kernel_size=3, padding="same"')),
    (MADE, MADE.replace("kernel_size=1", 'kernel_size=5, padding="same"')),
    (MADE, MADE.replace("kernel_size=1", "kernel_size=3")),
)
mistakes.add(
    "wide_kernel_of_zeros",
    "Your kernel covers three tokens, two of them with zeros: it computes the same, and learns to look "
    "at the neighbours.",
    KERNEL,
    (
        (MADE, MADE.replace("kernel_size=1", "kernel_size=3, padding=1")),
        (
            WEIGHT,
            "convolution.weight.zero_()\n            convolution.weight[..., 1] = linear.weight",
        ),
    ),
)
mistakes.add(
    "padded",
    "Your convolutions add positions at the ends, so that the answer is longer than the sentence.",
    SAME,
    (MADE, MADE.replace("kernel_size=1", "kernel_size=1, padding=1")),
)
mistakes.add(
    "positions_left_out",
    "Your convolutions step over positions, so that the answer is shorter than the sentence.",
    SAME,
    (MADE, MADE.replace("kernel_size=1", "kernel_size=1, stride=2")),
)
mistakes.add(
    "no_relu",
    "Nothing stands between the two convolutions, and two linear maps in a row are one.",
    f"{SAME} {LISTED}",
    (CHAIN, "return nn.Sequential(copied(linear1), copied(linear2))"),
    (CHAIN, CHAIN.replace("nn.ReLU()", "nn.Identity()")),
)
mistakes.add(
    "another_activation",
    "Between the convolutions stands another function than the ReLU.",
    f"{SAME} {LISTED}",
    *[
        (CHAIN, CHAIN.replace("ReLU()", other))
        for other in ("GELU()", "Sigmoid()", "Tanh()", "LeakyReLU()", "SiLU()")
    ],
)
mistakes.add(
    "relu_at_the_end",
    "A ReLU acts on the answer, so that it can never be negative.",
    f"{SAME} {LISTED}",
    (CHAIN, "return nn.Sequential(copied(linear1), copied(linear2), nn.ReLU())"),
    (CHAIN, "return nn.Sequential(copied(linear1), nn.ReLU(), copied(linear2), nn.ReLU())"),
)
mistakes.add(
    "order_swapped",
    "Your first convolution is made of the second linear layer. Which one meets x first?",
    SAME,
    (CHAIN, "return nn.Sequential(copied(linear2), nn.ReLU(), copied(linear1))"),
    ("(linear1: nn.Linear, linear2: nn.Linear)", "(linear2: nn.Linear, linear1: nn.Linear)"),
)
mistakes.add(
    "answer_transposed",
    "The answer is (batch, seq, d_model), or x is taken for that: the statement says (batch, d_model, seq).",
    f"{SAME} {LISTED}",
    wrapped("self.chain(x).mT"),
    wrapped("self.chain(x.mT)"),
    wrapped("self.chain(x.mT).mT"),
)
mistakes.add(
    "no_sequential",
    "What you return computes the same and is no `nn.Sequential` of the three.",
    LISTED,
    wrapped("self.chain(x)"),
    (CHAIN, "return nn.Sequential(nn.Sequential(copied(linear1), nn.ReLU()), copied(linear2))"),
)
mistakes.add(
    "weights_are_shared",
    "Convolutions and linear layers share the memory of their weights: whoever trains one changes the "
    "other.",
    COPIES,
    (
        (WEIGHT, "convolution.weight = nn.Parameter(linear.weight.unsqueeze(-1))"),
        (BIAS, "convolution.bias = nn.Parameter(linear.bias)"),
    ),
    (WEIGHT, "convolution.weight.data = linear.weight.data.unsqueeze(-1)"),
    (
        (WEIGHT, "convolution.weight.data = linear.weight.data.unsqueeze(-1)"),
        (BIAS, "convolution.bias.data = linear.bias.data"),
    ),
    (WEIGHT, "convolution.weight.data = linear.weight.view(*linear.weight.shape, 1)"),
    (BIAS, "convolution.bias = linear.bias"),
)
mistakes.add(
    "nothing_learns",
    "The convolutions have the right weights, and these can no longer be learned.",
    LEARNS,
    (RETURN, "return convolution.requires_grad_(False)\n"),
    (
        (
            WEIGHT,
            "convolution.weight = nn.Parameter(linear.weight.detach().clone().unsqueeze(-1), requires_grad=False)",
        ),
        (
            BIAS,
            "convolution.bias = nn.Parameter(linear.bias.detach().clone(), requires_grad=False)",
        ),
    ),
    (
        (
            WEIGHT,
            "weight = linear.weight.detach().clone().unsqueeze(-1)\n            del convolution.weight\n            convolution.register_buffer('weight', weight)",
        ),
    ),
)
mistakes.add(
    "linear_layers_are_changed",
    "Your function writes into the linear layers that it was given.",
    STAY,
    (RETURN, "linear.weight.data.zero_()\n        return convolution\n"),
    (RETURN, "linear.requires_grad_(False)\n        return convolution\n"),
    (RETURN, "linear.weight.data = linear.weight.data.unsqueeze(-1)\n        return convolution\n"),
    (RETURN, "nn.init.zeros_(linear.bias)\n        return convolution\n"),
)
mistakes.add(
    "dropout_inside",
    "Dropout acts between the layers. Nobody asked for it.",
    LISTED,
    (CHAIN, CHAIN.replace("nn.ReLU(), ", "nn.ReLU(), nn.Dropout(0.1), ")),
)
