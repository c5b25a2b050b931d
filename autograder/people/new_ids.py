"""Make ids for students whom the roster does not know, from their names; two people never get the
same id.
"""

import unicodedata
from collections import defaultdict
from itertools import combinations

from autograder.engine.verdict.verdict import STUDENT
from autograder.people.roster import NEW_NUMBER_EACH_TIME, Person
from autograder.text.patterns import Pattern

LONGEST_ID = 64
# letters that are no ASCII letter with an accent
LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
NO_ID = Pattern(r"[^a-z0-9]+")


def slug(text: str, *endings: str) -> str:
    """Return a valid student id of at most 64 characters: `text` in lower-case ASCII, cut if it is
    too long, then each of the `endings`, joined by hyphens.

    If no letter or digit of the text has an ASCII form, only the endings are left; "" if there are
    none.
    """
    ends = [NO_ID.sub("-", end.lower()).strip("-") for end in endings]
    plain = unicodedata.normalize("NFKD", text.lower().translate(LETTERS))
    plain = plain.encode("ascii", "ignore").decode()
    plain = NO_ID.sub("-", plain).strip("-")
    room = LONGEST_ID - sum(len(end) + 1 for end in ends)
    return "-".join(part for part in (plain[: max(room, 0)].strip("-"), *ends) if part)[:LONGEST_ID]


def assign_ids(
    people: list[Person], known: dict[str, Person], may_lengthen: bool = True
) -> tuple[dict[Person, str], list[Person]]:
    """Return the id for each of these people, and a list of those without one, because somebody
    else has or wants the same id.

    `known`: the people who already have an id in the course, by id; a person who matches one of
    them gets that id. `may_lengthen`: people who want the same id get their platform number
    appended, if they have one.
    """
    assigned: dict[Person, str] = {}
    wanted: dict[Person, str] = {}
    keys = {key: student for student, person in known.items() if (key := _platform_key(person))}
    by_known_id: dict[str, list[Person]] = defaultdict(list)
    for person in dict.fromkeys(people):
        by_known_id[_known_id(person, known, keys)].append(person)
    for student, group in by_known_id.items():
        only_one = _are_one_person(group)
        for person in group:
            if student and (only_one or _platform_key(person) in keys):
                assigned[person] = student
            else:
                wanted[person] = person.student
    taken = {student.casefold() for student in known}
    left = _assign_unshared(wanted, taken, assigned)
    if may_lengthen:
        longer = {person: _with_number(person) for person in left}
        left = _assign_unshared(longer, taken, assigned)
    return assigned, left


def _assign_unshared(
    wanted: dict[Person, str], taken: set[str], assigned: dict[Person, str]
) -> list[Person]:
    """Add to `assigned` each person whose wanted id is wanted by nobody else and is not in `taken`,
    ignoring case; return the other people.

    `wanted` has an id for each person. The new ids are added to `taken`.
    """
    wanting: dict[str, list[Person]] = defaultdict(list)
    for person, student in wanted.items():
        wanting[student.casefold()].append(person)
    left = []
    for student, group in wanting.items():
        if student and _are_one_person(group) and student not in taken:
            assigned |= dict.fromkeys(group, wanted[group[0]])
            taken.add(student)
        else:
            left += group
    return left


def _are_one_person(group: list[Person]) -> bool:
    return all(_is_one_person(one, other) for one, other in combinations(group, 2))


def _is_one_person(one: Person, other: Person) -> bool:
    """Whether two entries are the same person, by the first that both have: a lasting number on the
    same platform, e-mail, name; else by the id.
    """
    lasting = one.platform == other.platform and one.platform not in NEW_NUMBER_EACH_TIME
    if lasting and one.number and other.number:
        return one.number == other.number
    if one.email and other.email:
        return one.email.casefold() == other.email.casefold()
    if one.name and other.name:
        return one.name.casefold() == other.name.casefold()
    return one.student == other.student


def _known_id(person: Person, known: dict[str, Person], keys: dict[tuple[str, ...], str]) -> str:
    """Return the id that a person already has in the course; "" if none.

    `known` are the course's people by id, `keys` their ids by platform key (see `_platform_key`).
    """
    key = _platform_key(person)
    if key in keys:
        return keys[key]
    owner = known.get(person.student)
    return person.student if owner and _is_one_person(person, owner) else ""


def _platform_key(person: Person) -> tuple[str, ...]:
    """Return what identifies a person permanently on a platform: platform and number, else platform
    and e-mail; () if neither is known.
    """
    lasting = person.number and person.platform not in NEW_NUMBER_EACH_TIME
    said = person.number if lasting else person.email.casefold()
    return (person.platform, said) if said else ()


def _with_number(person: Person) -> str:
    """Return the person's id with the platform's number appended; "" if that gives no new valid id."""
    number = slug("", person.number) if person.number else ""
    if not number or person.student.endswith(f"-{number}"):
        return ""
    longer = f"{person.student[: LONGEST_ID - len(number) - 1]}-{number}"
    return longer if STUDENT.fullmatch(longer) else ""
