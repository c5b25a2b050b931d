"""Parse what a student filled in, numbers, words and keys, as a person would read it."""


def is_unanswered(answer: object) -> bool:
    """Whether a value is still the placeholder: `...`, or None."""
    return answer is None or answer is ...


def letters_of(text: object) -> str:
    """Return a text in lower case, with letters and digits only."""
    return "".join(one for one in str(text).casefold() if one.isalnum())
