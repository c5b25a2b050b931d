"""Report the names in answers that later cells gave other values."""

from collections.abc import Iterator, Mapping, Sequence

from autograder.engine.notebooks.submission import Submission, listed
from autograder.engine.notes.code import UNREADABLE, read_statements
from autograder.engine.notes.find import SHORT_CODE


def about_rebound(submission: Submission, rebound: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield a sentence, for student and staff, if later cells gave names in answers other values.

    `rebound`: the names in each exercise's answer that had other values after all cells.
    """
    sources = {cell.id: cell.source for cell in submission.runs}
    names = {
        name: None
        for exercise, changed in rebound.items()
        if changed
        for name in _used(sources.get(submission.answers.get(exercise, ""), ""), changed)
    }
    if names:
        yield (
            f"Later cells give {listed(names)} another value: each answer was graded with what these "
            "names meant when its own cell had run."
        )


def _used(source: str, names: Sequence[str]) -> list[str]:
    """Return the names that this code defines or uses as globals, or all if it cannot be parsed."""
    if len(source) > SHORT_CODE:
        return [*names]
    try:
        statements = read_statements("", source)
    except UNREADABLE:
        return [*names]
    names_in_code = {
        name for statement in statements for name in (*statement.used, *statement.names())
    }
    return [name for name in names if name in names_in_code]
