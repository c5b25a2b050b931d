"""A submission: the notebook that a student handed in, parsed and put back into the pristine one.

`repairs` says what had to be repaired. A file that is no notebook of the assignment is a
submission, too: an unreadable one, with the reason.

    pristine cells      intro, attention, check_attention
    handed in           attention (without its id), a cell of the student's own, check_attention
    Submission.cells    intro, attention as the student wrote it, your-cell-2, check_attention
    Submission.repairs  "The cell `attention` had lost its id and was found by what it defines."
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from autograder.engine.course.assignment import Assignment
from autograder.engine.course.cells import PristineCell
from autograder.engine.limits.bounded import NoAnswer, OutOfBounds, run_bounded
from autograder.engine.notebook.attachments import read_answer
from autograder.engine.notebook.matching import CellMatcher
from autograder.engine.notebook.pictures import Picture, PictureReader
from autograder.engine.notebook.reader import (
    MAX_BYTES,
    SubmittedCell,
    Unreadable,
    notebook_bytes,
    parse_notebook,
)
from autograder.files.digest import digest_of
from autograder.files.reading import bytes_hash, hash_of
from autograder.text.patterns import Pattern
from autograder.text.printable import printable

MAX_TEXT = 300_000  # characters of all cells that are no code
SLOW_IMPORTS = {  # what torch imports, in a second or more, when one of these is first used
    "torch._dynamo": Pattern(
        r"\b(?:optim|functorch|checkpoint|vmap|jacrev|jacfwd|hessian|_dynamo)\b"
        r"|\btorch\.(?:compile|func)\b|\bfrom torch import .*\b(?:compile|func)\b"
    )
}


@dataclass(frozen=True)
class Cell:
    """A cell of the repaired notebook: a pristine cell, with the student's answer if it takes one,
    or a cell of the student's own.
    """

    id: str
    kind: str  # "code", "markdown", "raw"
    source: str
    pristine: PristineCell | None = None
    pictures: Mapping[str, Picture] = field(default_factory=dict)  # of a written answer, by name

    @property
    def provided(self) -> bool:
        """Whether it is a cell that the staff wrote for reading or running, and the student did not
        change it.
        """
        return self.as_released and not self.pristine.solution  # type: ignore[union-attr]

    @property
    def as_released(self) -> bool:
        """Whether its source is that of the release."""
        return self.pristine is not None and _same(self.source, self.pristine.source)


@dataclass(frozen=True)
class Submission:
    """A notebook with the student's cells put into the pristine one, or the reason why it is
    unreadable ("" if it is not). `untouched`: the exercises that the student left empty, out, or as
    released; `repairs`: a sentence for the student on each repair; `file_hash`: that of an
    unreadable file.
    """

    cells: list[Cell]
    student: str = ""
    untouched: set[str] = field(default_factory=set)  # exercises left empty, out, or as released
    repairs: list[str] = field(default_factory=list)
    unreadable: str = ""
    file_hash: str = ""  # of a file that is unreadable

    @property
    def runs(self) -> list[Cell]:
        """The cells to run, in order. A provided cell that the student changed runs twice: first as
        released, then as changed.
        """
        return [run for cell in self.cells for run in _runs(cell)]

    @property
    def needs(self) -> set[str]:
        """The names of modules that the code probably imports and that take long; they are imported
        before its time limits start.
        """
        sources = [cell.source for cell in self.runs]
        return {name for name, uses in SLOW_IMPORTS.items() if any(map(uses.search, sources))}

    @cached_property
    def hash(self) -> str:
        """A hash that changes with any text or picture of the student's and with any repair; of an
        unreadable file, with any byte.
        """
        if self.unreadable:
            return digest_of("unreadable", self.unreadable, self.file_hash)
        cells = []
        for cell in self.cells:
            pictures = [[name, one.mime, one.encoded] for name, one in cell.pictures.items()]
            cells.append([cell.id, cell.kind, cell.source, pictures])
        return digest_of("cells", cells, self.repairs)


def read_submission(
    assignment: Assignment, student: str, notebook: Path, top: Path | None = None
) -> Submission:
    """Read a notebook file, and put the student's cells into the pristine notebook; return the
    result.

    `top`: the folder below which no link is followed, by default the notebook's own. An error in
    the file makes the submission unreadable; it is not raised. Raise `NoAnswer` if the machine
    ended the process that parses it.
    """
    top = top or notebook.parent
    try:
        data = notebook_bytes(notebook, top)
    except Unreadable as error:
        return unreadable_file(student, notebook, top, str(error))
    return parse_submission(assignment, student, printable(notebook.name), data)


def unreadable_file(student: str, notebook: Path, top: Path, reason: str) -> Submission:
    """Return an unreadable submission for a file that cannot be opened.

    `top`: the folder below which no link is followed; `reason`: the sentence that the student
    reads.
    """
    file_hash = hash_of(notebook, MAX_BYTES, top)
    return Submission([], student, unreadable=reason, file_hash=file_hash)


def parse_submission(assignment: Assignment, student: str, name: str, data: bytes) -> Submission:
    """Parse the bytes of a notebook, and put the student's cells into the pristine notebook; return
    the result.

    `name`: the file's, for messages. An error in the content makes the submission unreadable; it is
    not raised. Raise `NoAnswer` if the machine ended the process that parses it.
    """
    try:
        _ = assignment.cells, assignment.figures  # read once, and not by each process
        submission = run_bounded(lambda: repair(assignment, parse_notebook(data, name)))
    except Unreadable as error:
        reason = str(error)
    except NoAnswer:
        raise
    except OutOfBounds as error:
        reason = f"`{name}` {error} to be read; hand in the assignment alone."
    except Exception as error:  # a notebook that nobody thought of: it is this student's alone
        reason = (
            f"The notebook cannot be read ({type(error).__name__}); save it from Jupyter again."
        )
    else:
        return replace(submission, student=student)
    return Submission([], student, unreadable=reason, file_hash=bytes_hash(data))


def _is_of_another(assignment: Assignment, submitted: list[SubmittedCell]) -> bool:
    """Whether most of the submitted cells with an nbgrader id belong to another assignment.

    Two assignments may have cells with the same id, so one such cell says nothing.
    """
    known = {cell.id for cell in assignment.cells}
    theirs = [cell.grade_id in known for cell in submitted if cell.grade_id]
    return 2 * sum(theirs) < len(theirs)


def repair(
    assignment: Assignment, submitted: list[SubmittedCell], pictures: PictureReader | None = None
) -> Submission:
    """Put the submitted cells into the pristine notebook; return the result.

    Cells are matched as in `matching.py`. The student's own cells stay behind the cell that they
    followed; check cells are always the pristine ones. `pictures`: the reader of the pictures in
    written answers, by default a new one. Raise `Unreadable` if the notebook is not of this
    assignment, or has too much text.
    """
    matches, repairs = CellMatcher(assignment.cells, submitted).match()
    if not matches or _is_of_another(assignment, submitted):
        raise Unreadable(
            f"No answer of `{assignment.id}` is in this notebook; is it for another assignment?"
        )
    read = _AnswerReader(pictures or PictureReader(), assignment.figures, repairs)
    own = _own_cells(submitted, {index: name for name, index in matches.items()}, read)
    cells, untouched = list(own[""]), set()
    for pristine in assignment.cells:
        theirs = submitted[matches[pristine.id]] if pristine.id in matches else None
        source = pristine.source if theirs is None or pristine.check else theirs.source
        cell = Cell(pristine.id, pristine.kind, source, pristine)
        if pristine.solution and pristine.kind == "code":
            if theirs is None:
                repairs.append(f"The cell `{pristine.id}` is missing from the notebook.")
                cell = replace(cell, source="")
            if _same(cell.source, pristine.source) or not _code(cell.source):
                untouched.add(pristine.id)
        elif theirs is not None and pristine.solution and not _adds(source, pristine.source):
            cell = replace(cell, source=pristine.source)  # nothing was written
        elif theirs is not None and not _same(source, pristine.source):
            cell = read(cell, theirs)
        cells += [cell, *own[pristine.id]]
    if sum(len(cell.source) for cell in cells if cell.kind != "code") > MAX_TEXT:
        raise Unreadable(
            f"This notebook has more than {MAX_TEXT:,} characters of text; write less."
        )
    return Submission(cells, untouched=untouched, repairs=repairs)


def is_of(assignment: Assignment, submitted: list[SubmittedCell]) -> bool:
    """Whether the submitted cells are of this assignment, so that `repair` can put them into its
    notebook.
    """
    return bool(CellMatcher(assignment.cells, submitted).match()[0])


class _AnswerReader:
    """Reads written answers with their pictures, and adds a sentence to `repairs` for whatever
    cannot be kept.

    `figures`: the `data:` addresses of the assignment's own figures.
    """

    def __init__(self, pictures: PictureReader, figures: Collection[str], repairs: list[str]):
        self.pictures, self.figures, self.repairs = pictures, figures, repairs

    def __call__(self, cell: Cell, theirs: SubmittedCell) -> Cell:
        """Return the cell with the text and the pictures of `theirs`, the submitted cell; a code
        cell unchanged.
        """
        if cell.kind == "code":
            return cell
        answer = read_answer(cell.source, theirs.attachments, self.pictures, self.figures)
        self.repairs += [f"In the cell `{cell.id}`, {loss}." for loss in answer.losses]
        return replace(cell, source=answer.text, pictures=answer.pictures)


def _own_cells(
    submitted: list[SubmittedCell], places: dict[int, str], read: _AnswerReader
) -> dict[str, list[Cell]]:
    """Return the student's own cells, by the id of the pristine cell that they follow; "" for those
    before the first one.

    `places`: the ids of pristine cells by the index of the submitted one; `read`: reads written
    answers.
    """
    own: dict[str, list[Cell]] = defaultdict(list)
    anchor = ""
    for index, cell in enumerate(submitted):
        anchor = places.get(index, anchor)
        if index not in places:
            own[anchor].append(read(Cell(f"your-cell-{index + 1}", cell.kind, cell.source), cell))
    return own


def _runs(cell: Cell) -> Iterator[Cell]:
    pristine = cell.pristine
    if cell.kind != "code" or (pristine and (pristine.check or pristine.skipped)):
        return
    if pristine and not pristine.solution and not cell.provided:
        yield replace(cell, id=f"{cell.id} as released", source=pristine.source)
    yield cell


def _adds(source: str, released: str) -> bool:
    """Whether the written answer `source` has a line that `released`, its text in the release, does
    not have.
    """
    lines, known = ({line.strip() for line in text.splitlines()} for text in (source, released))
    return bool(lines - known - {""})


def _same(one: str, other: str) -> bool:
    """Whether the sources `one` and `other` are equal, except for white space at the ends of lines
    and empty lines at either end.
    """
    return one == other or _stripped(one) == _stripped(other)


def _stripped(source: str) -> list[str]:
    return [line.rstrip() for line in source.strip().splitlines()]


def _code(source: str) -> bool:
    """Whether a cell contains anything but comments and empty lines."""
    return any(line.strip() and not line.strip().startswith("#") for line in source.splitlines())
