"""What a student filled in: numbers, words and keys, read as a person would."""


def is_unanswered(answer: object) -> bool:
    """Whether nothing stands there yet: `...`, or None."""
    return answer is None or answer is ...


def letters_of(text: object) -> str:
    """Return a text in small letters, without anything but letters and digits."""
    return "".join(one for one in str(text).casefold() if one.isalnum())
