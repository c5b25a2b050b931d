"""What stand-ins compute in these tests: a module that candidates get as text."""

import math


def query(part, query, key, value, attention_mask=None):
    return query


def times(part, x, *, weight):
    return x @ weight if weight.dim() else x * weight


def query_times(part, query, key, value, attention_mask=None, *, weight):
    return query @ weight


def rectified(part, x):
    return x.relu()


def squared(part, x):
    return x**2


def by_place(part, x):
    """The first of several that are called doubles, the second halves."""
    return x * 2 ** (1 - 2 * part.place) * math.sqrt(1)
