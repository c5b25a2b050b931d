"""The two forms in which an `Attention` is asked: (batch, seq, d_k), and (batch, num_heads, seq, d_k)."""

import torch

from .reference import attention, draw_sizes, padding

THREE_AXES, FOUR_AXES = "without an axis for the heads", "with an axis for the heads"


def draw_inputs(layout, sizes, query_len=None, key_len=None):
    """Query, key and value; scores have a spread of about 2, so that a missing scale is seen."""
    leading = (sizes.batch, sizes.heads) if layout == FOUR_AXES else (sizes.batch,)
    query_len, key_len = query_len or sizes.query_len, key_len or sizes.key_len
    query = 1.5 * torch.randn(*leading, query_len, sizes.d_k)
    key = 1.5 * torch.randn(*leading, key_len, sizes.d_k)
    return query, key, torch.randn(*leading, key_len, sizes.d_v)


def look_around(candidate, answer_or_none):
    """Return the layout that works best, in which all is asked but for the one check that asks both."""
    return max((FOUR_AXES, THREE_AXES), key=lambda one: _works(candidate, answer_or_none, one))


def _works(candidate, answer_or_none, layout):
    """How much of an attention there is in this layout: answers, and right ones, with a mask and without."""
    sizes = draw_sizes()
    call = *draw_inputs(layout, sizes), padding(sizes.batch, sizes.key_len)
    expected = attention(*call), attention(*call[:3])
    ask = answer_or_none(lambda: candidate.build("Attention").eval())
    answers = [
        answer_or_none(lambda: ask(*some))  # noqa: B023  asked at once
        for some in (call, call[:3])
    ]
    there = [
        (answer, wanted)
        for answer, wanted in zip(answers, expected, strict=True)
        if isinstance(answer, torch.Tensor) and answer.shape == wanted.shape
    ]
    return len(there) + sum(torch.allclose(*both, rtol=1e-3, atol=1e-3) for both in there)
