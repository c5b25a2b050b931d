"""Find the notes on one submission: sentences for staff, in the order of its cells."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from autograder.engine.courses.assignment import Assignment
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.limits.bounded import OutOfBounds, run_bounded
from autograder.engine.notebooks.submission import Cell, Submission
from autograder.engine.notes.answers import own_code, too_long
from autograder.engine.notes.code import Statement, read_cells
from autograder.engine.notes.reaching import Bindings, reaches
from autograder.engine.texts.printable import printable

MAX_NOTES = 10
MAX_LENGTH = 200  # characters of a note
MAX_LINES = 5  # that a note names of each thing
SHORT = (("torch.nn.functional.", "F."), ("torch.nn.", "nn."))  # as they are usually imported
SHORT_CODE = 20_000  # of which no text takes more than a fifth of a second; solutions have 6,000


def find_notes(
    assignment: Assignment, submission: Submission, runs: Iterable[CheckRun], broken: Iterable[str]
) -> list[str]:
    """Return the notes on a submission: `broken` (sentences on what broke), what no exercise claims,
    library parts that were used in place of the student's own, and what the code accesses beyond
    its exercise.

    `runs`: the results of the checks, which name the library parts. At most MAX_NOTES are returned.
    """
    uses = _about_library(assignment.library_parts, runs)
    return bounded([*broken, *submission.unclaimed, *uses, *_about_code(submission)])


def _about_code(submission: Submission) -> list[str]:
    """Return a note on each cell that accesses something beyond its exercise, or that is too long
    to be searched.
    """
    own = own_code(submission)
    long = too_long(own)
    provided = [cell for cell in submission.runs if cell.provided]
    read = [*provided, *(cell for cell in own if cell.id not in long)]
    notes = [f"`{name}` is too long to be looked through." for name in sorted(long)]
    try:
        return [*_read_within_limits(read, own), *notes]
    except OutOfBounds as error:
        return [*notes, f"The code {error} to be looked through."]
    except Exception:  # of odd code: no verdict depends on it
        return notes


def _read_within_limits(cells: Sequence[Cell], own: Sequence[Cell]) -> list[str]:
    """Return the notes on what the cells `own`, the student's, access; `cells` are these and the
    provided ones.

    Long code is parsed in a process with limits. Short code is not, because such a process takes a
    tenth of the time of a verdict.
    """

    def read() -> list[str]:
        return list(_about_reaching(read_cells(cells), own))

    return read() if sum(len(cell.source) for cell in own) <= SHORT_CODE else run_bounded(read)


def bounded(notes: Iterable[str]) -> list[str]:
    """Return the notes without duplicates: at most MAX_NOTES, each shortened, and without
    characters that cannot be printed.
    """
    cleaned = list(dict.fromkeys(printable(note, MAX_LENGTH) for note in notes))
    if len(cleaned) <= MAX_NOTES:
        return cleaned
    return [*cleaned[: MAX_NOTES - 1], f"And {len(cleaned) - MAX_NOTES + 1} more of the kind."]


def _about_library(parts: Mapping[str, Sequence[str]], runs: Iterable[CheckRun]) -> Iterator[str]:
    """Yield a note for each exercise that uses a part of the library which students have to write
    themselves; it names the first such part.

    `parts`: these parts by exercise; `runs`: the results of checks, with the names that were
    called.
    """
    for exercise, used in library_parts(parts, runs).items():
        yield f"`{exercise}` uses `{shown(used[0])}`: was an own one asked for?"


def library_parts(
    parts: Mapping[str, Sequence[str]], runs: Iterable[CheckRun]
) -> dict[str, list[str]]:
    """Return the paths of those of these parts of the library that were called, by exercise. The
    arguments are those of `_about_library`.
    """
    called = defaultdict[str, set[str]](set)
    for run in runs:
        called[run.exercise] |= run.library or set()
    used = {
        exercise: [part for part in parts.get(exercise, ()) if part.rpartition(".")[2] in names]
        for exercise, names in called.items()
    }
    return {exercise: paths for exercise, paths in used.items() if paths}


def shown(path: str) -> str:
    """Return the name of a part of torch as it is usually written: `torch.nn.functional.relu` ->
    `F.relu`.
    """
    for long, short in SHORT:
        if path.startswith(long):
            return short + path.removeprefix(long)
    return path


def _about_reaching(
    statements: Mapping[str, Sequence[Statement]], cells: Sequence[Cell]
) -> Iterator[str]:
    """Yield a note on each of `cells` that accesses something beyond its exercise. `statements`:
    those of each cell, by its id.
    """
    names = Bindings.of(chain(*statements.values()))
    for cell in cells:
        if cell.id in statements:
            released = cell.pristine.source if cell.pristine else ""
            found = reaches(names, statements[cell.id], released)
            if found:
                named = ", ".join(f"`{w}` ({_lines(lines)})" for w, lines in found.items())
                yield f"`{cell.id}` reaches beyond its exercise: {named}."


def _lines(lines: Sequence[int]) -> str:
    named = ", ".join(str(line) for line in lines[:MAX_LINES])
    more = ", ..." if len(lines) > MAX_LINES else ""
    return f"line{'s' * (len(lines) > 1)} {named}{more}"
