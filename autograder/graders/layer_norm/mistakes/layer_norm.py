"""What goes wrong in layer normalisation."""

from autograder.engine.mistake import Mistakes

mistakes = Mistakes("layer_norm")

INIT = "super().__init__()"
GAMMA = "self.gamma = nn.Parameter(torch.ones(d_model))"
BETA = "self.beta = nn.Parameter(torch.zeros(d_model))"
KEEP_EPS = "self.eps = eps"
MEAN = "x.mean(dim=-1, keepdim=True)"
VARIANCE = "(x - mean).square().mean(dim=-1, keepdim=True)"
DIVIDED = "(x - mean) / torch.sqrt(variance + self.eps)"
ANSWER = "return self.gamma * normalised + self.beta"

EQUATION = "features_of_each_token_are_normalised"
ALONE = "each_token_is_normalised_by_itself"
AXES = "any_number_of_axes_may_lead"
BEGIN = "gamma_begins_at_1_and_beta_at_0"
LEARNED = "gamma_and_beta_are_learned_one_number_for_each_feature"
SCALED = "gamma_scales_and_beta_shifts_what_is_normalised"
GRADIENT = "gradient_comes_back_through_mean_and_variance"
EPS = "eps_is_the_argument_and_stands_under_the_root"
DEFAULT = "eps_is_1e_6_unless_another_is_given"
CONSTANT = "token_of_equal_features_becomes_beta"
LARGE = "large_mean_costs_no_digits"
UNCHANGED = "answer_comes_alone_and_input_stays_as_it_was"
OWN = "norm_is_your_own"
TRAINING = "training_changes_nothing"
EVERYTHING = (
    f"{EQUATION} {ALONE} {AXES} {BEGIN} {LEARNED} {SCALED} {GRADIENT} {EPS} {DEFAULT} {CONSTANT} "
    f"{LARGE} {UNCHANGED} {OWN} {TRAINING}"
)


def over(axes: str) -> tuple[tuple[str, str], ...]:
    """Mean and variance over these axes."""
    return (MEAN, MEAN.replace("-1", axes)), (VARIANCE, VARIANCE.replace("-1", axes))


mistakes.add(
    "norm_of_the_library",
    "Your layer calls a norm that torch has ready-made. The statement asks for the lines behind it.",
    OWN,
    (ANSWER, "return F.layer_norm(x, (x.shape[-1],), self.gamma, self.beta, self.eps)"),
    (DIVIDED, "F.layer_norm(x, x.shape[-1:], eps=self.eps)"),
    (
        (INIT, f"{INIT}\n        self.norm = nn.LayerNorm(d_model, eps, elementwise_affine=False)"),
        (DIVIDED, "self.norm(x)"),
    ),
    (DIVIDED, "F.rms_norm(x - mean, x.shape[-1:], eps=self.eps)"),
    (DIVIDED, "F.instance_norm(x.reshape(1, -1, x.size(-1)), eps=self.eps).view_as(x)"),
    (DIVIDED, "F.group_norm(x.reshape(-1, x.size(-1)), 1, eps=self.eps).view_as(x)"),
    (
        ("class LayerNorm(nn.Module):", "class LayerNorm(nn.LayerNorm):"),
        (INIT, "super().__init__(d_model, eps)"),
        (GAMMA, ""),
        (BETA, ""),
        (ANSWER, "return super().forward(x)"),
    ),
)
mistakes.add(
    "variance_over_n_minus_1",
    "The variance divides by one less than the number of features. By how many does the equation "
    "divide? `torch.var` and `std` have an argument for that.",
    EQUATION,
    (VARIANCE, "x.var(dim=-1, keepdim=True)"),
    (VARIANCE, "x.std(dim=-1, keepdim=True) ** 2"),
    (VARIANCE, "x.var(-1, unbiased=True, keepdim=True)"),
    (VARIANCE, "(x - mean).square().sum(dim=-1, keepdim=True) / (x.size(-1) - 1)"),
)
mistakes.add(
    "eps_outside_the_root",
    "`eps` is added to the standard deviation, behind the root. Where does it stand in the equation?",
    EPS,
    (DIVIDED, "(x - mean) / (torch.sqrt(variance) + self.eps)"),
    (DIVIDED, "(x - mean) / (variance.sqrt() + self.eps)"),
    (DIVIDED, "(x - mean) / (x.std(-1, unbiased=False, keepdim=True) + self.eps)"),
)
mistakes.add(
    "standard_deviation_over_n_minus_1_plus_eps",
    "You divide by `std` plus eps: look up by how many it divides, and where eps stands in the "
    "equation.",
    f"{EQUATION} {EPS}",
    (DIVIDED, "(x - mean) / (x.std(-1, keepdim=True) + self.eps)"),
    (
        (VARIANCE, "x.std(dim=-1, keepdim=True)"),
        (DIVIDED, "(x - mean) / (variance + self.eps)"),
    ),
)
mistakes.add(
    "another_default_eps",
    "A layer that is told no eps takes another one than the signature says.",
    DEFAULT,
    ("eps: float = 1e-6", "eps: float = 1e-5"),
    ("eps: float = 1e-6", "eps: float = 1e-8"),
    ("eps: float = 1e-6", "eps: float = 1e-12"),
    ("eps: float = 1e-6", "eps: float = 1e-3"),
)
mistakes.add(
    "eps_argument_ignored",
    "Whatever eps the constructor gets, `forward` uses one of its own.",
    EPS,
    (KEEP_EPS, "self.eps = 1e-6"),
    (DIVIDED, DIVIDED.replace("self.eps", "1e-6")),
    (KEEP_EPS, "self.eps = 1e-5"),
    (DIVIDED, DIVIDED.replace("self.eps", "1e-8")),
)
mistakes.add(
    "eps_changed_on_the_way",
    "`eps` is used, and not as it is: squared, or subtracted, or more than once.",
    EPS,
    (DIVIDED, DIVIDED.replace("self.eps", "self.eps ** 2")),
    (DIVIDED, "(x - mean + self.eps) / torch.sqrt(variance + self.eps)"),
    (DIVIDED, "(x - mean) / (torch.sqrt(variance + self.eps) + self.eps)"),
    (DIVIDED, "(x - mean) / torch.sqrt((variance - self.eps).abs())"),
)
mistakes.add(
    "over_the_batch",
    "Mean and variance go over the batch: what one sentence becomes depends on the others.",
    f"{EQUATION} {ALONE}",
    over("0"),
    ((MEAN, "x.mean(0)"), (VARIANCE, "x.var(0, unbiased=False)")),
)
mistakes.add(
    "over_the_sequence",
    "Mean and variance go over the sequence: what a token becomes depends on its neighbours.",
    f"{EQUATION} {ALONE}",
    over("1"),
    over("-2"),
)
mistakes.add(
    "over_all_tokens",
    "Mean and variance of a feature go over all tokens of the batch, as in a batch norm.",
    f"{EQUATION} {ALONE}",
    over("(0, 1)"),
    over("tuple(range(x.dim() - 1))"),
)
mistakes.add(
    "over_all_numbers",
    "There is one mean and one variance for all numbers of the call. Over what should they go?",
    f"{EQUATION} {ALONE}",
    ((MEAN, "x.mean()"), (VARIANCE, "x.var(unbiased=False)")),
    ((MEAN, "x.mean()"), (VARIANCE, "(x - mean).square().mean()")),
    over("tuple(range(x.dim()))"),
)
mistakes.add(
    "over_a_whole_sentence",
    "Mean and variance go over all tokens of a sentence and their features together.",
    f"{EQUATION} {ALONE}",
    over("(-2, -1)"),
    over("(1, 2)"),
    over("tuple(range(1, x.dim()))"),
)
mistakes.add(
    "mean_over_other_axes_than_variance",
    "Mean and variance do not go over the same axes.",
    EQUATION,
    (MEAN, "x.mean()"),
    (MEAN, MEAN.replace("-1", "(0, 1)")),
    (MEAN, MEAN.replace("-1", "0")),
    (VARIANCE, "x.var(unbiased=False)"),
    (VARIANCE, "x.var(0, unbiased=False, keepdim=True)"),
)
mistakes.add(
    "axis_counted_from_the_front",
    "The features are looked for at a fixed place, counted from the front. Where do they stand when "
    "there are more or fewer axes before them?",
    AXES,
    over("2"),
    ((MEAN, "x.mean(2, keepdim=True)"), (VARIANCE, "x.var(2, unbiased=False, keepdim=True)")),
    (MEAN, "x.mean(dim=2, keepdim=True)"),
)
mistakes.add(
    "three_axes_expected",
    "`forward` takes the shape apart into three sizes. What of an input with more or fewer axes?",
    AXES,
    (
        "mean = x.mean(",
        "batch, seq, d_model = x.shape\n        mean = x.mean(",
    ),
    ("mean = x.mean(", "assert x.dim() == 3\n        mean = x.mean("),
)
mistakes.add(
    "keepdim_forgotten",
    "Mean or variance has lost its last axis. What does it stand below when it is subtracted? "
    "`keepdim` keeps the axis.",
    EQUATION,
    ((MEAN, "x.mean(dim=-1)"), (VARIANCE, "x.var(dim=-1, unbiased=False)")),
    (MEAN, "x.mean(dim=-1)"),
    (VARIANCE, "x.var(dim=-1, unbiased=False)"),
)
mistakes.add(
    "mean_absolute_deviation",
    "What you average are absolute differences from the mean. What does a variance average?",
    EQUATION,
    (VARIANCE, "(x - mean).abs().mean(dim=-1, keepdim=True)"),
    (
        (VARIANCE, "(x - mean).abs().mean(dim=-1, keepdim=True)"),
        (DIVIDED, "(x - mean) / (variance + self.eps)"),
    ),
)
mistakes.add(
    "no_root",
    "What is centred is divided by the variance. Which function stands around it in the equation?",
    EQUATION,
    (DIVIDED, "(x - mean) / (variance + self.eps)"),
    (DIVIDED, "(x - mean) / (variance + self.eps) ** 2"),
)
mistakes.add(
    "multiplied_by_the_deviation",
    "What is centred is multiplied by the standard deviation, where it should be divided by it.",
    EQUATION,
    (DIVIDED, "(x - mean) * torch.sqrt(variance + self.eps)"),
)
mistakes.add(
    "mean_stays",
    "The mean is not subtracted from what is divided. What is the mean of your answer?",
    f"{EQUATION} {CONSTANT}",
    (DIVIDED, "x / torch.sqrt(variance + self.eps)"),
    (
        (VARIANCE, "x.square().mean(dim=-1, keepdim=True)"),
        (DIVIDED, "x / torch.sqrt(variance + self.eps)"),
    ),
)
mistakes.add(
    "mean_of_squares_for_variance",
    "What you divide by is the root of the mean of the squares of x itself. A variance is about the "
    "differences from the mean.",
    EQUATION,
    (VARIANCE, "x.square().mean(dim=-1, keepdim=True)"),
    (VARIANCE, "(x ** 2).mean(-1, keepdim=True)"),
)
mistakes.add(
    "only_centred",
    "The mean is subtracted, and nothing is divided.",
    EQUATION,
    (DIVIDED, "x - mean"),
)
mistakes.add(
    "root_of_the_sum_of_squares",
    "You divide by the length of the vector: its squares are added up, and not averaged.",
    EQUATION,
    (VARIANCE, "(x - mean).square().sum(dim=-1, keepdim=True)"),
    (DIVIDED, "F.normalize(x - mean, dim=-1, eps=self.eps)"),
)
mistakes.add(
    "softmax",
    "Your answer adds up to 1: that is a softmax. Which mean and which variance has a layer norm?",
    EQUATION,
    (DIVIDED, "x.softmax(dim=-1)"),
    (DIVIDED, "(x - mean).softmax(-1)"),
)
mistakes.add(
    "smallest_to_largest",
    "The features of a token are stretched from the smallest to the largest. Which two numbers of "
    "a token does the equation take?",
    EQUATION,
    (
        DIVIDED,
        "(x - x.amin(-1, keepdim=True)) / (x.amax(-1, keepdim=True) - x.amin(-1, keepdim=True) + self.eps)",
    ),
    (DIVIDED, "(x - mean) / (x.amax(-1, keepdim=True) - x.amin(-1, keepdim=True) + self.eps)"),
)
mistakes.add(
    "squares_that_cancel",
    "The variance is the difference of two squares. Around a large mean both are large and nearly "
    "equal: how many digits are left of their difference?",
    LARGE,
    (VARIANCE, "x.square().mean(-1, keepdim=True) - mean.square()"),
    (VARIANCE, "(x ** 2).mean(dim=-1, keepdim=True) - mean ** 2"),
    (VARIANCE, "(x.square().mean(-1, keepdim=True) - mean.square()).clamp(min=0)"),
)
mistakes.add(
    "gamma_and_beta_swapped",
    "What is called beta scales, and what is called gamma shifts. Which is which in the equation?",
    EQUATION,
    (ANSWER, "return self.beta * normalised + self.gamma"),
    (
        (GAMMA, "self.gamma = nn.Parameter(torch.zeros(d_model))"),
        (BETA, "self.beta = nn.Parameter(torch.ones(d_model))"),
        (ANSWER, "return self.beta * normalised + self.gamma"),
    ),
)
mistakes.add(
    "begin_at_0_and_1",
    "`gamma` begins at zeros. What is left of a token, before anything is learned?",
    BEGIN,
    (GAMMA, GAMMA.replace("ones", "zeros")),
    (
        (GAMMA, GAMMA.replace("ones", "zeros")),
        (BETA, BETA.replace("zeros", "ones")),
    ),
)
mistakes.add(
    "beta_begins_at_1",
    "`beta` begins at ones, so that every feature is shifted before anything is learned.",
    BEGIN,
    (BETA, BETA.replace("zeros", "ones")),
)
mistakes.add(
    "begin_at_random",
    "`gamma` or beta begins at random numbers, as the weights of a linear layer do.",
    BEGIN,
    (GAMMA, GAMMA.replace("ones", "randn")),
    (BETA, BETA.replace("zeros", "randn")),
    ((GAMMA, GAMMA.replace("ones", "randn")), (BETA, BETA.replace("zeros", "randn"))),
    (GAMMA, GAMMA.replace("ones", "rand")),
    (
        (GAMMA, GAMMA.replace("ones", "empty")),
        (BETA, BETA + "\n        nn.init.normal_(self.gamma)"),
    ),
)
mistakes.add(
    "one_number_for_all_features",
    "`gamma` or beta is a single number. For how many features does the equation have one each?",
    LEARNED,
    (
        (GAMMA, GAMMA.replace("d_model", "1")),
        (BETA, BETA.replace("d_model", "1")),
    ),
    (GAMMA, GAMMA.replace("d_model", "1")),
    (BETA, BETA.replace("d_model", "1")),
    (GAMMA, "self.gamma = nn.Parameter(torch.tensor(1.0))"),
    (
        (GAMMA, "self.gamma = nn.Parameter(torch.tensor(1.0))"),
        (BETA, "self.beta = nn.Parameter(torch.tensor(0.0))"),
    ),
)
mistakes.add(
    "gamma_before_the_mean",
    "`gamma` acts on x, before mean and variance are taken. What should it scale?",
    SCALED,
    (
        ("mean = x.mean(", "x = self.gamma * x\n        mean = x.mean("),
        (ANSWER, "return normalised + self.beta"),
    ),
    (
        ("mean = x.mean(", "x = self.gamma * x + self.beta\n        mean = x.mean("),
        (ANSWER, "return normalised"),
    ),
)
mistakes.add(
    "beta_before_gamma",
    "`beta` is added first, and then gamma scales it, too.",
    SCALED,
    (ANSWER, "return self.gamma * (normalised + self.beta)"),
)
mistakes.add(
    "gamma_and_beta_joined_otherwise",
    "`gamma` and beta are joined with what is normalised in another way: which one multiplies, which "
    "one is added?",
    SCALED,
    (ANSWER, "return self.gamma * normalised - self.beta"),
    (ANSWER, "return normalised / self.gamma + self.beta"),
    (ANSWER, "return (1 + self.gamma) * normalised + self.beta"),
    (ANSWER, "return normalised * (self.gamma + self.beta)"),
    (ANSWER, "return self.gamma * self.gamma * normalised + self.beta"),
)
mistakes.add(
    "gradient_is_cut",
    "Mean or variance is taken out of the graph: the answer is right, and the gradient is not.",
    GRADIENT,
    (VARIANCE, f"{VARIANCE}.detach()"),
    (MEAN, f"{MEAN}.detach()"),
    ((MEAN, f"{MEAN}.detach()"), (VARIANCE, f"{VARIANCE}.detach()")),
    (MEAN, MEAN.replace("x.mean", "x.data.mean")),
    ("mean = x.mean(", "x = x.detach()\n        mean = x.mean("),
)
mistakes.add(
    "nothing_comes_back",
    "No gradient comes back at all, neither to gamma and beta nor to the input.",
    f"{LEARNED} {GRADIENT}",
    (ANSWER, "return (self.gamma * normalised + self.beta).detach()"),
    (ANSWER, "return self.gamma.data * normalised.data + self.beta.data"),
    ("    def forward(", "    @torch.no_grad()\n    def forward("),
)
mistakes.add(
    "input_is_changed",
    "The call changes the tensor that it was given.",
    UNCHANGED,
    (
        "mean = x.mean(",
        "x.data.sub_(x.data.mean(dim=-1, keepdim=True))\n        mean = x.mean(",
    ),
    (
        ("variance = ", "x -= mean\n        variance = "),
        (VARIANCE, "x.square().mean(dim=-1, keepdim=True)"),
        (DIVIDED, "x / torch.sqrt(variance + self.eps)"),
    ),
    (DIVIDED, "x.sub_(mean).div_(torch.sqrt(variance + self.eps))"),
)
mistakes.add(
    "running_statistics",
    "In training your layer keeps running means of what it has seen, as a batch norm does. What "
    "should a token's answer depend on?",
    TRAINING,
    (
        (KEEP_EPS, f'{KEEP_EPS}\n        self.register_buffer("seen", torch.zeros(1))'),
        (
            "variance = ",
            "if self.training:\n            self.seen = 0.9 * self.seen + 0.1 * mean.detach().mean()\n"
            "        else:\n            mean = self.seen + 0 * mean\n        variance = ",
        ),
    ),
)
mistakes.add(
    "batch_norm_inside",
    "Inside is a batch norm: it normalises each feature over the tokens, and keeps running means.",
    f"{EQUATION} {TRAINING}",
    (
        (KEEP_EPS, f"{KEEP_EPS}\n        self.norm = nn.BatchNorm1d(d_model, eps, affine=False)"),
        (DIVIDED, "self.norm(x.reshape(-1, x.size(-1))).view_as(x)"),
    ),
)
mistakes.add(
    "dropout_inside",
    "In training something is dropped at random. Nobody asked for that here.",
    TRAINING,
    (ANSWER, "return F.dropout(self.gamma * normalised + self.beta, 0.1, self.training)"),
    (DIVIDED, f"F.dropout({DIVIDED}, 0.1, self.training)"),
)
mistakes.add(
    "returns_more_than_the_output",
    "`forward` returns several things, where one tensor is asked for.",
    UNCHANGED,
    (ANSWER, f"{ANSWER}, mean, variance"),
)
mistakes.add(
    "nothing_is_returned",
    "`forward` computes and returns nothing.",
    f"{EQUATION} {ALONE} {AXES} {BEGIN} {SCALED} {GRADIENT} {UNCHANGED} {TRAINING}",
    (ANSWER, ANSWER.replace("return ", "y = ")),
    (ANSWER, ANSWER.replace("return ", "")),
)
mistakes.add(
    "self_forgotten",
    "A name is used without `self.`: inside `forward`, only what `self` holds is known of what "
    "`__init__` made.",
    EQUATION,
    (DIVIDED, DIVIDED.replace("self.eps", "eps")),
    (ANSWER, "return gamma * normalised + beta"),
    (GAMMA, GAMMA.replace("self.", "")),
    (KEEP_EPS, ""),
)
mistakes.add(
    "constructor_never_begins",
    "The constructor never calls that of `nn.Module` (or not first), so that it cannot hold any "
    "parameter.",
    EVERYTHING,
    (f"        {INIT}\n", ""),
)
mistakes.add(
    "eps_forgotten",
    "Nothing is added to the variance. What is a token divided by whose features are all equal, or "
    "nearly so?",
    EPS,
    (DIVIDED, "(x - mean) / torch.sqrt(variance)"),
    (DIVIDED, "(x - mean) / x.std(-1, unbiased=False, keepdim=True)"),
    (DIVIDED, "torch.nan_to_num((x - mean) / torch.sqrt(variance))"),
    (DIVIDED, "(x - mean) / torch.where(variance == 0, 1.0, torch.sqrt(variance))"),
)
mistakes.add(
    "eps_is_a_lower_bound",
    "`eps` is the smallest variance, or deviation, that you divide by. What does the equation do with "
    "it, whatever the variance is?",
    EPS,
    (DIVIDED, "(x - mean) / torch.sqrt(variance.clamp(min=self.eps))"),
    (DIVIDED, "(x - mean) / torch.clamp(variance.sqrt(), min=self.eps)"),
    (DIVIDED, "(x - mean) / torch.sqrt(torch.where(variance < self.eps, self.eps, variance))"),
)
mistakes.add(
    "nothing_is_learned",
    "`list(layer.parameters())` is empty: no optimiser finds a gamma or a beta. Plain tensors, "
    "buffers, frozen parameters and what `forward` makes anew are not learned.",
    LEARNED,
    (
        (GAMMA, "self.gamma = torch.ones(d_model)"),
        (BETA, "self.beta = torch.zeros(d_model)"),
    ),
    (
        (GAMMA, "self.gamma = torch.ones(d_model, requires_grad=True)"),
        (BETA, "self.beta = torch.zeros(d_model, requires_grad=True)"),
    ),
    ((GAMMA, "self.gamma = 1.0"), (BETA, "self.beta = 0.0")),
    (
        (GAMMA, 'self.register_buffer("gamma", torch.ones(d_model))'),
        (BETA, 'self.register_buffer("beta", torch.zeros(d_model))'),
    ),
    (
        (GAMMA, GAMMA.replace("(d_model)", "(d_model), requires_grad=False")),
        (BETA, BETA.replace("(d_model)", "(d_model), requires_grad=False")),
    ),
    (
        (GAMMA, ""),
        (BETA, ""),
        (
            ANSWER,
            "gamma = nn.Parameter(torch.ones(x.size(-1)))\n"
            "        beta = nn.Parameter(torch.zeros(x.size(-1)))\n"
            "        return gamma * normalised + beta",
        ),
    ),
    ((GAMMA, ""), (BETA, ""), (ANSWER, "return normalised")),
    (
        (GAMMA, "self.both = [torch.ones(d_model)]"),
        (BETA, ""),
        (ANSWER, "return self.both[0] * normalised"),
    ),
)
mistakes.add(
    "one_of_the_two_is_not_learned",
    "`parameters()` lists one vector, and the equation has two that are learned.",
    LEARNED,
    (GAMMA, "self.gamma = torch.ones(d_model)"),
    (BETA, "self.beta = torch.zeros(d_model)"),
    (GAMMA, "self.gamma = nn.Parameter(torch.ones(d_model), requires_grad=False)"),
    ((BETA, ""), (ANSWER, "return self.gamma * normalised")),
    ((GAMMA, ""), (ANSWER, "return normalised + self.beta")),
)
mistakes.add(
    "beta_is_not_used",
    "`beta` is there, and has no part in the answer.",
    f"{LEARNED} {SCALED}",
    (ANSWER, "return self.gamma * normalised"),
)
mistakes.add(
    "gamma_is_not_used",
    "`gamma` is there, and has no part in the answer.",
    f"{LEARNED} {SCALED}",
    (ANSWER, "return normalised + self.beta"),
)
mistakes.add(
    "neither_is_used",
    "`gamma` and beta are there, and neither has a part in the answer.",
    f"{LEARNED} {SCALED}",
    (ANSWER, "return normalised"),
)
mistakes.add(
    "nothing_is_normalised",
    "What comes out is x as it came in, with gamma and beta at most: no mean is taken, and no variance.",
    f"{EQUATION} {ALONE} {AXES} {BEGIN} {DEFAULT} {CONSTANT} {LARGE} {UNCHANGED} {TRAINING}",
    (ANSWER, "return x"),
    (ANSWER, "return self.gamma * x + self.beta"),
)
mistakes.add(
    "the_same_for_every_token",
    "Whatever x is, the answer is the same: nothing of x is in it.",
    f"{EQUATION} {ALONE} {AXES} {BEGIN} {DEFAULT} {CONSTANT} {LARGE} {UNCHANGED} {TRAINING}",
    (ANSWER, "return torch.zeros_like(x)"),
    (ANSWER, "return torch.ones_like(x)"),
)
