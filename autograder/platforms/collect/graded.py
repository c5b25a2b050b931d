"""Write the notebook that is graded: a copy of the student's newest received one, with nbgrader's
timestamp.txt.

    INTO/<student>/<assignment>/<assignment>.ipynb

The copy is made from the store of received files, so the next run completes one that was
interrupted.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from autograder.files.reading import NotRegular, TooLarge, read_regular
from autograder.files.timestamp import TIMESTAMP, read_timestamp
from autograder.files.writing import replacing, replacing_bytes
from autograder.people.matching import NotPlaced
from autograder.platforms.collect.receipts import BY_HAND, Receipt, is_known, newest_receipt
from autograder.platforms.collect.store import (
    MAX_FILE,
    ReceivedStore,
    refuse_links,
    sha256_of,
)
from autograder.platforms.download import FileRefused
from autograder.text.times import parse_time, timestamp_text


@dataclass(frozen=True)
class GradedFolder:
    """One student's folder for one assignment, in which the notebook that will be graded lies."""

    store: ReceivedStore
    student: str

    @property
    def notebook(self) -> Path:
        id = self.store.assignment_id
        return self.store.into / self.student / id / f"{id}.ipynb"

    def take(self, receipt: Receipt) -> str:
        """Add a receipt, the record of one received notebook, to the store; and copy the notebook
        of the student's newest receipt into this folder.

        Return "new" for the student's first submission, "newer" or "older" than the ones before, or
        "unchanged" if the same file was received before.

        A notebook that somebody put into the folder by hand is kept in the store before it is
        replaced; an "unchanged" submission does not replace it. Raises `NotPlaced` if a link, a
        folder or another file is where the notebook belongs, or if the received file is gone or was
        changed.
        """
        before = list(self.store.receipts[self.student])
        present = self._read()
        by_hand = present is not None and sha256_of(present) not in {one.sha256 for one in before}
        known = is_known(receipt, before)
        if not known:
            if present is not None and by_hand:
                before.append(self._keep_by_hand(present, receipt, len(before)))
            receipt = replace(receipt, order=len(before))
            self.store.add(receipt)
        if not (known and by_hand):
            self._copy(newest_receipt(self.store.receipts[self.student]), present)
        if known:
            return "unchanged"
        if not before:
            return "new"
        return "newer" if newest_receipt([*before, receipt]) == receipt else "older"

    def clear(self) -> bool:
        """Remove the notebook, which stays in the store, and its time of submission from this
        folder. Return False, and remove nothing, if the store does not have it.

        Raises `NotPlaced` as `refuse_links` does, or if something else has the notebook's name.
        """
        self.refuse_links()
        present = self._read()
        known = {one.sha256 for one in self.store.receipts[self.student]}
        if present is None or sha256_of(present) not in known:
            return False
        self.notebook.with_name(TIMESTAMP).unlink(missing_ok=True)
        self.notebook.unlink()
        with suppress(OSError):  # somebody put other files there
            self.notebook.parent.rmdir()
            self.notebook.parent.parent.rmdir()
        return True

    def timestamp(self) -> datetime | None:
        """Return when the notebook in this folder was handed in, by its timestamp.txt; None if
        unknown.
        """
        return parse_time(read_timestamp(self.notebook.parent, self.store.into))

    def refuse_links(self) -> None:
        """Raise `NotPlaced` if this folder, or the student's folder around it, is a link or a file."""
        folder = self.notebook.parent
        refuse_links(self.store.into, folder.parent, folder)

    def _read(self) -> bytes | None:
        """Return the content of the notebook in this folder; None if there is none.

        Raises `NotPlaced` if a link, a folder or too large a file has its name.
        """
        try:
            return read_regular(self.notebook, MAX_FILE, self.store.into)
        except FileNotFoundError:
            return None
        except (NotRegular, TooLarge) as error:
            raise NotPlaced(
                f"`{self.notebook}` is in the way, and no notebook; move it and collect again"
            ) from error

    def _keep_by_hand(self, data: bytes, newer: Receipt, order: int) -> Receipt:
        """Add to the store the notebook (`data`) that somebody put into this folder by hand; return
        the new receipt for it.

        `newer`: the receipt that is added next; the new one gets the same time of collecting.
        `order`: the new receipt's place among the student's receipts.
        """
        when = self.timestamp()
        changed = datetime.fromtimestamp(self.notebook.lstat().st_mtime, UTC)
        sha256 = sha256_of(data)
        receipt = Receipt(
            student=self.student,
            platform="folder",
            submitted_at=timestamp_text(when) if when else None,
            time_from=BY_HAND,
            clock=timestamp_text(when or changed),
            sha256=sha256,
            bytes=len(data),
            file=self.store.keep(data, self.notebook.name, sha256),
            download=str(self.store.into),
            member=str(self.notebook.relative_to(self.store.into)),
            collected_at=newer.collected_at,
            order=order,
        )
        self.store.add(receipt)
        return receipt

    def _copy(self, receipt: Receipt, present: bytes | None) -> None:
        """Write the notebook of a receipt into this folder, and its time of submission into
        `timestamp.txt`; remove `timestamp.txt` if that time is unknown. `present` is the content of
        the notebook now in the folder, or None; the same content is not written again.

        Raises `NotPlaced` if the received file is gone from the store or was changed.
        """
        if present is None or sha256_of(present) != receipt.sha256:
            try:
                data = self.store.read(receipt.file, receipt.sha256)
            except FileRefused as error:
                raise NotPlaced(f"what was received {error}") from error
            with replacing_bytes(self.notebook) as file:
                file.write(data)
        timestamp = self.notebook.with_name(TIMESTAMP)
        when = parse_time(receipt.submitted_at or "")
        if when is None:
            timestamp.unlink(missing_ok=True)  # another submission's
        elif self.timestamp() != when:
            with replacing(timestamp) as text:
                text.write(timestamp_text(when) + "\n")
