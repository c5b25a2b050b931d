"""What a student had before: a line for each verdict that another one took the place of.

    results/<assignment>/history/<student>.jsonl

Nothing in a verdict's file depends on it: what is gone since then is said where a page is made. A line that
cannot be read is none.
"""

import contextlib
import json
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from autograder.engine.verdict import (
    EarlierMistake,
    ExerciseResult,
    NamedMistake,
    Verdict,
    from_json,
)
from autograder.files import read_named, replacing

FOLDER = "history"
MAX_BYTES = 256 << 20  # of one student's
Mistakes = dict[tuple[str, str], NamedMistake]  # by exercise and id


def history_path(results: Path, assignment_id: str, student: str) -> Path:
    return results / assignment_id / FOLDER / f"{student}.jsonl"


def keep_before(results: Path, verdict: Verdict) -> None:
    """Add a verdict that is about to be replaced; the one that was added last is not added twice.

    Raises `OSError`.
    """
    path = history_path(results, verdict.assignment, verdict.student)
    lines, line = _lines(path), json.dumps(verdict.to_json())
    if lines[-1:] != [line]:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write("".join(f"{one}\n" for one in (*lines, line)))


def read_history(results: Path, assignment_id: str, student: str) -> list[Verdict]:
    """Return what a student had before, the oldest first; none where there is no history."""
    found = []
    for line in _lines(history_path(results, assignment_id, student)):
        with contextlib.suppress(ValueError, RecursionError):
            found.append(from_json(json.loads(line)))
    return found


def with_gone_mistakes(verdict: Verdict, had: Sequence[Verdict]) -> Verdict:
    """Return the verdict with the mistakes of earlier submissions that are gone, for a page.

    They are gone where the exercise is answered without them. Where that cannot be told (nothing
    was graded, or the exercise has no answer), they are in `earlier`.
    """
    known = {
        (result.id, mistake.id): mistake
        for one in had
        if one.stamp.submission != verdict.stamp.submission
        for result in one.exercises
        for mistake in result.mistakes
    }
    exercises = [_with_gone(result, known) for result in verdict.exercises]
    told = {(result.id, m.id) for result in exercises for m in (*result.mistakes, *result.gone)}
    earlier = [
        EarlierMistake(exercise, id, mistake.sentence)
        for (exercise, id), mistake in known.items()
        if (exercise, id) not in told
    ]
    return replace(verdict, exercises=exercises, earlier=earlier)


def _with_gone(result: ExerciseResult, known: Mistakes) -> ExerciseResult:
    """The result, with those of the known mistakes that it no longer has."""
    if result.state != "answered":
        return result
    there = {mistake.id for mistake in result.mistakes}
    gone = [
        one for (exercise, id), one in known.items() if exercise == result.id and id not in there
    ]
    return replace(result, gone=gone)


def _lines(path: Path) -> list[str]:
    try:
        return read_named(path, MAX_BYTES).decode(errors="replace").split("\n")[:-1]
    except OSError:
        return []
