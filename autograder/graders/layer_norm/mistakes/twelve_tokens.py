"""What goes wrong in `encoder_tail`: feed forward, residual sum, layer norm, from given tables."""

from autograder.engine.mistake import Mistakes

mistakes = Mistakes("twelve_tokens")

FFN = "ffn = torch.relu(x @ w1 + b1) @ w2 + b2"
SUM = "residual = x + ffn"
CENTRED = "centred = residual - residual.mean(dim=-1, keepdim=True)"
VARIANCE = "variance = centred.square().mean(dim=-1, keepdim=True)"
NORM = "normalised = gamma * centred / torch.sqrt(variance + 1e-6) + beta"
ROOT = "torch.sqrt(variance + 1e-6)"
RETURN = "return ffn, residual, normalised"

OF_FFN = "feed_forward_acts_on_each_token"
OF_SUM = "residual_adds_the_input"
OF_NORM = "normalised_is_each_token_by_itself"
OF_EPS = "eps_stands_under_the_root"
KEPT = "tables_are_not_changed"


def ffn(code: str) -> tuple[str, str]:
    return FFN, f"ffn = {code}"


def norm(code: str) -> tuple[str, str]:
    return NORM, f"normalised = {code}"


mistakes.add(
    "no_relu",
    "Nothing acts between the two linear maps, and two of them in a row are one linear map.",
    OF_FFN,
    ffn("(x @ w1 + b1) @ w2 + b2"),
    ffn("x @ w1 @ w2 + b1 @ w2 + b2"),
)
mistakes.add(
    "relu_at_the_end",
    "The ReLU acts on the answer of the second map, so that ffn is never negative. What does the "
    "equation put between the two?",
    OF_FFN,
    ffn("torch.relu((x @ w1 + b1) @ w2 + b2)"),
    ffn("torch.relu(torch.relu(x @ w1 + b1) @ w2 + b2)"),
    ffn("torch.relu(torch.relu(x @ w1 + b1) @ w2) + b2"),
)
mistakes.add(
    "relu_before_the_bias",
    "The ReLU acts before b1 is added: hidden units can still be negative then.",
    OF_FFN,
    ffn("(torch.relu(x @ w1) + b1) @ w2 + b2"),
)
mistakes.add(
    "relu_on_the_input",
    "The ReLU acts on x itself, so that what is negative in a token is lost.",
    OF_FFN,
    ffn("(torch.relu(x) @ w1 + b1) @ w2 + b2"),
    ffn("torch.relu(torch.relu(x) @ w1 + b1) @ w2 + b2"),
)
mistakes.add(
    "another_activation",
    "Between the two maps stands another function than max(0, .).",
    OF_FFN,
    ffn("F.gelu(x @ w1 + b1) @ w2 + b2"),
    ffn("torch.sigmoid(x @ w1 + b1) @ w2 + b2"),
    ffn("torch.tanh(x @ w1 + b1) @ w2 + b2"),
    ffn("F.leaky_relu(x @ w1 + b1) @ w2 + b2"),
    ffn("(x @ w1 + b1).abs() @ w2 + b2"),
    ffn("F.softmax(x @ w1 + b1, dim=-1) @ w2 + b2"),
)
mistakes.add(
    "first_bias_forgotten",
    "`b1` plays no part in your ffn. What does each hidden unit get beside its weighted sum?",
    OF_FFN,
    ffn("torch.relu(x @ w1) @ w2 + b2"),
)
mistakes.add(
    "second_bias_forgotten",
    "`b2` plays no part in your ffn: with hidden units that are all zero, what is the output?",
    OF_FFN,
    ffn("torch.relu(x @ w1 + b1) @ w2"),
)
mistakes.add(
    "both_biases_forgotten",
    "Neither b1 nor b2 plays a part in your ffn.",
    OF_FFN,
    ffn("torch.relu(x @ w1) @ w2"),
)
mistakes.add(
    "weights_that_do_not_fit",
    "A weight meets a table whose features are not as many as its rows: it is the other one's turn, or "
    "it is used the other way round. `nn.Linear` and `F.linear` keep theirs as (out, in); which shape "
    "has w1 here?",
    f"{OF_FFN} {OF_SUM} {OF_NORM} {OF_EPS}",
    ffn("torch.relu(x @ w1.T + b1) @ w2.T + b2"),
    ffn("F.linear(F.relu(F.linear(x, w1, b1)), w2, b2)"),
    ffn("torch.relu(x @ w2 + b2) @ w1 + b1"),
)
mistakes.add(
    "ffn_holds_the_residual",
    "Your first output has the input in it already: is the sum taken too early, or in place?",
    OF_FFN,
    (SUM, "ffn += x\n    residual = ffn"),
    (SUM, "residual = ffn.add_(x)"),
    (SUM, "ffn = x + ffn\n    residual = ffn"),
    ffn("x + torch.relu(x @ w1 + b1) @ w2 + b2"),
)
mistakes.add(
    "no_residual",
    "The second output is the feed forward output alone. Which other tensor goes around it?",
    OF_SUM,
    (SUM, "residual = ffn"),
    (SUM, "residual = ffn.clone()"),
)
mistakes.add(
    "ffn_added_to_itself",
    "The second output is twice the first. What should ffn be added to?",
    OF_SUM,
    (SUM, "residual = ffn + ffn"),
    (SUM, "residual = 2 * ffn"),
)
mistakes.add(
    "residual_of_ffn_twice",
    "`ffn` is added twice, or the feed forward is computed of the sum once more.",
    OF_SUM,
    (SUM, "residual = x + 2 * ffn"),
    (SUM, "residual = x + ffn + ffn"),
    (SUM, "z = x + ffn\n    residual = z + torch.relu(z @ w1 + b1) @ w2 + b2"),
)
mistakes.add(
    "residual_subtracted",
    "One tensor is subtracted where the residual is a sum.",
    OF_SUM,
    (SUM, "residual = x - ffn"),
    (SUM, "residual = ffn - x"),
)
mistakes.add(
    "residual_is_already_normalised",
    "The second output is normalised already (of the sum, or of x before it). Which of the three "
    "tables is printed without a norm?",
    OF_SUM,
    (SUM, "residual = F.layer_norm(x + ffn, x.shape[-1:])"),
    (SUM, "residual = F.layer_norm(x, x.shape[-1:]) + ffn"),
    (RETURN, "return ffn, normalised, normalised"),
)
mistakes.add(
    "norm_of_ffn",
    "The norm is taken of ffn. In a post-norm block it comes after the sum.",
    OF_NORM,
    (CENTRED, "centred = ffn - ffn.mean(dim=-1, keepdim=True)"),
)
mistakes.add(
    "norm_of_the_input",
    "The norm is taken of x, and what the feed forward adds has no part in it.",
    OF_NORM,
    (CENTRED, "centred = x - x.mean(dim=-1, keepdim=True)"),
)
mistakes.add(
    "norm_over_tokens",
    "Mean and variance are taken over the tokens: what one token becomes depends on the others.",
    OF_NORM,
    (
        (CENTRED, CENTRED.replace("dim=-1", "dim=0")),
        (VARIANCE, VARIANCE.replace("dim=-1", "dim=0")),
    ),
    (VARIANCE, VARIANCE.replace("dim=-1", "dim=0")),
    (CENTRED, CENTRED.replace("dim=-1", "dim=0")),
)
mistakes.add(
    "norm_over_the_whole_table",
    "Mean and variance are one number for the whole table. How many tokens should share one?",
    OF_NORM,
    ((CENTRED, "centred = residual - residual.mean()"), (VARIANCE, "variance = centred.var()")),
    (
        (CENTRED, "centred = residual - residual.mean()"),
        (VARIANCE, "variance = centred.square().mean()"),
    ),
    (CENTRED, "centred = residual - residual.mean()"),
    (VARIANCE, "variance = centred.square().mean()"),
)
mistakes.add(
    "variance_with_n_minus_1",
    "The sum of squares is divided by one less than there are features: what `torch.var` and "
    "`torch.std` do unless they are told otherwise.",
    OF_NORM,
    (VARIANCE, "variance = residual.var(dim=-1, keepdim=True)"),
    (NORM, NORM.replace(ROOT, "(residual.std(dim=-1, keepdim=True) + 1e-6)")),
    (NORM, NORM.replace(ROOT, "residual.std(dim=-1, keepdim=True)")),
)
mistakes.add(
    "divided_by_the_variance",
    "The centred features are divided by the variance. Which unit has a variance, and which has a "
    "feature?",
    OF_NORM,
    (NORM, NORM.replace(ROOT, "(variance + 1e-6)")),
    (NORM, NORM.replace(ROOT, "variance")),
)
mistakes.add(
    "not_centred",
    "Before gamma and beta, each token should have the mean zero over its features. Yours has not.",
    OF_NORM,
    (NORM, NORM.replace("centred", "residual")),
    (CENTRED, "centred = residual"),
)
mistakes.add(
    "not_divided",
    "The mean is taken away, and nothing brings the size of the features to a common scale.",
    f"{OF_NORM} {OF_EPS}",
    norm("gamma * centred + beta"),
)
mistakes.add(
    "gamma_and_beta_forgotten",
    "Neither gamma nor beta plays a part in your third output.",
    f"{OF_NORM} {OF_EPS}",
    norm(f"centred / {ROOT}"),
)
mistakes.add(
    "gamma_forgotten",
    "`gamma` plays no part in your third output.",
    f"{OF_NORM} {OF_EPS}",
    norm(f"centred / {ROOT} + beta"),
)
mistakes.add(
    "beta_forgotten",
    "`beta` plays no part in your third output: which number has a feature that is exactly at its "
    "token's mean?",
    f"{OF_NORM} {OF_EPS}",
    norm(f"gamma * centred / {ROOT}"),
)
mistakes.add(
    "gamma_plus_one",
    "The scale is 1 + gamma, as in models that store gamma around zero. In the equation it is gamma.",
    f"{OF_NORM} {OF_EPS}",
    norm(f"(1 + gamma) * centred / {ROOT} + beta"),
)
mistakes.add(
    "gamma_and_beta_swapped",
    "`gamma` is added and beta is the factor: which of the two scales, and which shifts?",
    f"{OF_NORM} {OF_EPS}",
    norm(f"beta * centred / {ROOT} + gamma"),
)
mistakes.add(
    "gamma_times_all",
    "`gamma` is a factor of beta too: where does the shift come, before or after the scale?",
    f"{OF_NORM} {OF_EPS}",
    norm(f"gamma * (centred / {ROOT} + beta)"),
)
mistakes.add(
    "gamma_before_the_mean",
    "`gamma` scales the features before mean and variance are taken, which undoes a part of it.",
    OF_NORM,
    (CENTRED, "centred = gamma * residual - (gamma * residual).mean(dim=-1, keepdim=True)"),
    (
        (CENTRED, "scaled = gamma * residual\n    centred = scaled - scaled.mean(-1, True)"),
        (NORM, NORM.replace("gamma * ", "")),
    ),
)
mistakes.add(
    "eps_forgotten",
    "No eps is added to the variance (or one that is as good as none): a token whose features are all "
    "alike becomes NaN.",
    OF_EPS,
    (ROOT, "torch.sqrt(variance + 1e-8)"),
    (ROOT, "torch.sqrt(variance + 1e-12)"),
    (ROOT, "torch.sqrt(variance)"),
    (NORM, NORM.replace(ROOT, "residual.std(dim=-1, keepdim=True, unbiased=False)")),
)
mistakes.add(
    "eps_outside_the_root",
    "`eps` is added to the standard deviation, behind the root.",
    OF_EPS,
    (ROOT, "(torch.sqrt(variance) + 1e-6)"),
)
mistakes.add(
    "another_eps",
    "`eps` is another number than 1e-6, such as torch's own default.",
    OF_EPS,
    (ROOT, "torch.sqrt(variance + 1e-5)"),
    (NORM, "normalised = F.layer_norm(residual, residual.shape[-1:], gamma, beta)"),
    (ROOT, "torch.sqrt(variance + 1e-3)"),
)
mistakes.add(
    "order_of_the_outputs",
    "The three tables are right, and come in another order than asked for: ffn, residual, normalised.",
    OF_FFN,
    (RETURN, "return normalised, residual, ffn"),
    (RETURN, "return residual, ffn, normalised"),
    (RETURN, "return normalised, ffn, residual"),
    (RETURN, "return residual, normalised, ffn"),
)
mistakes.add(
    "one_output",
    "One table comes back where three are asked for: ffn, residual, normalised.",
    f"{OF_FFN} {OF_SUM} {OF_NORM} {OF_EPS}",
    (RETURN, "return normalised"),
    (RETURN, "return ffn"),
)
mistakes.add(
    "nothing_is_returned",
    "Nothing is returned: printing shows a table, and does not hand it back.",
    f"{OF_FFN} {OF_SUM} {OF_NORM} {OF_EPS}",
    (RETURN, "print(ffn, residual, normalised)"),
    (RETURN, "normalised"),
)
mistakes.add(
    "input_is_changed",
    "The call changes a table that it was given; whoever calls it still needs that one.",
    KEPT,
    (SUM, "x += ffn\n    residual = x"),
    (SUM, "residual = x.add_(ffn)"),
    (SUM, f"{SUM}\n    x.copy_(residual)"),
)
mistakes.add(
    "residual_changes_afterwards",
    "What you return as residual is not the sum any more: the norm is taken in place.",
    OF_SUM,
    (CENTRED, "residual -= residual.mean(dim=-1, keepdim=True)\n    centred = residual"),
    (
        (CENTRED, "residual = residual - residual.mean(dim=-1, keepdim=True)"),
        (VARIANCE, VARIANCE.replace("centred", "residual")),
        (NORM, NORM.replace("centred", "residual")),
    ),
)
mistakes.add(
    "numbers_are_rounded",
    "Numbers are rounded on the way. A few digits are how tables are printed, not how they are "
    "computed.",
    OF_FFN,
    (RETURN, "return tuple(t.round(decimals=1) for t in (ffn, residual, normalised))"),
    ffn("(torch.relu(x @ w1 + b1) @ w2 + b2).round(decimals=1)"),
    ffn("torch.relu((x @ w1 + b1).round()) @ w2 + b2"),
)
mistakes.add(
    "learned_anew",
    "The tables given as weights play no part: layers with weights of their own are built instead.",
    OF_FFN,
    ffn("nn.Linear(*w2.shape).to(x)(nn.Linear(*w1.shape).to(x)(x).relu()).detach()"),
)
mistakes.add(
    "nothing_is_computed",
    "`x` comes back as it came in, or tables of one number. Which steps does the equation make of it?",
    f"{OF_FFN} {OF_NORM} {OF_EPS} {KEPT}",
    (RETURN, "return x, x, x"),
    (RETURN, "return torch.zeros_like(x), torch.zeros_like(x), torch.zeros_like(x)"),
)
