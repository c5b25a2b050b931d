"""Short column headings for narrow tables, and their legend."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import count


def short_names(ids: Iterable[str]) -> dict[str, str]:
    """Return a short name for each id, all different: `scaled_dot_product` -> `sdp`.

    It is the first letters of several words, or the first two letters of one. If that is taken,
    letters of the last word are added, then a number.
    """
    names: dict[str, str] = {}
    for id in ids:
        taken = names.values()
        names[id] = next(name for name in _candidates(id) if name not in taken)
    return names


def legend(names: Mapping[str, str]) -> str:
    """Return what each short name stands for, in one line."""
    return "  ".join(f"{short}={id}" for id, short in names.items())


def _candidates(id: str) -> Iterator[str]:
    *before, last = [word for word in id.split("_") if word] or [id]
    initials = "".join(word[0] for word in before)
    for length in range(1 if before else 2, len(last) + 1):
        yield initials + last[:length]
    for number in count(2):
        yield f"{initials}{last}{number}"
