"""Which row of a platform's table is which student: by the surest key that leaves no doubt."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from autograder.patterns import Pattern
from autograder.people import spellings
from autograder.platforms.grades import Grade


@dataclass(frozen=True)
class MatchKey:
    """One kind of text that a grade and its row have in common: how to read it off each of them."""

    of_grade: Callable[[Grade], Iterable[str]]
    of_row: Callable[[list[str]], Iterable[str]]
    sure: bool = True  # what people choose to be called is not


@dataclass
class Matches:
    """Which row is which student's, and the students for whom that is not clear."""

    rows: dict[int, Grade] = field(default_factory=dict)  # by index of the row
    missing: list[str] = field(default_factory=list)  # students whom no row is of
    unsure: list[str] = field(default_factory=list)  # students who were found by a guess
    doubtful: list[str] = field(default_factory=list)  # students whom several rows may be of


def match_rows(
    grades: Sequence[Grade], rows: dict[int, list[str]], keys: Iterable[MatchKey]
) -> Matches:
    """Give each grade its row, by the first key that fits any; where it fits several, none.

    A row that a surer key has found is not looked at again with the next one.
    """
    found = Matches()
    left = {grade.student: grade for grade in grades}
    for key in keys:
        free = {i: row for i, row in rows.items() if i not in found.rows}
        hits = {student: places for student, places in _hits(left, free, key).items() if places}
        students = Counter(i for places in hits.values() for i in places)
        for student, (place, *more) in hits.items():
            grade = left.pop(student)
            if more or students[place] > 1:
                found.doubtful.append(student)
            else:
                found.rows[place] = grade
                found.unsure += [] if key.sure else [student]
    found.doubtful.sort()
    found.missing = sorted(left)
    return found


def _hits(
    grades: dict[str, Grade], rows: dict[int, list[str]], key: MatchKey
) -> dict[str, set[int]]:
    """The rows, by index, that this key gives each student."""
    by_text: dict[str, set[int]] = defaultdict(set)
    for i, row in rows.items():
        for text in _texts(key.of_row(row)):
            by_text[text].add(i)
    return {
        student: {i for text in _texts(key.of_grade(grade)) for i in by_text.get(text, ())}
        for student, grade in grades.items()
    }


def _texts(values: Iterable[str]) -> set[str]:
    return {text for value in values if (text := normalised(value))}


def normalised(text: str) -> str:
    """Return one spelling for all spellings of a name, an address or a number."""
    return " ".join(unicodedata.normalize("NFC", text).lower().split())


def login_guess(text: str, of_row: bool = False) -> list[str]:
    """Return what an id or address lets one guess of a login, so that a student's fits a row's.

    `jane` may be `jane@a.example` and the other way round; two whole addresses are not compared here.
    """
    name, at, _ = text.partition("@")
    return [f"{'address' if bool(at) != of_row else 'login'}: {name}"] if name else []


def guesses(grade: Grade) -> list[str]:
    """Return what a student may be called where neither number nor login nor address is known."""
    known = grade.student, grade.person.email
    logins = [one for text in known for one in login_guess(text)]
    return [*logins, *spellings(grade.person.name)]


LAST_NUMBER = Pattern(r"(\d+)\s*$")


def final_number(text: str) -> str:
    """Return the number at the end of a text: `Participant 1234` and `Teilnehmer/in1234` have 1234."""
    found = LAST_NUMBER.search(text)
    return found[1].lstrip("0") or "0" if found else ""
