"""Exercise 3a: scaled dot-product attention. With or without an axis for the heads: both count.

Masks are graded by laws on the student's own answers, so that a wrong scale costs one check only:
what is masked has no more influence than what is not there.
"""

import pytest
import torch

from autograder.graders.encoder_layer.reference import attention, padding

BATCH, HEADS, QUERY_LEN, KEY_LEN, D_K, D_V = 2, 3, 5, 7, 6, 4
LAYOUTS = (BATCH,), (BATCH, HEADS)
NO_EFFECT = "With the mask and without it, your answer is the same. Where does the mask act?"


@pytest.mark.points(1.5)
def test_values_are_averaged_with_softmax_of_scaled_scores(candidate, agrees, one_of):
    def claim(layout):
        layer, tensors = candidate.build("Attention"), _tensors(layout)
        assert agrees(layer(*tensors), attention(*tensors)), (
            "For one query: which number is the score of a key divided by, and over which axis do "
            "its weights add up to 1? Try a query_len that is not the key_len."
        )

    one_of(claim, *LAYOUTS)


@pytest.mark.points(1)
def test_padding_has_no_influence(candidate, agrees, one_of):
    one_of(
        lambda layout: _padding_is_as_good_as_absent(candidate, agrees, layout, torch.int64),
        *LAYOUTS,
    )


@pytest.mark.points(0.5)
def test_boolean_mask_is_as_good_as_integers(candidate, agrees, one_of):
    one_of(
        lambda layout: _padding_is_as_good_as_absent(candidate, agrees, layout, torch.bool),
        *LAYOUTS,
    )


@pytest.mark.points(1)
def test_future_mask_hides_later_keys(candidate, agrees, one_of):
    def claim(layout):
        seeing, blind = candidate.build("Attention"), candidate.build("Attention", True)
        for query_len, key_len in ((KEY_LEN, KEY_LEN), (QUERY_LEN, KEY_LEN)):
            query, key, value = _tensors(layout, query_len, key_len)
            answer = blind(query, key, value)
            assert not agrees(answer, seeing(query, key, value)), NO_EFFECT
            for i in range(query_len):
                alone = seeing(
                    query[..., i : i + 1, :], key[..., : i + 1, :], value[..., : i + 1, :]
                )
                assert agrees(answer[..., i : i + 1, :], alone), (
                    "With `mask_future=True`, which keys may the query at position i attend to, and "
                    "which without it? Does that also hold with more keys than queries?"
                )

    one_of(claim, *LAYOUTS)


def _padding_is_as_good_as_absent(candidate, agrees, layout, dtype):
    layer, (query, key, value), mask = (
        candidate.build("Attention"),
        _tensors(layout),
        padding(BATCH, KEY_LEN),
    )
    hidden = (mask == 0).reshape(BATCH, *[1] * (len(layout) - 1), KEY_LEN, 1)
    key, value = torch.where(hidden, key * 4, key), torch.where(hidden, value * 1_000, value)
    answer = layer(query, key, value, mask.to(dtype))
    assert not agrees(answer, layer(query, key, value)), NO_EFFECT
    for sentence in range(BATCH):
        one, kept = slice(sentence, sentence + 1), mask[sentence] != 0
        alone = layer(query[one], key[one][..., kept, :], value[one][..., kept, :])
        assert agrees(answer[one], alone), (
            "What weight does a key get where `attention_mask` is 0, exactly? And do the weights of "
            "the other keys still add up to 1?"
        )


def _tensors(layout, query_len=QUERY_LEN, key_len=KEY_LEN):
    """Scores with a spread of about 2, so that a missing scale is seen."""
    query, key = torch.randn(*layout, query_len, D_K), torch.randn(*layout, key_len, D_K)
    return 1.5 * query, 1.5 * key, torch.randn(*layout, key_len, D_V)
