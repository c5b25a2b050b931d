"""Rosters for tests, as staff write them."""

import csv
from collections.abc import Iterable
from pathlib import Path

from autograder.classroom.roster import COLUMNS, Person, roster_cells
from autograder.engine.texts import escape_formulas, without_halves


def write_roster(path: Path, people: Iterable[Person]) -> None:
    """Write a roster (CSV) with one row per person, sorted by id."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for person in sorted(people, key=lambda person: person.student):
            table.writerow(escape_formulas(without_halves(cell)) for cell in roster_cells(person))
