"""A table downloaded from a platform: read, its rows matched with students, filled cell by cell.

A row is found by the surest key that leaves no doubt; the table is written as it was read.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.files.csv_text import Table, TableError, read_table
from autograder.people.matching import spellings
from autograder.platforms.grades import ExportError, Grade, decimal_text
from autograder.text.patterns import Pattern
from autograder.text.wording import name_some

EMPTY_CELLS = "", "-"  # what platforms write where there is no grade
LAST_NUMBER = Pattern(r"(\d+)\s*$")


@dataclass(frozen=True)
class MatchKey:
    """One kind of text that a grade and its row have in common: how to read it off each of them."""

    of_grade: Callable[[Grade], Iterable[str]]
    of_row: Callable[[list[str]], Iterable[str]]
    sure: bool = True  # what people choose to be called is not


@dataclass
class FilledSheet:
    """A sheet with grades in it, for the platform to take back, and what has to be said of it."""

    sheet: Table
    grades: dict[int, Grade] = field(default_factory=dict)  # by index of the row that is theirs
    missing: list[str] = field(default_factory=list)  # students whom no row is of
    unsure: list[str] = field(default_factory=list)  # students who were found by a guess
    doubtful: list[str] = field(default_factory=list)  # students whom several rows may be of
    commas: bool = False  # in its numbers
    entered: int = 0  # grades in it
    replaced: int = 0  # of which the sheet had another one
    kept: list[str] = field(default_factory=list)  # whose cell stays as it was, and what it says
    remarks: list[str] = field(default_factory=list)

    def enter(self, row: list[str], column: int, points: float) -> None:
        """Put a grade into the row's cell; a cell with the same number stays as it is written."""
        before, now = row[column].strip(), decimal_text(points, self.commas)
        self.entered += 1
        if number_in(before) == number_in(now):
            return
        self.replaced += before not in EMPTY_CELLS
        row[column] = now

    def describe(self) -> list[str]:
        """Return sentences on what was filled in, what was not, and what was replaced."""
        lines = [f"{self.entered} of them in the sheet."]
        if self.missing:
            lines.append(f"Not in the sheet: {name_some(self.missing)}.")
        if self.unsure:
            lines.append(
                "Found by a name or the part before an @ only, so please look: "
                f"{name_some(self.unsure)}."
            )
        if self.doubtful:
            lines.append(
                "Not filled in, because several rows or students may be meant: "
                f"{name_some(self.doubtful)}."
            )
        if self.kept:
            lines.append(f"Left as the sheet has it: {name_some(self.kept)}.")
        if self.replaced:
            lines.append(f"{self.replaced} had another grade in the sheet, which is replaced.")
        return lines + self.remarks


def number_in(cell: str) -> float | None:
    """Return the number in a cell, with decimal point or comma; None if there is none."""
    try:
        return float(cell.strip().replace(",", "."))
    except ValueError:
        return None


def read_sheet(path: Path) -> Table:
    """Return a table as a platform made it, whose rows have as many cells each. Raises `TableError`."""
    table = read_table(path)
    if len(table.rows) < 2:
        raise TableError(f"`{path}` has no rows.")
    for line, row in zip(table.lines, table.rows, strict=True):
        if len(row) != len(table.header):
            raise TableError(
                f"`{path}`, line {line}: there are {len(row)} cells, and {len(table.header)} in the "
                "header; download it again."
            )
    return table


def has_commas(table: Table, *columns: int | None) -> bool:
    """Whether the platform writes a decimal comma in one of these columns."""
    known = [column for column in columns if column is not None]
    return any(_has_comma(row[column]) for row in table.rows[1:] for column in known)


def refuse_duplicates(path: Path, what: str, values: Iterable[str]) -> None:
    """Raise `ExportError` if two rows have one value: they would be of one person."""
    twice = [value for value, count in Counter(values).items() if value and count > 1]
    if twice:
        raise ExportError(
            f"`{path}` has several rows with the {what} `{twice[0]}`: download it again."
        )


def _has_comma(cell: str) -> bool:
    whole, comma, part = cell.strip().partition(",")
    return bool(comma) and whole.isdigit() and part.isdigit()


def scale_warning(what: str, possible: float | None, grades: Sequence[Grade]) -> list[str]:
    """Return a sentence if `what` is out of another number of points than these grades are."""
    ours = sorted({grade.max_points for grade in grades if grade.total is not None})
    if possible is None or ours in ([], [possible]):
        return []
    return [
        f"{what} is out of {decimal_text(possible)} points on the platform, these grades are out of "
        f"{' or '.join(map(decimal_text, ours))}: nothing was scaled."
    ]


def match_sheet(
    path: Path,
    sheet: Table,
    grades: Sequence[Grade],
    rows: dict[int, list[str]],
    keys: Iterable[MatchKey],
) -> FilledSheet:
    """Return the sheet with each grade's row, nothing filled in yet. A grade's row is found by the
    first key that fits any; where it fits several, the grade has none.

    A row that a surer key has found is not looked at again with the next one. Raises `ExportError`.
    """
    found = FilledSheet(sheet)
    left = {grade.student: grade for grade in grades}
    for key in keys:
        free = {i: row for i, row in rows.items() if i not in found.grades}
        hits = {student: places for student, places in _hits(left, free, key).items() if places}
        students = Counter(i for places in hits.values() for i in places)
        for student, (place, *more) in hits.items():
            grade = left.pop(student)
            if more or students[place] > 1:
                found.doubtful.append(student)
            else:
                found.grades[place] = grade
                found.unsure += [] if key.sure else [student]
    if not found.grades:
        raise ExportError(
            f"`{path}` is of other students: none of its rows is of one with a verdict."
        )
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


def final_number(text: str) -> str:
    """Return the number at the end of a text: `Participant 1234` and `Teilnehmer/in1234` have 1234."""
    found = LAST_NUMBER.search(text)
    return found[1].lstrip("0") or "0" if found else ""
