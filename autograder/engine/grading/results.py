"""The verdict files of an assignment, and the cells that pages show of the submissions.

    results/<assignment>/<student>.json                      the verdict
    results/<assignment>/cells/<student>.<submission>.json   sources and outputs of the student's cells
    results/<assignment>/history/<student>.jsonl             a line for each verdict that was replaced
    results/<assignment>/proposed/<student>.json             a verdict that is not accepted yet

Every file is written atomically, and a verdict after its cells.
"""

import contextlib
from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from autograder.engine.courses.assignment import Assignment
from autograder.engine.files.locks import locked
from autograder.engine.files.reading import read_named
from autograder.engine.files.writing import replacing_bytes
from autograder.engine.grading.graded import Graded
from autograder.engine.notebooks.pictures import Picture
from autograder.engine.notebooks.submission import Cell, Submission
from autograder.engine.verdicts.history import (
    DatedVerdict,
    add_to_history,
    read_dated_history,
    read_history,
    replace_history,
)
from autograder.engine.verdicts.verdict import Verdict, read_verdict, verdict_files, write_verdict

RESULTS = "results"  # the folder's usual name, in a course
EARLIER = ".ledger"  # folder of an earlier version, for results beside the verdicts
CELLS, PROPOSED, LOCK = "cells", "proposed", ".lock"
MAX_BYTES = 256 << 20  # of a file of cells, whose pictures may have 32 MiB


class _KeptCell(Struct, omit_defaults=True):
    """A stored cell."""

    id: str
    kind: str
    source: str | None = None  # None if it is the release's
    pictures: dict[str, tuple[str, str]] = {}  # MIME type and base64, by name


class _KeptHead(Struct):
    """The part of a stored submission that is parsed to read only its time."""

    submitted: datetime | None  # UTC, without a zone


class _KeptCells(_KeptHead):
    cells: list[_KeptCell]
    outputs: dict[str, list[dict]]


class Answers(NamedTuple):
    """A stored submission."""

    submission: Submission
    outputs: dict[str, list[dict]]  # of its cells, from the grading
    submitted: datetime | None  # UTC, without a zone


ENCODER = msgspec.json.Encoder()
WHOLE, DATED = msgspec.json.Decoder(_KeptCells), msgspec.json.Decoder(_KeptHead)


class ResultsFolder:
    """The verdict files of an assignment in `results`, the folder of all results."""

    def __init__(self, results: Path, assignment: Assignment):
        self.results = results
        self.assignment = assignment
        self.folder = results / assignment.id

    @contextlib.contextmanager
    def exclusively(self) -> Iterator[None]:
        """Within this block, hold the lock on the folder of this assignment. Make the folder if
        needed.

        Raise `AutograderError` if another run holds the lock, `OSError` if the folder is not
        writable.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        sentence = (
            f"Another run is grading into `{self.results}`: wait for it, or name other --results."
        )
        with locked(self.folder / LOCK, sentence):
            yield

    @property
    def is_of_earlier_version(self) -> bool:
        """Whether an earlier version of this program has stored results here, but this version has
        not.
        """
        return (self.results / EARLIER).is_dir() and not (self.folder / CELLS).is_dir()

    def verdict(self, student: str) -> Verdict | None:
        """Return a student's verdict, or None if it is missing or invalid."""
        return read_verdict(self._path(student))

    def practice(self) -> list[str]:
        """Return the students or groups with a practice verdict, sorted."""
        verdicts = filter(None, map(read_verdict, verdict_files(self.folder)))
        return [verdict.student for verdict in verdicts if verdict.is_practice]

    def proposed(self, student: str) -> Verdict | None:
        """Return a student's proposed verdict that is not accepted yet, or None."""
        return read_verdict(self._proposal(student))

    def put(self, graded: Graded, submitted: datetime | None = None) -> None:
        """Write the verdict in `graded` and the submission's cells, and delete a proposed verdict.

        The replaced verdict goes into the history, unless it was `not_graded` or is equal to the
        new verdict. `submitted`: time of the submission, in UTC without a time zone. Raise `OSError`
        if the files cannot be written.
        """
        self._put_cells(graded, submitted)
        self._replace(graded.verdict)

    def earlier(self, student: str) -> list[Verdict]:
        """Return a student's earlier verdicts, oldest first."""
        return read_history(self.results, self.assignment.id, student)

    def put_earlier(self, graded: Graded, submitted: datetime | None) -> None:
        """Write the verdict in `graded` into the student's history, in place of verdicts on the same
        submission, and the submission's cells.

        `submitted`: as for `put`. Raise `OSError` if the files cannot be written.
        """
        self._put_cells(graded, submitted)
        verdict, id = graded.verdict, self.assignment.id
        history = read_dated_history(self.results, id, verdict.student)
        replaced = [
            dated for dated in history if dated.verdict.stamp.submission == verdict.stamp.submission
        ]
        unchanged = [dated for dated in history if dated not in replaced]
        renewed = [dated._replace(verdict=verdict) for dated in replaced]
        renewed = renewed or [DatedVerdict(verdict, submitted)]
        replace_history(self.results, id, verdict.student, [*renewed, *unchanged])

    def propose(self, graded: Graded, submitted: datetime | None = None) -> None:
        """Write the verdict in `graded` as a proposal, and the submission's cells.

        A proposal does not replace the current verdict. `submitted`: as for `put`. Raise `OSError`
        if the files cannot be written.
        """
        self._put_cells(graded, submitted)
        write_verdict(self._proposal(graded.verdict.student), graded.verdict)

    def accept(self, student: str) -> None:
        """Replace a student's verdict by the proposed verdict, if there is any.

        Raise `OSError` if the files cannot be written.
        """
        if verdict := self.proposed(student):
            self._replace(verdict)

    def forget(self, student: str, submissions: Collection[str]) -> None:
        """Remove a student's verdicts on these submissions (their hashes), with the cells.

        If the current verdict is among them, the last remaining verdict takes its place. Raise
        `OSError` if the files cannot be written.
        """
        history = read_dated_history(self.results, self.assignment.id, student)
        earlier = [dated for dated in history if dated.verdict.stamp.submission not in submissions]
        current, proposed = self.verdict(student), self.proposed(student)
        if proposed and proposed.stamp.submission in submissions:
            self._proposal(student).unlink()
        if current and current.stamp.submission in submissions:
            if earlier:
                write_verdict(self._path(student), earlier.pop().verdict)
            else:
                self._path(student).unlink()
        if earlier != history:
            replace_history(self.results, self.assignment.id, student, earlier)
        for submission in submissions:
            self._cells(student, submission).unlink(missing_ok=True)

    def answers(self, verdict: Verdict) -> Answers | None:
        """Return the stored cells and outputs of this verdict's submission, or None."""
        if (stored := self._decoded(verdict, WHOLE)) is None:
            return None
        pristine = {cell.id: cell for cell in self.assignment.cells}
        cells = [_restored(cell, pristine) for cell in stored.cells]
        return Answers(Submission(cells, verdict.student), stored.outputs, stored.submitted)

    def _replace(self, verdict: Verdict) -> None:
        current = self.verdict(verdict.student)
        if current and current.state != "not_graded" and current != verdict:
            add_to_history(self.results, current, self.submitted(current))
        write_verdict(self._path(verdict.student), verdict)
        self._proposal(verdict.student).unlink(missing_ok=True)

    def submitted(self, verdict: Verdict) -> datetime | None:
        """Return the time of this verdict's submission, or None if it was unknown at grading."""
        stored = self._decoded(verdict, DATED)
        return stored.submitted if stored else None

    def _decoded(self, verdict: Verdict, decoder: msgspec.json.Decoder) -> Any:
        path = self._cells(verdict.student, verdict.stamp.submission)
        try:
            return decoder.decode(read_named(path, MAX_BYTES))
        except (OSError, ValueError, RecursionError):
            return None

    def _put_cells(self, graded: Graded, submitted: datetime | None) -> None:
        if graded.submission is None:
            return
        cells, verdict = [_kept(cell) for cell in graded.submission.cells], graded.verdict
        with replacing_bytes(self._cells(verdict.student, verdict.stamp.submission)) as file:
            file.write(ENCODER.encode(_KeptCells(submitted, cells, graded.outputs)))

    def _path(self, student: str) -> Path:
        return self.folder / f"{student}.json"

    def _proposal(self, student: str) -> Path:
        return self.folder / PROPOSED / f"{student}.json"

    def _cells(self, student: str, submission: str) -> Path:
        return self.folder / CELLS / f"{student}.{submission}.json"


def _kept(cell: Cell) -> _KeptCell:
    pristine = cell.pristine
    pictures = {name: (picture.mime, picture.encoded) for name, picture in cell.pictures.items()}
    is_unchanged = pristine is not None and (
        (cell.id, cell.kind, cell.source) == (pristine.id, pristine.kind, pristine.source)
    )
    return _KeptCell(cell.id, cell.kind, None if is_unchanged else cell.source, pictures)


def _restored(cell: _KeptCell, pristine_cells: dict) -> Cell:
    pristine = pristine_cells.get(cell.id)
    source = cell.source if cell.source is not None else pristine.source if pristine else ""
    pictures = {name: Picture(*fields) for name, fields in cell.pictures.items()}
    return Cell(cell.id, cell.kind, source, pristine, pictures)
