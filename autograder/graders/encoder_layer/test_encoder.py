"""Exercise 7: the encoder. Stand-ins take the place of its layers, so that a broken `EncoderLayer` costs nothing here.

Where a student's own layers are asked instead (no stand-in was built), the whole encoder is compared.
"""

import pytest
import torch

from .relations import NOTHING
from .stack import MAX_LEN, AskedEncoder, every_token_learns, is_dropped_once

RATE, SELDOM = 0.3, 0.15  # nobody's default
NEAR = 128  # positions that are compared: angles in float32 are wrong by more behind them


@pytest.fixture
def asked(candidate):
    return AskedEncoder(candidate)


@pytest.mark.points(1)
def test_embedding_is_scaled_and_positions_are_added(asked, tensors_agree, noted):
    """What reaches the first layer: by what is the embedding multiplied, and which dimension of a
    position is a sine, which a cosine, of which angle?"""
    encoder, reference, stack = asked.build(passes=True)
    learned = noted(any(MAX_LEN in p.shape for p in encoder.parameters() if p.requires_grad))
    for tokens in (torch.randint(asked.sizes.vocab, (1, MAX_LEN)), asked.draw()):  # all, and a few
        stack.clear()
        first, expected = encoder(tokens), reference(tokens)
        if stack.seen:
            first, expected = stack.seen[0], reference.embed(tokens)
        assert tensors_agree(first[:, :NEAR], expected[:, :NEAR])
    assert not learned, (
        "Beside the layers, what does your encoder learn? Positions are fixed, not learned."
    )


@pytest.mark.points(0.75)
def test_layers_are_called_one_after_another(asked, tensors_agree):
    """Does each layer take what the one before it returned, and does the encoder return what the
    last one returned? Does `num_layers` say how many there are?"""
    encoder, reference, stack = asked.build()
    tokens = torch.randperm(asked.sizes.vocab).unsqueeze(0)  # each token once
    answer = encoder.strictly(tokens)
    from_there = stack.of(stack.seen[0]) if stack.seen else reference(tokens)
    assert tensors_agree(answer, from_there)
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
    (encoder, _, stack), tokens = asked.build(dropout=RATE, passes=True), asked.draw()
    answer, again, alone = encoder.each((tokens,), (tokens,), (tokens[:, :1],))
    wanted = [asked.sizes.d_model, asked.sizes.heads, asked.sizes.d_ff, RATE]
    message = "Which arguments do the layers get? d_model, num_heads, d_ff, dropout: the encoder's."
    if not stack.seen:  # of layers inside there is nothing to see
        inside = torch.equal(answer, again) and tensors_differ(answer[:, :1], alone)
        assert inside and not candidate.own_parts and not encoder.has_stand_in, message
    for plain in stack.built:
        noted([one in plain for one in wanted])
        rest = iter(plain)
        assert not plain or all(one in rest for one in wanted), message  # and perhaps more


@pytest.mark.points(0.5)
def test_padding_mask_reaches_every_layer(asked, token_laws):
    """Padding at the end should be as good as absent for the tokens before it. Which of the layers
    get to see the `attention_mask`?"""
    (encoder, _, _), tokens = asked.at(layers=3).build(), asked.draw()  # first, last, one between
    mask = asked.draw_padding_at_the_end()
    answer = token_laws.padding_is_absent(encoder, tokens, mask)
    token_laws.training_changes_nothing_of_it(encoder, tokens, mask, answer)


@pytest.mark.points(0.5)
def test_layers_have_weights_of_their_own(asked, noted, tensors_differ):
    """How many layers with weights of their own does `print(encoder)` show? A plain Python list
    hides them from it, and `[layer] * n` is one layer, n times."""
    (encoder, reference, stack), tokens = asked.build(passes=True), asked.draw()
    answer, alone = encoder.each((tokens,), (tokens[:, :1],))
    larger, _, _ = asked.at(layers=asked.sizes.layers + 1).build(passes=True)
    counts = [len(stack.built), asked.stand_ins_in(encoder), asked.stand_ins_in(larger) - 1]
    noted([counts, sorted(asked.shapes_of_learned(encoder))])
    own = counts == [asked.sizes.layers] * 3
    if not stack.seen:  # of stand-ins that are never called, nobody knows
        own = tensors_differ(answer[:, :1], alone) and asked.learns_as_much(encoder, reference)
    encoder.library_calls(tokens)  # for a note to staff: see LIBRARY_PARTS
    assert own


@pytest.mark.points(0.5)
def test_dropout_acts_on_the_sum_of_embedding_and_positions(
    candidate, asked, tensors_agree, number_is_close, answer_or_none
):
    """Before the first layer, which share is dropped in training, and by what is the rest scaled?
    Between the layers and behind them, the statement has no dropout of the encoder's own."""
    asked = asked.at(batch=4, query_len=64, layers=2, heads=6, d_k=16)  # so that chance is mild
    evaluated, trained = asked.hear_dropout(SELDOM, tensors_agree)
    own = len(trained) == 1 and not candidate.own_parts  # layers inside of it
    inside = own and asked.drops_all(tensors_agree, answer_or_none)
    assert inside or (len(trained) > 1 and bool((trained[0] == 0).any())), (
        "Before the first layer, is anything dropped in training, both of what a token means and of "
        "where it stands? Which of embedding and positions does your dropout act on?"
    )
    assert inside or is_dropped_once(SELDOM, evaluated, trained, tensors_agree, number_is_close)
