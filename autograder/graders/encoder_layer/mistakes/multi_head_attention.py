"""What goes wrong in multi-head attention."""

from autograder.engine.mistake import Mistakes

from .attention import mistakes as of_attention
from .common import (
    MANDATORY,
    OF_ONE_SENTENCE,
    ONLY_OF_INTEGERS,
    unless_none,
)

mistakes = Mistakes("multi_head_attention")

CHECKED = "if d_model % num_heads != 0:"
HEADS = "self.num_heads = num_heads"
INNER = "self.attention = Attention(mask_future)"
PROJECTED = "x = self.query_transform(query), self.key_transform(key), self.value_transform(value)"
SPLIT = "part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in x"
ATTEND = "heads = self.attention(*split, attention_mask)"
MERGED = "merged = heads.transpose(1, 2).flatten(-2)"
ANSWER = "return self.output_transform(merged)"

NO_BIAS = "projections_have_no_bias"
COMPUTED = "heads_are_split_attended_and_merged"
PADDING = "padding_mask_reaches_every_head"
LATER = "future_mask_is_handed_on"
REFUSED = "heads_that_do_not_divide_d_model_are_refused"
REST = "training_changes_nothing"
LEARNS = "gradient_reaches_every_projection"


def linear(name: str, made: str = "nn.Linear(d_model, d_model, bias=False)") -> str:
    return f"self.{name}_transform = {made}"


def biased(*names: str) -> tuple[tuple[str, str], ...]:
    return tuple((linear(name), linear(name).replace(", bias=False", "")) for name in names)


def projected(new: str) -> tuple[str, str]:
    return PROJECTED, f"x = {new}"


def split(new: str) -> tuple[str, str]:
    return SPLIT, f"part.{new} for part in x"


def merged(new: str) -> tuple[str, str]:
    return MERGED, f"merged = {new}"


def masked(mask: str) -> tuple[str, str]:
    """The attention gets this mask where there is one."""
    return ATTEND, ATTEND.replace("attention_mask", unless_none(mask))


mistakes.add(
    "biased_projections",
    "The projections add a bias; in the paper they are matrices alone.",
    NO_BIAS,
    ((", bias=False", ""),),
    biased("output"),
    biased("query", "key", "value"),
    biased("query"),
    biased("key"),
    biased("value"),
)
mistakes.add(
    "heads_not_checked",
    "Nobody notices when num_heads does not divide d_model, until a shape does not fit.",
    REFUSED,
    (CHECKED, "if False:"),
    (CHECKED, "if num_heads > d_model:"),
    (CHECKED, "if d_model // num_heads == 0:"),
    (
        'raise ValueError(f"d_model {d_model} is no multiple of num_heads {num_heads}")',
        'print("d_model is no multiple of num_heads")',
    ),
    (
        'raise ValueError(f"d_model {d_model} is no multiple of num_heads {num_heads}")',
        "num_heads = 1",
    ),
)
mistakes.add(
    "refused_with_another_exception",
    "The wrong num_heads is noticed, but another exception is raised than the statement names.",
    REFUSED,
    ("raise ValueError(", "raise RuntimeError("),
    ("raise ValueError(", "raise TypeError("),
    ("raise ValueError(", "raise Exception("),
    ("raise ValueError(", "raise KeyError("),
    ("raise ValueError(", "raise ArithmeticError("),
)
mistakes.add(
    "refuses_the_wrong_heads",
    "A num_heads that divides d_model is refused, too. Which of the two is divided by which?",
    REFUSED,
    (CHECKED, "if num_heads % d_model != 0:"),
    (CHECKED, "if d_model % num_heads == 0:"),
    (CHECKED, "if True:"),
    (CHECKED, "if d_model / num_heads:"),
    (CHECKED, "if d_model % num_heads != 1:"),
)
mistakes.add(
    "split_without_transpose",
    "The projections are cut into heads as if these came before the positions: one head gets all "
    "features of a few tokens, instead of a few features of all tokens.",
    COMPUTED,
    split("reshape(len(part), self.num_heads, part.size(1), -1)"),
)
mistakes.add(
    "merge_without_transpose",
    "The heads are put together while they still come before the positions: the features of "
    "different tokens end up in one.",
    COMPUTED,
    merged("heads.reshape(query.shape)"),
)
mistakes.add(
    "heads_take_turns",
    "The features are dealt out to the heads in turns. Head 0 has the first d_k of them, head 1 the "
    "next: before attention, and behind it.",
    COMPUTED,
    split("unflatten(-1, (-1, self.num_heads)).movedim(-1, 1)"),
    merged("heads.movedim(1, -1).flatten(-2)"),
    (
        split("unflatten(-1, (-1, self.num_heads)).movedim(-1, 1)"),
        merged("heads.movedim(1, -1).flatten(-2)"),
    ),
)
mistakes.add(
    "heads_not_split",
    "The attention gets all features at once, as one head. What has num_heads to do with its input?",
    COMPUTED,
    split("unsqueeze(1)"),
    ((SPLIT, "part for part in x"), merged("heads")),
)
mistakes.add(
    "heads_fixed",
    "The number of heads is another than the argument says.",
    COMPUTED,
    (HEADS, "self.num_heads = 2"),
    (HEADS, "self.num_heads = d_model // num_heads"),
    *[(HEADS, f"self.num_heads = {number}") for number in (3, 4, 6, 8)],
    (HEADS, "self.num_heads = d_model"),
)
mistakes.add(
    "heads_in_another_order",
    "The heads come out in another order than they went in.",
    COMPUTED,
    merged("heads.flip(1).transpose(1, 2).flatten(-2)"),
)
mistakes.add(
    "heads_averaged",
    "The heads are added or averaged, where they should stand side by side.",
    COMPUTED,
    merged("heads.mean(1).repeat(1, 1, self.num_heads)"),
    merged("heads.sum(1).repeat(1, 1, self.num_heads)"),
    merged("heads[:, 0].repeat(1, 1, self.num_heads)"),
)
mistakes.add(
    "shared_projection",
    "Two of the projections are one and the same layer. Whatever it learns for one of them, the "
    "other has to take.",
    NO_BIAS,
    (linear("key"), linear("key", "self.query_transform")),
    (linear("value"), linear("value", "self.key_transform")),
    (linear("value"), linear("value", "self.query_transform")),
    (
        (linear("key"), linear("key", "self.query_transform")),
        (linear("value"), linear("value", "self.query_transform")),
    ),
    (
        (linear("key"), linear("key", "self.query_transform")),
        (linear("value"), linear("value", "self.query_transform")),
        (linear("output"), linear("output", "self.query_transform")),
    ),
    (linear("output"), linear("output", "self.value_transform")),
)
mistakes.add(
    "projection_taken_twice",
    "In `forward` one projection is called for two of query, key and value, and another for none.",
    COMPUTED,
    (PROJECTED, PROJECTED.replace("self.key_", "self.query_")),
    (PROJECTED, PROJECTED.replace("self.value_", "self.key_")),
    (PROJECTED, PROJECTED.replace("self.value_", "self.query_")),
    (PROJECTED, PROJECTED.replace("self.query_", "self.key_")),
    (PROJECTED, PROJECTED.replace("self.key_", "self.value_")),
    (
        PROJECTED,
        PROJECTED.replace("self.key_", "self.query_").replace("self.value_", "self.query_"),
    ),
    (
        PROJECTED,
        "x = self.key_transform(query), self.query_transform(key), self.value_transform(value)",
    ),
    (
        PROJECTED,
        "x = self.query_transform(query), self.value_transform(key), self.key_transform(value)",
    ),
    (ANSWER, "return self.value_transform(merged)"),
    (ANSWER, "return self.query_transform(merged)"),
)
mistakes.add(
    "input_taken_twice",
    "In `forward` one input goes through two projections, and another input through none. In "
    "self-attention nobody would notice.",
    COMPUTED,
    (PROJECTED, PROJECTED.replace("(value)", "(key)")),
    (PROJECTED, PROJECTED.replace("(value)", "(query)")),
    (PROJECTED, PROJECTED.replace("(key)", "(query)").replace("(value)", "(query)")),
    (PROJECTED, PROJECTED.replace("(key)", "(query)")),
    (PROJECTED, PROJECTED.replace("(key)", "(value)")),
    (PROJECTED, PROJECTED.replace("(query)", "(key)")),
    (
        PROJECTED,
        "x = self.query_transform(query), self.key_transform(value), self.value_transform(key)",
    ),
)
mistakes.add(
    "attention_gets_another_order",
    "The attention gets query, key and value in another order than its `forward` has them.",
    COMPUTED,
    (ATTEND, "heads = self.attention(split[0], split[2], split[1], attention_mask)"),
    (ATTEND, "heads = self.attention(split[1], split[0], split[2], attention_mask)"),
    (ATTEND, "heads = self.attention(split[2], split[1], split[0], attention_mask)"),
    (ATTEND, "heads = self.attention(split[1], split[2], split[0], attention_mask)"),
    (ATTEND, "heads = self.attention(split[2], split[0], split[1], attention_mask)"),
)
mistakes.add(
    "projection_left_out",
    "One of query, key and value reaches the attention as it came, without its projection.",
    COMPUTED,
    projected("query, key, value"),
    (PROJECTED, PROJECTED.replace("self.value_transform(value)", "value")),
    (PROJECTED, PROJECTED.replace("self.key_transform(key)", "key")),
    (PROJECTED, PROJECTED.replace("self.query_transform(query)", "query")),
)
mistakes.add(
    "no_output_projection",
    "The merged heads are returned as they are. Which projection is left, and what does it act on?",
    COMPUTED,
    (ANSWER, "return merged"),
    ((ANSWER, "return merged"), (linear("output"), "")),
)
mistakes.add(
    "something_acts_on_projections",
    "Between a projection and the attention, or behind the last projection, something acts that the "
    "equation does not have.",
    COMPUTED,
    *[
        (SPLIT, SPLIT.replace("part.unflatten", f"{act}.unflatten"))
        for act in (
            "part.relu()",
            "part.tanh()",
            "F.normalize(part, dim=-1)",
            "F.layer_norm(part, part.shape[-1:])",
        )
    ],
    (ANSWER, f"{ANSWER}.relu()"),
    (ANSWER, "return self.output_transform(merged.relu())"),
    (ANSWER, "return F.layer_norm(self.output_transform(merged), merged.shape[-1:])"),
)
mistakes.add(
    "output_projected_twice",
    "The last projection acts more than once, or before the heads are merged.",
    COMPUTED,
    (ANSWER, "return self.output_transform(self.output_transform(merged))"),
)
mistakes.add(
    "heads_share_one_input",
    "What one head gets, the others get as well: in every head stand the query, the keys or the "
    "values of one and the same head.",
    COMPUTED,
    *[
        (ATTEND, ATTEND.replace("*split", f"{parts}"))
        for parts in (
            "*split[:2], split[2][:, :1].expand_as(split[2])",
            "split[0], split[1][:, :1].expand_as(split[1]), split[2]",
            "split[0][:, :1].expand_as(split[0]), *split[1:]",
            "*split[:2], split[2][:, -1:].expand_as(split[2])",
            "split[0], *(part[:, :1].expand_as(part) for part in split[1:])",
            "*(part[:, :1].expand_as(part) for part in split)",
        )
    ],
)
mistakes.add(
    "scaled_twice",
    "Something divides by a root here, and the attention does so again.",
    COMPUTED,
    *[
        projected(
            f"self.query_transform(query) / math.sqrt({size}), self.key_transform(key), self.value_transform(value)"
        )
        for size in ("query.size(-1) // self.num_heads", "query.size(-1)")
    ],
    (ANSWER, "return self.output_transform(merged) / math.sqrt(query.size(-1))"),
    (ANSWER, "return self.output_transform(merged) / math.sqrt(query.size(-1) // self.num_heads)"),
)
mistakes.add(
    "residual_inside",
    "The input is added to the answer of the heads. The sum belongs to the encoder layer.",
    COMPUTED,
    (ANSWER, f"{ANSWER} + query"),
    (ANSWER, "return self.output_transform(merged + query)"),
)
mistakes.add(
    "mask_forgotten",
    "The `attention_mask` stops here: the attention never gets it.",
    PADDING,
    (ATTEND, ATTEND.replace(", attention_mask", "")),
    (ATTEND, ATTEND.replace(", attention_mask", ", None")),
    masked("torch.ones_like(attention_mask)"),
)
mistakes.add(
    "mask_upside_down",
    "The attention gets a mask in which 1 and 0 have changed places.",
    PADDING,
    masked("attention_mask == 0"),
    masked("1 - attention_mask.long()"),
)
mistakes.add(
    "mask_of_one_sentence",
    OF_ONE_SENTENCE,
    PADDING,
    masked("attention_mask[:1].expand_as(attention_mask)"),
    masked("attention_mask[-1:].expand_as(attention_mask)"),
)
mistakes.add(
    "mask_laid_out_wrongly",
    "The mask is given more axes, and then fits neither the scores of the heads nor what the "
    "attention expects.",
    PADDING,
    masked("attention_mask.unsqueeze(1)"),
    masked("attention_mask.unsqueeze(-1)"),
    masked("attention_mask.repeat(self.num_heads, 1)"),
    masked("attention_mask.repeat(1, self.num_heads)"),
    masked("attention_mask.unsqueeze(0)"),
    masked("attention_mask.T"),
)
FOLDED = (
    (
        ATTEND,
        f"shape = split[0].shape\n        split = [part.flatten(0, 1) for part in split]\n        {ATTEND}",
    ),
    (MERGED, MERGED.replace("heads.", "heads.view(shape).")),
)
mistakes.add(
    "mask_repeated_in_another_order",
    "The heads are folded into the batch, and the mask is repeated for them in another order: where "
    "sentences alternate, heads belong together. Which mask does each row of the batch get?",
    PADDING,
    *[
        tuple((old, new.replace("attention_mask", unless_none(mask))) for old, new in FOLDED)
        for mask in (
            "attention_mask.repeat(self.num_heads, 1)",
            "attention_mask.tile(self.num_heads, 1)",
        )
    ],
)
mistakes.add(
    "mask_mandatory",
    MANDATORY,
    "mask_may_be_left_out",
    ("attention_mask: Tensor | None = None", "attention_mask: Tensor"),
    (ATTEND, ATTEND.replace("attention_mask", "attention_mask[:, None, None]")),
    (ATTEND, ATTEND.replace("attention_mask", "attention_mask.bool()")),
)
mistakes.add(
    "mask_only_of_integers",
    ONLY_OF_INTEGERS,
    PADDING,
    masked("1 - (1 - attention_mask)"),
)
mistakes.add(
    "future_not_handed_on",
    "`mask_future` stops in this constructor: the attention is built without it.",
    LATER,
    (INNER, "self.attention = Attention()"),
    (INNER, "self.attention = Attention(False)"),
)
mistakes.add(
    "causal_in_self_attention",
    "Later keys are hidden wherever query and key are one and the same tensor, even though "
    "`mask_future` is False.",
    COMPUTED,
    *[
        (
            (INNER, f"{INNER}\n        self.blind = Attention(True)"),
            (
                ATTEND,
                ATTEND.replace("self.attention", f"(self.blind if {when} else self.attention)"),
            ),
        )
        for when in ("query is key", "query is value", "torch.equal(query, key)")
    ],
)
mistakes.add(
    "always_causal",
    "The attention is built to hide later keys, whatever `mask_future` says. What does its "
    "constructor get, and as which argument?",
    COMPUTED,
    *[
        (INNER, f"self.attention = Attention({size})")
        for size in ("num_heads", "d_model", "d_model // num_heads")
    ],
    (INNER, "self.attention = Attention(True)"),
    (INNER, "self.attention = Attention(mask_future=True)"),
    ("mask_future: bool = False", "mask_future: bool = True"),
)
mistakes.add(
    "future_upside_down",
    "The attention is told the opposite of what `mask_future` says.",
    f"{COMPUTED} {LATER}",
    (INNER, "self.attention = Attention(not mask_future)"),
)
mistakes.add(
    "only_one_of_both_masks",
    "Where both masks are asked for, only one of them reaches the attention.",
    LATER,
    (
        (
            ATTEND,
            ATTEND.replace(
                ", attention_mask", ", None if self.attention_hides else attention_mask"
            ),
        ),
        (INNER, f"{INNER}\n        self.attention_hides = mask_future"),
    ),
)
mistakes.add(
    "hidden_dropout",
    "In training this layer drops features at a rate of its own, which nobody can set to 0.",
    REST,
    *[
        (ANSWER, f"return F.dropout(self.output_transform(merged), {rate}, self.training)")
        for rate in (0.1, 0.2, 0.5)
    ],
    *[
        (
            ATTEND,
            f"heads = F.dropout(self.attention(*split, attention_mask), {rate}, self.training)",
        )
        for rate in (0.1, 0.5)
    ],
)
mistakes.add(
    "dropout_never_rests",
    "The answer is another each time, in evaluation too: chance takes part in every call. Does dropout rest after `eval()`?",
    f"{COMPUTED} {REST}",
    (ANSWER, "return F.dropout(self.output_transform(merged), 0.1)"),
)
mistakes.add(
    "gradient_is_cut",
    "The answer is right, but gradient does not come back to every projection and every input. "
    "Which call takes a tensor out of the graph?",
    LEARNS,
    merged("heads.transpose(1, 2).flatten(-2).detach()"),
    (ANSWER, f"{ANSWER}.detach()"),
    ("    def forward(", "    @torch.no_grad()\n    def forward("),
    (PROJECTED, PROJECTED.replace("(query),", "(query.detach()),")),
    (
        PROJECTED,
        PROJECTED.replace("(query),", "(query.detach()),")
        .replace("(key),", "(key.detach()),")
        .replace("(value)", "(value.detach())"),
    ),
    (PROJECTED, PROJECTED.replace("(query),", "(query).detach(),")),
)
mistakes.add(
    "input_is_changed",
    "The call changes a tensor that it was given.",
    COMPUTED,
    (PROJECTED, f"{PROJECTED}\n        query *= 2"),
    (ANSWER, "return query.copy_(self.output_transform(merged))"),
    (ANSWER, "query += self.output_transform(merged)\n        return query"),
)
mistakes.add(
    "returns_more_than_the_output",
    "`forward` returns several things (the heads or weights, too, perhaps), where one tensor is "
    "asked for.",
    "output_is_returned_alone",
    (ANSWER, "return self.output_transform(merged), heads"),
    (ANSWER, "return [self.output_transform(merged)]"),
)
mistakes.add(
    "key_length_is_forgotten",
    "Keys and values are cut with the length of the query. In cross-attention they have their own.",
    COMPUTED,
    split("reshape(len(query), query.size(1), self.num_heads, -1).transpose(1, 2)"),
    split(
        "view(query.size(0), query.size(1), self.num_heads, query.size(-1) // self.num_heads).transpose(1, 2)"
    ),
    merged("heads.transpose(1, 2).reshape(key.shape)"),
)
mistakes.add(
    "view_after_transpose",
    "A `.view` after a transpose: the numbers no longer lie in that order in memory.",
    COMPUTED,
    merged("heads.transpose(1, 2).view(query.shape)"),
    merged("heads.transpose(1, 2).view(query.size(0), -1, query.size(-1))"),
)
mistakes.add(
    "not_transposed_back",
    "The heads are merged along an axis that is not theirs, and the shape of the answer shows it.",
    COMPUTED,
    merged("heads.flatten(1, 2)"),
    merged("heads.flatten(2)"),
    merged("heads"),
    merged("heads.mean(1)"),
    merged("heads.sum(1)"),
)
mistakes.add(
    "projections_are_not_registered",
    "Your projections are in a plain Python list or dict (or made anew in each call), where neither "
    "`parameters()` nor an optimiser finds them.",
    NO_BIAS,
    (
        (
            linear("query"),
            "self.linears = [nn.Linear(d_model, d_model, bias=False) for _ in range(4)]",
        ),
        (linear("key"), ""),
        (linear("value"), ""),
        (linear("output"), ""),
        (
            PROJECTED,
            "x = [linear(part) for linear, part in zip(self.linears, (query, key, value))]",
        ),
        (ANSWER, "return self.linears[3](merged)"),
    ),
    (
        (
            linear("query"),
            "self.linears = [nn.Linear(d_model, d_model, bias=False) for _ in range(3)]",
        ),
        (linear("key"), ""),
        (linear("value"), ""),
        (
            PROJECTED,
            "x = [linear(part) for linear, part in zip(self.linears, (query, key, value))]",
        ),
    ),
)
mistakes.add(
    "projections_of_other_sizes",
    "The projections are not four matrices from d_model to d_model: how many features do all heads "
    "together have?",
    NO_BIAS,
    *[
        tuple(
            (linear(name), linear(name, f"nn.Linear({sizes}, bias=False)"))
            for name in ("query", "key", "value")
        )
        for sizes in (
            "d_model, d_model // num_heads",
            "d_model // num_heads, d_model // num_heads",
            "d_model, d_model * num_heads",
        )
    ],
    (linear("output"), linear("output", "nn.Linear(d_model // num_heads, d_model, bias=False)")),
)
PROJECTIONS = "query", "key", "value"
mistakes.add(
    "one_projection_for_all_heads",
    "All heads share one projection from d_model to d_k features, so that each sees the same.",
    NO_BIAS,
    (
        *(
            (linear(name), linear(name, "nn.Linear(d_model, d_model // num_heads, bias=False)"))
            for name in PROJECTIONS
        ),
        split("unsqueeze(1).expand(-1, self.num_heads, -1, -1)"),
    ),
)
mistakes.add(
    "one_projection_too_many",
    "There is one linear layer more than the statement asks for.",
    NO_BIAS,
    (
        linear("output"),
        f"{linear('output')}\n        self.more = nn.Linear(d_model, d_model, bias=False)",
    ),
)
mistakes.add(
    "constructor_never_begins",
    "The constructor never calls that of `nn.Module` (or not first), so that it cannot hold any part.",
    f"{NO_BIAS} {COMPUTED} {PADDING} {LATER} {REST} {LEARNS}",
    ("        super().__init__()\n", ""),
)

INLINED = """
    def attend(self, query, key, value, attention_mask):
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if attention_mask is not None:
            batch, key_len = attention_mask.shape
            middle = [1] * (scores.dim() - 2)
            hidden = ~attention_mask.bool().view(batch, *middle, key_len)
            scores = scores.masked_fill(hidden, -torch.inf)
        if self.mask_future:
            past = torch.ones_like(scores, dtype=torch.bool).tril()
            scores = scores.masked_fill(~past, -torch.inf)
        return scores.softmax(dim=-1) @ value
"""
INLINE = (  # the attention of the solution as a method of the heads
    (INNER, "self.mask_future = mask_future"),
    (ATTEND, ATTEND.replace("self.attention(", "self.attend(")),
    (ANSWER, ANSWER + "\n" + INLINED),
)
CAUGHT_BY = {
    "values_are_averaged_with_softmax_of_scaled_scores": COMPUTED,
    "padding_has_no_influence": PADDING,
    "future_mask_hides_later_keys": LATER,
}
NOT_OF_HEADS = """
    mask_mandatory returns_more_than_the_output constructor_never_begins hidden_dropout
    wrong_tensor query_added input_is_changed gradient_is_cut mask_ignored future_ignored
    returns_the_weights both_masks_stop causal_in_self_attention masks_joined_by_or
""".split()  # there is a mistake of the heads for these, or another check


def inline() -> None:
    """Add what goes wrong in an attention that is written into the heads."""
    known = {mistake.id for mistake in mistakes.all}
    for mistake in of_attention.all:
        checks = {CAUGHT_BY[check] for check in mistake.caught_by if check in CAUGHT_BY}
        if mistake.id in known or mistake.id in NOT_OF_HEADS or not checks:
            continue
        ways = [
            (*INLINE, *way)
            for way in mistake.ways
            if way != ((" / math.sqrt(query.size(-1))", " / query.size(-1)"),)  # see `scaled_twice`
        ]
        mistakes.add(mistake.id, mistake.sentence, " ".join(checks), *ways)


inline()
