"""Students: their ids in the course, what a platform calls the same people, and the roster file."""

import csv
import io
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass, fields, replace
from functools import cache
from itertools import combinations
from pathlib import Path

from autograder.csv_text import decoded, delimiter_of
from autograder.engine.verdict import STUDENT
from autograder.errors import CommandError
from autograder.files import NotRegular, TooLarge, read_named, read_regular, replacing
from autograder.patterns import Pattern
from autograder.text import escape_formulas, printable, unescape_formulas, without_halves

MAX_BYTES = 16 << 20  # of a roster
RECEIVED = ".received"
ROSTER = "roster.csv"
NOT_PLACED_TABLE = "not-placed.csv"  # beside it: what has no place among the submissions
LONGEST_ID = 64
# letters that are no ASCII letter with an accent
LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
SEPARATORS = Pattern(r"[-_.]+")
NO_ID = Pattern(r"[^a-z0-9]+")
UMLAUT = Pattern("([aou])e")  # as it is written without the letter
NEW_NUMBER_EACH_TIME = ("gradescope",)  # its number is that of a submission, not of a person


class RosterError(CommandError):
    """This file is no roster; the message says what is wrong and what to do."""


class NotInRoster(Exception):
    """The roster does not say who this is; the message says why."""


@dataclass(frozen=True)
class Person:
    """One student, as the course and as a platform knows them.

    `number` is the platform's: of a Moodle participant, of a Canvas or ILIAS user, or of a
    Gradescope submission; of a repository it is the user's name. `section` is the staff's: a tutor's
    group, as their roster names it.
    """

    student: str  # the course's id
    name: str = ""
    email: str = ""
    platform: str = ""  # moodle, canvas, ilias, gradescope, git, exchange, folder
    number: str = ""
    section: str = ""


COLUMNS = [field.name for field in fields(Person)]


def is_student_id(student: str) -> bool:
    """Whether this text can be a student's id.

    `roster.csv` cannot: that file lies beside the students' folders, as `not-placed.csv` does.
    """
    return bool(STUDENT.fullmatch(student)) and student.casefold() not in (ROSTER, NOT_PLACED_TABLE)


def roster_path(submitted: Path, assignment_id: str) -> Path:
    """Return the path of the roster that `collect` writes: who handed in."""
    return submitted / RECEIVED / assignment_id / ROSTER


def read_roster(submitted: Path, assignment_id: str) -> dict[str, Person]:
    """Return the people by id of the roster that `collect` wrote; nobody if there is none.

    No link is followed below `submitted`. Raises `RosterError`, `OSError`.
    """
    path = roster_path(submitted, assignment_id)
    try:
        people = _people(path, lambda: read_regular(path, MAX_BYTES, submitted))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    return {person.student: person for person in people}


def write_roster(path: Path, people: Iterable[Person]) -> None:
    """Write one row for each person, sorted by id. Raises `OSError`."""
    with replacing(path) as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for person in sorted(people, key=lambda person: person.student):
            row = (without_halves(value) for value in astuple(person))
            table.writerow(map(escape_formulas, row))


def read_people(path: Path) -> list[Person]:
    """Return the rows of a roster, which may name one student several times.

    Its cells may be separated by commas, semicolons or tabs. Raises `RosterError`, `OSError`.
    """
    try:
        return _people(path, lambda: read_named(path, MAX_BYTES))
    except FileNotFoundError as error:
        raise RosterError(f"There is no roster `{path}`.") from error


def _people(path: Path, read: Callable[[], bytes]) -> list[Person]:
    try:
        text = decoded(read())
    except TooLarge as error:
        raise RosterError(f"`{path}` is too long for a roster.") from error
    except NotRegular as error:
        raise RosterError(f"There is no roster `{path}`: {error}.") from error
    except UnicodeDecodeError as error:
        raise RosterError(f"`{path}` is not UTF-8 text; save it as CSV in UTF-8.") from error
    heading, delimiter = text.partition("\n")[0], delimiter_of(text)
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise RosterError(f"`{path}` is no CSV file ({error}).") from error
    if "student" not in [name.strip().lower() for name in heading.split(delimiter)]:
        raise RosterError(
            f"`{path}` has no column `student`; a roster has the columns {', '.join(COLUMNS)}."
        )
    return [_person(row, path, line) for line, row in enumerate(rows, start=2) if any(row.values())]


def _person(row: dict, path: Path, line: int) -> Person:
    cells = {
        name.strip().lower(): value or ""
        for name, value in row.items()
        if isinstance(name, str) and not isinstance(value, list)
    }
    values = {name: unescape_formulas(cells.get(name, "")) for name in COLUMNS}
    values["student"] = values["student"].strip()
    if not is_student_id(values["student"]):
        raise RosterError(
            f"`{path}`, row {line}: {values['student']!r:.80} cannot be a student's id "
            "(letters, digits, . _ @ -, at most 64)."
        )
    return Person(**values)


def find_person(person: Person, known: list[Person], where: str) -> Person:
    """Return `person` with the id that the roster's rows (`known`) have for them, and with the name and
    the e-mail address where the platform has none.

    They are found by number, e-mail, id and name; whatever of these is known says one student. Where
    the e-mail does not, the names agree, and with neither e-mail nor number no other e-mail is known.
    `where` is what the roster is called in messages. Raises `NotInRoster`.
    """
    ids = {
        what: {row.student for row in known if alike(person, row)} for what, alike in KEYS.items()
    }
    hits = {what: students for what, students in ids.items() if students}
    if not hits:
        raise NotInRoster(f"is not in `{where}`; add a row and collect again")
    spelled = {row.student for row in known if row.name.strip() == person.name.strip()}
    found = set.intersection(*hits.values())
    student, *others = sorted(found & spelled or found) or ["", ""]
    if others:
        all_ids = ", ".join(sorted(set.union(*hits.values()))[:5])
        raise NotInRoster(f"has the {' and '.join(hits)} of several in `{where}`: {all_ids}")
    rows = [row for row in known if row.student == student]
    differs = _difference(person, rows, "number" in hits)
    if differs:
        raise NotInRoster(
            f"has the {' and '.join(hits)} of {student} in `{where}`, whose {differs}"
        )
    section = section_of(student, known) or person.section
    name = person.name or next((row.name for row in rows if row.name), "")
    email = person.email or next((row.email.strip() for row in rows if row.email), "")
    return replace(person, student=student, name=name, email=email, section=section)


def _difference(person: Person, rows: list[Person], by_number: bool) -> str:
    """What speaks against a student's rows being of this person; "" if nothing does."""
    if any(_same_email(person, row) for row in rows):
        return ""
    names = [row.name for row in rows if row.name]
    if names and not any(_agree(person.name, name) for name in names):
        return f"name there is `{printable(names[0])}`"
    emails = [row.email for row in rows if row.email and person.email and not by_number]
    return f"e-mail there is `{printable(emails[0])}`" if emails else ""


def section_of(student: str, rows: Iterable[Person]) -> str:
    """Return the section of a student, as the first row that has one says it; "" where none does."""
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
    """Return a name without spaces and accents, with its words rotated in each way.

    `Ada Softmax` and `Softmax, Ada` have a spelling in common.
    """
    words = _words(name)
    return {"".join(words[i:] + words[:i]) for i in range(len(words))} - {""}


def _words(name: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", name).casefold()
    words = ["".join(c for c in word if c.isalnum()) for word in plain.replace(",", " ").split()]
    return [word for word in words if word]


def _agree(name: str, other: str) -> bool:
    """Whether one name is the other with words left out, as initials, or written together.

    `Müller` is also `Mueller`.
    """
    one, two = ([UMLAUT.sub(r"\1", word) for word in _words(each)] for each in (name, other))
    return not one or not two or _is_part(one, two) or _is_part(two, one)


def _is_part(some: list[str], words: list[str]) -> bool:
    if len(words) == 1 and 2 * len("".join(some)) >= len(words[0]):  # `softmaxada`
        return all(word in words[0] for word in some)
    runs = {"".join(words[i:j]) for j in range(len(words) + 1) for i in range(j)}
    initials = {word[0] for word in words}
    return not runs.isdisjoint(some) and runs | initials >= set(some)


def slug(text: str, *endings: str) -> str:
    """Return an id: the text in small ASCII letters, then the other parts, joined by hyphens.

    It is empty if no letter or digit has an ASCII form.
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
    """Return the id of each person, and those who would share one with somebody else.

    Whoever is `known` keeps their id. With `may_lengthen`, others who want the same id get their
    number behind it, if they have one.
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
    """Assign each id that only one person wants, upper and lower case being one; return the rest."""
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
    """Whether two entries are of one person: by number, e-mail, name or id, the first both have."""
    lasting = one.platform == other.platform and one.platform not in NEW_NUMBER_EACH_TIME
    if lasting and one.number and other.number:
        return one.number == other.number
    if one.email and other.email:
        return one.email.casefold() == other.email.casefold()
    if one.name and other.name:
        return one.name.casefold() == other.name.casefold()
    return one.student == other.student


def _known_id(person: Person, known: dict[str, Person], keys: dict[tuple[str, ...], str]) -> str:
    """Return the id that this person has already, by platform key or by the id itself; else ""."""
    key = _platform_key(person)
    if key in keys:
        return keys[key]
    owner = known.get(person.student)
    return person.student if owner and _is_one_person(person, owner) else ""


def _platform_key(person: Person) -> tuple[str, ...]:
    """Return what a platform always knows a person by: a number or an e-mail; () without one."""
    lasting = person.number and person.platform not in NEW_NUMBER_EACH_TIME
    said = person.number if lasting else person.email.casefold()
    return (person.platform, said) if said else ()


def _with_number(person: Person) -> str:
    """Return the id with the platform's number behind it; "" where that gives no new id."""
    number = slug("", person.number) if person.number else ""
    if not number or person.student.endswith(f"-{number}"):
        return ""
    longer = f"{person.student[: LONGEST_ID - len(number) - 1]}-{number}"
    return longer if STUDENT.fullmatch(longer) else ""
