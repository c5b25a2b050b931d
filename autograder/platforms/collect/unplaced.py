"""What was received and has no place among the submissions: it is kept, and placed later.

INTO/.received/<assignment>/.not-placed/<key>/     the files as they came, and unplaced.json
"""

import hashlib
from collections import Counter
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from autograder.files.digest import digest_of
from autograder.files.reading import read_regular
from autograder.files.writing import replacing_bytes
from autograder.people.not_placed import FOLDER, RECORD, UnplacedRecord, read_records
from autograder.people.roster import RECEIVED, Person
from autograder.platforms.collect.choose import paths_of_notebooks
from autograder.platforms.collect.contents import Content, read_contents
from autograder.platforms.collect.receipts import safe_name
from autograder.platforms.collect.received import refuse_links, write_folder
from autograder.platforms.collect.times import time_handed_in
from autograder.platforms.download import NOTEBOOK, File, FileRefused, may_hold_notebook
from autograder.platforms.platform import HandedIn
from autograder.text.printable import printable, without_halves

MAX_FILE = 256 << 20
MOST_ROWS = 20  # of one submission
ASIDE = "-"  # in place of a student: it stays where it is, and is listed no more


class KeptFile(Struct):
    """A file beside a record."""

    facts: dict[str, Any]  # what is known of it in the download
    kept: str  # its name here
    sha256: str


class Record(UnplacedRecord):
    """One thing that was received and not placed; `ASIDE` among its students: for nobody."""

    handed_in: dict[str, Any]
    files: list[KeptFile]
    rows: list[str]  # paths in the download of what may be meant
    collected_at: str


@dataclass(frozen=True)
class Unplaced:
    """What cannot be placed now, and why."""

    handed_in: HandedIn
    sentence: str
    contents: list[Content] | None = None  # where its files were read before


@dataclass(frozen=True)
class Row:
    """A file that may be somebody's submission."""

    key: str
    download: str
    file: str  # as it is shown
    path: str
    record: Record


class UnplacedStore:
    """All that one assignment's downloads held and that has no place, below `into`."""

    def __init__(self, into: Path, assignment_id: str):
        self.into = into
        self.received = into / RECEIVED / assignment_id
        self.folder = self.received / FOLDER
        there = read_records(into, assignment_id, Record)
        records = {key: record for key, record in there if self._is_whole(key, record)}
        self.records = dict(sorted(records.items(), key=lambda one: one[1].collected_at))

    def keep(self, unplaced: Unplaced) -> bool:
        """Keep the files of what has no place, once; return whether somebody chose a place for it.

        Raises `NotPlaced`, `OSError`.
        """
        contents = unplaced.contents
        if contents is None:
            contents, _ = read_contents(unplaced.handed_in.files)
        key = key_of(unplaced.handed_in, contents, unplaced.sentence)
        if key in self.records:
            record, facts = self.records[key], _facts(unplaced.handed_in, "person", "files")
            record.handed_in |= {name: fact for name, fact in facts.items() if fact}
            self._update(key)  # a zone, a worksheet: as it was said last
            return bool(record.students)
        refuse_links(self.into, self.received.parent, self.received, self.folder)
        record, data = _record(unplaced, contents)
        write_folder(self.folder / key, {**data, RECORD: msgspec.json.encode(record)})
        self.records[key] = record
        return False

    def settle(self, handed_in: HandedIn, contents: list[Content], student: str) -> None:
        """List no more what has its place now, or of which nothing could be read before."""
        done = key_of(handed_in, contents)
        paths = {handed_in.label, *(content.file.path for content in contents)}
        for key, record in self.records.items():
            if key == done or (not record.files and record.handed_in["label"] in paths):
                self.settle_key(key, student)

    def settle_key(self, key: str, student: str) -> None:
        """Note where one of the records was placed, in addition to where it was placed before."""
        record = self.records[key]
        if student not in record.students:
            record.students = [*record.students, student]
            self._update(key)

    def rows(self, settled: bool = False) -> list[Row]:
        """Return a row for each file that may be meant, of all records or those without a place.

        Two rows never have the same name in one download: the later has a part of its key behind it.
        """
        rows, times = [], Counter[tuple[str, str]]()
        for key, record in self.records.items():
            for path in record.rows:
                download, file = printable(record.handed_in["download"]), printable(path, 1_000)
                times[download, file] += 1
                shown = f"{file} [{key[:8]}]" if times[download, file] > 1 else file
                if settled or not record.students:
                    rows.append(Row(key, download, shown, path, record))
        return rows

    def handed_in(self, key: str, chosen: str = "") -> HandedIn:
        """Return what was received, to be placed with the notebook at the path that was `chosen`."""
        record = self.records[key]
        files = tuple(self._file(key, one) for one in record.files)
        known = _handed_in(record)
        return replace(known, person=record.person, files=files, chosen=chosen)

    def as_the_platform_said(self, handed_in: HandedIn) -> tuple[HandedIn, str | None, str]:
        """Return it with what the platform said of this student's, that one's key, and a sentence.

        What was unpacked by hand into a folder that has a student's id as its name says neither a
        number nor a time. What of the same student had no place says both; its time counts where it
        still has none and holds an archive.
        """
        person = handed_in.person
        if person.number or handed_in.submitted_at or handed_in.chosen:
            return handed_in, None, ""
        of_student = [
            (key, one) for key, one in self.records.items() if one.person.student == person.student
        ]
        if not of_student:
            return handed_in, None, ""
        known = replace(handed_in, person=of_student[-1][1].person)
        waiting = [(key, one) for key, one in of_student if not one.students]
        if len(waiting) != 1:
            return known, None, ""
        ((key, record),) = waiting
        received = self.handed_in(key)
        told = time_handed_in(received, received.files[0]) if _holds_archive(record) else None
        if told is None or told.when is None:
            return known, key, ""
        file = next(row.file for row in self.rows() if row.key == key)
        return (
            replace(known, submitted_at=told.when, time_from=told.time_from),
            key,
            f"`{person.student}` is taken for what is in `{file}`, which had no place, with its "
            "time of handing in; where that is wrong, late.csv can say another.",
        )

    def _update(self, key: str) -> None:
        with replacing_bytes(self.folder / key / RECORD) as file:
            file.write(msgspec.json.encode(self.records[key]))

    def _file(self, key: str, kept: KeptFile) -> File:
        def read() -> bytes:
            try:
                data = read_regular(self.folder / key / kept.kept, MAX_FILE, self.into)
            except OSError as error:
                raise FileRefused(f"is gone from `{self.folder / key}`; restore it") from error
            if hashlib.sha256(data).hexdigest() != kept.sha256:
                raise FileRefused(f"was changed in `{self.folder / key}`; restore it")
            return data

        return msgspec.convert(kept.facts | {"read": read}, File)

    def _is_whole(self, key: str, record: Record) -> bool:
        """Whether nobody has changed it by hand: its files stay where they are in any case."""
        try:
            _handed_in(record)
            for one in record.files:
                self._file(key, one)
        except msgspec.MsgspecError:
            return False
        return all(one.kept == safe_name(one.kept) for one in record.files)


def key_of(handed_in: HandedIn, contents: list[Content], sentence: str = "") -> str:
    """Return what tells one thing that was received from all others, in whatever download it came."""
    files = sorted((content.file.path, content.hash) for content in contents)
    return digest_of(handed_in.person.platform, handed_in.label, files, "" if files else sentence)


def _record(unplaced: Unplaced, contents: list[Content]) -> tuple[Record, dict[str, bytes]]:
    """The record of what has no place, and its files by the names under which they are kept."""
    handed_in, files, data = unplaced.handed_in, [], {}
    for number, content in enumerate(contents, start=1):
        kept = safe_name(f"{number}-{content.name}")
        data[kept] = content.data
        files.append(KeptFile(_facts(content.file, "read"), kept, content.hash))
    found = paths_of_notebooks(contents)
    rows = found[:MOST_ROWS] or [content.file.path for content in contents[:1]] or [handed_in.label]
    record = Record(
        without_halves(unplaced.sentence),
        Person(**_facts(handed_in.person)),
        [],
        _facts(handed_in, "person", "files"),
        files,
        rows,
        datetime.now(UTC).isoformat(),
    )
    return record, data


def _facts(value: File | HandedIn | Person, *left_out: str) -> dict[str, Any]:
    """The fields of a data class but these, as a record has them."""
    facts = {one.name: getattr(value, one.name) for one in fields(value)}
    return {
        name: without_halves(fact) if isinstance(fact, str) else fact
        for name, fact in facts.items()
        if name not in left_out
    }


def _handed_in(record: Record) -> HandedIn:
    """What a record says of what was handed in, but for its files. Raises `MsgspecError`."""
    return msgspec.convert(
        record.handed_in | {"person": asdict(record.person), "files": ()}, HandedIn
    )


def _holds_archive(record: Record) -> bool:
    return any(
        may_hold_notebook(one.kept) and not NOTEBOOK.search(one.kept) for one in record.files
    )
