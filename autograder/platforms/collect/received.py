"""What was received: all of it is kept, untouched, and the newest is copied to where it is graded.

    INTO/.received/<assignment>/<student>/<time>-<hash>/     the file as it came, and received.json
    INTO/.received/<assignment>/<student>/other/             all else that came with it
    INTO/<student>/<assignment>/<assignment>.ipynb           the newest, with nbgrader's timestamp.txt

The copy is made from what was received: a run that was interrupted is put right by the next.
"""

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from autograder.files.reading import NotRegular, TooLarge, entries, kind_of, read_regular
from autograder.files.timestamp import TIMESTAMP, read_timestamp
from autograder.files.writing import replacing, replacing_bytes
from autograder.people.roster import RECEIVED, is_student_id
from autograder.platforms.collect.contents import Content
from autograder.platforms.collect.receipts import (
    BY_HAND,
    RECEIPT,
    Receipt,
    is_known,
    newest_receipt,
    read_receipt,
    safe_name,
)
from autograder.platforms.platform import ReceivedFile
from autograder.text.times import folder_name, parse_time, timestamp_text

OTHERS = "other"  # folder for what came beside notebooks
MAX_BYTES = 256 << 20  # of a notebook that is there already


class NotPlaced(Exception):
    """A submission cannot be put where it belongs; the message says what is in the way."""


@dataclass(frozen=True)
class Received:
    """One file that was received."""

    receipt: Receipt
    notebook: Path  # where it is kept
    counts: bool  # it is the one that is graded


@dataclass(frozen=True)
class StudentFolders:
    """One student's two folders for one assignment: what was received, and what is graded."""

    into: Path
    assignment_id: str
    student: str

    @property
    def received(self) -> Path:
        return self.into / RECEIVED / self.assignment_id / self.student

    @property
    def notebook(self) -> Path:
        """What is graded."""
        return self.into / self.student / self.assignment_id / f"{self.assignment_id}.ipynb"

    def place(self, receipt: Receipt, files: dict[str, bytes]) -> str:
        """Keep a submission, and copy the newest one to where it is graded.

        `files` are what was handed in, by safe name. Returns "new", "newer", "older" or "unchanged":
        what this submission is beside those that were there before. Raises `NotPlaced`, `OSError`.
        """
        folder = self.notebook.parent
        refuse_links(self.into, *self.received.parents[1::-1], self.received, folder.parent, folder)
        before = self.receipts()
        present = self._read_notebook()
        by_hand = present is not None and _hash(present) not in {one.sha256 for one in before}
        known = is_known(receipt, before)
        if not known:
            if present is not None and by_hand:
                before.append(self._keep_by_hand(present, len(before)))
            receipt = replace(receipt, order=len(before))
            self._keep(receipt, files)
        if not (known and by_hand):
            self._copy_newest(newest_receipt(self.receipts()), present)
        if known:
            return "unchanged"
        if not before:
            return "new"
        return "newer" if newest_receipt([*before, receipt]) == receipt else "older"

    def keep_others(self, contents: list[Content]) -> None:
        """Keep what came with a submission, each content once. Raises `OSError`."""
        for content in contents:
            path = self.received / OTHERS / f"{content.hash[:16]}-{safe_name(content.name)}"
            if kind_of(path, self.into) is None:
                with replacing_bytes(path) as file:
                    file.write(content.data)

    def receipts(self) -> list[Receipt]:
        """Return what was received before, in the order in which it was collected."""
        return [receipt for receipt, _ in self._receipts()]

    def all_received(self) -> list[Received]:
        """Return all that was received, in the order in which it was handed in. Raises `OSError`."""
        there = self._receipts()
        newest = newest_receipt([receipt for receipt, _ in there]) if there else None
        found = [Received(one, folder / one.file, one == newest) for one, folder in there]
        return sorted(found, key=lambda one: (one.receipt.submitted_at or "", one.receipt.order))

    def timestamp(self) -> datetime | None:
        """Return when what is graded was handed in, as far as that is known."""
        return parse_time(read_timestamp(self.notebook.parent, self.into))

    def _receipts(self) -> list[tuple[Receipt, Path]]:
        """Each receipt and its folder, in the order in which they were collected."""
        try:
            there = entries(self.received, self.into)
        except FileNotFoundError:
            return []
        names = [one.name for one in there if one.kind == "folder" and one.name[0] != "."]
        folders = [self.received / name for name in names]
        read = ((read_receipt(folder / RECEIPT, self.into), folder) for folder in folders)
        found = [(receipt, folder) for receipt, folder in read if receipt]
        return sorted(found, key=lambda one: (one[0].order, one[0].collected_at))

    def _read_notebook(self) -> bytes | None:
        """The notebook that is there now."""
        try:
            return read_regular(self.notebook, MAX_BYTES, self.into)
        except FileNotFoundError:
            return None
        except (NotRegular, TooLarge) as error:
            raise NotPlaced(
                f"`{self.notebook}` is in the way, and no notebook; move it and collect again"
            ) from error

    def _keep_by_hand(self, data: bytes, order: int) -> Receipt:
        when = self.timestamp()
        changed = datetime.fromtimestamp(self.notebook.lstat().st_mtime, UTC)
        receipt = Receipt(
            student=self.student,
            platform="folder",
            submitted_at=timestamp_text(when) if when else None,
            time_from=BY_HAND,
            clock=timestamp_text(when or changed),
            sha256=_hash(data),
            bytes=len(data),
            file=self.notebook.name,
            download=str(self.into),
            member=str(self.notebook.relative_to(self.into)),
            collected_at=datetime.now(UTC).isoformat(),
            order=order,
        )
        self._keep(receipt, {receipt.file: data})
        return receipt

    def _keep(self, receipt: Receipt, files: dict[str, bytes]) -> None:
        when = parse_time(receipt.submitted_at or "")
        when = when or datetime.fromisoformat(receipt.collected_at)
        name = f"{folder_name(when)}-{receipt.sha256[:8]}"
        content = json.dumps(asdict(receipt), indent=1, ensure_ascii=False)
        number, path = 1, self.received / name
        while os.path.lexists(path):
            number, path = number + 1, self.received / f"{name}-{number + 1}"
        write_folder(path, {**files, RECEIPT: (content + "\n").encode()})

    def _copy_newest(self, receipt: Receipt, present: bytes | None) -> None:
        if present is None or _hash(present) != receipt.sha256:
            data = self._data_of(receipt)
            with replacing_bytes(self.notebook) as file:
                file.write(data)
        timestamp = self.notebook.with_name(TIMESTAMP)
        when = parse_time(receipt.submitted_at or "")
        if when is None:
            timestamp.unlink(missing_ok=True)  # another submission's
        elif self.timestamp() != when:
            with replacing(timestamp) as text:
                text.write(timestamp_text(when) + "\n")

    def _data_of(self, receipt: Receipt) -> bytes:
        there = self._receipts()
        for file in [folder / one.file for one, folder in there if one.sha256 == receipt.sha256]:
            with contextlib.suppress(OSError):
                data = read_regular(file, MAX_BYTES, self.into)
                if _hash(data) == receipt.sha256:
                    return data
        raise NotPlaced(
            f"what was received in `{self.received}` has been changed; restore `{receipt.file}`"
        )


def newest_files(into: Path, assignment_id: str, platform: str) -> dict[str, ReceivedFile]:
    """Return each student's newest file from this platform, by student; {} where none was collected.

    What was received from other platforms, or put there by hand, is passed over. Raises `OSError`.
    """
    found = {}
    for student, receipts in _of_each_student(into, assignment_id):
        if ours := [receipt for receipt in receipts if receipt.platform == platform]:
            newest = newest_receipt(ours)
            found[student] = ReceivedFile(newest.number, newest.member, newest.upload)
    return found


def late_by_word(into: Path, assignment_id: str) -> dict[str, bool]:
    """Return whether each newest submission is late, of which the platform says that and no time.

    By student. Raises `OSError`.
    """
    newest = {who: newest_receipt(had) for who, had in _of_each_student(into, assignment_id) if had}
    return {
        student: receipt.late
        for student, receipt in newest.items()
        if receipt.late is not None and not receipt.submitted_at
    }


def _of_each_student(into: Path, assignment_id: str) -> Iterator[tuple[str, list[Receipt]]]:
    try:
        there = entries(into / RECEIVED / assignment_id, into)
    except (FileNotFoundError, NotADirectoryError):
        return
    for one in there:
        if one.kind == "folder" and is_student_id(one.name):
            yield one.name, StudentFolders(into, assignment_id, one.name).receipts()


def refuse_links(into: Path, *folders: Path) -> None:
    """Refuse what would be written through a link: it could lead anywhere. Raises `NotPlaced`."""
    for path in folders:
        if kind_of(path, into) not in ("folder", None):
            raise NotPlaced(f"`{path}` is no folder; move it away and collect again")


def write_folder(path: Path, files: dict[str, bytes]) -> None:
    """Write a folder that is there whole, or not at all. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    try:
        for name, data in files.items():
            with replacing_bytes(made / name) as file:
                file.write(data)
        made.chmod(0o755)
        made.rename(path)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
