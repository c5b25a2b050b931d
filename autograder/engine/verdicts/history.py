"""A student's earlier verdicts: one line for each that was replaced.

    results/<assignment>/history/<student>.jsonl
    results/<assignment>/.counted                  whose earlier submission counts, as `enter` found it

No verdict file depends on it: mistakes that are gone are derived when a page is made. A line that
cannot be parsed is skipped.
"""

import contextlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from autograder.engine.files.reading import read_named
from autograder.engine.files.writing import replacing
from autograder.engine.verdicts.verdict import (
    EarlierMistake,
    ExerciseResult,
    NamedMistake,
    Verdict,
    from_json,
)

FOLDER, COUNTED = "history", ".counted"
SUBMITTED = "submitted"  # the key beside a verdict's own
MAX_BYTES = 256 << 20  # of one student's
DECODER = msgspec.json.Decoder(dict[str, str])
Mistakes = dict[tuple[str, str], NamedMistake]  # by exercise and id


class DatedVerdict(NamedTuple):
    """A verdict, with the time at which its submission was handed in: in UTC, without a time zone;
    None if unknown.
    """

    verdict: Verdict
    submitted: datetime | None


def history_path(results: Path, assignment_id: str, student: str) -> Path:
    """Return the path of the file with a student's earlier verdicts. `results`: the folder of all
    results.
    """
    return results / assignment_id / FOLDER / f"{student}.jsonl"


def add_to_history(results: Path, verdict: Verdict, submitted: datetime | None = None) -> None:
    """Add a verdict, which is about to be replaced, to the student's file of earlier verdicts.

    `results`: the folder of all results; `submitted`: when the submission was handed in, in UTC
    without a time zone. If it equals the last line, nothing is added. Raise `OSError` if the file
    cannot be written.
    """
    path = history_path(results, verdict.assignment, verdict.student)
    lines, line = _lines(path), _line(DatedVerdict(verdict, submitted))
    if lines[-1:] != [line]:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, [*lines, line])


def replace_history(
    results: Path, assignment_id: str, student: str, earlier: Sequence[DatedVerdict]
) -> None:
    """Replace a student's earlier verdicts by these. Raise `OSError` if the file cannot be written."""
    path, lines = history_path(results, assignment_id, student), [_line(one) for one in earlier]
    if lines and lines != _lines(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, lines)
    elif not lines:
        path.unlink(missing_ok=True)


def read_history(results: Path, assignment_id: str, student: str) -> list[Verdict]:
    """Return a student's earlier verdicts, the oldest first; an empty list if there are none.
    `results`: the folder of all results.
    """
    return [dated.verdict for dated in read_dated_history(results, assignment_id, student)]


def read_dated_history(results: Path, assignment_id: str, student: str) -> list[DatedVerdict]:
    """Return a student's earlier verdicts, the oldest first, with the time at which each submission
    was handed in.

    `results`: the folder of all results.
    """
    found = []
    for line in _lines(history_path(results, assignment_id, student)):
        with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError):
            content = json.loads(line)
            written = content.pop(SUBMITTED, None)
            when = datetime.fromisoformat(written) if written else None
            found.append(DatedVerdict(from_json(content), when))
    return found


def write_counted(results: Path, assignment_id: str, counted: dict[str, str]) -> None:
    """Write for which students an earlier submission counts. `counted`: the hash of that
    submission, by student.

    `results`: the folder of all results. Raise `OSError` if the file cannot be written.
    """
    if counted != read_counted(results, assignment_id):
        with replacing(results / assignment_id / COUNTED) as file:
            file.write(json.dumps(counted))


def read_counted(results: Path, assignment_id: str) -> dict[str, str]:
    """Return for which students an earlier submission counts: its hash, by student; an empty dict
    if there is no file.

    `results`: the folder of all results.
    """
    try:
        return DECODER.decode(read_named(results / assignment_id / COUNTED, MAX_BYTES))
    except (OSError, ValueError):
        return {}


def counted_verdict(newest: Verdict, had: Sequence[Verdict], counted: Mapping[str, str]) -> Verdict:
    """Return the verdict that counts for a student: the earlier one on the submission whose hash
    `counted` has for the student; the `newest` if it has none, or no verdict is on that submission.
    `had`: the earlier verdicts; `counted`: the hash of a submission, by student.
    """
    wanted = counted.get(newest.student, newest.stamp.submission)
    of_it = (one for one in reversed((*had, newest)) if one.stamp.submission == wanted)
    return next(of_it, newest)


def read_counted_verdict(results: Path, newest: Verdict, counted: Mapping[str, str]) -> Verdict:
    """Return the verdict that counts for a student, as `counted_verdict` does; the history is read
    only where an earlier one counts. `results`: the folder of all results.
    """
    has_another = newest.student in counted
    had = read_history(results, newest.assignment, newest.student) if has_another else []
    return counted_verdict(newest, had, counted)


def with_gone_mistakes(verdict: Verdict, had: Sequence[Verdict]) -> Verdict:
    """Return a copy of the verdict, for a page, that also has the mistakes of earlier submissions.
    `had`: the earlier verdicts.

    A mistake is in `gone` if its exercise is now answered without it. If that is unknown (nothing
    was graded, or the exercise has no answer), it is in `earlier`.
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
    """Return a copy of the result whose `gone` lists those of the mistakes `known`, of earlier
    submissions, that it no longer has; unchanged if the exercise is not answered.
    """
    if result.state != "answered":
        return result
    there = {mistake.id for mistake in result.mistakes}
    gone = [
        one for (exercise, id), one in known.items() if exercise == result.id and id not in there
    ]
    return replace(result, gone=gone)


def _line(dated: DatedVerdict) -> str:
    when = dated.submitted.isoformat() if dated.submitted else None
    return json.dumps(dated.verdict.to_json() | {SUBMITTED: when})


def _write(path: Path, lines: Sequence[str]) -> None:
    with replacing(path) as file:
        file.write("".join(f"{one}\n" for one in lines))


def _lines(path: Path) -> list[str]:
    try:
        return read_named(path, MAX_BYTES).decode(errors="replace").split("\n")[:-1]
    except OSError:
        return []
