"""Put numbers and lists of names into sentences."""

from collections.abc import Mapping, Sequence

NAMED = 12  # in one sentence; of the others only their number is said


def plural(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: `1 student`, `2 students`.

    `one` is the singular, `many` the plural; by default the singular with an `s`.
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


def name_some(names: Sequence[str]) -> str:
    """Return the first twelve names, separated by commas, and the number of the others: `ada, bob
    and 3 more`.
    """
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")


def sentence_on(names: Sequence[str], sentence: str) -> list[str]:
    """Return a list with the sentence, in which the names take the place of `{}`; [] if there are
    no names.
    """
    return [sentence.replace("{}", name_some(names))] if names else []


def sentences_where(conditions: Mapping[str, object]) -> list[str]:
    """Return the sentences whose condition is true."""
    return [sentence for sentence, condition in conditions.items() if condition]
