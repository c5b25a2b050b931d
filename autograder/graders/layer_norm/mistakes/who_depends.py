"""What goes wrong in `who_depends`, the student's own test."""

from autograder.engine.mistake import Mistakes

mistakes = Mistakes("who_depends")

BEFORE = "before = norm(x)"
SENTENCES, POSITIONS = "for sentence in range(batch):", "for position in range(seq):"
OTHERS_NEW = "others = torch.randn_like(x)                        # the other sentences are new"
SENTENCE_KEPT = "others[sentence] = x[sentence]\n"
AFTER = "after = norm(others)[sentence]\n"
BATCH_MOVES = "not torch.allclose(after, before[sentence], atol=1e-4)"
ON_BATCH = f"on_batch |= {BATCH_MOVES}"
CLONE = "others = x.clone()                              # the rest of this sentence is new"
REST_NEW = "others[sentence] = torch.randn_like(x[sentence])"
TOKEN_KEPT = "others[sentence, position] = x[sentence, position]\n"
TOKEN_AFTER = "after = norm(others)[sentence, position]"
POSITIONS_MOVE = "not torch.allclose(after, before[sentence, position], atol=1e-4)"
ON_POSITIONS = f"on_positions |= {POSITIONS_MOVE}"
BOTH = 'if on_batch and on_positions:\n        return "both"\n    '
SAYS = 'return "batch" if on_batch else "positions" if on_positions else "neither"'

OWN, BATCH = "a_norm_of_its_own_token_is_passed", "other_sentences_are_called_batch"
SENTENCE, TOKEN = (
    "a_single_other_sentence_is_noticed",
    "a_single_other_token_is_noticed",
)
PLACES, BOTH_CALLED = "other_tokens_of_the_sentence_are_called_positions", "both_are_called_both"
HIDDEN, FEATURE = "no_shift_and_no_scale_hides_it", "a_single_feature_is_enough"
SMALL, ROUNDING = "a_small_dependence_counts", "rounding_is_no_dependence"
NOBODY, UNCHANGED = "where_nothing_stands_beside_a_token_nothing_is_found", "x_stays_as_it_is"


def changed(of_sentences: str, of_tokens: str) -> tuple[tuple[str, str], ...]:
    """The other tokens are changed in these ways instead of being drawn anew."""
    return (OTHERS_NEW, f"others = {of_sentences}"), (REST_NEW, f"others[sentence] = {of_tokens}")


def everywhere(old: str, new: str) -> tuple[tuple[str, str], ...]:
    """The same edit of both comparisons."""
    return tuple((one, one.replace(old, new)) for one in (BATCH_MOVES, POSITIONS_MOVE))


SAYS_OF_TWO = 'return {(1, 1): "both", (1, 0): "batch", (0, 1): "positions"}.get((on_batch, on_positions), "neither")'


def who_moves(tokens: str, left_out: str) -> tuple[str, str]:
    """Another test: one token after the other is changed, and all outputs are looked at."""
    lines = (
        "before = norm(x)",
        "on_batch = on_positions = 0",
        f"for sentence, position in {tokens}:",
        "    others = x.clone()",
        "    others[sentence, position] = torch.randn_like(x[0, 0])",
        "    moved = (norm(others) - before).abs().amax(-1) > 1e-4",
        f"    {left_out}",
        "    on_positions |= int(moved[sentence].any())",
        "    moved[sentence] = False",
        "    on_batch |= int(moved.any())",
        SAYS_OF_TWO,
    )
    return BEFORE, "\n    ".join(lines)


def reordered(sentences: str, positions: str) -> tuple[str, str]:
    """Another test: both axes are brought into another order, all at once."""
    lines = (
        f"first, second = {sentences}, {positions}",
        "on_batch = int(not torch.allclose(norm(x[first]), norm(x)[first], atol=1e-4))",
        "on_positions = int(not torch.allclose(norm(x[:, second]), norm(x)[:, second], atol=1e-4))",
        SAYS_OF_TWO,
    )
    return BEFORE, "\n    ".join(lines)


def of_the_output(*sees: str) -> tuple[str, str]:
    """Another test: it looks at one output alone, y, and changes nothing."""
    return BEFORE, "\n    ".join(("y = norm(x)", *sees, SAYS_OF_TWO))


def one_pair(watched: str, other_sentence: str, other_position: str) -> tuple[str, str]:
    """Another test: one token is watched, while one of another sentence changes, or one beside it."""
    changes = (
        (
            "others = x.clone()",
            f"others[{place}] = torch.randn_like(x[0, 0])",
            f"{found} = int(not torch.allclose(norm(others)[{watched}], norm(x)[{watched}], atol=1e-4))",
        )
        for found, place in (("on_batch", other_sentence), ("on_positions", other_position))
    )
    return BEFORE, "\n    ".join((*sum(changes, ()), SAYS_OF_TWO))


EVERY_TOKEN = "[(b, i) for b in range(batch) for i in range(seq)]"
LEFT_OUT = "moved[sentence, position] = False"

mistakes.add(
    "always_neither",
    'Your test says "neither" of each norm, also of batch norm in training. Does it show the norm a '
    "second x that differs from the first, and does it look at numbers that the norm returned?",
    f"{OWN} {BATCH} {PLACES} {BOTH_CALLED}",
    changed("x.clone()", "x[sentence]"),
    (
        (BATCH_MOVES, "after.shape != before[sentence].shape"),
        (POSITIONS_MOVE, "after.shape != x[0, 0].shape"),
    ),
    (
        BEFORE,
        'if not isinstance(norm, nn.BatchNorm1d):\n        return "neither"\n    before = norm(x)',
    ),
    (
        BEFORE,
        'if "batch" not in type(norm).__name__.lower():\n        return "neither"\n    before = norm(x)',
    ),
    ((BATCH_MOVES, "False"), (POSITIONS_MOVE, "False")),
)
mistakes.add(
    "statistics_of_the_output",
    "Your test looks at means or variances of one output. They say over what the last step normalised, and "
    "not what depends on what. What moves when another token is another one?",
    f"{OWN} {BATCH} {PLACES} {BOTH_CALLED}",
    of_the_output(
        "on_batch = int(y.mean(0).abs().max() < 1e-4)",
        "on_positions = int(y.mean(1).abs().max() < 1e-4)",
    ),
    of_the_output(
        "on_batch = int(y.mean(0).abs().max() < 1e-3 and (y.var(0, correction=0) - 1).abs().max() < 1e-3)",
        "on_positions = int(y.mean(1).abs().max() < 1e-3 and (y.var(1, correction=0) - 1).abs().max() < 1e-3)",
    ),
)
mistakes.add(
    "norms_on_a_list",
    "Your test compares what comes out with norms that it knows, or looks at what zeros become. What does "
    "it say of a norm that nobody has seen yet?",
    f"{OWN} {BATCH} {PLACES} {BOTH_CALLED} {SENTENCE} {TOKEN} {HIDDEN} {FEATURE} {SMALL} {UNCHANGED}",
    (BEFORE, f'return "neither" if norm(0 * x).any() else "both"\n    {BEFORE}'),
    (
        BEFORE,
        "same = torch.allclose(norm(x), F.layer_norm(x, x.shape[-1:], eps=1e-6), atol=1e-4)\n"
        f'    return "neither" if same or norm(0 * x).any() else "both"\n    {BEFORE}',
    ),
)
mistakes.add(
    "own_token_is_changed",
    "Your test changes a token and looks at the output of this very token. Of course it moves: it is "
    "a function of its own features. Which outputs may not move?",
    f"{OWN} {ROUNDING}",
    (SENTENCE_KEPT, "\n"),
    (TOKEN_KEPT, "\n"),
    ((SENTENCE_KEPT, "\n"), (TOKEN_KEPT, "\n")),
    (
        (AFTER, "after = norm(others)\n"),
        (BATCH_MOVES, "not torch.allclose(after, before, atol=1e-4)"),
    ),
    (
        (TOKEN_AFTER, "after = norm(others)[sentence]"),
        (POSITIONS_MOVE, "not torch.allclose(after, before[sentence], atol=1e-4)"),
    ),
    (BATCH_MOVES, "not torch.allclose(after, x[sentence], atol=1e-4)"),
    (ON_POSITIONS, "on_positions |= not torch.allclose(after, x[sentence, position], atol=1e-4)"),
    who_moves("[(0, 0)]", "pass"),
    who_moves(EVERY_TOKEN, "pass"),
)
mistakes.add(
    "shuffled",
    "Your test brings the tokens into another order and looks whether the outputs follow. A mean does "
    "not care about the order either, and still depends on every token.",
    f"{BATCH} {PLACES} {BOTH_CALLED}",
    *[
        (
            (AFTER, f"after = norm(x.{there}0)).{back}0)[sentence]\n"),
            (TOKEN_AFTER, f"after = norm(x.{there}1)).{back}1)[sentence, position]"),
        )
        for there, back in (
            ("flip(", "flip("),
            ("roll(1, ", "roll(-1, "),
            ("roll(-1, ", "roll(1, "),
        )
    ],
    reordered("torch.arange(batch).flip(0)", "torch.arange(seq).flip(0)"),
    reordered("torch.arange(batch).roll(1)", "torch.arange(seq).roll(1)"),
)
mistakes.add(
    "shifted",
    "Your test adds one number to all features of the other tokens. A norm that subtracts a token's "
    "mean first does not change then.",
    HIDDEN,
    changed("x + 1", "x[sentence] + 1"),
    changed("x + 10", "x[sentence] + 10"),
    changed("x + torch.randn(batch, seq, 1)", "x[sentence] + torch.randn(seq, 1)"),
    changed("x - 5", "x[sentence] - 5"),
)
mistakes.add(
    "scaled",
    "Your test multiplies the other tokens by a number. A norm that divides a token by its "
    "own size first does not change then.",
    HIDDEN,
    changed("2 * x", "2 * x[sentence]"),
    changed("10 * x", "10 * x[sentence]"),
    changed("100 * x", "100 * x[sentence]"),
)
mistakes.add(
    "shifted_and_scaled",
    "Your test makes the other tokens larger and adds one number to all of their features. A layer norm "
    "undoes both.",
    HIDDEN,
    changed("3 * x + 1", "3 * x[sentence] + 1"),
    changed("10 * x - 5", "10 * x[sentence] - 5"),
    changed("2 * x + 3", "2 * x[sentence] + 3"),
)
mistakes.add(
    "compared_exactly",
    "Your test takes two outputs for different when their last digits differ. Rounding alone does that.",
    ROUNDING,
    (
        (BATCH_MOVES, "not torch.equal(after, before[sentence])"),
        (POSITIONS_MOVE, "not torch.equal(after, before[sentence, position])"),
    ),
    (
        (BATCH_MOVES, "bool((after != before[sentence]).any())"),
        (POSITIONS_MOVE, "bool((after != before[sentence, position]).any())"),
    ),
    everywhere("atol=1e-4", "rtol=0, atol=1e-8"),
    everywhere("atol=1e-4", "rtol=1e-9, atol=0"),
)
mistakes.add(
    "too_lax",
    "Your test takes two outputs for equal although they differ by far more than rounding.",
    SMALL,
    *[everywhere("atol=1e-4", f"atol={most}") for most in ("1e-2", "0.05", "0.1")],
    everywhere("atol=1e-4", "rtol=0.1, atol=0.01"),
    everywhere("atol=1e-4", "rtol=0.05, atol=0.02"),
)
mistakes.add(
    "too_small_a_change",
    "Your test changes the other tokens by so little that a small dependence drowns in what it takes "
    "for rounding.",
    SMALL,
    *[
        changed(
            f"x + {size} * torch.randn_like(x)",
            f"x[sentence] + {size} * torch.randn_like(x[sentence])",
        )
        for size in ("0.01", "1e-3", "0.005")
    ],
)
mistakes.add(
    "first_sentence_only",
    "Your test watches the first sentence alone. What if only another one depends on others?",
    SENTENCE,
    (SENTENCES, "for sentence in range(1):"),
    (SENTENCES, "for sentence in [0]:"),
    (ON_BATCH, f"on_batch |= sentence == 0 and {BATCH_MOVES}"),
    ((SENTENCES, "for sentence in range(batch):\n        if sentence > 0:\n            break"),),
)
mistakes.add(
    "one_token_is_changed",
    "Your test changes one token of x, and looks who moves. What if they depend on another one?",
    f"{SENTENCE} {TOKEN}",
    who_moves("[(0, 0)]", LEFT_OUT),
    who_moves("[(batch - 1, seq - 1)]", LEFT_OUT),
    who_moves("[(0, seq - 1)]", LEFT_OUT),
    who_moves("[(0, i) for i in range(seq)]", LEFT_OUT),
)
mistakes.add(
    "one_token_is_watched",
    "Your test watches one token, in one sentence. What if only another one depends on others?",
    f"{SENTENCE} {TOKEN}",
    ((SENTENCES, "for sentence in range(1):"), (POSITIONS, "for position in range(1):")),
    ((SENTENCES, "for sentence in [batch // 2]:"), (POSITIONS, "for position in [seq // 2]:")),
)
mistakes.add(
    "one_pair_is_tried",
    "Your test tries one pair of tokens for other sentences, and one for other positions. What if in "
    "another pair the one depends on the other?",
    f"{BATCH} {SENTENCE} {TOKEN}",
    one_pair("0, 0", "1, 0", "0, 1"),
    one_pair("0, 0", "-1, 0", "0, -1"),
    one_pair("-1, -1", "0, -1", "-1, 0"),
)
mistakes.add(
    "last_one_counts",
    "Each round of your loop forgets what the rounds before it found: what the last one found is what "
    "your test says.",
    f"{SENTENCE} {TOKEN}",
    ((ON_BATCH, f"on_batch = {BATCH_MOVES}"), (ON_POSITIONS, f"on_positions = {POSITIONS_MOVE}")),
)
mistakes.add(
    "last_sentence_counts",
    "Of the sentences, only what the last one shows counts in what your test says.",
    SENTENCE,
    (ON_BATCH, f"on_batch = {BATCH_MOVES}"),
    (ON_BATCH, f"on_batch |= sentence == batch - 1 and {BATCH_MOVES}"),
)
mistakes.add(
    "all_have_to_move",
    "Your test says that there is a dependence only if every output moves that it looks at. One is "
    "enough.",
    f"{SENTENCE} {TOKEN}",
    (
        ("on_batch = on_positions = False", "on_batch = on_positions = True"),
        (ON_BATCH, f"on_batch &= {BATCH_MOVES}"),
        (ON_POSITIONS, f"on_positions &= {POSITIONS_MOVE}"),
    ),
)
mistakes.add(
    "one_sentence_is_changed",
    "For each sentence your test changes only one of the others. What if it depends on another one?",
    SENTENCE,
    *[
        ((OTHERS_NEW, f"others = x.clone()\n        others[{which}] = torch.randn_like(x[0])"),)
        for which in ("(sentence + 1) % batch", "sentence - 1", "0", "-1", "1 - sentence")
    ],
)
mistakes.add(
    "one_position_is_watched",
    "Your test watches one position of each sentence. What if only the token at another one depends "
    "on others?",
    TOKEN,
    (POSITIONS, "for position in range(1):"),
    (POSITIONS, "for position in [0]:"),
    (POSITIONS, "for position in [seq - 1]:"),
    (POSITIONS, "for position in [seq // 2]:"),
    (ON_POSITIONS, f"on_positions = {POSITIONS_MOVE}"),
)
mistakes.add(
    "positions_of_one_sentence",
    "Your test changes positions in one sentence of the batch alone. What if the tokens of another "
    "sentence depend on each other?",
    TOKEN,
    (POSITIONS, "for position in range(seq if sentence == 0 else 0):"),
    (ON_POSITIONS, f"on_positions |= sentence == 0 and {POSITIONS_MOVE}"),
)
mistakes.add(
    "one_position_is_changed",
    "For each token your test changes only one other token of the sentence. What if it depends on "
    "another one?",
    TOKEN,
    *[
        ((REST_NEW, f"others[sentence, {which}] = torch.randn_like(x[0, 0])"),)
        for which in ("(position + 1) % seq", "position - 1", "0", "-1")
    ],
    (
        (
            REST_NEW,
            "others[sentence, position + 1 :] = torch.randn_like(x[sentence, position + 1 :])",
        ),
    ),
)
mistakes.add(
    "only_earlier_positions_are_changed",
    "Your test changes the tokens before a token, and never those after it.",
    f"{TOKEN} {SMALL}",
    (REST_NEW, "others[sentence, :position] = torch.randn_like(x[sentence, :position])"),
)
mistakes.add(
    "batch_forgotten",
    "Your test never finds out anything about the other sentences.",
    f"{BATCH} {BOTH_CALLED} {SENTENCE}",
    (ON_BATCH, "pass"),
    (OTHERS_NEW, "others = x.clone()"),
    (ON_BATCH, "on_batch |= False"),
)
mistakes.add(
    "positions_forgotten",
    "Your test never finds out anything about the other tokens of a sentence.",
    f"{PLACES} {BOTH_CALLED} {TOKEN}",
    (ON_POSITIONS, "pass"),
    (REST_NEW, "pass"),
    (POSITIONS, "for position in range(0):"),
)
mistakes.add(
    "words_swapped",
    'Your test says "batch" where the other tokens of the sentence count, and "positions" where the other '
    "sentences do. Which axis of x is which?",
    f"{BATCH} {PLACES}",
    (SAYS, 'return "positions" if on_batch else "batch" if on_positions else "neither"'),
    (
        "batch, seq, _ = x.shape\n",
        "x = x.transpose(0, 1)\n    batch, seq, _ = x.shape\n    given = norm\n    norm = lambda x: given(x.transpose(0, 1)).transpose(0, 1)\n",
    ),
)
mistakes.add(
    "never_both",
    "Your test answers as soon as it has found one of the two, and never says that it is both.",
    BOTH_CALLED,
    (BOTH, ""),
    (
        (BOTH, ""),
        (SAYS, 'return "positions" if on_positions else "batch" if on_batch else "neither"'),
    ),
    (
        AFTER,
        "after = norm(others)[sentence]\n        if "
        + BATCH_MOVES
        + ':\n            return "batch"\n',
    ),
    ("if on_batch and on_positions:", "if on_batch and not on_positions:"),
)
mistakes.add(
    "always_both_where_one",
    "As soon as one of the two is found, your test says that it is both.",
    f"{BATCH} {PLACES}",
    ("if on_batch and on_positions:", "if on_batch or on_positions:"),
    (
        ON_POSITIONS,
        f"{ON_POSITIONS}\n            on_batch = on_positions = on_batch or on_positions",
    ),
)
mistakes.add(
    "other_sentences_count_as_positions",
    "To learn about the positions your test also changes other sentences, so that these count twice.",
    BATCH,
    (CLONE, "others = torch.randn_like(x)"),
    ((CLONE, "others = torch.randn_like(x)"), (REST_NEW, "pass")),
    ((CLONE, "others = x.clone()"), (REST_NEW, "others[:] = torch.randn_like(x)")),
    (
        (CLONE, "others = x.clone()"),
        (
            REST_NEW,
            "others[:, [i for i in range(seq) if i != position]] = torch.randn(batch, seq - 1, x.size(-1)).to(x)",
        ),
    ),
)
mistakes.add(
    "own_sentence_counts_as_batch",
    "To learn about the batch your test also changes tokens of the sentence itself, so that these count "
    "twice.",
    PLACES,
    (
        (SENTENCE_KEPT, "others[sentence, 0] = x[sentence, 0]\n"),
        (AFTER, "after = norm(others)[sentence, 0]\n"),
        (BATCH_MOVES, "not torch.allclose(after, before[sentence, 0], atol=1e-4)"),
    ),
    (
        (SENTENCE_KEPT, "others[sentence, -1] = x[sentence, -1]\n"),
        (AFTER, "after = norm(others)[sentence, -1]\n"),
        (BATCH_MOVES, "not torch.allclose(after, before[sentence, -1], atol=1e-4)"),
    ),
)
mistakes.add(
    "same_position_of_the_others",
    "In the other sentences your test changes only some positions. A token may depend on what "
    "stands elsewhere in them.",
    BATCH,
    (
        (OTHERS_NEW, "others = x.clone()\n        others[:, 0] = torch.randn_like(x[:, 0])"),
        (AFTER, "after = norm(others)[sentence, 0]\n"),
        (BATCH_MOVES, "not torch.allclose(after, before[sentence, 0], atol=1e-4)"),
    ),
)
mistakes.add(
    "one_feature_is_changed",
    "Your test changes one feature of the other tokens. What if it is another feature that matters?",
    FEATURE,
    *[
        (
            (
                OTHERS_NEW,
                f"others = x.clone()\n        others[..., {which}] = torch.randn(batch, seq).to(x)",
            ),
            (REST_NEW, f"others[sentence, :, {which}] = torch.randn(seq).to(x)"),
        )
        for which in ("0", "1")
    ],
)
mistakes.add(
    "one_feature_is_compared",
    "Your test compares one feature of the outputs. What if it is another one that moves?",
    FEATURE,
    *[
        (
            (
                BATCH_MOVES,
                f"not torch.allclose(after[:, {which}], before[sentence, :, {which}], atol=1e-4)",
            ),
            (
                POSITIONS_MOVE,
                f"not torch.allclose(after[{which}], before[sentence, position, {which}], atol=1e-4)",
            ),
        )
        for which in ("0", "-1")
    ],
)
mistakes.add(
    "sums_are_compared",
    "Your test compares the sum or the mean of an output's features. Behind a layer norm that is 0, "
    "whatever the features are.",
    HIDDEN,
    *[
        (
            (
                BATCH_MOVES,
                f"not torch.allclose(after.{how}(-1), before[sentence].{how}(-1), atol=1e-4)",
            ),
            (
                POSITIONS_MOVE,
                f"not torch.allclose(after.{how}(), before[sentence, position].{how}(), atol=1e-4)",
            ),
        )
        for how in ("sum", "mean")
    ],
)
mistakes.add(
    "x_is_changed",
    "Your test writes into the x that it was given: whoever called it has another one afterwards.",
    UNCHANGED,
    (BEFORE, "given = x\n    x = x.clone()\n    before = norm(x)\n    given[0] = 0"),
    ("if on_batch and on_positions:", "x[:] = 0\n    if on_batch and on_positions:"),
    ("if on_batch and on_positions:", "x += 1\n    if on_batch and on_positions:"),
    (
        CLONE,
        "others = x.clone(); kept = x[sentence, position].clone(); x[sentence, position] = kept + 1",
    ),
)
mistakes.add(
    "two_sentences_are_taken_for_granted",
    "Where x has one sentence, or a sentence one token, your test stops or compares with nothing.",
    NOBODY,
    (BEFORE, "before = norm(x)\n    second = x[1], x[0, 1]"),
    (BEFORE, "assert x.size(0) > 1 and x.size(1) > 1\n    before = norm(x)"),
    (
        BEFORE,
        'if x.size(0) == 1 or x.size(1) == 1:\n        return "neither"\n    before = norm(x)',
    ),
)
mistakes.add(
    "another_form",
    "Your test does not return one of the four words on each of its ways.",
    f"{OWN} {BATCH} {PLACES} {BOTH_CALLED}",
    ((BOTH, ""), (SAYS, "return on_batch, on_positions")),
    ((BOTH, ""), (SAYS, "return on_batch or on_positions")),
    (SAYS, SAYS.replace(' else "neither"', " else None")),
    ((BOTH, ""), (SAYS, "print(on_batch, on_positions)")),
)
