"""Parse answers that a student filled in (numbers, words, keys) like a person would read them."""


def is_unanswered(answer: object) -> bool:
    """Whether an answer is still the placeholder `...` or None."""
    return answer is None or answer is ...


def letters_of(text: object) -> str:
    """Return the letters and digits of a text in lower case, to compare texts."""
    return "".join(character for character in str(text).casefold() if character.isalnum())
