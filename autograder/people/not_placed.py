"""Read `received.jsonl`, in which `collect` records what it received, and find the submissions that
are still not placed.

It has a line of JSON for each record: <submitted>/.received/<assignment>/received.jsonl
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from autograder.files.json_lines import read_records
from autograder.files.reading import entries, kind_of
from autograder.people.matching import NotPlaced, find_person
from autograder.people.roster import RECEIVED, Person
from autograder.text.errors import CommandError

LINES = "received.jsonl"
FILES = "files"  # the folder beside it with what was received


class Sender(Struct):
    """The sender of a submission that is not placed, as far as the platform names one."""

    person: Person


class UnplacedRecord(Struct, tag="unplaced"):
    """A received submission that could not be placed: why not, who seems to have sent it, and the
    students for whom it was placed later.
    """

    key: str  # the same of all lines on one thing, of which the last one counts
    sentence: str
    handed_in: Sender
    students: list[str]  # where it was placed in the end


def read_not_placed(submitted: Path, assignment_id: str) -> list[UnplacedRecord]:
    """Return the records of submissions that are still not placed; [] if the file cannot be read.

    `submitted`: the folder that `collect` filled; no link below it is followed. Raises
    `CommandError` if an earlier version of the program filled it.
    """
    with suppress(OSError):
        lines = read_lines(submitted, assignment_id, UnplacedRecord)
        records = {line.key: line for line in lines}
        return [record for record in records.values() if not record.students]
    return []


def read_lines(submitted: Path, assignment_id: str, kind: Any) -> Iterator[Any]:
    """Yield the records in `received.jsonl` that are of the type `kind`, in the order in which they
    were written. A damaged line is skipped.

    `submitted`: the folder that `collect` filled; no link below it is followed. Raises
    `CommandError` if an earlier version of the program filled it.
    """
    folder = submitted / RECEIVED / assignment_id
    if kind_of(folder / LINES, submitted) is None:
        there = entries(folder, submitted) if kind_of(folder, submitted) else []
        if any(one.kind == "folder" and one.name != FILES for one in there):
            raise CommandError(
                f"`{folder}` was filled by an earlier version: move it away, and collect its downloads "
                "again."
            )
    yield from read_records(folder / LINES, kind, submitted)


def senders(received: Iterable[UnplacedRecord], known: list[Person]) -> dict[str, str]:
    """Match the senders of unplaced submissions with people in the course (`known`).

    Return, by id of each student who was found, the sentence that says why the submission is not
    placed.
    """
    found = {}
    for one in received:
        with suppress(NotPlaced):
            found[find_person(one.handed_in.person, known, "").student] = one.sentence
    return found
