"""Exercise 7: the encoder. Its layers are played, so that a broken `EncoderLayer` costs nothing."""

import pytest
import torch

from autograder.graders.encoder_layer.reference import Encoder, shake

VOCAB, D_MODEL, HEADS, D_FF, LAYERS, BATCH, SEQ = 17, 12, 3, 28, 4, 2, 5


class Stack:
    """Plays the layers of a stack in the order in which they are called, and remembers the calls."""

    def __init__(self, reference, passes=False):
        self.reference = reference
        self.passes = passes
        self.seen, self.numbers = [], []

    def __call__(self, part, x, attention_mask=None, *_):
        if part.number not in self.numbers:
            self.numbers.append(part.number)
        self.seen.append(x)
        return (
            x
            if self.passes
            else self.reference.layers[self.numbers.index(part.number)](x, attention_mask)
        )


@pytest.mark.points(1.5)
def test_embedding_is_scaled_and_positions_are_added(candidate, agrees):
    encoder, reference, stack = _built(candidate, passes=True)
    tokens = _tokens()
    answer = encoder.eval()(tokens)
    expected = reference.embed(tokens) if stack.seen else reference(tokens)
    assert agrees(answer, expected), (
        "What reaches the first layer: by what is the embedding multiplied, and which dimension of "
        "a position is a sine, which a cosine, of which angle?"
    )


@pytest.mark.points(1)
def test_layers_are_called_one_after_another(candidate, agrees):
    encoder, reference, stack = _built(candidate)
    tokens = _tokens()
    answer, expected = encoder.eval()(tokens), reference(tokens)
    if stack.seen:  # whatever the embedding was: from there on
        expected = stack.seen[0]
        for layer in reference.layers:
            expected = layer(expected)
    assert agrees(answer, expected), (
        "Does each layer take what the one before it returned, and does the encoder return what "
        "the last one returned? Does `num_layers` say how many there are?"
    )


@pytest.mark.points(0.5)
def test_padding_mask_reaches_every_layer(candidate, agrees):
    encoder, _, _ = _built(candidate)
    tokens, kept = _tokens(), SEQ - 2
    mask = (torch.arange(SEQ) < kept).long().expand(BATCH, SEQ)
    answer = encoder.eval()(tokens, mask)
    assert not agrees(answer, encoder(tokens)), (
        "With the mask and without it, your answer is the same. Who gets to see the mask?"
    )
    assert agrees(answer[:, :kept], encoder(tokens[:, :kept])), (
        "Padding at the end should be as good as absent for the tokens before it. Which of the "
        "layers get to see the `attention_mask`?"
    )


@pytest.mark.points(0.5)
def test_layers_have_weights_of_their_own(candidate):
    encoder, reference, stack = _built(candidate, passes=True)
    encoder.eval()(_tokens())
    if stack.seen:
        registered = {module.identity for module in encoder.modules() if module.stand_in}
        own = len(stack.numbers) == len(registered) == LAYERS
    else:
        parameters = encoder.parameters()
        distinct = {parameter.identity for parameter in parameters}
        own = len(distinct) == len(parameters) >= len(list(reference.parameters()))
    assert own, (
        "How many layers with weights of their own does `print(encoder)` show? A plain Python list "
        "hides them from it, and `[layer] * n` is one layer, n times."
    )


@pytest.mark.points(0.5)
def test_dropout_acts_on_the_sum_of_embedding_and_positions(candidate, agrees, disappears):
    encoder, reference, stack = _built(candidate, dropout=1.0, passes=True)
    answer = encoder.train()(_tokens())
    dropped = disappears(answer) if stack.seen else agrees(answer, _nothing_but_norms(reference))
    assert dropped, (
        "If dropout took everything in training, what would reach the first layer of your encoder? "
        "Which of embedding and positions does it not act on?"
    )
    encoder, _, _ = _built(candidate, dropout=0.5, passes=True)
    tokens = _tokens()
    once = encoder.eval()(tokens)
    assert agrees(encoder(tokens), once), "What should dropout do in evaluation?"


def _built(candidate, dropout=0.0, passes=False):
    """An encoder of the candidate's with a reference's weights, which plays its layers."""
    reference = shake(Encoder(VOCAB, D_MODEL, HEADS, D_FF, LAYERS))
    stack = Stack(reference, passes)
    with candidate.stand_in(EncoderLayer=stack):
        encoder = candidate.build("Encoder", VOCAB, D_MODEL, HEADS, D_FF, LAYERS, dropout, 2 * SEQ)
    encoder.load_state_dict(reference.state_dict())
    return encoder, reference, stack


def _tokens():
    return torch.randint(VOCAB, (BATCH, SEQ))


def _nothing_but_norms(reference):
    x = torch.zeros(BATCH, SEQ, D_MODEL)
    for layer in reference.layers:
        x = layer.layer_norm_2(layer.layer_norm_1(x))
    return x
