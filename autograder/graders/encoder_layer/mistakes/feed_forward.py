"""What goes wrong in the position-wise feed forward layer."""

from autograder.engine.mistake import Mistakes

mistakes = Mistakes("feed_forward")

BASE = "(nn.Sequential)"
FIRST = "self.linear1 = nn.Linear(d_model, d_ff)"
RELU = "self.relu = nn.ReLU()"
SECOND = "self.linear2 = nn.Linear(d_ff, d_model)"
CALLED = "return self.linear2(self.relu(self.linear1(x)))"


def instead(code: str) -> tuple[str, str]:
    return RELU, code


def forward(code: str) -> tuple[str, str]:
    """A `forward` of its own, below the constructor."""
    return SECOND, f"{SECOND}\n\n    def forward(self, x):\n        {code}"


def activation(name: str) -> tuple[str, str]:
    return RELU, f"self.relu = nn.{name}"


mistakes.add(
    "no_sequential",
    "No `nn.Sequential` holds the three members: your own `forward` calls them, where the statement "
    "leaves that to torch.",
    "layers_are_an_nn_sequential",
    ((BASE, "(nn.Module)"), forward(CALLED)),
    (
        (BASE, "(nn.Module)"),
        forward("return self.linear2(torch.relu(self.linear1(x)))"),
        instead(""),
    ),
)
mistakes.add(
    "no_relu",
    "Nothing acts between the two linear layers, and two linear maps in a row are one linear map.",
    "each_position_goes_through_the_equation",
    activation("Identity()"),
    ((BASE, "(nn.Module)"), forward("return self.linear2(self.linear1(x))")),
    forward("return self.linear2(self.linear1(x))"),
)
mistakes.add(
    "another_activation",
    "Between the linear layers stands another function than max(0, x). Which one does the equation "
    "have, and what does it do to a negative number?",
    "each_position_goes_through_the_equation",
    *map(
        activation,
        (
            *("GELU()", "GELU(approximate='tanh')", "Tanh()", "Sigmoid()", "SiLU()", "ELU()"),
            *("LeakyReLU()", "LeakyReLU(0.1)", "LeakyReLU(0.2)", "CELU(alpha=0.5)", "SELU()"),
            *("Softplus()", "ReLU6()", "Softmax(dim=-1)", "Mish()", "Hardswish()", "Hardtanh()"),
            *(
                "Softsign()",
                "LogSigmoid()",
                "PReLU()",
                "Hardsigmoid()",
                "Softmax(dim=1)",
            ),
        ),
    ),
    forward("return self.linear2(self.linear1(x).abs())"),
    forward("return self.linear2(self.linear1(x).relu() ** 2)"),
    forward("return self.linear2(self.linear1(x).clamp(max=0))"),
)
mistakes.add(
    "relu_behind_the_second_linear",
    "The ReLU acts on the output of the second linear layer, so that the layer can never answer "
    "with a negative number. Where does the equation have its max?",
    "each_position_goes_through_the_equation",
    ((RELU, SECOND), (f"{SECOND}\n        {SECOND}", f"{SECOND}\n        {RELU}")),
    ((BASE, "(nn.Module)"), forward("return self.relu(self.linear2(self.linear1(x)))")),
    (SECOND, f"{SECOND}\n        self.last = nn.ReLU()"),
    forward("return self.relu(self.linear2(self.relu(self.linear1(x))))"),
)
mistakes.add(
    "relu_on_the_input",
    "The ReLU acts on the input, before the first linear layer: whatever is negative in x is lost.",
    "each_position_goes_through_the_equation",
    ((FIRST, RELU), (f"{RELU}\n        {RELU}", f"{RELU}\n        {FIRST}")),
    forward("return self.linear2(self.linear1(self.relu(x)))"),
    forward("return self.linear2(self.relu(self.linear1(self.relu(x))))"),
)
mistakes.add(
    "no_bias",
    "A linear layer of yours has no bias; the equation adds b1 and b2.",
    "parameters_are_those_of_the_equation each_position_goes_through_the_equation",
    (
        ("d_model, d_ff)\n", "d_model, d_ff, bias=False)\n"),
        ("d_ff, d_model)", "d_ff, d_model, bias=False)"),
    ),
    ("d_model, d_ff)\n", "d_model, d_ff, bias=False)\n"),
    ("d_ff, d_model)", "d_ff, d_model, bias=False)"),
)
mistakes.add(
    "inner_size_is_not_d_ff",
    "The hidden units between the two linear layers are not d_ff many. Where is that argument used?",
    "parameters_are_those_of_the_equation",
    ((FIRST, FIRST.replace("d_ff", "d_model")), (SECOND, SECOND.replace("d_ff", "d_model"))),
    ((FIRST, FIRST.replace("d_ff", "2048")), (SECOND, SECOND.replace("d_ff", "2048"))),
    (
        (FIRST, FIRST.replace("d_ff", "4 * d_model")),
        (SECOND, SECOND.replace("d_ff", "4 * d_model")),
    ),
)
mistakes.add(
    "sizes_swapped",
    "The first linear layer expects d_ff features, and gets x, which has d_model.",
    "each_position_goes_through_the_equation",
    (
        (FIRST, FIRST.replace("d_model, d_ff", "d_ff, d_model")),
        (SECOND, SECOND.replace("d_ff, d_model", "d_model, d_ff")),
    ),
    ("def __init__(self, d_model: int, d_ff: int)", "def __init__(self, d_ff: int, d_model: int)"),
    (SECOND, SECOND.replace("d_ff, d_model", "d_model, d_ff")),
)
mistakes.add(
    "a_third_linear",
    "There is one linear layer more than the equation has matrices.",
    "layers_are_an_nn_sequential parameters_are_those_of_the_equation",
    instead("self.relu = nn.ReLU()\n        self.more = nn.Linear(d_ff, d_ff)"),
    instead(
        "self.relu = nn.ReLU()\n        self.more = nn.Linear(d_ff, d_ff)\n        self.again = nn.ReLU()"
    ),
    (SECOND, f"{SECOND}\n        self.more = nn.Linear(d_model, d_model)"),
)
mistakes.add(
    "second_linear_of_another_size",
    "The second linear layer does not lead from d_ff back to d_model, so that the answer is no token "
    "of the next layer.",
    "parameters_are_those_of_the_equation each_position_goes_through_the_equation",
    (SECOND, SECOND.replace("d_model", "d_ff")),
    (SECOND, SECOND.replace("d_model", "2 * d_model")),
    (SECOND, SECOND.replace("d_model", "1")),
    (SECOND, SECOND.replace("d_model", "d_ff // 4")),
)
mistakes.add(
    "an_axis_is_lost",
    "Where an axis has length one (one sentence, one token), your answer has an axis less.",
    "each_position_goes_through_the_equation",
    *[forward(f"return super().forward(x).squeeze({axis})") for axis in ("", "0", "1")],
    forward("return super().forward(x.squeeze())"),
)
mistakes.add(
    "precision_is_lost",
    "On the way the numbers are made less precise than those that came in.",
    "each_position_goes_through_the_equation",
    forward("return super().forward(x.bfloat16().to(x))"),
    forward("return super().forward(x).bfloat16().to(x)"),
    forward("return super().forward(x).half().to(x)"),
    forward("return super().forward(x).round()"),
    forward("return super().forward(x).round(decimals=1)"),
    forward("return super().forward(x.long().to(x))"),
)
mistakes.add(
    "residual_inside",
    "The input is added to the answer of the two linear layers. The sum belongs to the encoder layer.",
    "each_position_goes_through_the_equation",
    forward("return x + super().forward(x)"),
    ((BASE, "(nn.Module)"), forward(CALLED.replace("return ", "return x + "))),
)
mistakes.add(
    "norm_inside",
    "A norm acts inside this layer; the equation has none, and the encoder layer has its own.",
    "parameters_are_those_of_the_equation",
    (SECOND, f"{SECOND}\n        self.norm = nn.LayerNorm(d_model)"),
    instead(f"{RELU}\n        self.norm = nn.LayerNorm(d_ff)"),
    (FIRST, f"self.norm = nn.LayerNorm(d_model)\n        {FIRST}"),
)
mistakes.add(
    "hidden_dropout",
    "In training this layer drops features at a rate of its own, which nobody can set to 0.",
    "training_changes_nothing",
    *[instead(f"{RELU}\n        self.dropout = nn.Dropout({rate})") for rate in (0.1, 0.2, 0.5)],
    *[(SECOND, f"{SECOND}\n        self.dropout = nn.Dropout({rate})") for rate in (0.1, 0.2, 0.5)],
    forward("return F.dropout(super().forward(x), 0.1, self.training)"),
)
mistakes.add(
    "dropout_never_rests",
    "The answer is another each time, in evaluation too: chance takes part in every call. Does "
    "dropout rest after `eval()`?",
    "each_position_goes_through_the_equation training_changes_nothing",
    *[forward(f"return F.dropout(super().forward(x), {rate})") for rate in (0.1, 0.5)],
    *[
        forward(f"return self.linear2(F.dropout(self.relu(self.linear1(x)), {rate}))")
        for rate in (0.1, 0.5)
    ],
)
mistakes.add(
    "something_behind_the_second_linear",
    "Behind the second linear layer something acts that the equation does not have.",
    "each_position_goes_through_the_equation",
    *[
        forward(f"return {acts}")
        for acts in (
            "super().forward(x).tanh()",
            "super().forward(x).sigmoid()",
            "super().forward(x).softmax(-1)",
            "super().forward(x) / math.sqrt(x.size(-1))",
            "super().forward(x) / 2",
            "super().forward(x) * math.sqrt(x.size(-1))",
            "F.layer_norm(super().forward(x), x.shape[-1:])",
            "F.normalize(super().forward(x), dim=-1)",
        )
    ],
)
mistakes.add(
    "gradient_is_cut",
    "The answer is right, but no gradient comes back through it, so that nothing can be learned. "
    "Which call takes a tensor out of the graph?",
    "each_position_goes_through_the_equation",
    forward("return super().forward(x).detach()"),
    forward("return super().forward(x.detach())"),
    (
        "def __init__(self, d_model",
        "@torch.no_grad()\n    def forward(self, x):\n        return super().forward(x)\n\n    def __init__(self, d_model",
    ),
    forward("return self.linear2(self.relu(self.linear1(x)).detach())"),
)
mistakes.add(
    "input_is_changed",
    "The call changes the tensor that it was given; the caller still needs it for the residual sum.",
    "each_position_goes_through_the_equation",
    forward("return x.copy_(super().forward(x))"),
    forward("answer = super().forward(x)\n        x += answer\n        return answer"),
    forward("return super().forward(x.relu_())"),
)
mistakes.add(
    "layers_are_not_registered",
    "Your linear layers are in a plain Python list (or made anew in each call), where neither "
    "`parameters()` nor an optimiser finds them.",
    "parameters_are_those_of_the_equation",
    (
        (BASE, "(nn.Module)"),
        (FIRST, "pass"),
        instead("self.parts = [nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)]"),
        (
            SECOND,
            "self.sizes = d_model, d_ff\n\n    def forward(self, x):\n        for part in self.parts:\n            x = part(x)\n        return x",
        ),
    ),
    (
        (BASE, "(nn.Module)"),
        (FIRST, "self.into, self.out = torch.randn(d_model, d_ff), torch.randn(d_ff, d_model)"),
        instead("pass"),
        (
            SECOND,
            "pass\n\n    def forward(self, x):\n        return (x @ self.into.to(x)).relu() @ self.out.to(x)",
        ),
    ),
    (
        (BASE, "(nn.Module)"),
        (FIRST, "self.sizes = d_model, d_ff"),
        instead("pass"),
        (
            SECOND,
            "pass\n\n    def forward(self, x):\n        return nn.Linear(*self.sizes[::-1])(nn.Linear(*self.sizes)(x).relu())",
        ),
    ),
)
mistakes.add(
    "returns_more_than_the_output",
    "`forward` returns several things (or wraps its answer), where one tensor is asked for.",
    "each_position_goes_through_the_equation",
    forward("return super().forward(x), x"),
    forward("return [super().forward(x)]"),
)
mistakes.add(
    "positions_are_mixed",
    "The answer at one position depends on what stands at the others. Position-wise means: each "
    "one by itself.",
    "each_position_goes_through_the_equation",
    forward("return super().forward(x.flip(1))"),
    forward("return super().forward(x.mean(1, keepdim=True)).expand_as(x)"),
    forward("return super().forward(x - x.mean(1, keepdim=True))"),
)
mistakes.add(
    "constructor_never_begins",
    "The constructor never calls that of `nn.Module`, so that it cannot hold any part.",
    "layers_are_an_nn_sequential parameters_are_those_of_the_equation each_position_goes_through_the_equation training_changes_nothing",
    ("        super().__init__()\n", ""),
)
