"""What goes wrong in `recover`: a line for each feature, from the normalised residual to the output."""

from autograder.engine.mistake import Mistakes

mistakes = Mistakes("recover")

CENTRED = "centred = residual - residual.mean(dim=-1, keepdim=True)"
VARIANCE = "variance = centred.square().mean(dim=-1, keepdim=True)"
X_HAT = "x_hat = centred / torch.sqrt(variance + 1e-6)                   # (tokens, d)"
COLUMNS = "columns = torch.stack([x_hat, torch.ones_like(x_hat)], dim=-1)  # (tokens, d, 2)"
LINES = "lines = torch.linalg.lstsq(columns.transpose(0, 1), normalised.T.unsqueeze(-1)).solution"
UNPACK = "gamma, beta = lines.squeeze(-1).T                               # (2, d)"
RETURN = "return gamma, beta"

EXACT = "gamma_of_exact_tables"
BETA = "beta_belongs_to_gamma"
NOISE = "every_token_counts"
FEW = "fewer_tokens_than_features"
SHAPE = "one_number_a_feature"
ALL_GAMMAS = f"{EXACT} {NOISE} {FEW}"

SLOPE = (
    "x_mean, y_mean = x_hat.mean(0), normalised.mean(0)\n"
    "    gamma = ((x_hat - x_mean) * (normalised - y_mean)).sum(0) / (x_hat - x_mean).square().sum(0)\n"
)
AND_SHIFT = "    beta = y_mean - gamma * x_mean"


def line(code: str) -> tuple[tuple[str, str], ...]:
    """Another way from x_hat to gamma and beta."""
    return (COLUMNS, code), (LINES, ""), (UNPACK, "")


mistakes.add(
    "two_tokens_only",
    "Two tokens decide, and the others have no say. With rounded or noisy numbers, two points give "
    "another line than all of them.",
    NOISE,
    line(
        "gamma = (normalised[1] - normalised[0]) / (x_hat[1] - x_hat[0])\n"
        "    beta = normalised[0] - gamma * x_hat[0]"
    ),
    line(
        "gamma = (normalised[-1] - normalised[0]) / (x_hat[-1] - x_hat[0])\n"
        "    beta = normalised[0] - gamma * x_hat[0]"
    ),
    (COLUMNS, f"x_hat, normalised = x_hat[:2], normalised[:2]\n    {COLUMNS}"),
)
mistakes.add(
    "two_extremes_only",
    "Only the tokens with the smallest and the largest value of a feature decide about its line.",
    NOISE,
    line(
        "low, high = x_hat.argmin(0, keepdim=True), x_hat.argmax(0, keepdim=True)\n"
        "    rise = (normalised.gather(0, high) - normalised.gather(0, low)).squeeze(0)\n"
        "    gamma = rise / (x_hat.gather(0, high) - x_hat.gather(0, low)).squeeze(0)\n"
        "    beta = normalised.mean(0) - gamma * x_hat.mean(0)"
    ),
)
mistakes.add(
    "half_of_the_tokens",
    "A part of the tokens is left out, as if it were a validation set.",
    NOISE,
    (COLUMNS, f"x_hat, normalised = x_hat[1:], normalised[1:]\n    {COLUMNS}"),
    (
        COLUMNS,
        "half = len(x_hat) // 2 + 1\n"
        f"    x_hat, normalised = x_hat[:half], normalised[:half]\n    {COLUMNS}",
    ),
    (COLUMNS, f"x_hat, normalised = x_hat[:10], normalised[:10]\n    {COLUMNS}"),
    (COLUMNS, f"x_hat, normalised = x_hat[:12], normalised[:12]\n    {COLUMNS}"),
)
mistakes.add(
    "no_intercept",
    "Your lines go through the origin: they have a slope and no shift. What does beta do in a plot "
    "of the output against x_hat?",
    ALL_GAMMAS,
    line(
        "gamma = (x_hat * normalised).sum(0) / x_hat.square().sum(0)\n"
        "    beta = (normalised - gamma * x_hat).mean(0)"
    ),
    line(
        "gamma = (x_hat * normalised).mean(0) / x_hat.square().mean(0)\n"
        "    beta = torch.zeros_like(gamma)"
    ),
    line(
        "gamma = (x_hat * normalised).sum(0) / x_hat.square().sum(0)\n    beta = normalised.mean(0)"
    ),
)
mistakes.add(
    "one_gamma_for_all_features",
    "One line is laid through the points of all features. How many numbers has gamma?",
    f"{ALL_GAMMAS}",
    line(
        "x, y = x_hat - x_hat.mean(), normalised - normalised.mean()\n"
        "    slope = (x * y).sum() / x.square().sum()\n"
        "    gamma = slope.expand(x_hat.size(1)).clone()\n"
        "    beta = (normalised.mean() - slope * x_hat.mean()).expand_as(gamma).clone()"
    ),
    line(
        "x, y = x_hat - x_hat.mean(0), normalised - normalised.mean(0)\n"
        "    gamma = ((x * y).sum() / x.square().sum()).expand(x_hat.size(1)).clone()\n"
        "    beta = normalised.mean(0) - gamma * x_hat.mean(0)"
    ),
)
mistakes.add(
    "scalars_for_gamma_and_beta",
    "A single number comes back where each feature has its own.",
    f"{ALL_GAMMAS} {SHAPE}",
    line(
        "x, y = x_hat - x_hat.mean(), normalised - normalised.mean()\n"
        "    gamma = (x * y).sum() / x.square().sum()\n"
        "    beta = normalised.mean() - gamma * x_hat.mean()"
    ),
    (RETURN, "return gamma.mean(), beta.mean()"),
)
mistakes.add(
    "sign_lost_in_a_ratio_of_spreads",
    "Your gamma is a ratio of two standard deviations. Such a ratio cannot be negative, and a gamma "
    "can.",
    ALL_GAMMAS,
    line(
        "gamma = normalised.std(0) / x_hat.std(0)\n    beta = normalised.mean(0) - gamma * x_hat.mean(0)"
    ),
    line(
        "gamma = ((normalised - normalised.mean(0)).square().mean(0) / (x_hat - x_hat.mean(0)).square().mean(0)).sqrt()\n"
        "    beta = normalised.mean(0) - gamma * x_hat.mean(0)"
    ),
)
mistakes.add(
    "sign_taken_away",
    "No gamma of yours is negative. What does a negative one do to a feature?",
    f"{EXACT} {FEW}",
    (RETURN, "return gamma.abs(), beta"),
    line(f"{SLOPE}    gamma, beta = gamma.abs(), y_mean - gamma * x_mean"),
)
mistakes.add(
    "ratio_of_spreads_with_a_sign",
    "The ratio of the standard deviations, with a sign, is no line of least squares: where the "
    "numbers have noise, it is too steep.",
    NOISE,
    line(
        "x, y = x_hat - x_hat.mean(0), normalised - normalised.mean(0)\n"
        "    gamma = y.std(0) / x.std(0) * (x * y).sum(0).sign()\n"
        "    beta = normalised.mean(0) - gamma * x_hat.mean(0)"
    ),
)
mistakes.add(
    "output_alone",
    "Your gamma and beta are a spread and a mean of the output alone, and the residual plays no part. What "
    "has gamma multiplied, before beta was added?",
    ALL_GAMMAS,
    line("gamma, beta = normalised.std(0), normalised.mean(0)"),
    line("gamma, beta = normalised.std(0, correction=0), normalised.mean(0)"),
    line("gamma, beta = normalised.var(0), normalised.mean(0)"),
)
mistakes.add(
    "ratio_of_ranges",
    "The range from the smallest to the largest output decides: it has no sign, and only two tokens "
    "take part.",
    ALL_GAMMAS,
    line(
        "gamma = (normalised.amax(0) - normalised.amin(0)) / (x_hat.amax(0) - x_hat.amin(0))\n"
        "    beta = normalised.mean(0) - gamma * x_hat.mean(0)"
    ),
)
mistakes.add(
    "fitted_to_the_residual",
    "The line goes from the residual itself. What does LayerNorm do to a token before gamma acts?",
    ALL_GAMMAS,
    (X_HAT, "x_hat = residual"),
    (COLUMNS, COLUMNS.replace("x_hat, torch.ones", "residual, torch.ones")),
)
mistakes.add(
    "only_centred",
    "The line goes from the residual minus its mean. What else does LayerNorm do before gamma acts?",
    ALL_GAMMAS,
    (X_HAT, "x_hat = centred"),
)
mistakes.add(
    "divided_by_the_variance",
    "The residual is divided by its variance where LayerNorm has a root.",
    ALL_GAMMAS,
    (X_HAT, "x_hat = centred / (variance + 1e-6)"),
)
mistakes.add(
    "variance_with_n_minus_1",
    "Your gamma is the right one times a number that depends on d alone: by how many is the sum of "
    "squares divided?",
    f"{EXACT} {FEW}",
    (VARIANCE, "variance = residual.var(dim=-1, keepdim=True)"),
    (X_HAT, "x_hat = centred / (residual.std(dim=-1, keepdim=True) + 1e-6)"),
)
mistakes.add(
    "norm_over_tokens",
    "The residual is normalised over the tokens. Which axis does a LayerNorm take?",
    ALL_GAMMAS,
    (
        (CENTRED, CENTRED.replace("dim=-1", "dim=0")),
        (VARIANCE, VARIANCE.replace("dim=-1", "dim=0")),
    ),
    (VARIANCE, VARIANCE.replace("dim=-1", "dim=0")),
    (CENTRED, CENTRED.replace("dim=-1", "dim=0")),
)
mistakes.add(
    "norm_over_the_whole_table",
    "The residual is normalised by the mean and variance of the whole table.",
    ALL_GAMMAS,
    (
        (CENTRED, "centred = residual - residual.mean()"),
        (VARIANCE, "variance = centred.square().mean()"),
    ),
    (CENTRED, "centred = residual - residual.mean()"),
    (VARIANCE, "variance = centred.square().mean()"),
)
mistakes.add(
    "swapped_outputs",
    "`gamma` and beta come back in the other order, or which is the slope and which the shift is mixed up.",
    ALL_GAMMAS,
    (RETURN, "return beta, gamma"),
    (COLUMNS, COLUMNS.replace("x_hat, torch.ones_like(x_hat)", "torch.ones_like(x_hat), x_hat")),
)
mistakes.add(
    "roles_swapped",
    "The line goes the other way, from the output to x_hat. Which of the two is what LayerNorm "
    "starts from?",
    ALL_GAMMAS,
    (
        (
            COLUMNS,
            COLUMNS.replace("x_hat, torch.ones_like(x_hat)", "normalised, torch.ones_like(x_hat)"),
        ),
        (LINES, LINES.replace("normalised.T", "x_hat.T")),
    ),
)
mistakes.add(
    "turned_round_afterwards",
    "Your line goes from the output to x_hat, and is turned round afterwards: where the numbers have noise, "
    "it is too steep. Along which of the two are the distances squared?",
    NOISE,
    line(
        "x, y = x_hat - x_hat.mean(0), normalised - normalised.mean(0)\n"
        "    gamma = y.square().sum(0) / (x * y).sum(0)\n"
        "    beta = normalised.mean(0) - gamma * x_hat.mean(0)"
    ),
)
mistakes.add(
    "mean_of_ratios",
    "For each token output is divided by x_hat, and the ratios averaged. What does beta do to such a "
    "ratio, and what does an x_hat near zero?",
    ALL_GAMMAS,
    line("gamma = (normalised / x_hat).mean(0)\n    beta = (normalised - gamma * x_hat).mean(0)"),
    line(
        "gamma = (normalised / x_hat).median(0).values\n    beta = (normalised - gamma * x_hat).mean(0)"
    ),
    line("gamma = (normalised / x_hat)[0]\n    beta = (normalised - gamma * x_hat).mean(0)"),
)
mistakes.add(
    "mean_of_slopes",
    "The slopes between neighbouring tokens are averaged: two tokens that nearly agree give any "
    "slope at all once the numbers have noise.",
    NOISE,
    line(
        "gamma = (normalised.diff(dim=0) / x_hat.diff(dim=0)).mean(0)\n"
        "    beta = (normalised - gamma * x_hat).mean(0)"
    ),
    line(
        "gamma = (normalised.diff(dim=0) / x_hat.diff(dim=0)).median(0).values\n"
        "    beta = (normalised - gamma * x_hat).mean(0)"
    ),
)
mistakes.add(
    "beta_is_the_mean_of_the_table",
    "Your beta is the mean of each column of the output. That would be right if x_hat had the mean "
    "zero over the tokens; over which axis has it?",
    BETA,
    (RETURN, "return gamma, normalised.mean(dim=0)"),
    line(f"{SLOPE}    beta = y_mean"),
)
mistakes.add(
    "beta_of_one_token",
    "One token decides about beta. With noise, which shift is best for all of them?",
    BETA,
    (RETURN, "return gamma, (normalised - gamma * x_hat)[0]"),
    line(f"{SLOPE}    beta = normalised[0] - gamma * x_hat[0]"),
)
mistakes.add(
    "beta_with_the_other_sign",
    "`beta` has the other sign: on which side of the equation does the mean times gamma stand?",
    BETA,
    (RETURN, "return gamma, -beta"),
    line(f"{SLOPE}    beta = gamma * x_mean - y_mean"),
)
mistakes.add(
    "beta_without_gamma",
    "Your beta is the difference of two means. What has gamma done to one of them?",
    BETA,
    line(f"{SLOPE}    beta = y_mean - x_mean"),
    line(f"{SLOPE}    beta = y_mean + gamma * x_mean"),
)
mistakes.add(
    "beta_for_each_token",
    "Your beta has one row for each token; it should be one vector for all of them.",
    f"{BETA} {SHAPE}",
    (RETURN, "return gamma, normalised - gamma * x_hat"),
)
mistakes.add(
    "features_mixed",
    "A full matrix leads from x_hat to the output. In a LayerNorm each feature has one factor, and "
    "nothing of the others.",
    FEW,
    line(
        "columns = torch.cat([x_hat, torch.ones_like(x_hat[:, :1])], dim=1)\n"
        "    solution = torch.linalg.lstsq(columns, normalised, driver='gelsd').solution\n"
        "    gamma, beta = solution[:-1].diagonal(), solution[-1]"
    ),
    line(
        "columns = torch.cat([x_hat, torch.ones_like(x_hat[:, :1])], dim=1)\n"
        "    solution = torch.linalg.pinv(columns) @ normalised\n"
        "    gamma, beta = solution[:-1].diagonal(), solution[-1]"
    ),
)
mistakes.add(
    "rounded",
    "Your gamma and beta are rounded. The article printed few digits; who computes keeps them all.",
    f"{ALL_GAMMAS} {BETA}",
    (RETURN, "return gamma.round(decimals=1), beta.round(decimals=1)"),
    (RETURN, "return gamma.round(decimals=2), beta.round(decimals=2)"),  # nearer to the limit
)
mistakes.add(
    "gamma_minus_one",
    "Your gamma is one less than the factor, as in models that store it around zero.",
    ALL_GAMMAS,
    (RETURN, "return gamma - 1, beta"),
)
mistakes.add(
    "covariance_not_divided",
    "Your gamma is a covariance. By what is it divided, so that it is a slope?",
    f"{EXACT} {FEW}",
    line(
        "x, y = x_hat - x_hat.mean(0), normalised - normalised.mean(0)\n"
        "    gamma = (x * y).mean(0)\n    beta = normalised.mean(0) - gamma * x_hat.mean(0)"
    ),
    line(
        "x, y = x_hat - x_hat.mean(0), normalised - normalised.mean(0)\n"
        "    gamma = (x * y).sum(0) / (len(x) - 1)\n"
        "    beta = normalised.mean(0) - gamma * x_hat.mean(0)"
    ),
)
mistakes.add(
    "correlation_for_slope",
    "Your gamma is a correlation, which lies between -1 and 1. Which spread is in it that a slope "
    "does not have?",
    ALL_GAMMAS,
    line(
        "x, y = x_hat - x_hat.mean(0), normalised - normalised.mean(0)\n"
        "    gamma = (x * y).sum(0) / (x.square().sum(0) * y.square().sum(0)).sqrt()\n"
        "    beta = normalised.mean(0) - gamma * x_hat.mean(0)"
    ),
)
mistakes.add(
    "the_articles_numbers",
    "These are the same numbers whatever tables come in. What should they be computed of?",
    f"{ALL_GAMMAS}",
    (
        RETURN,
        "return torch.tensor([0.1705, 0.0651, 0.9489]), torch.tensor([0.9657, 0.8084, 0.3046])",
    ),
)
mistakes.add(
    "trained_too_shortly",
    "Your line is still on its way: after these steps of gradient descent the loss is not the "
    "smallest.",
    ALL_GAMMAS,
    line(
        "gamma, beta = torch.ones(x_hat.size(1)).to(x_hat), torch.zeros(x_hat.size(1)).to(x_hat)\n"
        "    for _ in range(100):\n"
        "        error = gamma * x_hat + beta - normalised\n"
        "        gamma = gamma - 0.01 * (error * x_hat).mean(0)\n"
        "        beta = beta - 0.01 * error.mean(0)"
    ),
    line(
        "gamma, beta = torch.ones(x_hat.size(1)).to(x_hat), torch.zeros(x_hat.size(1)).to(x_hat)\n"
        "    for _ in range(10):\n"
        "        error = gamma * x_hat + beta - normalised\n"
        "        gamma = gamma - 0.1 * (error * x_hat).mean(0)\n"
        "        beta = beta - 0.1 * error.mean(0)"
    ),
)
mistakes.add(
    "wrong_axes_of_the_answer",
    "`gamma` and beta have an axis more than a LayerNorm's have.",
    SHAPE,
    (RETURN, "return gamma.unsqueeze(0), beta.unsqueeze(0)"),
    (RETURN, "return gamma.unsqueeze(-1), beta.unsqueeze(-1)"),
)
mistakes.add(
    "tables_are_changed",
    "The call changes a table that it was given.",
    SHAPE,
    (CENTRED, "residual -= residual.mean(dim=-1, keepdim=True)\n    centred = residual"),
)
mistakes.add(
    "nothing_is_recovered",
    "What you return as gamma does not follow from what came out of the norm.",
    f"{ALL_GAMMAS} {SHAPE}",
    (RETURN, "return torch.ones_like(gamma), torch.zeros_like(beta)"),
    (RETURN, "return residual[0], normalised[0]"),
)
