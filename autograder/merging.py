"""Two changes of one text in one: what is made of both, if they change different pieces of it."""

import re
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

TOKEN = re.compile(r"\w+|\s+|.")

Change = tuple[int, int, tuple[str, ...]]  # from token, to token, what stands there instead


class Overlap(ValueError):
    """Both change the same piece."""


def merge(text: str, one: str, other: str) -> str:
    """Return the text with the changes that made `one` and `other` of it. Raises `Overlap`."""
    changes = sorted({*_changes(text, one), *_changes(text, other)})
    for (first, end, _), (begin, _, _) in pairwise(changes):
        if begin < end or begin == first:
            raise Overlap(f"two changes of what stands at token {begin}")
    tokens = TOKEN.findall(text)
    for begin, end, new in reversed(changes):
        tokens[begin:end] = new
    return "".join(tokens)


@lru_cache(maxsize=2_000)
def _changes(text: str, changed: str) -> tuple[Change, ...]:
    old, new = TOKEN.findall(text), TOKEN.findall(changed)
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple((i, j, tuple(new[k:n])) for kind, i, j, k, n in steps if kind != "equal")
