"""A table downloaded from a platform: read, its rows matched with students, filled cell by cell.

A row is found by the surest key that leaves no doubt; the table is written as it was read.
"""

import csv
import io
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.files.csv_text import UTF_16, decoded, delimiter_of
from autograder.files.reading import NotRegular, TooLarge, read_named
from autograder.people.matching import spellings
from autograder.platforms.grades import ExportError, Grade, decimal_text
from autograder.text.patterns import Pattern
from autograder.text.wording import name_some

BOM = "\ufeff"
EMPTY_CELLS = "", "-"  # what platforms write where there is no grade
LARGEST = 50_000_000  # bytes; a class of ten thousand is a tenth of it
LAST_NUMBER = Pattern(r"(\d+)\s*$")


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


@dataclass
class Sheet:
    """Rows of text, the first being the header; and how the file was written."""

    rows: list[list[str]]
    bom: bool = False
    delimiter: str = ","
    newline: str = "\n"

    @property
    def header(self) -> list[str]:
        return self.rows[0]

    def column(self, *names: str) -> int | None:
        """Return the index of the first of these names that a column has; case does not count."""
        known = {name.strip().casefold(): i for i, name in reversed(list(enumerate(self.header)))}
        return next((known[name.casefold()] for name in names if name.casefold() in known), None)

    def cells(self, *names: str) -> Callable[[list[str]], list[str]]:
        """Return what reads a row's cells in those of these columns that there are."""
        places = [place for name in names if (place := self.column(name)) is not None]
        return lambda row: [row[place] for place in places]

    def has_commas(self, *columns: int | None) -> bool:
        """Whether the platform writes a decimal comma in one of these columns."""
        known = [column for column in columns if column is not None]
        return any(_has_comma(row[column]) for row in self.rows[1:] for column in known)


@dataclass
class FilledSheet:
    """A sheet with grades in it, for the platform to take back, and what has to be said of it."""

    sheet: Sheet
    matches: Matches = field(default_factory=Matches)
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
        matches, lines = self.matches, [f"{self.entered} of them in the sheet."]
        if matches.missing:
            lines.append(f"Not in the sheet: {name_some(matches.missing)}.")
        if matches.unsure:
            lines.append(
                "Found by a name or the part before an @ only, so please look: "
                f"{name_some(matches.unsure)}."
            )
        if matches.doubtful:
            lines.append(
                "Not filled in, because several rows or students may be meant: "
                f"{name_some(matches.doubtful)}."
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


def read_sheet(path: Path) -> Sheet:
    """Read a downloaded table. Raises `ExportError`, `OSError`."""
    try:
        content = read_named(path, LARGEST)
    except (FileNotFoundError, NotADirectoryError, NotRegular) as error:
        raise ExportError(f"There is no sheet `{path}`.") from error
    except TooLarge as error:
        raise ExportError(f"`{path}` is too large to be a sheet of grades.") from error
    if content.startswith(b"PK"):
        raise ExportError(f"`{path}` is no CSV: download or save the sheet as CSV.")
    try:
        text = decoded(content)
    except UnicodeDecodeError as error:
        raise ExportError(f"`{path}` is no text: download it again, as CSV.") from error
    bom = content.startswith((BOM.encode(), *UTF_16))
    first = text.split("\n", 1)[0]
    newline, delimiter = "\r\n" if first.endswith("\r") else "\n", delimiter_of(text)
    limit = csv.field_size_limit(LARGEST)  # a worksheet holds whole texts of students
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise ExportError(f"`{path}` is a damaged CSV ({error}): download it again.") from error
    finally:
        csv.field_size_limit(limit)  # it is the process's
    rows = [row for row in rows if row]
    if len(rows) < 2:
        raise ExportError(f"`{path}` has no rows.")
    uneven = next((i for i, row in enumerate(rows, 1) if len(row) != len(rows[0])), None)
    if uneven:
        raise ExportError(
            f"`{path}` is damaged: row {uneven} has {len(rows[uneven - 1])} cells, "
            f"the header has {len(rows[0])}. Download it again."
        )
    return Sheet(rows, bom, delimiter, newline)


def sheet_bytes(sheet: Sheet) -> bytes:
    """Return the table as a file, written as it was read."""
    out = io.StringIO(newline="")
    out.write(BOM if sheet.bom else "")
    csv.writer(out, delimiter=sheet.delimiter, lineterminator=sheet.newline).writerows(sheet.rows)
    return out.getvalue().encode("utf-8", "backslashreplace")


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
    sheet: Sheet,
    grades: Sequence[Grade],
    rows: dict[int, list[str]],
    keys: Iterable[MatchKey],
) -> FilledSheet:
    """Return the sheet with each grade's row, nothing filled in yet. Raises `ExportError`."""
    matches = match_rows(grades, rows, keys)
    if not matches.rows:
        raise ExportError(
            f"`{path}` is of other students: none of its rows is of one with a verdict."
        )
    return FilledSheet(sheet, matches)


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


def final_number(text: str) -> str:
    """Return the number at the end of a text: `Participant 1234` and `Teilnehmer/in1234` have 1234."""
    found = LAST_NUMBER.search(text)
    return found[1].lstrip("0") or "0" if found else ""
