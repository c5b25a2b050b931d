"""Make short column headings for narrow tables, and a legend that explains them."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import count


def short_names(ids: Iterable[str]) -> dict[str, str]:
    """Return a unique short name for each id: `scaled_dot_product` becomes `sdp`.

    It is the first letter of each word, or the first two letters of a single word. Clashes add
    letters of the last word, then a number.
    """
    names: dict[str, str] = {}
    for id in ids:
        taken = names.values()
        names[id] = next(name for name in _candidates(id) if name not in taken)
    return names


def legend(names: Mapping[str, str]) -> str:
    """Return a line that explains the short names. `names`: short names by id."""
    return "  ".join(f"{short}={id}" for id, short in names.items())


def _candidates(id: str) -> Iterator[str]:
    *leading_words, last_word = [word for word in id.split("_") if word] or [id]
    initials = "".join(word[0] for word in leading_words)
    for length in range(1 if leading_words else 2, len(last_word) + 1):
        yield initials + last_word[:length]
    for number in count(2):
        yield f"{initials}{last_word}{number}"
