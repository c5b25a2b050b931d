"""The calls that the statement allows: which lengths query and key may have, who may see what."""

import torch

LONG = 509  # near the encoder's max_len, and prime: pieces of no size come out even
LONGER = ((1, LONG), (LONG, 2), (131, 137))  # than buffers of a fixed length, in each direction
LOUD = 1e20  # what is hidden: any weight but 0 would be heard
NOTHING = (
    "Each number of your answer follows from one of the input, or from none. What do the layers do?"
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


def with_one_other(tensors, others):
    """Three calls, in each of which one of query, key and value is another."""
    return [(*tensors[:i], others[i], *tensors[i + 1 :]) for i in range(3)]


def attends(answer, with_others):
    """Whether an answer follows from two of query, key and value, or from all three: what returns one
    of them has done nothing of which it could be asked how.
    """
    return sum(bool(((answer - other).abs() > 0.01).any()) for other in with_others) > 1


def touched(x):
    """The same, with another first number."""
    other = x.clone()
    other.view(-1)[0] += 5 * x.abs().max()
    return other


def does_something(answer, other):
    """Whether more than one number of an answer moved when one of the input did: of what returns its
    input, or the same for all, nobody can ask how it does so.
    """
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


def pasts(query, key, value, mask):
    """A call for each of `some_positions`, with the keys alone that are not later."""
    return [
        (query[..., i : i + 1, :], key[..., : i + 1, :], value[..., : i + 1, :], mask[:, : i + 1])
        for i in some_positions(query)
    ]
