"""The calls that the statement allows: which lengths query and key may have, who may see what."""

import torch


def lengths(sizes):
    """(query_len, key_len): longer, shorter, equal; a single query, a single key."""
    query_len, key_len = sizes.query_len, sizes.key_len
    return (
        (query_len, key_len),
        (key_len, query_len),
        (key_len, key_len),
        (1, key_len),
        (query_len, 1),
    )


def everything(key):
    """A mask that hides nothing: (batch, key_len)"""
    return torch.ones(len(key), key.size(-2), dtype=torch.int64)


def without_padding(query, key, value, mask):
    """A call for each sentence, with the keys that are no padding alone."""
    calls = []
    for sentence in range(len(query)):
        one, kept = slice(sentence, sentence + 1), mask[sentence] != 0
        calls.append(
            (query[one], key[one][..., kept, :], value[one][..., kept, :], mask[one][:, kept])
        )
    return calls


def some_positions(query):
    """The first query, one in the middle, and the last."""
    last = query.size(-2) - 1
    return sorted({0, last // 2, last})


def pasts(query, key, value, mask):
    """A call for each of `some_positions`, with the keys alone that are not later."""
    return [
        (query[..., i : i + 1, :], key[..., : i + 1, :], value[..., : i + 1, :], mask[:, : i + 1])
        for i in some_positions(query)
    ]
