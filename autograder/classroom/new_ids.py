"""Make ids from names, for students without a roster."""

import unicodedata

from autograder.classroom.roster import Person
from autograder.engine import Pattern, verdicts

LONGEST_ID = 64
# letters that do not decompose into an ASCII letter and an accent
LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
NO_ID = Pattern(r"[^a-z0-9]+")


def slug(text: str, *endings: str) -> str:
    """Return a valid student id of at most 64 characters: `text` in lower-case ASCII, shortened if
    necessary, then each of the `endings`, joined by hyphens.

    Texts without an ASCII form leave only the endings, or "".
    """
    ends = [NO_ID.sub("-", end.lower()).strip("-") for end in endings]
    plain = unicodedata.normalize("NFKD", text.lower().translate(LETTERS))
    plain = plain.encode("ascii", "ignore").decode()
    plain = NO_ID.sub("-", plain).strip("-")
    room = LONGEST_ID - sum(len(end) + 1 for end in ends)
    return "-".join(part for part in (plain[: max(room, 0)].strip("-"), *ends) if part)[:LONGEST_ID]


def lengthened(person: Person) -> str:
    """Return the id with the platform's number appended, "" if that is not a new valid id."""
    number = slug("", person.number) if person.number else ""
    if not number or person.student.endswith(number):
        return ""
    longer = f"{person.student[: LONGEST_ID - len(number) - 1]}-{number}"
    return longer if verdicts.STUDENT.fullmatch(longer) else ""
