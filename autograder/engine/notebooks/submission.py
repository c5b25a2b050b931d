"""A submission: the submitted notebook, parsed and merged into the pristine notebook.

`repairs` lists the repairs. A file that is not a notebook of the assignment is an unreadable
submission, with the reason.

    pristine cells      intro, attention, check_attention
    submitted           attention (without its id), a cell that the student added, check_attention
    Submission.cells    intro, attention as the student wrote it, your-cell-2, check_attention
    Submission.repairs  "The cell `attention` had lost its id and was found by what it defines."
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from autograder.engine.courses.assignment import Assignment
from autograder.engine.courses.cells import PristineCell, is_answer_in_code
from autograder.engine.files.digest import digest_of
from autograder.engine.files.reading import bytes_hash, hash_of
from autograder.engine.limits.bounded import NoAnswer, OutOfBounds, run_bounded
from autograder.engine.notebooks.attachments import read_answer
from autograder.engine.notebooks.pictures import Picture, PictureReader
from autograder.engine.notebooks.reader import (
    MAX_BYTES,
    SubmittedCell,
    Unreadable,
    notebook_bytes,
    parse_notebook,
)
from autograder.engine.placing import (
    CHECK,
    NOT_RUN,
    Placement,
    fingerprint,
    is_prose,
    names_defined,
    place,
    says_more,
)
from autograder.engine.texts.patterns import Pattern
from autograder.engine.texts.printable import printable

MOST_LISTED = 5  # names in a sentence
MAX_TEXT = 300_000  # characters of all cells except code
SLOW_IMPORTS = {  # torch imports these on first use, in a second or more
    "torch._dynamo": Pattern(
        r"\b(?:optim|functorch|checkpoint|vmap|jacrev|jacfwd|hessian|_dynamo)\b"
        r"|\btorch\.func\b|\bfrom torch import .*\bfunc\b"
    )
}


@dataclass(frozen=True)
class Cell:
    """A cell of the repaired notebook: a pristine cell with any answer, or a student's new cell."""

    id: str
    kind: str  # "code", "markdown", "raw"
    source: str
    pristine: PristineCell | None = None
    pictures: Mapping[str, Picture] = field(default_factory=dict)  # of a written answer, by name

    @property
    def provided(self) -> bool:
        """Whether the cell is a released cell for reading or running that the student did not
        change.
        """
        return self.as_released and not self.pristine.solution  # type: ignore[union-attr]

    @property
    def as_released(self) -> bool:
        """Whether its source is that of the release."""
        return self.pristine is not None and _same(self.source, self.pristine.source)


@dataclass(frozen=True)
class Submission:
    """A notebook merged into the pristine notebook, or the reason why it is unreadable."""

    cells: list[Cell]
    student: str = ""
    untouched: set[str] = field(default_factory=set)  # exercises left empty, out, or as released
    repairs: list[str] = field(default_factory=list)  # sentences for the student
    unreadable: str = ""  # the reason
    file_hash: str = ""  # of an unreadable file
    # the id of the cell that answers each coded exercise
    answers: dict[str, str] = field(default_factory=dict)
    # the id of the student's last cell between an answer and its check
    before_checks: dict[str, str] = field(default_factory=dict)
    # sentences for staff on texts and definitions that no exercise claims
    unclaimed: list[str] = field(default_factory=list)

    @property
    def runs(self) -> list[Cell]:
        """The cells to run, in order.

        A provided cell that the student changed runs twice: first as released, then as changed.
        """
        return [run for cell in self.cells for run in _runs(cell)]

    @property
    def needs(self) -> set[str]:
        """The slow modules that the code probably imports. They are imported before its time
        limits start.
        """
        sources = [cell.source for cell in self.runs]
        return {name for name, uses in SLOW_IMPORTS.items() if any(map(uses.search, sources))}

    @cached_property
    def hash(self) -> str:
        """A hash of all texts, pictures and repairs, or of an unreadable file's bytes."""
        if self.unreadable:
            return digest_of("unreadable", self.unreadable, self.file_hash)
        cells = []
        for cell in self.cells:
            pictures = [
                [name, picture.mime, picture.encoded] for name, picture in cell.pictures.items()
            ]
            cells.append([cell.id, cell.kind, cell.source, pictures])
        return digest_of("cells", cells, self.repairs)


def read_submission(
    assignment: Assignment, student: str, notebook: Path, top: Path | None = None
) -> Submission:
    """Read a notebook file, and merge the student's cells into the pristine notebook.

    `top`: the folder below which no link is followed, by default the notebook's own. An error in
    the file makes the submission unreadable and is not raised. Raise `NoAnswer` if the machine
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

    `top`: the folder below which no link is followed. `reason`: a sentence for the student.
    """
    file_hash = hash_of(notebook, MAX_BYTES, top)
    return Submission([], student, unreadable=reason, file_hash=file_hash)


def parse_submission(assignment: Assignment, student: str, name: str, data: bytes) -> Submission:
    """Parse the bytes of a notebook, and merge the student's cells into the pristine notebook.

    `name`: the file's, for messages. An error in the content makes the submission unreadable and is
    not raised. Raise `NoAnswer` if the machine ended the process that parses it.
    """
    try:
        _ = assignment.cells, assignment.figures  # read here once instead of in each process
        submission = run_bounded(lambda: repair(assignment, parse_notebook(data, name)))
    except Unreadable as error:
        reason = str(error)
    except NoAnswer:
        raise
    except OutOfBounds as error:
        reason = f"`{name}` {error} to be read; hand in the assignment alone."
    except Exception as error:  # an unforeseen notebook must not stop other students
        reason = (
            f"The notebook cannot be read ({type(error).__name__}); save it from Jupyter again."
        )
    else:
        return replace(submission, student=student)
    return Submission([], student, unreadable=reason, file_hash=bytes_hash(data))


def _is_of_another(
    assignment: Assignment, submitted: list[SubmittedCell], placed: Collection[str]
) -> bool:
    """Whether the submitted cells belong to another assignment.

    They do if most of their nbgrader ids are unknown, and less than half of this assignment's
    answers and checks are in `placed`. A single id proves nothing: two assignments may share it.
    """
    counting = {cell.id for cell in assignment.cells if cell.solution or cell.check}
    assignment_ids = {cell.id for cell in assignment.cells}
    matches = [cell.grade_id in assignment_ids for cell in submitted if cell.grade_id]
    return 2 * sum(matches) < len(matches) and 2 * len(counting.intersection(placed)) < len(
        counting
    )


def repair(
    assignment: Assignment, submitted: list[SubmittedCell], pictures: PictureReader | None = None
) -> Submission:
    """Merge the submitted cells into the pristine notebook.

    Cells are placed as in `placing.py`. Cells that the student added stay behind the cell that they
    followed. Check cells are always pristine. `pictures`: the reader of the pictures in written
    answers, by default a new one. Raise `Unreadable` if the notebook is not of this assignment, or
    has too much text.
    """
    placement = place(assignment.released_cells, submitted)
    if not placement.cells or _is_of_another(assignment, submitted, placement.cells.keys()):
        raise Unreadable(
            f"No answer of `{assignment.id}` is in this notebook; is it for another assignment?"
        )
    repairs = [*placement.repairs]
    read = _AnswerReader(pictures or PictureReader(), assignment.figures, repairs)
    pristine = {cell.id: cell for cell in assignment.cells}
    cells = [
        _repaired(pristine[id], index, submitted, placement, read)
        if id
        else read(_own(submitted[index], index), [submitted[index]])
        for id, index in placement.order
    ]
    if sum(len(cell.source) for cell in cells if cell.kind != "code") > MAX_TEXT:
        raise Unreadable(
            f"This notebook has more than {MAX_TEXT:,} characters of text; write less."
        )
    coded = [cell.id for cell in assignment.cells if is_answer_in_code(cell)]
    ids = {index: id or _own(submitted[index], index).id for id, index in placement.order}
    repairs += _moved_answers(coded, placement, ids)
    return Submission(
        cells,
        untouched=set(coded) - placement.answers.keys(),
        repairs=repairs,
        answers={id: ids[index] for id, index in placement.answers.items()},
        before_checks={id: ids[index] for id, index in placement.before_checks.items()},
        unclaimed=list(_unclaimed(assignment, submitted, placement, ids)),
    )


def _moved_answers(coded: list[str], placement: Placement, ids: dict[int, str]) -> Iterator[str]:
    """Yield a sentence for each answer in code that is missing or in another cell.

    `ids`: of the cells, by their index in the submitted notebook.
    """
    for id in coded:
        if id not in placement.cells and id not in placement.answers:
            yield f"The cell `{id}` is missing from the notebook."
        elif (answer := placement.answers.get(id)) not in (None, placement.cells.get(id)):
            yield f"The cell `{ids[answer]}` is graded as the answer to `{id}`."


def is_of(assignment: Assignment, submitted: list[SubmittedCell]) -> bool:
    """Whether the submitted cells are of this assignment, so that `repair` accepts them."""
    return bool(place(assignment.released_cells, submitted).cells)


def _repaired(
    pristine: PristineCell,
    index: int,
    submitted: Sequence[SubmittedCell],
    placement: Placement,
    read: "_AnswerReader",
) -> Cell:
    """Return a pristine cell with the student's text, if the submitted cell `index` is not -1."""
    cell = Cell(pristine.id, pristine.kind, pristine.source, pristine)
    parts = [submitted[part] for part in placement.parts.get(pristine.id, ())]
    if pristine.check or (index < 0 and not parts):
        return replace(cell, source="") if is_answer_in_code(pristine) else cell
    if pristine.solution and pristine.kind != "code":
        return read(cell, parts) if parts else cell
    submitted_cell = submitted[index]
    if _same(submitted_cell.source, pristine.source):
        return replace(cell, source=submitted_cell.source)
    return read(replace(cell, source=submitted_cell.source), [submitted_cell])


def _own(cell: SubmittedCell, index: int) -> Cell:
    return Cell(f"your-cell-{index + 1}", cell.kind, cell.source)


def _unclaimed(
    assignment: Assignment,
    submitted: Sequence[SubmittedCell],
    placement: Placement,
    ids: Mapping[int, str],
) -> Iterator[str]:
    """Yield a sentence for staff on texts, definitions and changed checks that no exercise claims.

    `ids`: of the cells of the repaired notebook, by the index of the submitted cell.
    """
    added = [index for id, index in placement.order if not id]
    texts = [index for index in added if is_prose(submitted[index])]
    if texts:
        yield f"No exercise claims the text of {listed(ids[index] for index in texts)}."
    added_code = set(added) - set(texts) - set(placement.answers.values())
    defined_in = {index: names_defined(submitted[index].source) for index in sorted(added_code)}
    for cell in assignment.released_cells:
        defining = [i for i, bound in defined_in.items() if bound & set(cell.defines)]
        if cell.id in placement.answers and defining:
            yield f"{listed(ids[index] for index in defining)} defines what `{cell.id}` does."
    changed = [
        cell
        for cell in assignment.released_cells
        if cell.id in placement.cells
        and says_more(submitted[placement.cells[cell.id]].source, cell)
    ]
    required = {name for cell in assignment.released_cells for name in cell.defines}
    for cell in changed:
        defined_names = names_defined(submitted[placement.cells[cell.id]].source) & required
        if cell.role == CHECK:
            yield f"`{cell.id}` was changed: it ran as released, not with what was written in it."
        elif cell.role == NOT_RUN and defined_names:
            yield f"`{cell.id}` defines {listed(sorted(defined_names))}, and grading does not run it."
    parts = {index for indices in placement.parts.values() for index in indices}
    statement = [cell.id for cell in changed if not cell.role and cell.kind != "code"]
    if unused := [id for id in statement if placement.cells[id] not in parts]:
        yield f"The text of {listed(unused)} was changed."


def listed(names: Iterable[str]) -> str:
    """Return names, such as the ids of cells, as words, at most MOST_LISTED."""
    quoted = [f"`{name}`" for name in names]
    remainder = f" and {len(quoted) - MOST_LISTED} more" if len(quoted) > MOST_LISTED else ""
    return ", ".join(quoted[:MOST_LISTED]) + remainder


class _AnswerReader:
    """Reads written answers with their pictures, and adds a sentence to `repairs` for each loss.

    `figures`: the `data:` addresses of the assignment's figures.
    """

    def __init__(self, pictures: PictureReader, figures: Collection[str], repairs: list[str]):
        self.pictures, self.figures, self.repairs = pictures, figures, repairs

    def __call__(self, cell: Cell, parts: Sequence[SubmittedCell]) -> Cell:
        """Return the cell with the texts and pictures of the submitted cells `parts`.

        A code cell is returned unchanged.
        """
        if cell.kind == "code":
            return cell
        texts, pictures = [], dict[str, Picture]()
        for number, part in enumerate(parts):
            answer = read_answer(part.source, part.attachments, self.pictures, self.figures)
            self.repairs += [f"In the cell `{cell.id}`, {loss}." for loss in answer.losses]
            text = answer.text
            for name, picture in answer.pictures.items():
                if pictures.get(name, picture) != picture:  # two pasted pictures have the same name
                    text = text.replace(f"attachment:{name}", f"attachment:{number}-{name}")
                    name = f"{number}-{name}"
                pictures[name] = picture
            texts.append(text)
        return replace(cell, source="\n\n".join(texts), pictures=pictures)


def _runs(cell: Cell) -> Iterator[Cell]:
    pristine = cell.pristine
    if cell.kind != "code" or (pristine and (pristine.check or pristine.skipped)):
        return
    if pristine and not pristine.solution and not cell.provided:
        yield replace(cell, id=f"{cell.id} as released", source=pristine.source)
    yield cell


def _same(source: str, other: str) -> bool:
    """Whether two sources are equal except for white space at line ends and outer empty lines."""
    return source == other or fingerprint(source) == fingerprint(other)
