"""Exercise 7: the encoder. Stand-ins take the place of its layers, so that a broken `EncoderLayer` costs nothing here.

Where a student's own layers are asked instead (no stand-in was built), the whole encoder is compared.
"""

from dataclasses import replace

import pytest
import torch

from .relations import IN_TRAINING, NOTHING
from .stack import MAX_LEN, AskedEncoder, every_token_learns

RATE, SELDOM = 0.3, 0.15  # nobody's default
NEAR = 128  # positions that are compared: angles in float32 are wrong by more behind them
WHERE = (
    "Before the first layer, is anything dropped in training, both of what a token means and of where "
    "it stands? Which of embedding and positions does your dropout act on?"
)
ONCE = (
    "Before the first layer, which share is dropped in training, and by what is the rest scaled? "
    "Between the layers and behind them, the statement has no dropout of the encoder's own."
)


@pytest.fixture
def asked(candidate):
    return AskedEncoder(candidate)


@pytest.mark.points(1)
def test_embedding_is_scaled_and_positions_are_added(asked, tensors_agree, noted):
    encoder, reference, stack = asked.build(passes=True)
    tokens = torch.randint(asked.sizes.vocab, (1, MAX_LEN))  # as long as max_len allows
    answer = encoder(tokens)
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
def test_layers_are_called_one_after_another(asked, tensors_agree):
    encoder, reference, stack = asked.build()
    tokens = torch.randperm(asked.sizes.vocab).unsqueeze(0)  # each token once
    answer = encoder.strictly(tokens)
    expected = reference(tokens)
    if stack.seen:  # whatever the embedding was: from there on
        expected = stack.seen[0]
        for layer in reference.layers:
            expected = layer(expected)
    assert tensors_agree(answer, expected), (
        "Does each layer take what the one before it returned, and does the encoder return what "
        "the last one returned? Does `num_layers` say how many there are?"
    )
    gradients = encoder.gradients(tokens)
    assert gradients.arrive() and every_token_learns(gradients, asked.sizes), (
        "Does gradient arrive at the embedding of every token? `detach`, `.data` and `no_grad` cut it."
    )


@pytest.mark.points(0.25)
def test_mask_may_be_left_out(asked, token_laws, tensors_differ):
    (encoder, _, _), tokens = asked.build(), asked.draw()
    token_laws.mask_may_be_left_out(encoder, tokens)
    together, alone = encoder.each((tokens,), (tokens[:, :1],))
    assert tensors_differ(together[:, :1], alone), NOTHING


@pytest.mark.points(0.5)
def test_layers_get_the_arguments_of_the_encoder(candidate, asked, noted, tensors_differ):
    sizes = asked.sizes
    encoder, _, stack = asked.build(dropout=RATE, passes=True)
    tokens = asked.draw()
    answer, again, alone = encoder.each((tokens,), (tokens,), (tokens[:, :1],))
    wanted = [sizes.d_model, sizes.heads, sizes.d_ff, RATE]
    message = "Which arguments do the layers get? d_model, num_heads, d_ff, dropout: the encoder's."
    unseen = candidate.own_parts or encoder.has_stand_in  # of layers inside there is nothing to see
    assert stack.seen or not unseen, message
    inside = torch.equal(answer, again) and tensors_differ(answer[:, :1], alone)
    assert stack.seen or inside, message
    for arguments in stack.built:
        plain = [value for value in arguments if type(value) in (int, float)]
        noted([one in plain for one in wanted])
        rest = iter(plain)
        assert not plain or all(one in rest for one in wanted), message  # and perhaps more


@pytest.mark.points(0.5)
def test_padding_mask_reaches_every_layer(asked, token_laws, tensors_agree):
    asked = replace(asked, sizes=asked.sizes._replace(layers=3))  # a first, a last, one between
    (encoder, _, _), tokens = asked.build(), asked.draw()
    kept = torch.randperm(tokens.size(1) - 1)[: len(tokens)] + 1  # another length a sentence
    mask = (torch.arange(tokens.size(1)) < kept.unsqueeze(1)).long()
    answer = token_laws.padding_is_absent(
        encoder,
        tokens,
        mask,
        "Padding at the end should be as good as absent for the tokens before it. Which of "
        "the layers get to see the `attention_mask`?",
    )
    once, again = encoder.train().each(*[(tokens[:1], mask[:1])] * 2)
    seen = mask[:1] != 0
    assert not torch.equal(once, again) or tensors_agree(once[seen], answer[:1][seen]), IN_TRAINING


@pytest.mark.points(0.5)
def test_layers_have_weights_of_their_own(asked, noted, tensors_differ):
    sizes, tokens = asked.sizes, asked.draw()
    encoder, reference, stack = asked.build(passes=True)
    answer, alone = encoder.each((tokens,), (tokens[:, :1],))
    registered = {module.identity for module in encoder.modules() if module.stand_in}
    learned = {p.identity: p.shape for p in encoder.parameters() if p.requires_grad}
    noted([len(stack.numbers), len(registered), sorted(learned.values())])
    larger, _, _ = replace(asked, sizes=sizes._replace(layers=sizes.layers + 1)).build(passes=True)
    more = noted(len({module.identity for module in larger.modules() if module.stand_in}))
    if stack.seen:
        own = len(stack.numbers) == len(registered) == sizes.layers == more - 1
    else:  # of stand-ins that are never called, nobody knows
        least = len(list(reference.parameters()))
        enough = least <= len(learned) < least + least // sizes.layers
        used = tensors_differ(answer[:, :1], alone)
        own = used and enough and not encoder.has_stand_in
    assert own, (
        "How many layers with weights of their own does `print(encoder)` show? A plain Python list "
        "hides them from it, and `[layer] * n` is one layer, n times."
    )


@pytest.mark.points(0.5)
def test_dropout_acts_on_the_sum_of_embedding_and_positions(
    candidate, asked, tensors_agree, number_is_close, answer_or_none
):
    many = asked.sizes._replace(batch=4, query_len=64, layers=2, heads=6, d_k=16)  # chance is mild
    asked = replace(asked, sizes=many)
    (encoder, _, stack), tokens = asked.build(dropout=SELDOM, passes=True), asked.draw()
    answer, again = encoder.each((tokens,), (tokens,))
    evaluated = [*stack.seen[: len(stack.seen) // 2], answer]
    stack.seen.clear()
    dropped = encoder.train()(tokens)
    trained = [*stack.seen, dropped]
    assert tensors_agree(again, answer), "What should dropout do in evaluation?"
    if not stack.seen:
        assert not candidate.own_parts, ONCE
        assert asked.drops_all(tensors_agree, answer_or_none), WHERE
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
