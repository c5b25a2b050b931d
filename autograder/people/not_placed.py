"""What `collect` received and could not place, as whoever reports, exports or makes pages reads it.

<submitted>/.received/<assignment>/.not-placed/<key>/unplaced.json
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from autograder.files.reading import entries, read_regular
from autograder.people.matching import NotInRoster, find_person
from autograder.people.roster import RECEIVED, Person

FOLDER = ".not-placed"
RECORD = "unplaced.json"
MAX_RECORD = 4 << 20


class UnplacedRecord(Struct):
    """One thing that was received: why it has no place, and of whom it seems to be."""

    sentence: str
    person: Person
    students: list[str]  # where it was placed in the end


Kind = TypeVar("Kind", bound=UnplacedRecord)


def read_not_placed(submitted: Path, assignment_id: str) -> list[UnplacedRecord]:
    """Return what still has no place; no link is followed below `submitted`."""
    records = read_records(submitted, assignment_id, UnplacedRecord)
    return [record for _, record in records if not record.students]


def read_records(
    submitted: Path, assignment_id: str, kind: type[Kind]
) -> Iterator[tuple[str, Kind]]:
    """Yield all records with the names of their folders, but those that were damaged by hand."""
    folder = submitted / RECEIVED / assignment_id / FOLDER
    try:
        there = [one.name for one in entries(folder, submitted) if one.name[0] != "."]
    except OSError:
        return
    for name in there:
        with suppress(OSError, msgspec.MsgspecError, RecursionError):
            data = read_regular(folder / name / RECORD, MAX_RECORD, submitted)
            yield name, msgspec.json.decode(data, type=kind)


def senders(received: Iterable[UnplacedRecord], known: list[Person]) -> dict[str, str]:
    """Return those of these people of whom something was received, each with the reason that it has
    no place.
    """
    found = {}
    for one in received:
        with suppress(NotInRoster):
            found[find_person(one.person, known, "").student] = one.sentence
    return found
