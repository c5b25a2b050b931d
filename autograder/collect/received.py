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
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from autograder.collect.contents import Content
from autograder.collect.receipts import (
    BY_HAND,
    RECEIPT,
    Receipt,
    is_known,
    newest_receipt,
    read_receipt,
    safe_name,
)
from autograder.files import (
    NotRegular,
    TooLarge,
    entries,
    kind_of,
    read_regular,
    replacing,
    replacing_bytes,
)
from autograder.people import RECEIVED
from autograder.times import (
    TIMESTAMP,
    folder_name,
    parse_time,
    read_timestamp,
    timestamp_text,
)

OTHERS = "other"  # folder for what came beside notebooks
MAX_BYTES = 256 << 20  # of a notebook that is there already


class NotPlaced(Exception):
    """A submission cannot be put where it belongs; the message says what is in the way."""


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
        self._refuse_links()
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
        """Keep what is among no receipt's files, each content once. Raises `OSError`."""
        for content in contents:
            path = self.received / OTHERS / f"{content.hash[:16]}-{safe_name(content.name)}"
            if kind_of(path, self.into) is None and not self._is_kept(content):
                with replacing_bytes(path) as file:
                    file.write(content.data)

    def _is_kept(self, content: Content) -> bool:
        """Whether it is beside a receipt: the notebook that was taken, or the zip around it."""
        return any(
            one.size == len(content.data)
            and content.data == read_regular(folder / one.name, MAX_BYTES, self.into)
            for folder in self._kept()
            for one in entries(folder, self.into)
            if one.kind == "file"
        )

    def receipts(self) -> list[Receipt]:
        """Return what was received before, in the order in which it was collected."""
        found = (read_receipt(folder / RECEIPT, self.into) for folder in self._kept())
        return sorted((one for one in found if one), key=lambda one: (one.order, one.collected_at))

    def _kept(self) -> list[Path]:
        """The folders of what was received before."""
        try:
            there = entries(self.received, self.into)
        except FileNotFoundError:
            return []
        return [
            self.received / one.name
            for one in there
            if one.kind == "folder" and one.name[0] != "." and one.name != OTHERS
        ]

    def _refuse_links(self) -> None:
        """Nothing is written through a link: it could lead anywhere."""
        folder = self.notebook.parent
        for path in (
            self.received.parents[1],
            self.received.parent,
            self.received,
            folder.parent,
            folder,
        ):
            if kind_of(path, self.into) not in ("folder", None):
                raise NotPlaced(f"`{path}` is no folder; move it away and collect again")

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
            number="",
            name="",
            email="",
            submitted_at=timestamp_text(when) if when else None,
            time_from=BY_HAND,
            clock=timestamp_text(when or changed),
            late=None,
            upload=None,
            sha256=_hash(data),
            bytes=len(data),
            file=self.notebook.name,
            download=str(self.into),
            member=str(self.notebook.relative_to(self.into)),
            inside="",
            collected_at=datetime.now(UTC).isoformat(),
            order=order,
        )
        self._keep(receipt, {receipt.file: data})
        return receipt

    def _keep(self, receipt: Receipt, files: dict[str, bytes]) -> None:
        """Write a folder that is there whole, or not at all."""
        self.received.mkdir(parents=True, exist_ok=True)
        when = parse_time(receipt.submitted_at or "") or datetime.fromisoformat(
            receipt.collected_at
        )
        name = f"{folder_name(when)}-{receipt.sha256[:8]}"
        made = Path(tempfile.mkdtemp(dir=self.received, prefix=f".{name}."))
        try:
            content = json.dumps(asdict(receipt), indent=1, ensure_ascii=False)
            for file, data in {**files, RECEIPT: (content + "\n").encode()}.items():
                with replacing_bytes(made / file) as out:
                    out.write(data)
            made.chmod(0o755)
            made.rename(self._free(name))
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise

    def _free(self, name: str) -> Path:
        number, path = 1, self.received / name
        while os.path.lexists(path):
            number, path = number + 1, self.received / f"{name}-{number + 1}"
        return path

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
        for folder in self._kept():
            if f"-{receipt.sha256[:8]}" in folder.name:
                with contextlib.suppress(OSError):
                    data = read_regular(folder / receipt.file, MAX_BYTES, self.into)
                    if _hash(data) == receipt.sha256:
                        return data
        raise NotPlaced(
            f"what was received in `{self.received}` has been changed; restore `{receipt.file}`"
        )

    def timestamp(self) -> datetime | None:
        """Return when what is graded was handed in, as far as that is known."""
        return parse_time(read_timestamp(self.notebook.parent, self.into))


def late_by_word(submitted: Path, assignment_id: str) -> dict[str, bool]:
    """Return whether each newest submission is late, of which the platform says that and no time.

    By student. Raises `OSError`.
    """
    top = submitted / RECEIVED / assignment_id
    try:
        students = [one.name for one in entries(top, submitted) if one.kind == "folder"]
    except FileNotFoundError:
        return {}
    found = {}
    for student in students:
        receipts = StudentFolders(submitted, assignment_id, student).receipts()
        newest = newest_receipt(receipts) if receipts else None
        if newest and newest.late is not None and not newest.submitted_at:
            found[student] = newest.late
    return found


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
