"""A student's earlier verdicts: one line for each verdict that was replaced.

    results/<assignment>/history/<student>.jsonl
    results/<assignment>/.counted                  the earlier submissions that count, by student

`enter` writes `.counted`. No verdict file depends on the history: resolved mistakes are derived
when a page is made. A line that cannot be parsed is skipped.
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
SUBMITTED = "submitted"  # an additional key beside those of a verdict
MAX_BYTES = 256 << 20  # of a student's file
DECODER = msgspec.json.Decoder(dict[str, str])
Mistakes = dict[tuple[str, str], NamedMistake]  # by exercise and id


class DatedVerdict(NamedTuple):
    """A verdict, and the submission time in UTC without a time zone (None if unknown)."""

    verdict: Verdict
    submitted: datetime | None


def history_path(results: Path, assignment_id: str, student: str) -> Path:
    """Return the path of a student's earlier verdicts in `results`, the folder of all results."""
    return results / assignment_id / FOLDER / f"{student}.jsonl"


def add_to_history(results: Path, verdict: Verdict, submitted: datetime | None = None) -> None:
    """Add a verdict that is about to be replaced to the student's history.

    `submitted`: the submission time in UTC, without a time zone. A verdict that equals the last
    line is not added again. Raise `OSError` if the file cannot be written.
    """
    path = history_path(results, verdict.assignment, verdict.student)
    lines, line = _lines(path), _line(DatedVerdict(verdict, submitted))
    if lines[-1:] != [line]:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, [*lines, line])


def replace_history(
    results: Path, assignment_id: str, student: str, earlier: Sequence[DatedVerdict]
) -> None:
    """Replace a student's history. Raise `OSError` if the file cannot be written."""
    path, lines = history_path(results, assignment_id, student), [_line(dated) for dated in earlier]
    if lines and lines != _lines(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, lines)
    elif not lines:
        path.unlink(missing_ok=True)


def read_history(results: Path, assignment_id: str, student: str) -> list[Verdict]:
    """Return a student's earlier verdicts, the oldest first."""
    return [dated.verdict for dated in read_dated_history(results, assignment_id, student)]


def read_dated_history(results: Path, assignment_id: str, student: str) -> list[DatedVerdict]:
    """Return a student's earlier verdicts with their submission times, the oldest first."""
    history = []
    for line in _lines(history_path(results, assignment_id, student)):
        with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError):
            content = json.loads(line)
            submitted_text = content.pop(SUBMITTED, None)
            submitted = datetime.fromisoformat(submitted_text) if submitted_text else None
            history.append(DatedVerdict(from_json(content), submitted))
    return history


def write_counted(results: Path, assignment_id: str, counted: dict[str, str]) -> None:
    """Record the students for whom an earlier submission counts.

    `counted`: the hash of that submission, by student. Raise `OSError` if the file cannot be
    written.
    """
    if counted != read_counted(results, assignment_id):
        with replacing(results / assignment_id / COUNTED) as file:
            file.write(json.dumps(counted))


def read_counted(results: Path, assignment_id: str) -> dict[str, str]:
    """Return the hashes of the earlier submissions that count, by student."""
    try:
        return DECODER.decode(read_named(results / assignment_id / COUNTED, MAX_BYTES))
    except (OSError, ValueError):
        return {}


def counted_verdict(
    newest: Verdict, history: Sequence[Verdict], counted: Mapping[str, str]
) -> Verdict:
    """Return the verdict that counts for a student.

    This is the verdict on the submission that `counted` names by its hash for the student, or else
    `newest`. `history`: the earlier verdicts.
    """
    submission_hash = counted.get(newest.student, newest.stamp.submission)
    matching = (
        verdict
        for verdict in reversed((*history, newest))
        if verdict.stamp.submission == submission_hash
    )
    return next(matching, newest)


def read_counted_verdict(results: Path, newest: Verdict, counted: Mapping[str, str]) -> Verdict:
    """Return the verdict that counts for a student, as `counted_verdict` does.

    The history below `results` is only read if `counted` names the student.
    """
    has_another = newest.student in counted
    history = read_history(results, newest.assignment, newest.student) if has_another else []
    return counted_verdict(newest, history, counted)


def with_gone_mistakes(verdict: Verdict, history: Sequence[Verdict]) -> Verdict:
    """Return a copy of the verdict, for a page, with the mistakes of earlier submissions.

    `history`: the earlier verdicts. A mistake is in `gone` if the exercise is now answered without
    it. It is in `earlier` if that is unknown, because nothing was graded or the exercise has no
    answer.
    """
    mistakes = {
        (result.id, mistake.id): mistake
        for earlier_verdict in history
        if earlier_verdict.stamp.submission != verdict.stamp.submission
        for result in earlier_verdict.exercises
        for mistake in result.mistakes
    }
    exercises = [_with_gone(result, mistakes) for result in verdict.exercises]
    listed = {(result.id, m.id) for result in exercises for m in (*result.mistakes, *result.gone)}
    earlier = [
        EarlierMistake(exercise, id, mistake.sentence)
        for (exercise, id), mistake in mistakes.items()
        if (exercise, id) not in listed
    ]
    return replace(verdict, exercises=exercises, earlier=earlier)


def _with_gone(result: ExerciseResult, mistakes: Mistakes) -> ExerciseResult:
    if result.state != "answered":
        return result
    present = {mistake.id for mistake in result.mistakes}
    gone_mistakes = [
        mistake
        for (exercise, id), mistake in mistakes.items()
        if exercise == result.id and id not in present
    ]
    return replace(result, gone=gone_mistakes)


def _line(dated: DatedVerdict) -> str:
    submitted = dated.submitted.isoformat() if dated.submitted else None
    return json.dumps(dated.verdict.to_json() | {SUBMITTED: submitted})


def _write(path: Path, lines: Sequence[str]) -> None:
    with replacing(path) as file:
        file.write("".join(f"{line}\n" for line in lines))


def _lines(path: Path) -> list[str]:
    try:
        return read_named(path, MAX_BYTES).decode(errors="replace").split("\n")[:-1]
    except OSError:
        return []
