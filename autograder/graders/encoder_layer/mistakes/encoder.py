"""What goes wrong in the encoder."""

from autograder.engine.mistake import Mistakes

from .common import (
    MANDATORY,
    ONLY_OF_INTEGERS,
    unless_none,
)

mistakes = Mistakes("encoder")

TABLE = "self.embedding = nn.Embedding(vocab_size, d_model)"
LAYER = "EncoderLayer(d_model, num_heads, d_ff, dropout)"
STACK = f"nn.ModuleList(\n            {LAYER} for _ in range(num_layers))"
DROPOUT = "self.dropout = nn.Dropout(dropout)"
RATES = "rates = 10000 ** (-torch.arange(0, d_model, 2) / d_model)"
PLACES = "torch.arange(max_len)"
SINES = "positions[:, 0::2] = angles.sin()"
COSINES = "positions[:, 1::2] = angles.cos()"
KEPT = 'self.register_buffer("positions", positions, persistent=False)'
EMBEDDED = "x = self.embedding(tokens) * math.sqrt(self.embedding.embedding_dim)"
ROOT = " * math.sqrt(self.embedding.embedding_dim)"
PLACED = "self.positions[: tokens.size(1)]"
SUM = f"x = self.dropout(x + {PLACED})"
LOOP = "for layer in self.layers:"
STEP = "x = layer(x, attention_mask)"
ANSWER = "return x"

EMBEDDING = "embedding_is_scaled_and_positions_are_added"
CHAIN = "layers_are_called_one_after_another"
ARGUMENTS = "layers_get_the_arguments_of_the_encoder"
PADDING = "padding_mask_reaches_every_layer"
OWN = "layers_have_weights_of_their_own"
LEFT_OUT = "mask_may_be_left_out"
PLACE = "dropout_acts_on_the_sum_of_embedding_and_positions"


def rates(new: str) -> tuple[str, str]:
    return RATES, f"rates = {new}"


def built(new: str) -> tuple[str, str]:
    return LAYER, f"EncoderLayer({new})"


def answer(new: str) -> tuple[str, str]:
    return f"{STEP}\n        {ANSWER}", f"{STEP}\n        return {new}"


def mask(new: str) -> tuple[str, str]:
    return STEP, f"x = layer(x, {new})"


mistakes.add(
    "embedding_not_scaled",
    "The embedding goes into the sum as it is, small beside the positions. What is it multiplied by?",
    EMBEDDING,
    (ROOT, ""),
)
mistakes.add(
    "embedding_scaled_by_another_number",
    "The embedding is scaled, but by another number than the statement has.",
    EMBEDDING,
    *[
        (ROOT, new)
        for new in (" * self.embedding.embedding_dim", " / math.sqrt(self.embedding.embedding_dim)")
    ],
    *[
        (ROOT, new)
        for new in (
            " * math.sqrt(tokens.size(1))",
            " * math.sqrt(512)",
            " * math.sqrt(128)",
            " * 2",
            " * 10",
            " * math.sqrt(self.embedding.num_embeddings)",
        )
    ],
    *[
        (ROOT, new)
        for new in (
            " * int(math.sqrt(self.embedding.embedding_dim))",
            " * math.log(self.embedding.embedding_dim)",
            " / self.embedding.embedding_dim",
        )
    ],
)
mistakes.add(
    "no_positions",
    "Nothing tells the layers where a token stands: the positions are never added.",
    EMBEDDING,
    (SUM, "x = self.dropout(x)"),
    (SINES, "pass"),
    ((SINES, "pass"), (COSINES, "pass")),
    (COSINES, "pass"),
)
mistakes.add(
    "positions_scaled_too",
    "The factor of the embedding acts on the positions as well.",
    EMBEDDING,
    (
        (ROOT, ""),
        (SUM, f"x = self.dropout((x + {PLACED}) * math.sqrt(self.embedding.embedding_dim))"),
    ),
)
mistakes.add(
    "positions_not_added",
    "The positions meet the embedding in another way than by a sum.",
    EMBEDDING,
    (SUM, SUM.replace("x + ", "x * ")),
    (SUM, SUM.replace("x + ", "x - ")),
    (SUM, f"x = self.dropout({PLACED}.expand_as(x))"),
)
mistakes.add(
    "sine_and_cosine_swapped",
    "Sine and cosine have changed places: which one do even dimensions get, which one odd ones?",
    EMBEDDING,
    (
        (SINES, SINES.replace("sin()", "cosine()")),
        (COSINES, COSINES.replace("cos()", "sin()")),
        ("cosine()", "cos()"),
    ),
)
mistakes.add(
    "only_sine_or_cosine",
    "All dimensions of a position are sines, or all are cosines.",
    EMBEDDING,
    (COSINES, COSINES.replace("cos()", "sin()")),
    (SINES, SINES.replace("sin()", "cos()")),
)
mistakes.add(
    "sines_then_cosines",
    "All sines stand in the first half and all cosines in the second. In the paper they take turns.",
    EMBEDDING,
    (
        (SINES, "positions[:, : d_model // 2] = angles.sin()"),
        (COSINES, "positions[:, d_model // 2 :] = angles.cos()"),
    ),
    (
        (SINES, "positions[:, : d_model // 2] = angles.cos()"),
        (COSINES, "positions[:, d_model // 2 :] = angles.sin()"),
    ),
)
mistakes.add(
    "wrong_angle",
    "The angles are others than those of the equation: which base, which power, and does a pair of "
    "sine and cosine share one?",
    EMBEDDING,
    *[
        rates(f"{base} ** (-torch.arange(0, d_model, 2) / d_model)")
        for base in (1000, 100, 100000, 10, 512, "math.e", 2)
    ],
    rates("10000 ** (torch.arange(0, d_model, 2) / d_model)"),
    rates("10000 ** (-2 * torch.arange(0, d_model, 2) / d_model)"),
    rates("10000 ** (-torch.arange(d_model // 2) / d_model)"),
    rates("10000 ** (-torch.arange(0, d_model, 2) / (d_model // 2))"),
    rates("10000 ** (-torch.arange(0, d_model, 2) / (d_model - 1))"),
    rates("10000 ** (-torch.arange(1, d_model, 2) / d_model)"),
    rates("1 / (10000 * torch.arange(0, d_model, 2) / d_model + 1)"),
    rates("torch.ones(d_model // 2)"),
    (
        COSINES,
        "positions[:, 1::2] = (torch.arange(max_len).unsqueeze(1) * 10000 ** (-torch.arange(1, d_model, 2) / d_model)).cos()",
    ),
    (
        COSINES,
        "positions[:, 1::2] = (torch.arange(max_len).unsqueeze(1) * 10000 ** (-2 * torch.arange(1, d_model, 2) / d_model)).cos()",
    ),
    (
        (
            SINES,
            "positions[:, 0::2] = (torch.arange(max_len).unsqueeze(1) * 10000 ** (-2 * torch.arange(0, d_model, 2) / d_model)).sin()",
        ),
        (
            COSINES,
            "positions[:, 1::2] = (torch.arange(max_len).unsqueeze(1) * 10000 ** (-2 * torch.arange(1, d_model, 2) / d_model)).cos()",
        ),
    ),
    rates("10000 ** (-torch.arange(0, d_model, 2) // d_model)"),
    (f"{PLACES}.unsqueeze(1) * rates", f"{PLACES}.unsqueeze(1) / rates"),
    (f"{PLACES}.unsqueeze(1) * rates", f"torch.deg2rad({PLACES}.unsqueeze(1) * rates)"),
    (f"{PLACES}.unsqueeze(1) * rates", f"2 * math.pi * {PLACES}.unsqueeze(1) * rates"),
    (f"{PLACES}.unsqueeze(1) * rates", f"{PLACES}.unsqueeze(1) / max_len * rates"),
)
mistakes.add(
    "angles_reach_the_base",
    "The first angles are right, the last ones are not: how many steps are there from 1 to the lowest "
    "of all rates, and is that rate reached?",
    EMBEDDING,
    rates("10000 ** (-torch.arange(d_model // 2) / (d_model // 2 - 1))"),
    rates("torch.logspace(0, -4, d_model // 2)"),
    rates("(-torch.arange(d_model // 2) * math.log(10000) / (d_model // 2 - 1)).exp()"),
    rates("10000 ** (-torch.arange(1, d_model // 2 + 1) / (d_model // 2))"),
)
mistakes.add(
    "positions_begin_at_one",
    "The first token stands at another position than the equation's first. Where does counting start?",
    EMBEDDING,
    (PLACES, "torch.arange(1, max_len + 1)"),
    (
        (PLACES, "torch.arange(max_len + 1)"),
        ("torch.zeros(max_len, d_model)", "torch.zeros(max_len + 1, d_model)"),
        (PLACED, "self.positions[1 : tokens.size(1) + 1]"),
    ),
)
mistakes.add(
    "positions_begin_elsewhere",
    "The first token does not stand at position 0, or they are counted in another order.",
    EMBEDDING,
    (SUM, f"x = self.dropout(x + {PLACED}.flip(0))"),
    (PLACES, "torch.arange(max_len).flip(0)"),
)
mistakes.add(
    "positions_of_something_else",
    "The positions are looked up by something else than where a token stands in its sentence.",
    EMBEDDING,
    (PLACED, "self.positions[tokens]"),
    (PLACED, "self.positions[: tokens.size(0)].unsqueeze(1)"),
    (PLACED, "self.positions[0]"),
    (PLACED, "self.positions[tokens.size(1) - 1]"),
    (PLACED, "self.positions[: tokens.size(0)]"),
)
mistakes.add(
    "positions_are_learned",
    "The positions are learned. The statement has fixed ones, of sines and cosines.",
    EMBEDDING,
    (KEPT, "self.positions = nn.Parameter(positions)"),
    (KEPT, "self.positions = nn.Parameter(torch.randn(max_len, d_model))"),
    (
        (KEPT, "self.places = nn.Embedding(max_len, d_model)"),
        (PLACED, "self.places(torch.arange(tokens.size(1)))"),
    ),
    (
        (KEPT, "self.places = nn.Embedding(max_len, d_model)"),
        (PLACED, "self.places.weight[: tokens.size(1)]"),
    ),
)
mistakes.add(
    "positions_too_short",
    "The table of positions ends before max_len.",
    EMBEDDING,
    (
        "torch.arange(max_len).unsqueeze(1) * rates             # (max_len, d_model / 2)\n        positions = torch.zeros(max_len, d_model)",
        "torch.arange(max_len - 1).unsqueeze(1) * rates\n        positions = torch.zeros(max_len - 1, d_model)",
    ),
    (
        "torch.arange(max_len).unsqueeze(1) * rates             # (max_len, d_model / 2)\n        positions = torch.zeros(max_len, d_model)",
        "torch.arange(d_model).unsqueeze(1) * rates\n        positions = torch.zeros(d_model, d_model)",
    ),
    (
        "torch.arange(max_len).unsqueeze(1) * rates             # (max_len, d_model / 2)\n        positions = torch.zeros(max_len, d_model)",
        "torch.arange(100).unsqueeze(1) * rates\n        positions = torch.zeros(100, d_model)",
    ),
    (
        "torch.arange(max_len).unsqueeze(1) * rates             # (max_len, d_model / 2)\n        positions = torch.zeros(max_len, d_model)",
        "torch.arange(vocab_size).unsqueeze(1) * rates\n        positions = torch.zeros(vocab_size, d_model)",
    ),
)
mistakes.add(
    "positions_in_every_layer",
    "The positions are added again between the layers. Once, before the first one, is enough.",
    CHAIN,
    (STEP, f"{STEP} + {PLACED}"),
    (STEP, f"x = layer(x + {PLACED}, attention_mask)"),
)
mistakes.add(
    "shared_layers",
    "One layer stands in the stack many times: print(encoder) shows them all, but there is one set "
    "of weights.",
    OWN,
    (STACK, f"nn.ModuleList([{LAYER}] * num_layers)"),
    (
        (STACK, LAYER),
        (LOOP, "for layer in [self.layers] * self.num_layers:"),
        (DROPOUT, f"{DROPOUT}\n        self.num_layers = num_layers"),
    ),
)
mistakes.add(
    "layers_are_not_registered",
    "Your layers are in a plain Python list (or made anew in each call), where neither "
    "`parameters()` nor an optimiser finds them.",
    OWN,
    (STACK, f"[{LAYER} for _ in range(num_layers)]"),
    (STACK, f"tuple({LAYER} for _ in range(num_layers))"),
    (STACK, f"{{i: {LAYER} for i in range(num_layers)}}.values()"),
)
mistakes.add(
    "wrong_number_of_layers",
    "The stack has more or fewer layers than `num_layers` says.",
    OWN,
    ("range(num_layers)", "range(num_layers - 1)"),
    ("range(num_layers)", "range(num_layers + 1)"),
    ("range(num_layers)", "range(6)"),
    ("range(num_layers)", "range(1)"),
    ("range(num_layers)", "range(1, num_layers)"),
    *[("range(num_layers)", f"range({number})") for number in (2, 3, 4, 5, 8, 12)],
)
mistakes.add(
    "last_layer_never_used",
    "One layer stands in the stack and never acts: how many does the loop reach?",
    CHAIN,
    (LOOP, "for layer in self.layers[:-1]:"),
    (LOOP, "for layer in [self.layers[i] for i in range(len(self.layers) - 1)]:"),
)
mistakes.add(
    "layers_left_out",
    "Not every layer of the stack acts on the way from the embedding to the answer.",
    CHAIN,
    *[(LOOP, f"for layer in self.layers[{part}]:") for part in ("1:", ":1", "-1:")],
    (f"{STEP}\n", f"{STEP}\n            return x\n"),
)
mistakes.add(
    "layers_are_not_chained",
    "A layer does not get what the one before it returned, or the answer is not that of the last "
    "one.",
    CHAIN,
    ((LOOP, f"first = x\n        {LOOP}"), (STEP, "x = layer(first, attention_mask)")),
    ((LOOP, f"first = x\n        {LOOP}"), answer("first")),
    (STEP, "layer(x, attention_mask)"),
    (
        (LOOP, f"total = 0\n        {LOOP}"),
        (STEP, f"{STEP}\n            total = total + x"),
        ("        return x", "        return total"),
    ),
    (
        (LOOP, f"total = 0\n        {LOOP}"),
        (STEP, f"{STEP}\n            total = total + x"),
        ("        return x", "        return total / len(self.layers)"),
    ),
)
mistakes.add(
    "layers_act_more_than_once",
    "A layer acts more than once on its way through the stack.",
    CHAIN,
    (STEP, f"{STEP}\n            {STEP}"),
    (LOOP, "for layer in [*self.layers, *self.layers]:"),
)
mistakes.add(
    "residual_around_the_stack",
    "Something is added to what a layer returns. The layers have their own sums.",
    CHAIN,
    (STEP, f"x = x + {STEP[4:]}"),
    ((LOOP, f"first = x\n        {LOOP}"), answer("x + first")),
)
mistakes.add(
    "something_between_the_layers",
    "Between the layers, or behind the last one, something acts that the statement does not have.",
    CHAIN,
    (STEP, f"{STEP}.relu()"),
    answer("x.relu()"),
    answer("F.layer_norm(x, x.shape[-1:])"),
    (STEP, f"x = F.layer_norm({STEP[4:]}, x.shape[-1:])"),
    answer("x.softmax(-1)"),
    answer("x.log_softmax(-1)"),
)
mistakes.add(
    "a_part_too_many",
    "Your encoder learns something that the statement does not have: a norm or a linear layer behind "
    "the stack.",
    CHAIN,
    ((DROPOUT, f"{DROPOUT}\n        self.norm = nn.LayerNorm(d_model)"), answer("self.norm(x)")),
    (
        (DROPOUT, f"{DROPOUT}\n        self.last = nn.Linear(d_model, d_model)"),
        answer("self.last(x)"),
    ),
    (
        (DROPOUT, f"{DROPOUT}\n        self.last = nn.Linear(d_model, vocab_size)"),
        answer("self.last(x)"),
    ),
)
mistakes.add(
    "arguments_of_the_layers",
    "The layers do not get d_model, num_heads, d_ff and dropout as the encoder did: one is missing, "
    "fixed, or in another place.",
    ARGUMENTS,
    built("d_model, d_ff, num_heads, dropout"),
    built("num_heads, d_model, d_ff, dropout"),
    built("d_model, 8, d_ff, dropout"),
    built("d_model, 1, d_ff, dropout"),
    built("d_model, num_heads, 2048, dropout"),
    built("d_model, num_heads, 4 * d_model, dropout"),
    built("d_model, num_heads, d_model, dropout"),
    built("512, 8, 2048, dropout"),
    built("vocab_size, num_heads, d_ff, dropout"),
)
mistakes.add(
    "rate_is_not_handed_on",
    "The layers drop at another rate than the one that the encoder got. Who tells them?",
    ARGUMENTS,
    built("d_model, num_heads, d_ff"),
    built("d_model, num_heads, d_ff, 0.1"),
    built("d_model, num_heads, d_ff, 0.0"),
    built("d_model, num_heads, d_ff, 1 - dropout"),
    built("d_model, num_heads, d_ff, dropout / 2"),
)
mistakes.add(
    "mask_forgotten",
    "The `attention_mask` stops here: no layer gets it.",
    PADDING,
    (STEP, "x = layer(x)"),
    mask("None"),
    mask("torch.ones_like(tokens)"),
)
mistakes.add(
    "mask_stops_on_the_way",
    "Some of the layers get the `attention_mask`, and others do not.",
    PADDING,
    (STEP, f"{STEP}\n            attention_mask = None"),
    mask("attention_mask if layer is self.layers[-1] else None"),
    mask("None if layer is self.layers[-1] else attention_mask"),
    mask("None if layer is self.layers[0] else attention_mask"),
)
mistakes.add(
    "mask_upside_down",
    "The layers get a mask in which 1 and 0 have changed places.",
    PADDING,
    mask(unless_none("attention_mask == 0")),
    mask(unless_none("1 - attention_mask.long()")),
)
mistakes.add(
    "mask_only_in_evaluation",
    "In training no layer gets to see the mask: it is handed on only after `eval()`.",
    PADDING,
    mask("None if self.training else attention_mask"),
)
mistakes.add(
    "layers_are_not_used",
    "The layers are built, and nothing goes through them.",
    f"{CHAIN} {PADDING} {ARGUMENTS} {OWN} {LEFT_OUT}",
    (STEP, "layer"),
    (LOOP, "for layer in []:"),
)
mistakes.add(
    "mask_of_its_own",
    "The layers get another mask than the one that was handed over.",
    PADDING,
    mask("tokens != 0"),
    mask(unless_none("attention_mask[:1].expand_as(attention_mask)")),
)
mistakes.add(
    "mask_on_the_tokens",
    "The mask sets tokens to zero. They are seen by the others all the same, as zeros.",
    PADDING,
    (
        (
            LOOP,
            f"if attention_mask is not None:\n            x = x * attention_mask.unsqueeze(-1)\n        {LOOP}",
        ),
        (STEP, "x = layer(x)"),
    ),
    (
        (
            EMBEDDED,
            f"if attention_mask is not None:\n            tokens = tokens * attention_mask\n        {EMBEDDED}",
        ),
        (STEP, "x = layer(x)"),
    ),
)
mistakes.add(
    "mask_mandatory",
    MANDATORY,
    LEFT_OUT,
    ("attention_mask: Tensor | None = None", "attention_mask: Tensor"),
    mask("attention_mask.bool()"),
    mask("attention_mask[:, None, None]"),
)
mistakes.add(
    "mask_only_of_integers",
    ONLY_OF_INTEGERS,
    PADDING,
    mask(unless_none("1 - (1 - attention_mask)")),
)
mistakes.add(
    "no_dropout",
    "Before the first layer nothing is dropped in training.",
    PLACE,
    (SUM, f"x = x + {PLACED}"),
    (DROPOUT, "self.dropout = nn.Identity()"),
    (DROPOUT, "self.dropout = nn.Dropout(0.0)"),
)
mistakes.add(
    "dropout_on_one_of_both",
    "Dropout acts on the embedding alone, or on the positions alone. What is their sum?",
    PLACE,
    (SUM, f"x = self.dropout(x) + {PLACED}"),
    (SUM, f"x = x + self.dropout({PLACED})"),
    (SUM, f"x = self.dropout(x) + self.dropout({PLACED})"),
    (
        (SUM, f"x = x + {PLACED}"),
        (
            EMBEDDED,
            "x = self.dropout(self.embedding(tokens)) * math.sqrt(self.embedding.embedding_dim)",
        ),
    ),
)
mistakes.add(
    "dropout_rate_is_fixed",
    "The rate of dropout is a number of its own, or made from the argument: which share is dropped, "
    "which is kept?",
    PLACE,
    *[
        (DROPOUT, f"self.dropout = nn.Dropout({rate})")
        for rate in (
            "0.1",
            "",
            "0.2",
            "dropout / 2",
            "dropout ** 2",
            "dropout ** 0.5",
        )
    ],
)
mistakes.add(
    "dropout_rate_is_what_is_kept",
    "The argument says which share is dropped. Your encoder takes it for the share that is kept.",
    PLACE,
    (DROPOUT, "self.dropout = nn.Dropout(1 - dropout)"),
)
mistakes.add(
    "dropout_acts_twice",
    "Before the first layer dropout acts more than once, so that more is lost than the rate says.",
    PLACE,
    (SUM, f"{SUM}\n        x = self.dropout(x)"),
    (SUM, f"x = self.dropout(self.dropout(x) + {PLACED})"),
    (
        EMBEDDED,
        "x = self.dropout(self.embedding(tokens)) * math.sqrt(self.embedding.embedding_dim)",
    ),
)
mistakes.add(
    "dropout_between_the_layers",
    "The encoder drops features between its layers, or behind the last one. The layers have a "
    "dropout of their own.",
    PLACE,
    (STEP, f"x = self.dropout({STEP[4:]})"),
    (STEP, "x = layer(self.dropout(x), attention_mask)"),
    answer("self.dropout(x)"),
    ((SUM, f"x = x + {PLACED}"), (STEP, "x = layer(self.dropout(x), attention_mask)")),
    ((SUM, f"x = x + {PLACED}"), answer("self.dropout(x)")),
    ((SUM, f"x = x + {PLACED}"), (STEP, f"x = self.dropout({STEP[4:]})")),
)
mistakes.add(
    "dropout_never_rests",
    "After `eval()` features are dropped as in training.",
    PLACE,
    (SUM, f"x = F.dropout(x + {PLACED}, self.dropout.p)"),
    (SUM, f"x = F.dropout(x + {PLACED})"),
    (SUM, f"x = F.dropout(x + {PLACED}, 0.1)"),
)
mistakes.add(
    "norm_before_the_layers",
    "What goes into the first layer has gone through a norm. Embedding, positions, dropout: what does "
    "the statement have between them and the layers?",
    EMBEDDING,
    (
        (DROPOUT, f"{DROPOUT}\n        self.norm = nn.LayerNorm(d_model)"),
        (SUM, f"x = self.dropout(self.norm(x + {PLACED}))"),
    ),
    (SUM, f"x = self.dropout(F.layer_norm(x + {PLACED}, x.shape[-1:]))"),
    (
        (DROPOUT, f"{DROPOUT}\n        self.norm = nn.LayerNorm(d_model)"),
        (SUM, f"{SUM}\n        x = self.norm(x)"),
    ),
)
mistakes.add(
    "layers_are_made_in_forward",
    "`forward` makes the layers anew in each call: what they learn is forgotten at once.",
    OWN,
    (
        (STACK, "[d_model, num_heads, d_ff, dropout, num_layers]"),
        (
            LOOP,
            "*sizes, number = self.layers\n        for layer in [EncoderLayer(*sizes) for _ in range(number)]:",
        ),
    ),
)
mistakes.add(
    "first_sentence_for_all",
    "What a layer returns is taken apart by an index: what does `[0]` take of a tensor?",
    CHAIN,
    (STEP, f"{STEP}[0]"),
    (STEP, "x, *_ = layer(x, attention_mask)"),
)
mistakes.add(
    "nothing_is_returned",
    "`forward` computes and returns nothing.",
    f"{EMBEDDING} {CHAIN} {ARGUMENTS} {PADDING} {OWN} {PLACE} {LEFT_OUT}",
    ("        return x", "        pass"),
    ("        return x", "        output = x"),
)
mistakes.add(
    "gradient_is_cut",
    "The answer is right, but no gradient comes back to the embedding. Which call takes a tensor out "
    "of the graph?",
    CHAIN,
    (SUM, f"x = self.dropout(x.detach() + {PLACED})"),
    (SUM, f"x = self.dropout(x + {PLACED}).detach()"),
    answer("x.detach()"),
    ("    def forward(", "    @torch.no_grad()\n    def forward("),
    (
        EMBEDDED,
        "x = self.embedding.weight.detach()[tokens] * math.sqrt(self.embedding.embedding_dim)",
    ),
)
mistakes.add(
    "embedding_is_frozen",
    "Your embedding does not learn. Which of its parameters want a gradient, and does "
    "`parameters()` have them?",
    CHAIN,
    (TABLE, f"{TABLE}\n        self.embedding.weight.requires_grad = False"),
    (
        (TABLE, TABLE.replace("self.embedding = ", "self.embedding = [") + "]"),
        (EMBEDDED, EMBEDDED.replace("self.embedding", "self.embedding[0]")),
    ),
    (
        (TABLE, "self.sizes = vocab_size, d_model"),
        (
            EMBEDDED,
            "table = nn.Embedding(*self.sizes)\n        x = table(tokens) * math.sqrt(table.embedding_dim)",
        ),
    ),
)
mistakes.add(
    "returns_more_than_the_output",
    "`forward` returns several things, where one tensor is asked for.",
    CHAIN,
    answer("x, attention_mask"),
    answer("[x]"),
    (
        (LOOP, f"every = []\n        {LOOP}"),
        (STEP, f"{STEP}\n            every.append(x)"),
        ("        return x", "        return every"),
    ),
)
mistakes.add(
    "tokens_are_pooled",
    "The answer has lost an axis: one vector for each token is asked for.",
    CHAIN,
    answer("x.mean(1)"),
    answer("x[:, 0]"),
    answer("x[:, -1]"),
    answer("x.sum(1)"),
    answer("x.mean(-1)"),
)
mistakes.add(
    "embedding_of_another_size",
    "The table of the embedding has not vocab_size rows of d_model features.",
    EMBEDDING,
    (TABLE, TABLE.replace("vocab_size, d_model", "d_model, vocab_size")),
    (TABLE, TABLE.replace("vocab_size", "vocab_size - 1")),
    (TABLE, TABLE.replace("vocab_size, d_model", "max_len, d_model")),
)
mistakes.add(
    "constructor_never_begins",
    "The constructor never calls that of `nn.Module` (or not first), so that it cannot hold any part.",
    f"{EMBEDDING} {CHAIN} {ARGUMENTS} {PADDING} {OWN} {PLACE} {LEFT_OUT}",
    ("        super().__init__()\n", ""),
)
