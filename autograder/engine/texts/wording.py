"""Put numbers and lists of names into sentences."""

from collections.abc import Mapping, Sequence

NAMED = 12  # names in a sentence; the others are only counted


def plural(number: int, singular: str, plural_form: str = "") -> str:
    """Return a number with its noun: `1 student`, `2 students`.

    By default, the plural form is the singular with an `s`.
    """
    return f"{number} {singular if number == 1 else plural_form or singular + 's'}"


def name_some(names: Sequence[str]) -> str:
    """Return the first NAMED names and the number of the others: `ada, bob and 3 more`."""
    remaining = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {remaining} more" if remaining > 0 else "")


def sentence_on(names: Sequence[str], sentence: str) -> list[str]:
    """Return a list with the sentence, with the names in the place of `{}`, or [] without names."""
    return [sentence.replace("{}", name_some(names))] if names else []


def sentences_where(conditions: Mapping[str, object]) -> list[str]:
    """Return the sentences with a true condition."""
    return [sentence for sentence, condition in conditions.items() if condition]
