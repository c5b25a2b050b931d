"""Exercise 3a: scaled dot-product attention. With or without an axis for the heads: both count,
unless the student's own multi-head attention hands over one: then that is what it has to work with.

Masks are graded by laws on the student's own answers, so that a wrong scale costs one check only:
what is masked has no more influence than what is not there.
"""

import pytest
import torch

from .layouts import EITHER, WITH_HEADS
from .reference import attention, draw_sizes, padding

TWICE = "Asked twice, your attention answers differently. What in it depends on chance?"
DEPTH = 80  # how far below 0 kept scores are; their exponential is still a number in float32
LOUD = 1e20  # what is hidden: any weight but 0 would be heard
NO_EFFECT = "With the mask and without it, your answer is the same. Where does the mask act?"


@pytest.mark.points(1.5)
def test_values_are_averaged_with_softmax_of_scaled_scores(
    candidate, tensors_agree, in_some_case, surroundings
):
    def claim(layout):
        sizes = draw_sizes()
        for one in (sizes, sizes._replace(d_k=sizes.d_k + 2)):  # no number is right for both
            layer, tensors = _build(candidate), _tensors(layout, one)
            assert tensors_agree(layer.strictly(*tensors), attention(*tensors)), (
                "For one query: which number is the score of a key divided by, and over which axis "
                "do its weights add up to 1? Try a query_len that is not the key_len."
            )
        assert layer.learns(*tensors), (
            "Does gradient arrive at query, key and value? `detach`, `.data` and `no_grad` cut it."
        )

    in_some_case(claim, *(surroundings or EITHER))


@pytest.mark.points(1)
def test_padding_has_no_influence(
    candidate, tensors_agree, tensors_differ, in_some_case, answer_or_none, surroundings
):
    in_some_case(
        lambda layout: _padding_is_as_good_as_absent(
            candidate, tensors_agree, tensors_differ, answer_or_none, layout, torch.int64
        ),
        *(surroundings or EITHER),
    )


@pytest.mark.points(0.5)
def test_boolean_mask_is_as_good_as_integers(
    candidate, tensors_agree, tensors_differ, in_some_case, answer_or_none, surroundings
):
    in_some_case(
        lambda layout: _padding_is_as_good_as_absent(
            candidate, tensors_agree, tensors_differ, answer_or_none, layout, torch.bool
        ),
        *(surroundings or EITHER),
    )


@pytest.mark.points(0.75)
def test_future_mask_hides_later_keys(
    candidate, tensors_agree, tensors_differ, in_some_case, answer_or_none, surroundings
):
    def claim(layout):
        seeing, blind, sizes = _build(candidate), _build(candidate, True), draw_sizes()
        for query_len, key_len in ((6, 6), (4, 9), (11, 5)):
            query, key, value = _tensors(layout, sizes, query_len, key_len)
            mask = padding(sizes.batch, key_len)
            everything = torch.ones_like(mask)
            answer, again = blind.each_leniently(*[(query, key, value, everything)] * 2)
            both = answer_or_none(lambda: blind(query, key, value, mask))  # noqa: B023  asked at once
            past = [
                (query[..., i : i + 1, :], key[..., : i + 1, :], value[..., : i + 1, :])
                for i in range(query_len)
            ]
            calls = [(*one, everything[:, : i + 1]) for i, one in enumerate(past)]
            open_to_all, *alone = seeing.each_leniently((query, key, value, everything), *calls)
            assert torch.equal(again.nan_to_num(), answer.nan_to_num()), TWICE
            assert tensors_differ(answer, open_to_all), NO_EFFECT
            assert tensors_agree(answer, torch.cat(alone, -2)), (
                "With `mask_future=True`, which keys may the query at position i attend to, and "
                "which without it? Does that also hold if there are more keys, or more queries?"
            )
            if both is not None:
                alone = seeing.each(*((*one, mask[:, : i + 1]) for i, one in enumerate(past)))
                assert tensors_agree(both, torch.cat(alone, -2)), (
                    "What happens to a key that is padding and one that is later, if both masks act?"
                )

    in_some_case(claim, *(surroundings or EITHER))


@pytest.mark.points(0.25)
def test_training_changes_nothing(
    candidate, tensors_agree, tensors_differ, in_some_case, surroundings
):
    def claim(layout):
        sizes = draw_sizes()
        layer, tensors = _build(candidate), _tensors(layout, sizes)
        everything = torch.ones(sizes.batch, sizes.key_len, dtype=torch.int64)
        evaluated = layer.leniently(*tensors, everything)
        assert tensors_differ(layer.leniently(*_tensors(layout, sizes), everything), evaluated), (
            "For another query, key and value your answer is the same. Are they used?"
        )
        assert tensors_agree(layer.train().leniently(*tensors, everything), evaluated), (
            "Why is the answer another in training? Nobody asked for dropout here."
        )

    in_some_case(claim, *(surroundings or EITHER))


def _padding_is_as_good_as_absent(
    candidate, tensors_agree, tensors_differ, answer_or_none, layout, dtype
):
    """Every score of a key that is kept is far below that of padding: a weak fill hides nothing."""
    sizes = draw_sizes()
    layer, (query, key, value) = _build(candidate), _tensors(layout, sizes)
    mask = padding(sizes.batch, sizes.key_len)
    plainly = query, key, value, mask.to(dtype)  # its answer only tells mistakes apart
    hidden = (mask == 0).reshape(sizes.batch, *[1] * (query.dim() - 3), sizes.key_len, 1)
    low = torch.zeros(sizes.d_k)
    low[0] = (DEPTH * sizes.d_k**0.5) ** 0.5
    query[..., 0] = key[..., 0] = 0  # so that nothing else is in these scores
    query, key = query + low, torch.where(hidden, key, key - low)
    value = torch.where(hidden, LOUD * value, value)
    mask = mask.to(dtype)
    answer = layer.unchanged(query, key, value, mask)
    calls = []
    for sentence in range(sizes.batch):
        one, kept = slice(sentence, sentence + 1), mask[sentence] != 0
        tensors = query[one], key[one][..., kept, :], value[one][..., kept, :]
        calls.append((*tensors, mask[one][:, kept]))
    open_to_all = query, key, value, torch.ones_like(mask)
    again, everything, _, *alone = layer.each(
        (query, key, value, mask), open_to_all, plainly, *calls
    )
    bare = answer_or_none(lambda: layer(query, key, value))
    assert torch.equal(again.nan_to_num(), answer.nan_to_num()), TWICE
    assert tensors_differ(answer, everything), NO_EFFECT
    assert bare is None or tensors_agree(everything, bare), (
        "A mask that hides nothing changes your answer. What else does it change?"
    )
    assert tensors_agree(answer, torch.cat(alone)), (
        "What weight does a key get where `attention_mask` is 0, exactly? And do the weights of "
        "the other keys still add up to 1?"
    )


def _build(candidate, *mask_future):
    layer = candidate.build("Attention", *mask_future)
    return layer.expect(lambda query, key, value, *_: (*query.shape[:-1], value.size(-1))).eval()


def _tensors(layout, sizes, query_len=None, key_len=None):
    """Scores with a spread of about 2, so that a missing scale is seen."""
    leading = (sizes.batch, sizes.heads) if layout == WITH_HEADS else (sizes.batch,)
    query_len, key_len = query_len or sizes.query_len, key_len or sizes.key_len
    query = 1.5 * torch.randn(*leading, query_len, sizes.d_k)
    key = 1.5 * torch.randn(*leading, key_len, sizes.d_k)
    return query, key, torch.randn(*leading, key_len, sizes.d_v)
