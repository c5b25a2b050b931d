"""Which row of a platform's table is which student: by the surest key that leaves no doubt."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from autograder.platforms.grades import Grade

Keys = frozenset[str]


@dataclass(frozen=True)
class MatchKey:
    """One kind of key: what a grade goes by, and what a row goes by."""

    of_grade: Callable[[Grade], Iterable[str]]
    of_row: Callable[[list[str]], Iterable[str]]
    sure: bool = True  # names are not: people choose how they are shown


@dataclass
class Matches:
    rows: dict[int, Grade] = field(default_factory=dict)  # by index of the row
    missing: list[str] = field(default_factory=list)  # students whom no row is of
    unsure: list[str] = field(default_factory=list)  # students who were found by name only
    doubtful: list[str] = field(default_factory=list)  # students whom several rows may be of


def match_rows(grades: Sequence[Grade], rows: dict[int, list[str]], keys: Iterable[MatchKey]) -> Matches:
    """Give each grade its row. What a surer key has taken is out of reach for the next one."""
    found = Matches()
    left = {grade.student: grade for grade in grades}
    doubtful = set()
    for key in keys:
        free = {i: row for i, row in rows.items() if i not in found.rows}
        index = defaultdict(set)
        for i, row in free.items():
            for key in _keys(key.of_row(row)):
                index[key].add(i)
        wanted = {
            student: set().union(*(index.get(key, ()) for key in _keys(key.of_grade(grade))))
            for student, grade in left.items()
        }
        claims = defaultdict(list)
        for student, hits in wanted.items():
            for i in hits:
                claims[i].append(student)
        for student, hits in wanted.items():
            if len(hits) == 1 and len(claims[next(iter(hits))]) == 1:
                found.rows[hits.pop()] = left.pop(student)
                found.unsure += [] if key.sure else [student]
            elif hits:
                doubtful.add(student)
    found.doubtful = sorted(doubtful & set(left))
    found.missing = sorted(set(left) - doubtful)
    return found


def _keys(values: Iterable[str]) -> Keys:
    return frozenset(key for value in values if (key := normalised(value)))


def normalised(text: str) -> str:
    """Two spellings of one name, address or number, made one."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def both_orders(text: str) -> list[str]:
    """A person's name in either order: `Doe, Jane` is `Jane Doe`."""
    last, comma, first = text.partition(",")
    return [text, f"{first.strip()} {last.strip()}"] if comma else [text]


def login_of_student(known: str) -> list[str]:
    """What is known of a student, to be compared with `login_of_row`."""
    name, at, _ = known.partition("@")
    return [f"{'address' if at else 'login'}: {name}"] if name else []


def login_of_row(cell: str) -> list[str]:
    """`jane` is `jane@a.example` and the other way round, but `jane@b.example` is somebody else."""
    name, at, _ = cell.partition("@")
    return [f"{'login' if at else 'address'}: {name}"] if name else []


def final_number(text: str) -> str:
    """The number at the end: `Participant 1234` and `Teilnehmer/in1234` are 1234."""
    found = re.search(r"(\d+)\s*$", text)
    return found[1].lstrip("0") or "0" if found else ""
