"""What goes wrong in scaled dot-product attention."""

from autograder.engine.mistake import Mistakes

from .common import MANDATORY, OF_ONE_SENTENCE

mistakes = Mistakes("attention")

SCORES = "scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))"
SCALE = " / math.sqrt(query.size(-1))"
GIVEN = "if attention_mask is not None:"
SHAPED = "attention_mask.bool().view(batch, *middle, key_len)"
HIDDEN = f"hidden = ~{SHAPED}"
HIDE = "scores = scores.masked_fill(hidden, -torch.inf)"
FUTURE = "if self.mask_future:"
PAST = "past = torch.ones_like(scores, dtype=torch.bool).tril()"
HIDE_LATER = "scores = scores.masked_fill(~past, -torch.inf)"
AVERAGE = "return scores.softmax(dim=-1) @ value"

VALUES = "values_are_averaged_with_softmax_of_scaled_scores"
PADDING = "padding_has_no_influence"
MASKS = f"{PADDING} boolean_mask_is_as_good_as_integers"
LATER = "future_mask_hides_later_keys"


def average(weights: str) -> tuple[str, str]:
    return AVERAGE, f"return {weights} @ value"


def scaled(by: str) -> tuple[str, str]:
    return SCALE, by


mistakes.add(
    "unscaled",
    "The scores reach the softmax as large as they come, and grow with d_k. What does the equation "
    "do to them first?",
    VALUES,
    scaled(""),
)
mistakes.add(
    "wrong_scale",
    "The scores are scaled, but by another number than the equation has. Which size is under the "
    "root, of which tensor?",
    VALUES,
    scaled(" / query.size(-1)"),
    scaled(" * math.sqrt(query.size(-1))"),
    scaled(" / math.sqrt(math.prod(query.shape[1:-2]) * query.size(-1))"),
    scaled(" / math.sqrt(query.size(1) * query.size(-1))"),
    scaled(" / math.sqrt(query.size(-2))"),
    scaled(" / math.sqrt(key.size(-2))"),
    scaled(" / math.sqrt(value.size(-1))"),
    scaled(" / math.sqrt(query.size(0))"),
    scaled(" / math.sqrt(query.size(1))"),
    scaled(" / query.size(-1) ** 2"),
    scaled(" / query.size(-1) ** 0.25"),
    scaled(" / key.size(-2)"),
    *[scaled(f" / {number}") for number in (2, 4, 8, 10, 16, 64, "512**0.5", "2**0.5")],
    scaled(" / math.log(query.size(-1))"),
)
mistakes.add(
    "scaled_behind_the_softmax",
    "The division comes after the softmax: the weights of one query no longer add up to 1.",
    VALUES,
    (scaled(""), average("scores.softmax(dim=-1) / math.sqrt(query.size(-1))")),
    average("scores.softmax(dim=-1) / math.sqrt(query.size(-1))"),
)
mistakes.add(
    "softmax_over_another_axis",
    "The softmax runs along another axis than that of the keys. For one query: do the weights of "
    "all keys add up to 1?",
    VALUES,
    *[average(f"scores.softmax(dim={axis})") for axis in (-2, 0)],
    average("scores.flatten(-2).softmax(dim=-1).view_as(scores)"),
)
mistakes.add(
    "softmax_over_the_heads",
    "The softmax runs over the heads: they compete for a key, where the keys should compete for a "
    "query.",
    VALUES,
    average("scores.softmax(dim=-3)"),
)
mistakes.add(
    "no_softmax",
    "No softmax makes the scores into weights: they can be negative, and add up to anything.",
    VALUES,
    average("scores"),
    average("scores.sigmoid()"),
    average("scores.relu()"),
    average("(scores / scores.sum(-1, keepdim=True))"),
    average("(scores.relu() / scores.relu().sum(-1, keepdim=True))"),
    average("scores.exp()"),
    average("scores.tanh()"),
    average("F.normalize(scores, dim=-1)"),
)
mistakes.add(
    "softmax_not_as_in_the_equation",
    "What turns the scores into weights is not one softmax: it acts twice, or its logarithm is "
    "taken, or only the largest score counts.",
    VALUES,
    average("scores.softmax(dim=-1).softmax(dim=-1)"),
    average("scores.log_softmax(dim=-1)"),
    average("F.one_hot(scores.argmax(-1), scores.size(-1)).to(value)"),
)
mistakes.add(
    "weak_fill",
    "The fill for masked scores is no more than a low score: beside lower ones, what should be "
    "hidden still gets weight. How low is low enough, whatever the others are?",
    MASKS,
    *[(HIDE, HIDE.replace("-torch.inf", fill)) for fill in ("-1.0", "-8.0", "-10.0", "-20.0")],
    *[(HIDE, HIDE.replace("-torch.inf", fill)) for fill in ("-5.0", "-30.0", "-50.0", "-100.0")],
    *[(HIDE, f"scores = scores + hidden * {fill}") for fill in ("-8.0", "-10.0", "-100.0")],
)
mistakes.add(
    "masked_score_is_zero",
    "A masked score becomes 0, or next to it. A score of 0 is a score like others: its key still "
    "gets weight.",
    MASKS,
    *[(HIDE, HIDE.replace("-torch.inf", fill)) for fill in ("0.0", "-10e-12", "1e-9")],
    (HIDE, "scores = scores * ~hidden"),
    (
        (GIVEN, "if False:"),
        (
            SCORES,
            f"if attention_mask is not None:\n            seen = attention_mask.bool().view(len(key), *[1] * (key.dim() - 3), -1, 1)\n            key = key * seen\n        {SCORES}",
        ),
    ),
)
mistakes.add(
    "fill_is_positive",
    "The fill for masked scores is large and positive, so that what should be hidden gets all the "
    "weight.",
    MASKS,
    *[(HIDE, HIDE.replace("-torch.inf", fill)) for fill in ("1e9", "torch.inf", "1e4", "10.0")],
)
mistakes.add(
    "mask_upside_down",
    "The mask hides the keys that may be attended to, and shows the padding. What does a 1 mean in "
    "`attention_mask`?",
    MASKS,
    (HIDDEN, HIDDEN.replace("~", "")),
    ((HIDDEN, HIDDEN.replace("~", "")), (HIDE, HIDE.replace("-torch.inf", "-1e9"))),
    ((HIDDEN, HIDDEN.replace("~", "")), (HIDE, "scores = scores + hidden * -1e9")),
)
mistakes.add(
    "mask_ignored",
    "`attention_mask` has no effect on the answer.",
    MASKS,
    (GIVEN, "if False:"),
    (HIDE, "scores.masked_fill(hidden, -torch.inf)"),
)
mistakes.add(
    "mask_only_in_evaluation",
    "In training `attention_mask` hides nothing: it only acts after `eval()`.",
    MASKS,
    (GIVEN, "if attention_mask is not None and not self.training:"),
    (HIDE, f"if not self.training:\n                {HIDE}"),
    (HIDDEN, f"hidden = ~{SHAPED} & (not self.training)"),
)
mistakes.add(
    "mask_only_of_the_first_keys",
    "The mask acts on so many keys, and on none behind them. How many may a sentence have?",
    MASKS,
    *[(HIDE, f"hidden[..., {most}:] = False\n            {HIDE}") for most in (16, 64, 128)],
)
mistakes.add(
    "mask_behind_the_softmax",
    "The mask acts behind the softmax, on the weights or on the values: what is left of the weights "
    "no longer adds up to 1.",
    MASKS,
    (
        (HIDE, "seen = ~hidden"),
        (GIVEN, f"seen = True\n        {GIVEN}"),
        average("(scores.softmax(dim=-1) * seen)"),
    ),
    (
        (HIDE, "seen = ~hidden"),
        (GIVEN, f"seen = True\n        {GIVEN}"),
        (HIDE_LATER, "seen = seen & past"),
        average("(scores.softmax(dim=-1) * seen)"),
    ),
    (HIDE, f"value = value * {SHAPED}.transpose(-2, -1)"),
)
mistakes.add(
    "mask_on_queries",
    "The mask is laid along the queries. Which axis of the scores belongs to the keys?",
    MASKS,
    (SHAPED, "attention_mask.bool().view(batch, *middle[1:], key_len, 1)"),
    (SHAPED, "attention_mask.bool().unsqueeze(-1)"),
)
mistakes.add(
    "mask_not_laid_out",
    "The mask of shape (batch, key_len) does not fit the scores. Which axes do these have in "
    "between, and how many of them are there?",
    MASKS,
    (SHAPED, "attention_mask.bool()"),
    (SHAPED, "attention_mask.bool().unsqueeze(1)"),
    (SHAPED, "attention_mask.bool().unsqueeze(0)"),
)
mistakes.add(
    "mask_of_one_sentence",
    OF_ONE_SENTENCE,
    MASKS,
    (HIDDEN, f"{HIDDEN}[:1]"),
    (HIDDEN, f"{HIDDEN}[-1:]"),
    (HIDDEN, f"{HIDDEN}.any(0, keepdim=True)"),
    (HIDDEN, f"{HIDDEN}.all(0, keepdim=True)"),
)
mistakes.add(
    "mask_mandatory",
    MANDATORY,
    "mask_may_be_left_out",
    ("attention_mask: Tensor | None = None", "attention_mask: Tensor"),
    (GIVEN, "if True:"),
)
mistakes.add(
    "mask_only_of_integers",
    "With a mask of True and False your code stops, or hides the wrong keys: what it does to the "
    "mask, only numbers can take.",
    "boolean_mask_is_as_good_as_integers",
    (HIDDEN, f"hidden = (1 - {SHAPED.replace('.bool()', '')}).bool()"),
    (HIDDEN, f"hidden = (-{SHAPED.replace('.bool()', '')} + 1).bool()"),
)
mistakes.add(
    "mask_only_of_truths",
    "With a mask of 1 and 0 your code stops, or hides the wrong keys: what it does to the mask, "
    "only True and False can take.",
    PADDING,
    (HIDDEN, f"hidden = ~{SHAPED.replace('.bool()', '')}"),
    (HIDDEN, f"hidden = (~{SHAPED.replace('.bool()', '')}).bool()"),
    (HIDDEN, f"hidden = torch.where({SHAPED.replace('.bool()', '')}, False, True)"),
)
mistakes.add(
    "always_causal",
    "Later keys are hidden even though `mask_future` is False.",
    f"{VALUES} {LATER}",
    (FUTURE, "if True:"),
    ("self.mask_future = mask_future", "self.mask_future = True"),
    (
        (FUTURE, "if True:"),
        (
            PAST,
            "past = torch.ones_like(scores, dtype=torch.bool).tril(scores.size(-1) - scores.size(-2))",
        ),
    ),
    ((FUTURE, "if True:"), (HIDE_LATER, HIDE_LATER.replace("-torch.inf", "-1e9"))),
)
mistakes.add(
    "future_upside_down",
    "`mask_future` does the opposite of what it says: False hides later keys, True does not.",
    f"{VALUES} {LATER}",
    (FUTURE, "if not self.mask_future:"),
)
mistakes.add(
    "future_ignored",
    "`mask_future` has no effect on the answer.",
    LATER,
    (FUTURE, "if False:"),
    ("self.mask_future = mask_future", "self.mask_future = False"),
    (HIDE_LATER, "scores.masked_fill(~past, -torch.inf)"),
    (FUTURE, "if self.mask_future and self.training:"),
    (FUTURE, "if self.mask_future and attention_mask is not None:"),
)
mistakes.add(
    "past_hidden",
    "With `mask_future=True` the past is hidden and the future is shown.",
    LATER,
    (HIDE_LATER, HIDE_LATER.replace("~", "")),
    (PAST, PAST.replace("tril()", "triu()")),
    (PAST, PAST.replace("tril()", "triu(1)")),
    *[
        (
            (PAST, PAST.replace("tril()", f"triu({border})")),
            (HIDE_LATER, HIDE_LATER.replace("-torch.inf", "-1e9")),
        )
        for border in (0, 1)
    ],
    (HIDE_LATER, HIDE_LATER.replace("~", "").replace("-torch.inf", "-1e9")),
)
mistakes.add(
    "future_off_by_one",
    "With `mask_future=True` the border is one key off: a query sees the key at its own position, "
    "and none behind it.",
    LATER,
    (PAST, PAST.replace("tril()", "tril(-1)")),
    (PAST, PAST.replace("tril()", "tril(1)")),
    (
        (PAST, PAST.replace("tril()", "tril(-1)")),
        (HIDE_LATER, HIDE_LATER.replace("-torch.inf", "-1e9")),
    ),
)
mistakes.add(
    "future_only_in_evaluation",
    "In training later keys are seen: `mask_future` only acts after `eval()`.",
    LATER,
    (FUTURE, "if self.mask_future and not self.training:"),
)
mistakes.add(
    "future_of_a_fixed_length",
    "Your future mask is made for so many positions. What becomes of the queries and keys behind them?",
    LATER,
    *[
        (
            PAST,
            f"past = torch.ones({most}, {most}).tril().bool()[: query.size(-2), : key.size(-2)]",
        )
        for most in (16, 32, 128, 256)
    ],
    *[
        (PAST, f"{PAST} | (torch.arange(query.size(-2)) >= {most}).unsqueeze(-1)")
        for most in (16, 64, 128)
    ],
)
mistakes.add(
    "future_only_square",
    "The future mask only works where there are as many keys as queries.",
    LATER,
    (PAST, "past = torch.ones(query.size(-2), query.size(-2), dtype=torch.bool).tril()"),
    (PAST, "past = torch.ones(key.size(-2), key.size(-2), dtype=torch.bool).tril()"),
    (FUTURE, "if self.mask_future and query.size(-2) == key.size(-2):"),
    (PAST, "past = torch.ones(scores.size(-1), scores.size(-2), dtype=torch.bool).tril()"),
)
mistakes.add(
    "future_from_the_end",
    "With more keys than queries, your future mask counts positions from the end: query 0 sees "
    "keys that are later than key 0.",
    LATER,
    (PAST, PAST.replace("tril()", "tril(scores.size(-1) - scores.size(-2))")),
    (PAST, PAST.replace("tril()", "tril(max(scores.size(-1) - scores.size(-2), 0))")),
)
mistakes.add(
    "future_weak_fill",
    "The fill for later keys is no more than a low score: they still get weight.",
    LATER,
    *[(HIDE_LATER, HIDE_LATER.replace("-torch.inf", fill)) for fill in ("-10e-12", "0.0", "-1.0")],
    *[(HIDE_LATER, HIDE_LATER.replace("-torch.inf", fill)) for fill in ("1e-9", "-8.0", "-10.0")],
    (HIDE_LATER, "scores = scores * past"),
)
mistakes.add(
    "future_behind_the_softmax",
    "Later keys lose their weight after the softmax: the weights that are left no longer add up "
    "to 1.",
    LATER,
    (
        (HIDE_LATER, "seen = past"),
        (FUTURE, f"seen = True\n        {FUTURE}"),
        average("(scores.softmax(dim=-1) * seen)"),
    ),
)
mistakes.add(
    "only_one_of_both_masks",
    "Where both masks are given, only one of them acts.",
    LATER,
    (FUTURE, "elif self.mask_future:"),
    (
        (GIVEN, f"raw = scores\n        {GIVEN}"),
        (HIDE_LATER, HIDE_LATER.replace("scores.masked", "raw.masked")),
    ),
    ((GIVEN, "if attention_mask is not None and not self.mask_future:"),),
)
mistakes.add(
    "returns_more_than_the_output",
    "`forward` returns several things (the weights, too, perhaps), where one tensor is asked for.",
    "output_is_returned_alone",
    (AVERAGE, "weights = scores.softmax(dim=-1)\n        return weights @ value, weights"),
    (AVERAGE, "return [scores.softmax(dim=-1) @ value]"),
)
mistakes.add(
    "keys_are_forgotten",
    "Your code goes through the keys in pieces, and forgets those that are left over when no whole piece "
    "is. Which keys take part in the average?",
    VALUES,
    *[
        (
            AVERAGE,
            f"n = key.size(-2) // {size} * {size} or key.size(-2)\n"
            "        return scores[..., :n].softmax(dim=-1) @ value[..., :n, :]",
        )
        for size in (4, 16, 64, 128, 256)
    ],
    (
        AVERAGE,
        "n = key.size(-2) % 16 if key.size(-2) > 16 else 0\n"
        "        return scores[..., n:].softmax(dim=-1) @ value[..., n:, :]",
    ),
)
mistakes.add(
    "an_input_is_returned",
    "One of query, key and value comes back, or the mean of the values: no query looks at any key.",
    f"{VALUES} mask_may_be_left_out output_is_returned_alone training_changes_nothing",
    (AVERAGE, "return value.mean(-2, keepdim=True).expand(*query.shape[:-1], -1)"),
    (AVERAGE, "return torch.ones(*query.shape[:-1], value.size(-1)).to(query)"),
)
mistakes.add(
    "returns_the_weights",
    "`forward` returns the weights. What are they weights for?",
    VALUES,
    (AVERAGE, "return scores.softmax(dim=-1)"),
    (AVERAGE, "return scores"),
)
mistakes.add(
    "wrong_tensor",
    "One of query, key and value stands where another belongs: which two meet in the scores, and "
    "which one is averaged?",
    VALUES,
    (AVERAGE, AVERAGE.replace("value", "key")),
    (AVERAGE, AVERAGE.replace("value", "query")),
    (SCORES, SCORES.replace("key", "query")),
    (SCORES, SCORES.replace("query @", "key @")),
    (SCORES, SCORES.replace("key.", "value.")),
    (
        SCORES,
        "scores = (query @ key.transpose(-2, -1)).transpose(-2, -1) / math.sqrt(query.size(-1))",
    ),
)
mistakes.add(
    "key_not_transposed",
    "Query and key meet without the transpose of the equation, or other axes of the key are swapped "
    "than its last two: which axes does it have, and which of them has to meet the features of a query?",
    VALUES,
    *[
        (SCORES, f"scores = query {meets} / math.sqrt(query.size(-1))")
        for meets in (
            *("@ key", "@ key.T", "@ key.transpose(0, 1)", "@ key.transpose(1, 2)", "* key"),
            *("@ key.transpose(0, -1)", "@ key.transpose(-1, -1)", "@ key.mT.mT", "@ key.t()"),
            *("@ key.transpose(-3, -2)", "@ key.flip(-1, -2)"),
        )
    ],
    (SCORES, "scores = query.transpose(-2, -1) @ key / math.sqrt(query.size(-1))"),
    (
        SCORES,
        "scores = query @ key.reshape(*key.shape[:-2], key.size(-1), -1) / query.size(-1) ** 0.5",
    ),
)
mistakes.add(
    "only_of_equal_lengths",
    "Your code only works where there are as many keys as queries.",
    VALUES,
    (SCORES, f"assert query.size(-2) == key.size(-2)\n        {SCORES}"),
    (
        SCORES,
        f"{SCORES}.view(*query.shape[:-1], query.size(-2))".replace(
            "scores = ", "scores = ("
        ).replace(").view", ")).view"),
    ),
    (SCORES, f"if query.size(-2) != key.size(-2):\n            raise ValueError\n        {SCORES}"),
    (SCORES, f"key = key.reshape(query.shape)\n        {SCORES}"),
)
mistakes.add(
    "an_axis_is_lost",
    "Where an axis has length one (one sentence, one query, one key), your answer has an axis less.",
    VALUES,
    (AVERAGE, "return (scores.softmax(dim=-1) @ value).squeeze()"),
    *[(AVERAGE, f"return (scores.softmax(dim=-1) @ value).squeeze({axis})") for axis in (0, 1, -2)],
    (SCORES, f"{SCORES.replace('scores = ', 'scores = (')}).squeeze()"),
)
mistakes.add(
    "causal_where_lengths_are_equal",
    "Later keys are hidden wherever there are as many keys as queries, as in self-attention, even "
    "though `mask_future` is False.",
    VALUES,
    (FUTURE, "if self.mask_future or query.size(-2) == key.size(-2):"),
    (FUTURE, "if query.size(-2) == key.size(-2):"),
    (FUTURE, "if query.shape == key.shape:"),
    (
        FUTURE,
        "if self.mask_future or (attention_mask is None and query.size(-2) == key.size(-2)):",
    ),
)
mistakes.add(
    "causal_in_self_attention",
    "Later keys are hidden wherever query and key are one and the same tensor, even though "
    "`mask_future` is False.",
    VALUES,
    (FUTURE, "if self.mask_future or query is key:"),
    (FUTURE, "if self.mask_future or key is value:"),
    (FUTURE, "if self.mask_future or torch.equal(query, key):"),
)
mistakes.add(
    "masks_joined_by_or",
    "A key is seen if one of the two masks allows it. It must be allowed by both.",
    MASKS,
    (
        (HIDE, "pass"),
        (GIVEN, f"hidden = torch.tensor(True)\n        {GIVEN}"),
        (FUTURE, "if True:"),
        (PAST, f"{PAST} | (not self.mask_future)"),
        (HIDE_LATER, "scores = scores.masked_fill(~past & hidden, -torch.inf)"),
    ),
)
mistakes.add(
    "padding_or_later",
    "With both masks, only what is padding and later as well is hidden. A key must be allowed by both.",
    LATER,
    (
        (GIVEN, f"raw, hidden = scores, torch.tensor(True)\n        {GIVEN}"),
        (HIDE_LATER, "scores = raw.masked_fill(~past & hidden, -torch.inf)"),
    ),
    (
        (GIVEN, f"raw, hidden = scores, torch.tensor(True)\n        {GIVEN}"),
        (
            HIDE_LATER,
            "scores = raw.masked_fill(~(past | ~hidden) if attention_mask is not None else ~past, -1e9)",
        ),
    ),
)
mistakes.add(
    "mask_added_as_numbers",
    "The mask itself is added to the scores: 1 and 0 are numbers like others there, and hide nothing.",
    MASKS,
    *[
        (HIDE, f"scores = scores {acts} {SHAPED}{kind}")
        for acts, kind in (
            ("+", ".to(scores)"),
            ("-", ".logical_not().to(scores)"),
            ("+", ".log1p()"),
        )
    ],
)
mistakes.add(
    "both_masks_stop",
    "Where both masks are asked for, your code stops.",
    LATER,
    (
        AVERAGE,
        "return F.scaled_dot_product_attention(query, key, value, None if attention_mask is None else ~hidden, is_causal=self.mask_future)",
    ),
    (
        (
            HIDE_LATER,
            "scores = scores.masked_fill(~past if attention_mask is None else ~(past & attention_mask.bool().view(-1, 1)), -torch.inf)",
        ),
    ),
)
mistakes.add(
    "precision_is_lost",
    "On the way the numbers are made less precise than those that came in.",
    VALUES,
    average("scores.softmax(dim=-1).round(decimals=2)"),
    average("scores.bfloat16().softmax(dim=-1).to(value)"),
    (
        SCORES,
        "scores = (query.bfloat16() @ key.bfloat16().mT).to(query) / math.sqrt(query.size(-1))",
    ),
    (SCORES, "scores = (query.half() @ key.half().mT).to(query) / math.sqrt(query.size(-1))"),
    (SCORES, f"{SCORES}.floor()".replace("scores = ", "scores = (").replace(").floor", ")).floor")),
)
mistakes.add(
    "hidden_dropout",
    "In training this layer drops weights at a rate of its own, which nobody can set to 0.",
    "training_changes_nothing",
    *[
        average(f"F.dropout(scores.softmax(dim=-1), {rate}, self.training)")
        for rate in (0.1, 0.2, 0.5)
    ],
)
mistakes.add(
    "dropout_never_rests",
    "The answer is another each time, in evaluation too: chance takes part in every call. Does "
    "dropout rest after `eval()`?",
    f"{VALUES} {MASKS} {LATER} training_changes_nothing",
    *[average(f"F.dropout(scores.softmax(dim=-1), {rate})") for rate in (0.1, 0.5)],
)
mistakes.add(
    "gradient_is_cut",
    "The answer is right, but gradient does not come back to query, key and value. Which call "
    "takes a tensor out of the graph?",
    VALUES,
    average("scores.softmax(dim=-1).detach()"),
    (
        AVERAGE,
        f"{AVERAGE}.detach()".replace("return scores", "return (scores").replace(
            "value.", "value)."
        ),
    ),
    ("    def forward(", "    @torch.no_grad()\n    def forward("),
    average("scores.detach().softmax(dim=-1)"),
    (AVERAGE, f"{AVERAGE}.detach()"),
)
mistakes.add(
    "input_is_changed",
    "The call changes a tensor that it was given.",
    VALUES,
    (SCORES, "query /= math.sqrt(query.size(-1))\n        scores = query @ key.transpose(-2, -1)"),
    (SCORES, "scores = query.div_(math.sqrt(query.size(-1))) @ key.transpose(-2, -1)"),
)
mistakes.add(
    "query_added",
    "Something is added to the average of the values. The equation has no such sum.",
    VALUES,
    (AVERAGE, f"{AVERAGE} + value.mean(-2, keepdim=True)"),
)
mistakes.add(
    "constructor_never_begins",
    "The constructor never calls that of `nn.Module`, so that the object is no module yet.",
    f"{VALUES} {LATER}",
    ("        super().__init__()\n", ""),
)
