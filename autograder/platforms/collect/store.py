"""The store of all received files of one assignment: each content once, and a line of JSON for each
receipt and each submission that is not placed.

    INTO/.received/<assignment>/files/<hash>-<name>    the files, as received
    INTO/.received/<assignment>/received.jsonl         receipts and unplaced submissions; of each, the last line counts

A line is written after its files, so that a run repeats what an interrupted one did not record.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct

from autograder.files.digest import digest_of
from autograder.files.json_lines import add_record
from autograder.files.reading import kind_of, read_regular
from autograder.files.writing import replacing_bytes
from autograder.people.matching import NotPlaced
from autograder.people.not_placed import FILES, LINES, read_lines
from autograder.people.roster import RECEIVED, is_student_id
from autograder.platforms.collect.choose import paths_of_notebooks
from autograder.platforms.collect.contents import Content
from autograder.platforms.collect.receipts import Receipt, newest_receipt, safe_name
from autograder.platforms.download import FileRefused
from autograder.platforms.platform import HandedIn, ReceivedFile

MAX_FILE = 256 << 20
MOST_ROWS = 20  # of one submission
HASH_DIGITS = 16  # in a name of a file; the whole hash is in its line


class Unplaced(Struct, tag="unplaced"):
    """The record of a received submission that could not be placed.

    Raises `ValueError` if a field has no valid value, as after editing the file by hand.
    """

    key: str
    sentence: str  # why it has no place
    handed_in: HandedIn
    students: list[str]  # where it was placed in the end; `ASIDE` among them: for nobody
    rows: list[str]  # paths in the download of what may be meant
    collected_at: str

    def __post_init__(self) -> None:
        if any(one.kept != safe_name(one.kept) for one in self.handed_in.files):
            raise ValueError("this is no record")


class ReceivedStore:
    """All that was received for one assignment, in the folder `into`. Creating one reads its
    records.

    Raises `CommandError` if an earlier version of the program filled the folder.
    """

    def __init__(self, into: Path, assignment_id: str):
        self.into = into
        self.assignment_id = assignment_id
        self.folder = into / RECEIVED / assignment_id
        self.receipts: dict[str, list[Receipt]] = defaultdict(list)  # as they were collected
        self.records: dict[str, Unplaced] = {}  # by key
        for line in read_lines(into, assignment_id, Receipt | Unplaced):
            self._note(line)

    def _note(self, line: Receipt | Unplaced) -> None:
        if isinstance(line, Unplaced):
            self.records[line.key] = line
        elif is_student_id(line.student):
            self.receipts[line.student].append(line)

    def add(self, line: Receipt | Unplaced) -> None:
        """Append a record to `received.jsonl`, and remember it. A later record on the same unplaced
        submission replaces the earlier one.

        Raises `NotPlaced` if a folder of the store is a link or a file.
        """
        self._refuse_links()
        add_record(self.folder / LINES, line)
        self._note(line)

    def keep(self, data: bytes, called: str, sha256: str) -> str:
        """Write a received file into the store, unless it has one with the same content and name;
        return its file name there.

        `called`: the file's own name; `sha256`: the hash of `data`. Raises `NotPlaced` if a folder
        of the store is a link or a file.
        """
        self._refuse_links()
        name = safe_name(f"{sha256[:HASH_DIGITS]}-{safe_name(called)}")
        path = self.folder / FILES / name
        if kind_of(path, self.into) is None:
            with replacing_bytes(path) as file:
                file.write(data)
        return name

    def read(self, name: str, sha256: str) -> bytes:
        """Return the content of a stored file. `sha256` is the hash that it must have.

        Raises `FileRefused` if the file is missing or was changed.
        """
        path = self.folder / FILES / name
        try:
            data = read_regular(path, MAX_FILE, self.into)
        except OSError as error:
            raise FileRefused(f"is gone from `{path}`; restore it") from error
        if sha256_of(data) != sha256:
            raise FileRefused(f"was changed in `{path}`; restore it")
        return data

    def leave(self, handed_in: HandedIn, sentence: str, contents: list[Content]) -> bool:
        """Store a submission that cannot be placed; return whether staff have chosen a place for it
        before. `sentence` says why it is not placed; `contents` are its files.

        If it is recorded already, only what is now known in addition, such as a time, is updated.
        Raises `NotPlaced` if a folder of the store is a link or a file.
        """
        key = key_of(handed_in, contents, sentence)
        before = self.records.get(key)
        if before is not None:
            said = {name: fact for name, fact in vars(handed_in).items() if fact}
            said |= {"person": before.handed_in.person, "files": before.handed_in.files}
            self._change(before, handed_in=replace(before.handed_in, **said))
            return bool(before.students)
        files = [
            replace(one.file, kept=self.keep(one.data, one.name, one.hash), sha256=one.hash)
            for one in contents
        ]
        found = paths_of_notebooks(contents)[:MOST_ROWS]
        rows = found or [content.file.path for content in contents[:1]] or [handed_in.label]
        handed_in = replace(handed_in, files=tuple(files))
        self.add(Unplaced(key, sentence, handed_in, [], rows, datetime.now(UTC).isoformat()))
        return False

    def settle(self, key: str, student: str) -> None:
        """Record that an unplaced submission is now placed for this student, in addition to earlier
        ones. `key` is that of its record.

        With `ASIDE` as student, it belongs to nobody and is listed no more. Raises `NotPlaced` if a
        folder of the store is a link or a file.
        """
        record = self.records[key]
        self._change(record, students=list(dict.fromkeys([*record.students, student])))

    def _change(self, record: Unplaced, **facts: object) -> None:
        changed = msgspec.structs.replace(record, **facts)
        if changed != record:
            self.add(changed)

    def handed_in(self, record: Unplaced) -> HandedIn:
        """Return the submission of an unplaced record, with files that are read from the store.
        Reading one raises `FileRefused` if it is missing there or was changed.
        """
        files = (
            replace(one, read=partial(self.read, one.kept, one.sha256))
            for one in record.handed_in.files
        )
        return replace(record.handed_in, files=tuple(files))

    def newest(self) -> dict[str, Receipt]:
        """Return the receipt that is graded for each student, by student."""
        return {student: newest_receipt(had) for student, had in self.receipts.items() if had}

    def _refuse_links(self) -> None:
        refuse_links(self.into, self.folder.parent, self.folder, self.folder / FILES)


def key_of(handed_in: HandedIn, contents: list[Content], sentence: str = "") -> str:
    """Return the key of an unplaced submission, which is the same if the same sender hands in the
    same files in another download.

    `contents`: the files that could be read. `sentence`: why the submission is not placed; it is
    part of the key only if no file could be read.
    """
    files = sorted((content.file.path, content.hash) for content in contents)
    return digest_of(handed_in.person.platform, handed_in.label, files, "" if files else sentence)


def sha256_of(data: bytes) -> str:
    """Return the SHA-256 hash of `data`, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def refuse_links(into: Path, *folders: Path) -> None:
    """Raise `NotPlaced` if one of these folders below `into` is a link or a file: a link could lead
    to any place.
    """
    for path in folders:
        if kind_of(path, into) not in ("folder", None):
            raise NotPlaced(f"`{path}` is no folder; move it away and collect again")


def newest_files(into: Path, assignment_id: str, platform: str) -> dict[str, ReceivedFile]:
    """Return each student's newest file that was received from this platform, by student. Students
    without one are left out.

    `into`: the folder of submissions.
    """
    found = {}
    for student, receipts in ReceivedStore(into, assignment_id).receipts.items():
        if ours := [receipt for receipt in receipts if receipt.platform == platform]:
            newest = newest_receipt(ours)
            found[student] = ReceivedFile(newest.number, newest.member, newest.upload)
    return found


def late_by_word(into: Path, assignment_id: str) -> dict[str, bool]:
    """Return, by student, whether the newest submission is late: only for students of whose
    submission the platform says this, but no time is known.

    `into`: the folder of submissions.
    """
    return {
        student: receipt.late
        for student, receipt in ReceivedStore(into, assignment_id).newest().items()
        if receipt.late is not None and not receipt.submitted_at
    }


def received_of(
    into: Path, assignment_id: str, student: str
) -> Iterator[tuple[Receipt, Path, bool]]:
    """Yield each receipt of a student in the order of submission, with the path of the stored
    notebook, and whether it is the one that is graded.

    `into`: the folder of submissions.
    """
    store = ReceivedStore(into, assignment_id)
    newest = store.newest().get(student)
    for one in sorted(store.receipts[student], key=lambda one: (one.submitted_at or "", one.order)):
        yield one, store.folder / FILES / one.file, one == newest
