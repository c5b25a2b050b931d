"""Find the notes on a submission: sentences for staff, in the order of its cells."""

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
MAX_LINES = 5  # line numbers that a note lists for each access
SHORT = (("torch.nn.functional.", "F."), ("torch.nn.", "nn."))  # as they are usually imported
SHORT_CODE = 20_000  # characters that are parsed in a fifth of a second; solutions have 6,000


def find_notes(
    assignment: Assignment, submission: Submission, runs: Iterable[CheckRun], broken: Iterable[str]
) -> list[str]:
    """Return the notes on a submission, at most MAX_NOTES.

    They are about `broken` (sentences on broken checks), answers that no exercise claims, library
    parts used in place of the student's own, and access beyond an exercise. `runs`: the results of
    the checks, which name the library parts.
    """
    uses = _about_library(assignment.library_parts, runs)
    return bounded([*broken, *submission.unclaimed, *uses, *_about_code(submission)])


def _about_code(submission: Submission) -> list[str]:
    student_cells = own_code(submission)
    long = too_long(student_cells)
    provided = [cell for cell in submission.runs if cell.provided]
    read = [*provided, *(cell for cell in student_cells if cell.id not in long)]
    notes = [f"`{name}` is too long to be looked through." for name in sorted(long)]
    try:
        return [*_read_within_limits(read, student_cells), *notes]
    except OutOfBounds as error:
        return [*notes, f"The code {error} to be looked through."]
    except Exception:  # caused by odd code: no verdict depends on notes
        return notes


def _read_within_limits(cells: Sequence[Cell], student_cells: Sequence[Cell]) -> list[str]:
    """Return the notes on the student's cells among `cells`.

    Long code is parsed in a process with limits. Such a process takes a tenth of the time of a
    verdict, so short code is parsed here.
    """

    def read() -> list[str]:
        return list(_about_reaching(read_cells(cells), student_cells))

    return (
        read()
        if sum(len(cell.source) for cell in student_cells) <= SHORT_CODE
        else run_bounded(read)
    )


def bounded(notes: Iterable[str]) -> list[str]:
    """Return at most MAX_NOTES notes, printable, shortened and without duplicates."""
    cleaned = list(dict.fromkeys(printable(note, MAX_LENGTH) for note in notes))
    if len(cleaned) <= MAX_NOTES:
        return cleaned
    return [*cleaned[: MAX_NOTES - 1], f"And {len(cleaned) - MAX_NOTES + 1} more of the kind."]


def _about_library(parts: Mapping[str, Sequence[str]], runs: Iterable[CheckRun]) -> Iterator[str]:
    for exercise, paths in library_parts(parts, runs).items():
        yield f"`{exercise}` uses `{shown(paths[0])}`: was an own one asked for?"


def library_parts(
    parts: Mapping[str, Sequence[str]], runs: Iterable[CheckRun]
) -> dict[str, list[str]]:
    """Return the library parts that each exercise called, as paths by exercise.

    `parts`: the parts that students have to write themselves, by exercise.
    """
    called_by_exercise = defaultdict[str, set[str]](set)
    for run in runs:
        called_by_exercise[run.exercise] |= run.library or set()
    parts_by_exercise = {
        exercise: [part for part in parts.get(exercise, ()) if part.rpartition(".")[2] in names]
        for exercise, names in called_by_exercise.items()
    }
    return {exercise: paths for exercise, paths in parts_by_exercise.items() if paths}


def shown(path: str) -> str:
    """Return the usual name of a part of torch: `F.relu` for `torch.nn.functional.relu`."""
    for long, short in SHORT:
        if path.startswith(long):
            return short + path.removeprefix(long)
    return path


def _about_reaching(
    statements: Mapping[str, Sequence[Statement]], cells: Sequence[Cell]
) -> Iterator[str]:
    names = Bindings.of(chain(*statements.values()))
    for cell in cells:
        if cell.id in statements:
            released = cell.pristine.source if cell.pristine else ""
            accesses = reaches(names, statements[cell.id], released)
            if accesses:
                listing = ", ".join(
                    f"`{path}` ({_lines(lines)})" for path, lines in accesses.items()
                )
                yield f"`{cell.id}` reaches beyond its exercise: {listing}."


def _lines(lines: Sequence[int]) -> str:
    numbers = ", ".join(str(line) for line in lines[:MAX_LINES])
    ellipsis = ", ..." if len(lines) > MAX_LINES else ""
    return f"line{'s' * (len(lines) > 1)} {numbers}{ellipsis}"
