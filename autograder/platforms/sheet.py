"""Read a table downloaded from a platform, match its rows with students, and fill in their grades.

A row is matched by the most reliable key that is unambiguous; all other cells are written as they
were read.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.files.csv_text import Table, TableError, read_table
from autograder.people.matching import spellings
from autograder.platforms.grades import Grade, decimal_text
from autograder.text.errors import CommandError
from autograder.text.patterns import Pattern
from autograder.text.wording import name_some

EMPTY_CELLS = "", "-"  # what platforms write where there is no grade
LAST_NUMBER = Pattern(r"(\d+)\s*$")


@dataclass(frozen=True)
class MatchKey:
    """One kind of text by which a grade and a row can match, such as an e-mail address: how to get
    it from each.
    """

    of_grade: Callable[[Grade], Iterable[str]]
    of_row: Callable[[list[str]], Iterable[str]]
    sure: bool = True  # what people choose to be called is not


@dataclass
class FilledSheet:
    """A sheet with grades filled in, and the facts to report about it."""

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
        """Write a grade into a row's cell, unless the cell has the same number already."""
        before, now = row[column].strip(), decimal_text(points, self.commas)
        self.entered += 1
        if number_in(before) == number_in(now):
            return
        self.replaced += before not in EMPTY_CELLS
        row[column] = now

    def describe(self) -> list[str]:
        """Return sentences on the cells that were filled in, replaced, or left unchanged."""
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
    """Return the number in a cell, with decimal point or comma; None if it is not a number."""
    try:
        return float(cell.strip().replace(",", "."))
    except ValueError:
        return None


def read_sheet(path: Path) -> Table:
    """Return a platform's table, whose rows must all be as long as its header. Raises `TableError`."""
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
    """Whether a cell of these columns has a number with a decimal comma."""
    known = [column for column in columns if column is not None]
    return any(_has_comma(row[column]) for row in table.rows[1:] for column in known)


def refuse_duplicates(path: Path, what: str, values: Iterable[str]) -> None:
    """Raise `CommandError` if two rows have one value: they would be of one person."""
    twice = [value for value, count in Counter(values).items() if value and count > 1]
    if twice:
        raise CommandError(
            f"`{path}` has several rows with the {what} `{twice[0]}`: download it again."
        )


def _has_comma(cell: str) -> bool:
    whole, comma, part = cell.strip().partition(",")
    return bool(comma) and whole.isdigit() and part.isdigit()


def scale_warning(what: str, possible: float | None, grades: Sequence[Grade]) -> list[str]:
    """Return a warning, in a list, if the platform's maximum differs from these grades' maximum;
    else [].
    """
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

    A row that a surer key has found is not looked at again with the next one. Raises `CommandError`.
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
        raise CommandError(
            f"`{path}` is of other students: none of its rows is of one with a verdict."
        )
    found.doubtful.sort()
    found.missing = sorted(left)
    return found


def _hits(
    grades: dict[str, Grade], rows: dict[int, list[str]], key: MatchKey
) -> dict[str, set[int]]:
    """Return, for each student, the indexes of the rows that this key matches."""
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
    """Return a text in lower case and Unicode NFC with single spaces, for comparison."""
    return " ".join(unicodedata.normalize("NFC", text).lower().split())


def login_guess(text: str, of_row: bool = False) -> list[str]:
    """Return, in a list, a text in which an id and an address with the same local part are equal.

    `jane` matches `jane@a.example`, in either direction; two addresses never match here. `of_row`
    says that the text is a row's, not a student's.
    """
    name, at, _ = text.partition("@")
    return [f"{'address' if bool(at) != of_row else 'login'}: {name}"] if name else []


def guesses(grade: Grade) -> list[str]:
    """Return unreliable texts for matching a student: guesses from id and e-mail, and spellings of
    the name.
    """
    known = grade.student, grade.person.email
    logins = [one for text in known for one in login_guess(text)]
    return [*logins, *spellings(grade.person.name)]


def final_number(text: str) -> str:
    """Return the number at the end of a text: `Participant 1234` and `Teilnehmer/in1234` give 1234;
    "" without one.
    """
    found = LAST_NUMBER.search(text)
    return found[1].lstrip("0") or "0" if found else ""
