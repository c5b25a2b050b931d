"""The calls that the statement allows: which lengths query and key may have, who may see what; and
what an answer has to follow from.

A call is (query, key, value), each (batch, seq, size) or (batch, heads, seq, size), and perhaps a mask
(batch, key_len).
"""

import torch

LOUD = 1e20  # what is hidden: any weight but 0 would be heard
NOTHING = (
    "Each number of your answer follows from one of the input, or from none. What do you make of the "
    "others?"
)
IN_TRAINING = "After `train()`, what the mask hides after `eval()` is heard. Which line asks for one of the two?"


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


def loud_ends(query, key, value):
    """The same call, in which the first and the last value are heard, of however many."""
    value = value.clone()
    value[..., [0, -1], :] *= value.size(-2)
    return query, key, value


def is_silent(answer):
    """Whether nothing is heard in it of what is `LOUD`."""
    return bool((answer.abs() < LOUD**0.5).all())


def with_loud_last(query, key, value):
    """The same call, of the queries before the last key, whose value would be heard."""
    value = torch.cat([value[..., :-1, :], LOUD * value[..., -1:, :]], -2)
    return query[..., : key.size(-2) - 1, :], key, value


def answered(ask, *call):
    """The answer to x, or to query, key and value. More than one number of it has to move when one of x
    does, or of query and key: of what returns an input, or the same for all, nobody can ask how.
    """
    touched = list(call)
    for place, one in enumerate(call[:2]):
        if one.is_floating_point():
            touched[place] = one.clone()
            touched[place].view(-1)[-place] += 5 * one.abs().max()
    answer, other = ask(call, touched)
    assert moves(answer, other), NOTHING
    return answer


def moves(answer, other):
    """Whether more than one number is another."""
    return int(((answer - other).abs() > 0.01).sum()) > 1


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


def pasts(query, key, value, *mask):
    """A call for each of `some_positions`, with the keys alone that are not later."""
    return [
        (
            query[..., i : i + 1, :],
            key[..., : i + 1, :],
            value[..., : i + 1, :],
            *(one[:, : i + 1] for one in mask),
        )
        for i in some_positions(query)
    ]
