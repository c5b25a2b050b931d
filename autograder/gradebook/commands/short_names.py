"""Make short column headings for narrow tables, and a legend that explains them."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import count


def short_names(ids: Iterable[str]) -> dict[str, str]:
    """Return a short name for each id, by id; no two are equal: `scaled_dot_product` becomes `sdp`.

    It is the first letter of each word; of a single word, the first two letters. If another id has
    that name, more letters of the last word are added, then a number.
    """
    names: dict[str, str] = {}
    for id in ids:
        taken = names.values()
        names[id] = next(name for name in _candidates(id) if name not in taken)
    return names


def legend(names: Mapping[str, str]) -> str:
    """Return one line that says which id each short name stands for. `names` has the short names by
    id.
    """
    return "  ".join(f"{short}={id}" for id, short in names.items())


def _candidates(id: str) -> Iterator[str]:
    *before, last = [word for word in id.split("_") if word] or [id]
    initials = "".join(word[0] for word in before)
    for length in range(1 if before else 2, len(last) + 1):
        yield initials + last[:length]
    for number in count(2):
        yield f"{initials}{last}{number}"
