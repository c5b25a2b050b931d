"""Names to ids: ASCII, short, and never one id for two people."""

import re
import unicodedata
from collections import defaultdict
from itertools import combinations

from autograder.intake.roster import Person
from autograder.verdict import STUDENT

LONGEST = 64
# letters that are no ASCII letter with an accent
LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
CHANGING = ("gradescope",)  # its number is the submission's, and a new one each time


def slug(text: str, *more: str) -> str:
    """An id made of what can be said in ASCII of a text, then of numbers; "" if nothing can."""
    ends = [re.sub(r"[^a-z0-9]+", "-", end.lower()).strip("-") for end in more]
    plain = unicodedata.normalize("NFKD", text.lower().translate(LETTERS))
    plain = plain.encode("ascii", "ignore").decode()
    plain = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    room = LONGEST - sum(len(end) + 1 for end in ends)
    return "-".join(part for part in (plain[: max(room, 0)].strip("-"), *ends) if part)[:LONGEST]


def settle(
    people: list[Person], known: dict[str, Person], may_lengthen: bool = True
) -> tuple[dict[Person, str], list[Person]]:
    """Return the id of each person, and those who would share one with somebody else.

    Whoever is `known` keeps an id; others who want it get their number behind it, if they have one
    and that is allowed.
    """
    settled: dict[Person, str] = {}
    wanted: dict[Person, str] = {}
    signs = {sign: student for student, person in known.items() if (sign := _sign(person))}
    owned: dict[str, list[Person]] = defaultdict(list)
    for person in dict.fromkeys(people):
        owned[_known_as(person, known, signs)].append(person)
    for student, group in owned.items():
        alone = _one_person(group)
        for person in group:
            if student and (alone or _sign(person) in signs):
                settled[person] = student
            else:
                wanted[person] = person.student
    taken = {student.casefold() for student in known}
    rivals = _give(wanted, taken, settled)
    if may_lengthen:
        longer = {person: _longer(person) for person in rivals}
        rivals = _give(longer, taken, settled)
    return settled, rivals


def _give(wanted: dict[Person, str], taken: set[str], settled: dict[Person, str]) -> list[Person]:
    """Settle each id that one person alone wants, in any case of letters; return who is left."""
    wanting: dict[str, list[Person]] = defaultdict(list)
    for person, student in wanted.items():
        wanting[student.casefold()].append(person)
    left = []
    for student, group in wanting.items():
        if student and _one_person(group) and student not in taken:
            settled |= dict.fromkeys(group, wanted[group[0]])
            taken.add(student)
        else:
            left += group
    return left


def _one_person(group: list[Person]) -> bool:
    return all(same_person(one, other) for one, other in combinations(group, 2))


def same_person(one: Person, other: Person) -> bool:
    """Whether two that want one id are one: by what tells people apart, as far as there is any."""
    lasting = one.platform == other.platform and one.platform not in CHANGING
    if lasting and one.number and other.number:
        return one.number == other.number
    if one.email and other.email:
        return one.email.casefold() == other.email.casefold()
    if one.name and other.name:
        return one.name.casefold() == other.name.casefold()
    return one.student == other.student


def _known_as(person: Person, known: dict[str, Person], signs: dict[tuple, str]) -> str:
    """The id that this person has already: by what the platform says, else by the id itself."""
    sign = _sign(person)
    if sign in signs:
        return signs[sign]
    owner = known.get(person.student)
    return person.student if owner and same_person(person, owner) else ""


def _sign(person: Person) -> tuple[str, ...]:
    """What a platform knows a person by, for as long as there is that person; () if by nothing."""
    lasting = person.number and person.platform not in CHANGING
    said = person.number if lasting else person.email.casefold()
    return (person.platform, said) if said else ()


def _longer(person: Person) -> str:
    number = slug("", person.number) if person.number else ""
    if not number or person.student.endswith(f"-{number}"):
        return ""
    longer = f"{person.student[: LONGEST - len(number) - 1]}-{number}"
    return longer if STUDENT.fullmatch(longer) else ""
