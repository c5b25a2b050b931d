"""A submission: the notebook that a student handed in, parsed and put back into the pristine one.

`repairs` says what had to be repaired. A file that is no notebook of the assignment is a
submission, too: an unreadable one, with the reason.

    pristine cells      intro, attention, check_attention
    handed in           attention (without its id), a cell of the student's own, check_attention
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

MOST_LISTED = 5  # names, in a sentence
MAX_TEXT = 300_000  # characters of all cells that are no code
SLOW_IMPORTS = {  # what torch imports, in a second or more, when one of these is first used
    "torch._dynamo": Pattern(
        r"\b(?:optim|functorch|checkpoint|vmap|jacrev|jacfwd|hessian|_dynamo)\b"
        r"|\btorch\.func\b|\bfrom torch import .*\bfunc\b"
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
    unreadable ("" if it is not). `untouched`: the coded exercises that the student left empty, out,
    or as released; `repairs`: a sentence for the student on each repair; `file_hash`: that of an
    unreadable file; `answers`: the id of the cell that answers each coded exercise;
    `before_checks`: that of the student's last cell between the answer and its check, where there
    is one; `unclaimed`: sentences for staff on what no exercise claims.
    """

    cells: list[Cell]
    student: str = ""
    untouched: set[str] = field(default_factory=set)
    repairs: list[str] = field(default_factory=list)
    unreadable: str = ""
    file_hash: str = ""
    answers: dict[str, str] = field(default_factory=dict)
    before_checks: dict[str, str] = field(default_factory=dict)
    unclaimed: list[str] = field(default_factory=list)

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


def _is_of_another(
    assignment: Assignment, submitted: list[SubmittedCell], placed: Collection[str]
) -> bool:
    """Whether most of the submitted cells with an nbgrader id belong to another assignment, and
    less than half of the answers and checks of this one are `placed` (their ids).

    Two assignments may have cells with the same id, so one such cell says nothing.
    """
    counting = {cell.id for cell in assignment.cells if cell.solution or cell.check}
    known = {cell.id for cell in assignment.cells}
    theirs = [cell.grade_id in known for cell in submitted if cell.grade_id]
    return 2 * sum(theirs) < len(theirs) and 2 * len(counting.intersection(placed)) < len(counting)


def repair(
    assignment: Assignment, submitted: list[SubmittedCell], pictures: PictureReader | None = None
) -> Submission:
    """Put the submitted cells into the pristine notebook; return the result.

    Cells are placed as in `placing.py`. The student's own cells stay behind the cell that they
    followed; check cells are always the pristine ones. `pictures`: the reader of the pictures in
    written answers, by default a new one. Raise `Unreadable` if the notebook is not of this
    assignment, or has too much text.
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
    """Yield a sentence for each answer in code whose cell is missing, or which stands in another
    cell. `ids`: of the cells, by their place in the submitted notebook.
    """
    for id in coded:
        if id not in placement.cells and id not in placement.answers:
            yield f"The cell `{id}` is missing from the notebook."
        elif (answer := placement.answers.get(id)) not in (None, placement.cells.get(id)):
            yield f"The cell `{ids[answer]}` is graded as the answer to `{id}`."


def is_of(assignment: Assignment, submitted: list[SubmittedCell]) -> bool:
    """Whether the submitted cells are of this assignment, so that `repair` can put them into its
    notebook.
    """
    return bool(place(assignment.released_cells, submitted).cells)


def _repaired(
    pristine: PristineCell,
    index: int,
    submitted: Sequence[SubmittedCell],
    placement: Placement,
    read: "_AnswerReader",
) -> Cell:
    """Return a cell of the repaired notebook: a pristine one with the student's text, if a
    submitted cell stands for it. `index`: that cell's, or -1.
    """
    cell = Cell(pristine.id, pristine.kind, pristine.source, pristine)
    parts = [submitted[part] for part in placement.parts.get(pristine.id, ())]
    if pristine.check or (index < 0 and not parts):
        return replace(cell, source="") if is_answer_in_code(pristine) else cell
    if pristine.solution and pristine.kind != "code":
        return read(cell, parts) if parts else cell
    theirs = submitted[index]
    if _same(theirs.source, pristine.source):
        return replace(cell, source=theirs.source)
    return read(replace(cell, source=theirs.source), [theirs])


def _own(cell: SubmittedCell, index: int) -> Cell:
    """Return a cell that the student added."""
    return Cell(f"your-cell-{index + 1}", cell.kind, cell.source)


def _unclaimed(
    assignment: Assignment,
    submitted: Sequence[SubmittedCell],
    placement: Placement,
    ids: Mapping[int, str],
) -> Iterator[str]:
    """Yield a sentence for staff on texts, definitions and changed checks that no exercise claims.

    `ids`: those of the cells of the repaired notebook, by the index of the submitted one.
    """
    own = [index for id, index in placement.order if not id]
    texts = [index for index in own if is_prose(submitted[index])]
    if texts:
        yield f"No exercise claims the text of {listed(ids[index] for index in texts)}."
    others = set(own) - set(texts) - set(placement.answers.values())
    defined_in = {index: names_defined(submitted[index].source) for index in sorted(others)}
    for cell in assignment.released_cells:
        defining = [i for i, names in defined_in.items() if names & set(cell.defines)]
        if cell.id in placement.answers and defining:
            yield f"{listed(ids[index] for index in defining)} defines what `{cell.id}` does."
    changed = [
        cell
        for cell in assignment.released_cells
        if cell.id in placement.cells
        and says_more(submitted[placement.cells[cell.id]].source, cell)
    ]
    asked = {name for cell in assignment.released_cells for name in cell.defines}
    for cell in changed:
        defined = names_defined(submitted[placement.cells[cell.id]].source) & asked
        if cell.role == CHECK:
            yield f"`{cell.id}` was changed: it ran as released, not with what was written in it."
        elif cell.role == NOT_RUN and defined:
            yield f"`{cell.id}` defines {listed(sorted(defined))}, and grading does not run it."
    parts = {index for indices in placement.parts.values() for index in indices}
    statement = [cell.id for cell in changed if not cell.role and cell.kind != "code"]
    if unused := [id for id in statement if placement.cells[id] not in parts]:
        yield f"The text of {listed(unused)} was changed."


def listed(names: Iterable[str]) -> str:
    """Return names, such as the ids of cells, as words; of many, the first ones."""
    quoted = [f"`{name}`" for name in names]
    more = f" and {len(quoted) - MOST_LISTED} more" if len(quoted) > MOST_LISTED else ""
    return ", ".join(quoted[:MOST_LISTED]) + more


class _AnswerReader:
    """Reads written answers with their pictures, and adds a sentence to `repairs` for whatever
    cannot be kept.

    `figures`: the `data:` addresses of the assignment's own figures.
    """

    def __init__(self, pictures: PictureReader, figures: Collection[str], repairs: list[str]):
        self.pictures, self.figures, self.repairs = pictures, figures, repairs

    def __call__(self, cell: Cell, parts: Sequence[SubmittedCell]) -> Cell:
        """Return the cell with the texts and the pictures of `parts`, submitted cells; a code cell
        unchanged.
        """
        if cell.kind == "code":
            return cell
        texts, pictures = [], dict[str, Picture]()
        for number, part in enumerate(parts):
            answer = read_answer(part.source, part.attachments, self.pictures, self.figures)
            self.repairs += [f"In the cell `{cell.id}`, {loss}." for loss in answer.losses]
            text = answer.text
            for name, picture in answer.pictures.items():
                if pictures.get(name, picture) != picture:  # two that were pasted have one name
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
    """Whether two sources are equal, except for white space at the ends of lines and empty lines at
    either end.
    """
    return source == other or fingerprint(source) == fingerprint(other)
