"""Parse answers that a student filled in (numbers, words, keys) as a person would read them."""


def is_unanswered(answer: object) -> bool:
    """Whether an answer is still the placeholder `...` or None."""
    return answer is None or answer is ...


def letters_of(text: object) -> str:
    """Return the letters and digits of a text, in lower case, so that texts can be compared."""
    return "".join(one for one in str(text).casefold() if one.isalnum())
