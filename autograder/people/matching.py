"""Find the student in a roster who is the person that a platform names: by number, e-mail, id and
name.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from autograder.people.roster import NEW_NUMBER_EACH_TIME, Person
from autograder.text.patterns import Pattern
from autograder.text.printable import printable

SEPARATORS = Pattern(r"[-_.]+")
UMLAUT = Pattern("([aou])e")  # as it is written without the letter


class NotPlaced(Exception):
    """A submission cannot be placed as a student's submission for an assignment.

    The message says why: the roster does not tell whose it is, no file is the assignment's
    notebook, or a file or link stands where the submission would be written. It continues a
    sentence that begins with the submission.
    """


def find_person(person: Person, known: list[Person], where: str) -> Person:
    """Return `person`, completed from the roster's rows (`known`): with the student's id and
    section, and with name and e-mail if the platform gives none.

    Rows match by number, e-mail, id or name. `where` is the roster's name in messages. Raises
    `NotPlaced` if no row matches, if the matching rows do not agree on one student, or if that
    student's name or e-mail in the roster contradicts the person's.
    """
    ids = {
        what: {row.student for row in known if alike(person, row)} for what, alike in KEYS.items()
    }
    hits = {what: students for what, students in ids.items() if students}
    if not hits:
        raise NotPlaced(f"is not in `{where}`; add a row and collect again")
    spelled = {row.student for row in known if row.name.strip() == person.name.strip()}
    found = set.intersection(*hits.values())
    student, *others = sorted(found & spelled or found) or ["", ""]
    if others:
        all_ids = ", ".join(sorted(set.union(*hits.values()))[:5])
        raise NotPlaced(f"has the {' and '.join(hits)} of several in `{where}`: {all_ids}")
    rows = [row for row in known if row.student == student]
    differs = _difference(person, rows, "number" in hits)
    if differs:
        raise NotPlaced(f"has the {' and '.join(hits)} of {student} in `{where}`, whose {differs}")
    section = section_of(student, known) or person.section
    name = person.name or next((row.name for row in rows if row.name), "")
    email = person.email or next((row.email.strip() for row in rows if row.email), "")
    return replace(person, student=student, name=name, email=email, section=section)


def _difference(person: Person, rows: list[Person], by_number: bool) -> str:
    """Return how a student's rows contradict this person's name or e-mail; "" if they do not.

    `by_number`: the match was by number, so a different e-mail is no contradiction.
    """
    if any(_same_email(person, row) for row in rows):
        return ""
    names = [row.name for row in rows if row.name]
    if names and not any(_agree(person.name, name) for name in names):
        return f"name there is `{printable(names[0])}`"
    emails = [row.email for row in rows if row.email and person.email and not by_number]
    return f"e-mail there is `{printable(emails[0])}`" if emails else ""


def section_of(student: str, rows: Iterable[Person]) -> str:
    """Return a student's section, from the first of the roster's rows that has one; "" if none
    does.
    """
    sections = (row.section.strip() for row in rows if row.student == student)
    return next(filter(None, sections), "")


def _same_number(person: Person, row: Person) -> bool:
    known = row.number.strip() if person.platform not in NEW_NUMBER_EACH_TIME else ""
    here = not row.platform.strip() or row.platform.strip().lower() == person.platform
    return bool(known) and here and known.lower() == person.number.lower()


def _same_email(person: Person, row: Person) -> bool:
    return bool(person.email) and person.email.lower() == row.email.strip().lower()


def _same_id(person: Person, row: Person) -> bool:
    name = "" if person.name else SEPARATORS.sub(" ", person.student)  # a folder may be called so
    return person.student == row.student or bool(spellings(name) & spellings(row.name))


def _same_name(person: Person, row: Person) -> bool:
    return bool(spellings(person.name) & spellings(row.name))


KEYS = {"number": _same_number, "e-mail": _same_email, "id": _same_id, "name": _same_name}


@cache
def spellings(name: str) -> set[str]:
    """Return a name in lower case without spaces and accents, once for each rotation of its words.

    `Ada Softmax` and `Softmax, Ada` have a spelling in common.
    """
    words = _words(name)
    return {"".join(words[i:] + words[:i]) for i in range(len(words))} - {""}


def _words(name: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", name).casefold()
    words = ["".join(c for c in word if c.isalnum()) for word in plain.replace(",", " ").split()]
    return [word for word in words if word]


def _agree(name: str, other: str) -> bool:
    """Whether two names can belong to one person: words may be missing, shortened to initials, or
    joined.

    An umlaut may be written with an e: `Müller` agrees with `Mueller`. An empty name agrees with
    every name.
    """
    one, two = ([UMLAUT.sub(r"\1", word) for word in _words(each)] for each in (name, other))
    return not one or not two or _is_part(one, two) or _is_part(two, one)


def _is_part(some: list[str], words: list[str]) -> bool:
    if len(words) == 1 and 2 * len("".join(some)) >= len(words[0]):  # `softmaxada`
        return all(word in words[0] for word in some)
    runs = {"".join(words[i:j]) for j in range(len(words) + 1) for i in range(j)}
    initials = {word[0] for word in words}
    return not runs.isdisjoint(some) and runs | initials >= set(some)
