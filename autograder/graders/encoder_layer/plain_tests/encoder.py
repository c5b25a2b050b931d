"""The encoder: embedding, positions and the stack of layers."""

import torch


def expected_positions(seq, d_model):
    """(seq, d_model): sines on even features, cosines on odd ones."""
    rate = torch.pow(10000.0, -torch.arange(0, d_model, 2) / d_model)
    angle = torch.arange(seq)[:, None] * rate
    return torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(seq, d_model)


def expected_output(encoder, tokens, *mask):
    d_model = encoder.embedding.weight.shape[1]
    x = encoder.embedding.weight[tokens] * d_model**0.5
    x = x + expected_positions(tokens.shape[1], d_model)
    for layer in encoder.layers:
        x = layer(x, *mask)
    return x


def test_output_is_that_of_the_reference(Encoder):
    for layers in (0, 3):
        encoder, tokens = Encoder(17, 12, 3, 20, layers).eval(), torch.randint(17, (2, 7))
        expected = expected_output(encoder, tokens)
        assert torch.allclose(encoder(tokens), expected, atol=1e-4), "The output is another."


def test_layers_are_as_many_and_each_has_its_own_weights(Encoder):
    encoder = Encoder(17, 12, 3, 20, 3)
    assert len(encoder.layers) == 3, "There are not num_layers layers."
    assert len({id(layer) for layer in encoder.layers}) == 3, "Layers share their weights."


def test_the_mask_reaches_every_layer(Encoder):
    encoder, tokens = Encoder(17, 12, 3, 20, 2).eval(), torch.randint(17, (2, 5))
    mask = torch.tensor([[1, 1, 0, 1, 0], [1, 1, 1, 1, 0]])
    expected = expected_output(encoder, tokens, mask)
    assert torch.allclose(encoder(tokens, mask), expected, atol=1e-4), "The mask acts otherwise."


def test_dropout_acts_in_training_only(Encoder):
    encoder, tokens = Encoder(17, 12, 3, 20, 0, 0.5), torch.randint(17, (2, 7))
    assert not torch.equal(encoder(tokens), encoder(tokens)), "Nothing is dropped in training."
    encoder.eval()
    assert torch.equal(encoder(tokens), encoder(tokens)), "Something is dropped in evaluation."
