"""What holds of each layer that takes x and a mask: x is (batch, seq, d_model), the mask (batch, seq)."""

import torch


def padding_is_absent(layer, x, mask, agree, differ):
    """Tokens that are kept are answered as if the others were not there, in training, too."""
    answer = layer(x, mask)
    calls = [(x[i, kept][None], mask[i, kept][None]) for i, kept in enumerate(mask != 0)]
    open_to_all, *alone = layer.each((x, torch.ones_like(mask)), *calls)
    assert differ(answer, open_to_all), (
        "With the mask and without it, your answer is the same. Who gets to see the mask?"
    )
    expected = torch.cat([tokens.squeeze(0) for tokens in alone])
    assert agree(answer[mask != 0], expected)
    assert agree(layer(x, mask.bool())[mask != 0], expected), (
        "With a mask of True and False your answer is another than with one of 1 and 0. Why?"
    )
    once, again = layer.train().each((x, mask), (x, mask))
    chance = not torch.equal(once, again)
    assert chance or agree(once[mask != 0], expected), (
        "After `train()`, what the mask hides after `eval()` is heard. Which line asks for one of the two?"
    )
