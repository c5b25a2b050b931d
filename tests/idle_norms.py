"""Answers to the exercises of `layer-norm` that do nothing of them, or have only what is given.

Each row of a table is one submission, with an answer to each exercise.
"""

from autograder.graders.layer_norm.calculations import PRINTED

MODULE = (
    "class {}(nn.Module):\n    def __init__(self, d_model, *rest):\n        super().__init__()\n"
)
LEARNED = (
    "        self.gamma = nn.Parameter(torch.ones(d_model))\n"
    "        self.beta = nn.Parameter(torch.zeros(d_model))\n"
)
PARTS = "        self.norm = LayerNorm(d_model)\n        self.drop = nn.Dropout(rest[0] if rest else 0.0)\n"
NORM = MODULE.format("LayerNorm") + "    def forward(self, x):\n        return {}\n"
LEARNING_NORM = (
    MODULE.format("LayerNorm") + LEARNED + "    def forward(self, x):\n        return {}\n"
)
BLOCK = MODULE.format("AddAndNorm") + "    def forward(self, x, y):\n        return {}\n"
BLOCK_OF_PARTS = (
    MODULE.format("AddAndNorm") + PARTS + "    def forward(self, x, y):\n        return {}\n"
)
TAIL = "def encoder_tail(x, w1, b1, w2, b2, gamma, beta):\n    return {}, {}, {}\n"
RECOVER = "def recover(residual, normalised):\n    return {}, {}\n"
CONVOLUTION = "def as_convolution(linear1, linear2):\n    return {}\n"
TEST = "def depends_on(norm, x):\n    return {}\n"
ONES, ZEROS = "torch.ones_like(residual[0])", "torch.zeros_like(residual[0])"
SLOWLY = "torch.stack([slow_feed_forward(token, w1, b1, w2, b2) for token in x])"
FRESH = "nn.Conv1d(linear{0}.in_features, linear{0}.out_features, {1})"
FRESH_PAIR = f"nn.Sequential({FRESH.format(1, 1)}, nn.ReLU(), {FRESH.format(2, 1)})"
WIDE_PAIR = f"nn.Sequential({FRESH.format(1, 3)}, nn.ReLU(), {FRESH.format(2, 3)})"


def filled(numbers: object, word: object = "none") -> str:
    """A cell of `find_the_slip` with the same numbers in each step, and the same word for both slips."""
    steps = {
        name: {
            "first wrong step": word,
            **{
                step: numbers
                if type(value) is float or type(numbers) is str
                else [numbers] * len(value)
                for step, value in printed.items()
            },
        }
        for name, printed in PRINTED.items()
    }
    return f"slips = {steps!r}"


def copied(word: object, **steps: object) -> str:
    """A cell with the steps as they are printed, but for those of add and norm that are named."""
    slips = {name: {"first wrong step": word, **printed} for name, printed in PRINTED.items()}
    slips["add and norm"] |= steps
    return f"slips = {slips!r}"


NOTHING = {  # at most a tenth of the points
    "layer_norm": [
        NORM.format("x"),
        NORM.format("-x"),
        NORM.format("torch.zeros_like(x)"),
        NORM.format("torch.randn_like(x)"),
        NORM.format("x.mean(-1, keepdim=True).expand_as(x)"),
        NORM.format("x.mean(0, keepdim=True).expand_as(x)"),
        NORM.format("x.mean().expand_as(x)"),
        LEARNING_NORM.format("self.gamma * x + self.beta"),
        LEARNING_NORM.format("self.beta.expand_as(x)"),
        LEARNING_NORM.format("self.gamma * x.mean(-1, keepdim=True) + self.beta"),
    ],
    "add_and_norm": [
        BLOCK.format("x"),
        BLOCK.format("y"),
        BLOCK.format("torch.zeros_like(x)"),
        BLOCK.format("torch.randn_like(x)"),
        BLOCK_OF_PARTS.format("(x + y) / 2"),
        BLOCK.format("(x + y).mean(-1, keepdim=True).expand_as(x)"),
        BLOCK.format("y.mean(1, keepdim=True).expand_as(x)"),
        BLOCK_OF_PARTS.format("x"),
        BLOCK_OF_PARTS.format("-y"),
        BLOCK_OF_PARTS.format("0 * x + 5"),
    ],
    "find_the_slip": [
        copied("none"),
        filled(0.0),
        filled(1.0, "sum"),
        filled("hidden", "hidden"),
        copied("none", variance=1e9),
        copied("variance"),
        copied("hidden"),
        filled(0.5, "mean"),
        filled(0.0, "hidden"),
        "slips = {name: dict.fromkeys(steps, steps) for name, steps in printed.items()}",
    ],
    "twelve_tokens": [
        TAIL.format("x", "x", "x"),
        TAIL.format(*["torch.zeros_like(x)"] * 3),
        TAIL.format(*["torch.ones_like(x)"] * 3),
        TAIL.format(*["torch.randn_like(x)"] * 3),
        TAIL.format(*["x.mean(-1, keepdim=True).expand_as(x)"] * 3),
        TAIL.format(*["x.mean(0, keepdim=True).expand_as(x)"] * 3),
        TAIL.format("twelve['ffn']", "twelve['residual']", "twelve['normalised']"),
        TAIL.format("x", "x", "gamma * x + beta"),
        TAIL.format(*["beta.expand_as(x)"] * 3),
        TAIL.format("x", "x + x", "x"),
    ],
    "recover": [
        RECOVER.format(ONES, ZEROS),
        RECOVER.format(ZEROS, ZEROS),
        RECOVER.format(ZEROS, "normalised.mean(0)"),
        RECOVER.format("residual[0]", "residual[1]"),
        RECOVER.format("normalised.mean(0)", "normalised.mean(0)"),
        RECOVER.format("normalised.std(0)", "normalised.mean(0)"),
        RECOVER.format("torch.tensor([0.5, 0.9, 0.4])", "torch.tensor([0.7, 0.7, 0.5])"),
        RECOVER.format("torch.randn_like(residual[0])", "torch.randn_like(residual[0])"),
        RECOVER.format("residual", "normalised"),
        RECOVER.format("normalised[0] / residual[0]", ZEROS),
    ],
    "who_depends": [
        TEST.format("'neither'"),
        TEST.format("'both'"),
        TEST.format("'batch'"),
        TEST.format("'positions'"),
        TEST.format("('batch', 'positions', 'both')[len(x) % 3]"),
        TEST.format("'both' if len(x) > 1 else 'neither'"),
        TEST.format("'neither' if torch.equal(norm(x), x) else 'both'"),
        TEST.format("'neither' if torch.equal(norm(x), norm(x)) else 'both'"),
        TEST.format("norm(x)"),
        TEST.format("'both' if norm(torch.zeros_like(x)).any() else 'neither'"),
    ],
    "as_convolution": [
        CONVOLUTION.format("nn.Sequential()"),
        CONVOLUTION.format("nn.ReLU()"),
        CONVOLUTION.format("linear1"),
        CONVOLUTION.format("nn.Identity()"),
        CONVOLUTION.format("nn.Sequential(linear1, nn.ReLU(), linear2)"),
        CONVOLUTION.format("nn.Sequential(nn.ReLU())"),
        CONVOLUTION.format("nn.Linear(linear1.in_features, linear1.in_features)"),
        CONVOLUTION.format("nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))"),
        CONVOLUTION.format("nn.Sequential(nn.Identity(), nn.ReLU(), nn.Identity())"),
        CONVOLUTION.format("nn.Sequential(linear1, linear2)"),
    ],
}
GIVEN = {  # at most a third: what stands in the notebook, or was written in an exercise before
    "add_and_norm": [
        BLOCK_OF_PARTS.format("self.norm(x)"),
        BLOCK_OF_PARTS.format("self.norm(y)"),
        BLOCK_OF_PARTS.format("x + y"),
        BLOCK_OF_PARTS.format("self.norm(self.norm(y))"),  # dropout would be a part of the exercise
        BLOCK_OF_PARTS.format("x + self.drop(y)"),
    ],
    "find_the_slip": [copied("variance"), copied("variance", sum=[1.5, 1.7, 3.2, 4.2])] * 2
    + [filled(0.0)],
    "twelve_tokens": [
        TAIL.format(SLOWLY, "x", "x"),
        TAIL.format("x", "x", "gamma * LayerNorm(x.size(-1))(x).detach() + beta"),
        TAIL.format("x", "AddAndNorm(x.size(-1))(x, x).detach()", "x"),
        TAIL.format("x", "x", "gamma * F.layer_norm(x, x.shape[-1:]) + beta"),
        TAIL.format("x", "LayerNorm(x.size(-1))(x).detach()", "LayerNorm(x.size(-1))(x).detach()"),
    ],
    "recover": [
        RECOVER.format(
            *[f"LayerNorm(len(residual.T)).{name}.detach()" for name in ("gamma", "beta")]
        ),
        RECOVER.format(
            ONES, "(normalised - LayerNorm(residual.size(-1))(residual).detach()).mean(0)"
        ),
        RECOVER.format(
            *["(normalised / LayerNorm(residual.size(-1))(residual).detach()).mean(0)"] * 2
        ),
        RECOVER.format(
            "normalised.std(0) / LayerNorm(residual.size(-1))(residual).detach().std(0)", ZEROS
        ),
        RECOVER.format(ONES, "normalised.mean(0)"),
    ],
    "who_depends": [
        TEST.format(
            "'neither' if torch.allclose(norm(x), LayerNorm(x.size(-1))(x), atol=1e-3) else 'both'"
        ),
        TEST.format("'neither' if norm(x).mean(-1).abs().max() < 1e-3 else 'both'"),
        TEST.format(
            "'neither' if norm(x).var(-1, correction=0).allclose(torch.ones(()), atol=1e-3) else 'both'"
        ),
        TEST.format("'neither' if torch.allclose(norm(10 * x), norm(x), atol=1e-4) else 'batch'"),
        TEST.format(
            "'neither' if AddAndNorm(x.size(-1))(x, 0 * x).allclose(norm(x), atol=1e-4) else 'positions'"
        ),
    ],
    "as_convolution": [
        CONVOLUTION.format(FRESH_PAIR),
        CONVOLUTION.format(WIDE_PAIR),
        CONVOLUTION.format("nn.Sequential(nn.Conv1d(4, 7, 1), nn.ReLU(), nn.Conv1d(7, 4, 1))"),
        CONVOLUTION.format(FRESH_PAIR + ".requires_grad_(False)"),
        CONVOLUTION.format(FRESH_PAIR),
    ],
}
