"""Exercise 7: the encoder. Stand-ins take the place of its layers, so that a broken `EncoderLayer` costs nothing here.

Where a student's own layers are asked instead (no stand-in was built), the whole encoder is compared.
"""

import pytest
import torch

from .reference import draw_sizes
from .relations import IN_TRAINING, NOTHING
from .stack import (
    MAX_LEN,
    build_encoder,
    draw_tokens,
    every_token_learns,
    nothing_but_norms,
)

RATE, SELDOM = 0.3, 0.15  # nobody's default
TOKENS = 64  # of a sentence, where dropout is counted
NEAR = 128  # positions that are compared: angles in float32 are wrong by more behind them
WHERE = (
    "Before the first layer, is anything dropped in training, both of what a token means and of where "
    "it stands? Which of embedding and positions does your dropout act on?"
)
ONCE = (
    "Before the first layer, which share is dropped in training, and by what is the rest scaled? "
    "Between the layers and behind them, the statement has no dropout of the encoder's own."
)


@pytest.mark.points(1)
def test_embedding_is_scaled_and_positions_are_added(candidate, tensors_agree, noted):
    sizes = draw_sizes()
    encoder, reference, stack = build_encoder(candidate, sizes, passes=True)
    tokens = torch.randint(sizes.vocab, (1, MAX_LEN))  # as long as max_len allows
    answer = encoder.eval().leniently(tokens, torch.ones_like(tokens))
    first, expected = (
        (stack.seen[0], reference.embed(tokens)) if stack.seen else (answer, reference(tokens))
    )
    learned = noted(any(MAX_LEN in p.shape for p in encoder.parameters() if p.requires_grad))
    assert tensors_agree(first[:, :NEAR], expected[:, :NEAR]), (
        "What reaches the first layer: by what is the embedding multiplied, and which dimension of "
        "a position is a sine, which a cosine, of which angle?"
    )
    assert not learned, (
        "Beside the layers, what does your encoder learn? Positions are fixed, not learned."
    )


@pytest.mark.points(0.75)
def test_layers_are_called_one_after_another(candidate, tensors_agree, answer_or_none):
    sizes = draw_sizes()
    encoder, reference, stack = build_encoder(candidate, sizes)
    tokens = torch.randperm(sizes.vocab).unsqueeze(0)  # each token once
    alone = answer_or_none(lambda: encoder.eval()(tokens)) is not None
    arguments = (tokens,) if alone else (tokens, torch.ones_like(tokens))
    stack.seen.clear()
    answer = encoder.eval().strictly(*arguments)
    if stack.seen:  # whatever the embedding was: from there on
        expected = stack.seen[0]
        for layer in reference.layers:
            expected = layer(expected)
    else:
        expected = reference(tokens)
    assert tensors_agree(answer, expected), (
        "Does each layer take what the one before it returned, and does the encoder return what "
        "the last one returned? Does `num_layers` say how many there are?"
    )
    gradients = encoder.gradients(*arguments)
    assert gradients.arrive() and every_token_learns(gradients, sizes), (
        "Does gradient arrive at the embedding of every token? `detach`, `.data` and `no_grad` cut it."
    )


@pytest.mark.points(0.25)
def test_mask_may_be_left_out(candidate, tensors_agree, tensors_differ):
    sizes = draw_sizes()
    encoder, _, _ = build_encoder(candidate, sizes)
    tokens, _ = draw_tokens(sizes)
    without, none, alone = encoder.eval().each((tokens,), (tokens, None), (tokens[:, :1],))
    assert tensors_differ(none[:, :1], alone), NOTHING
    assert tensors_agree(none, without) or not torch.allclose(encoder(tokens), without), (
        "Without a mask and with `None` your answers differ. What stands for no mask?"
    )


@pytest.mark.points(0.5)
def test_layers_get_the_arguments_of_the_encoder(candidate, noted):
    sizes = draw_sizes()
    encoder, _, stack = build_encoder(candidate, sizes, dropout=RATE, passes=True)
    encoder.eval().leniently(*draw_tokens(sizes))
    wanted = [sizes.d_model, sizes.heads, sizes.d_ff, RATE]
    message = "Which arguments do the layers get? d_model, num_heads, d_ff, dropout: the encoder's."
    unseen = candidate.own_parts or encoder.has_stand_in  # of layers inside there is nothing to see
    assert stack.seen or not unseen, message
    for arguments in stack.built:
        plain = [value for value in arguments if type(value) in (int, float)]
        noted([one in plain for one in wanted])
        rest = iter(plain)
        assert not plain or all(one in rest for one in wanted), message  # and perhaps more


@pytest.mark.points(0.5)
def test_padding_mask_reaches_every_layer(candidate, tensors_agree, tensors_differ):
    sizes = draw_sizes()._replace(layers=3)  # a first, a last, one between
    encoder, _, _ = build_encoder(candidate, sizes)
    tokens, everything = draw_tokens(sizes)
    kept = torch.randperm(sizes.query_len - 1)[: sizes.batch] + 1  # another length a sentence
    mask = (torch.arange(sizes.query_len) < kept.unsqueeze(1)).long()
    answer = encoder.eval().unchanged(tokens, mask)
    assert tensors_differ(answer, encoder.leniently(tokens, everything)), (
        "With the mask and without it, your answer is the same. Who gets to see the mask?"
    )
    calls = [(tokens[i : i + 1, :n], mask[i : i + 1, :n]) for i, n in enumerate(kept.tolist())]
    alone = torch.cat([sentence.squeeze(0) for sentence in encoder.each(*calls)])
    assert tensors_agree(answer[mask != 0], alone), (
        "Padding at the end should be as good as absent for the tokens before it. Which of "
        "the layers get to see the `attention_mask`?"
    )
    assert tensors_agree(encoder.unchanged(tokens, mask.bool()), answer), (
        "With a mask of True and False your answer is another than with one of 1 and 0. Why?"
    )
    once, again = encoder.train().each(*[(tokens[:1], mask[:1])] * 2)
    seen = mask[:1] != 0
    assert not torch.equal(once, again) or tensors_agree(once[seen], answer[:1][seen]), IN_TRAINING


@pytest.mark.points(0.5)
def test_layers_have_weights_of_their_own(candidate, noted, tensors_differ):
    sizes = draw_sizes()
    encoder, reference, stack = build_encoder(candidate, sizes, passes=True)
    encoder.eval().leniently(*draw_tokens(sizes))
    registered = {module.identity for module in encoder.modules() if module.stand_in}
    learned = {p.identity: p.shape for p in encoder.parameters() if p.requires_grad}
    noted([len(stack.numbers), len(registered), sorted(learned.values())])
    larger, _, _ = build_encoder(candidate, sizes._replace(layers=sizes.layers + 1), passes=True)
    more = noted(len({module.identity for module in larger.modules() if module.stand_in}))
    if stack.seen:
        own = len(stack.numbers) == len(registered) == sizes.layers == more - 1
    else:  # of stand-ins that are never called, nobody knows
        least = len(list(reference.parameters()))
        enough = least <= len(learned) < least + least // sizes.layers
        call = draw_tokens(sizes)
        answer, alone = encoder.each_leniently(call, [one[:, :1] for one in call])
        used = tensors_differ(answer[:, :1], alone)
        own = used and enough and not encoder.has_stand_in
    assert own, (
        "How many layers with weights of their own does `print(encoder)` show? A plain Python list "
        "hides them from it, and `[layer] * n` is one layer, n times."
    )


@pytest.mark.points(0.5)
def test_dropout_acts_on_the_sum_of_embedding_and_positions(
    candidate, tensors_agree, number_is_close, answer_or_none
):
    sizes = draw_sizes()._replace(
        layers=2, heads=6, d_k=16
    )  # many features, so that chance is mild
    tokens = torch.randint(sizes.vocab, (4, TOKENS))
    call = tokens, torch.ones_like(tokens)
    encoder, _, stack = build_encoder(candidate, sizes, dropout=SELDOM, passes=True)
    answer, again = encoder.eval().each_leniently(call, call)
    evaluated = [*stack.seen[: len(stack.seen) // 2], answer]
    stack.seen.clear()
    trained = [encoder.train().leniently(*call)]
    trained = [*stack.seen, *trained]
    assert tensors_agree(again, answer), "What should dropout do in evaluation?"
    if not stack.seen:
        assert not candidate.own_parts, ONCE
        assert _is_dropped_as_a_whole(candidate, sizes, tensors_agree, answer_or_none), WHERE
        return
    first, before = trained[0], evaluated[0]
    assert [x.shape for x in trained] == [x.shape for x in evaluated], ONCE
    assert bool((first == 0).any()), WHERE
    kept = first != 0
    share = number_is_close(_share(kept), 1 - SELDOM, within=0.08)
    scaled = tensors_agree(first[kept] * (1 - SELDOM), before[kept])
    later = [  # whatever acts between the layers, in training it takes no more than in evaluation
        number_is_close(_share(x[kept] == 0), _share(y[kept] == 0), within=0.02)
        for x, y in zip(trained, evaluated, strict=True)
    ]
    assert share and scaled and all(later), ONCE


def _share(which):
    return which.double().mean().item()


def _is_dropped_as_a_whole(candidate, sizes, tensors_agree, answer_or_none):
    """Whether nothing but norms is left at a rate of 1.0, of an encoder with layers of its own.

    Some refuse that rate, and then nothing is known.
    """
    built = answer_or_none(lambda: build_encoder(candidate, sizes, dropout=1.0))
    if built is None:
        return True
    encoder, reference, _ = built
    answer = encoder.train().leniently(*draw_tokens(sizes))
    return tensors_agree(answer, nothing_but_norms(reference, answer))
