"""What was received and has no place among the submissions: it is kept, listed, and placed later.

    INTO/.received/<assignment>/.not-placed/<key>/     the files as they came, and unplaced.json
    INTO/.received/<assignment>/not-placed.csv         a row for each file that may be a submission

Whoever collects fills in the column `student` of that table; `collect --resolve` reads it back.
"""

import hashlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import MISSING, asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
from msgspec import Struct

from autograder.collect.choose import paths_of_notebooks
from autograder.collect.contents import Content, read_contents
from autograder.collect.receipts import safe_name
from autograder.collect.received import NotPlaced
from autograder.engine.digest import digest_of
from autograder.files import kind_of, read_regular, replacing_bytes
from autograder.not_placed_file import FOLDER, RECORD, UnplacedRecord, read_records
from autograder.people import NOT_PLACED_TABLE, RECEIVED, Person
from autograder.platforms.download import File, FileRefused, HandedIn
from autograder.text import printable, without_halves

MAX_FILE = 256 << 20
MOST_ROWS = 20  # of one submission
ASIDE = "-"  # in the column student: it stays where it is, and is listed no more


def _struct_like(kind: type, *left_out: str) -> Any:
    """What checks these fields of a data class when a record is read: all but those left out."""
    hints = get_type_hints(kind)
    needed = [one for one in fields(kind) if one.name not in left_out]
    return msgspec.defstruct(
        f"{kind.__name__}Facts",
        [
            (
                one.name,
                hints[one.name],
                msgspec.NODEFAULT if one.default is MISSING else one.default,
            )
            for one in needed
        ],
        kw_only=True,
    )


FILE_FACTS = _struct_like(File, "read")
HANDED_IN_FACTS = _struct_like(HandedIn, "person", "files")


def _facts(value: File | HandedIn, kind: Any) -> dict[str, Any]:
    """What a record says of a file, or of what was handed in: it can be written as JSON."""
    facts = {name: getattr(value, name) for name in kind.__struct_fields__}
    texts = {name: without_halves(text) for name, text in facts.items() if isinstance(text, str)}
    return msgspec.to_builtins(kind(**facts | texts))


def _fields(facts: dict[str, Any], kind: Any) -> dict[str, Any]:
    """The values of the data class's fields. Raises `msgspec.ValidationError`."""
    checked = msgspec.convert(facts, kind)
    return {name: getattr(checked, name) for name in kind.__struct_fields__}


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

    @property
    def label(self) -> str:
        return self.handed_in["label"]

    @property
    def download(self) -> str:
        return self.handed_in["download"]


@dataclass(frozen=True)
class Unplaced:
    """What cannot be placed now, and why."""

    handed_in: HandedIn
    sentence: str
    contents: list[Content] | None = None  # where its files were read before


@dataclass(frozen=True)
class Row:
    """One row of the table: a file that may be somebody's submission."""

    key: str
    download: str
    file: str  # as it is shown
    path: str
    record: Record

    def cells(self, student: str) -> list[str]:
        person = self.record.person
        known = [self.download, self.file, person.name, person.email, person.platform]
        return [*known, self.record.sentence, student]


class UnplacedStore:
    """All that one assignment's downloads held and that has no place, below `into`."""

    def __init__(self, into: Path, assignment_id: str):
        self.into = into
        self.assignment_id = assignment_id
        self.received = into / RECEIVED / assignment_id
        self.folder = self.received / FOLDER
        self.table = self.received / NOT_PLACED_TABLE
        self.records = dict(sorted(self._read(), key=lambda one: one[1].collected_at))

    def keep(self, unplaced: Unplaced) -> bool:
        """Keep the files of what has no place, once; return whether somebody chose a place for it.

        Raises `NotPlaced`, `OSError`.
        """
        contents = unplaced.contents
        if contents is None:
            contents, _ = read_contents(unplaced.handed_in.files)
        key = key_of(unplaced.handed_in, contents, unplaced.sentence)
        if key in self.records:
            record, facts = self.records[key], _facts(unplaced.handed_in, HANDED_IN_FACTS)
            record.handed_in |= {name: fact for name, fact in facts.items() if fact}
            self._update(key)  # a zone, a worksheet: as it was said last
            return bool(record.students)
        for path in (self.received.parent, self.received, self.folder):
            if kind_of(path, self.into) not in ("folder", None):
                raise NotPlaced(f"`{path}` is no folder; move it away and collect again")
        record, data = _record(unplaced, contents)
        self._write(key, record, data)
        self.records[key] = record
        return False

    def settle(self, handed_in: HandedIn, contents: list[Content], student: str) -> None:
        """List no more what has its place now, or of which nothing could be read before."""
        done = key_of(handed_in, contents)
        paths = {handed_in.label, *(content.file.path for content in contents)}
        for key, record in self.records.items():
            if key == done or (not record.files and record.label in paths):
                self.settle_key(key, student)

    def settle_key(self, key: str, student: str) -> None:
        """Note where one of the records was placed, in addition to where it was placed before."""
        record = self.records[key]
        if student not in record.students:
            record.students = [*record.students, student]
            self._update(key)

    def _update(self, key: str) -> None:
        with replacing_bytes(self.folder / key / RECORD) as file:
            file.write(msgspec.json.encode(self.records[key]))

    def rows(self, settled: bool = False) -> list[Row]:
        """Return a row for each file that may be meant, of all records or those without a place.

        Two rows never have the same cells: the later has a part of its key behind its name.
        """
        rows, times = [], Counter[tuple[str, str]]()
        for key, record in self.records.items():
            for path in record.rows:
                download, file = printable(record.download), printable(path, 1_000)
                times[download, file] += 1
                shown = f"{file} [{key[:8]}]" if times[download, file] > 1 else file
                if settled or not record.students:
                    rows.append(Row(key, download, shown, path, record))
        return rows

    def handed_in(self, row: Row) -> HandedIn:
        """Return what was received, to be placed with the notebook that the row says."""
        record = row.record
        files = tuple(self._file(row.key, one) for one in record.files)
        known = _fields(record.handed_in, HANDED_IN_FACTS) | {"chosen": row.path}
        return HandedIn(person=record.person, files=files, **known)

    def _file(self, key: str, kept: KeptFile) -> File:
        def read() -> bytes:
            try:
                data = read_regular(self.folder / key / kept.kept, MAX_FILE, self.into)
            except OSError as error:
                raise FileRefused(f"is gone from `{self.folder / key}`; restore it") from error
            if hashlib.sha256(data).hexdigest() != kept.sha256:
                raise FileRefused(f"was changed in `{self.folder / key}`; restore it")
            return data

        return File(read=read, **_fields(kept.facts, FILE_FACTS))

    def _write(self, key: str, record: Record, data: dict[str, bytes]) -> None:
        """Write a folder that is there whole, or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=self.folder, prefix=f".{key}."))
        try:
            for name, content in {**data, RECORD: msgspec.json.encode(record)}.items():
                with replacing_bytes(made / name) as file:
                    file.write(content)
            made.chmod(0o755)
            made.rename(self.folder / key)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise

    def _read(self) -> Iterator[tuple[str, Record]]:
        for key, record in read_records(self.into, self.assignment_id, Record):
            try:
                _fields(record.handed_in, HANDED_IN_FACTS)
                names = [(file.kept, _fields(file.facts, FILE_FACTS)) for file in record.files]
            except msgspec.MsgspecError:
                continue  # it was changed by hand: the files are there
            if all(name == safe_name(name) for name, _ in names):
                yield key, record


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
        files.append(KeptFile(_facts(content.file, FILE_FACTS), kept, content.hash))
    found = paths_of_notebooks(contents)
    rows = found[:MOST_ROWS] or [content.file.path for content in contents[:1]] or [handed_in.label]
    now = datetime.now(UTC).isoformat()
    person = Person(
        **{name: without_halves(text) for name, text in asdict(handed_in.person).items()}
    )
    about = _facts(handed_in, HANDED_IN_FACTS)
    sentence = without_halves(unplaced.sentence)
    return Record(sentence, person, [], about, files, rows, now), data
