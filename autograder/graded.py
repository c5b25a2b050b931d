"""What comes out of grading one submission."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from autograder.handed import Handed
from autograder.stamp import Terms
from autograder.verdict import Verdict

if TYPE_CHECKING:  # the examiner imports torch, which the main process of a class run never needs
    from autograder.examiner.session import Trace


@dataclass(frozen=True)
class Graded:
    """A verdict, and what the student's cells showed, as a notebook keeps it."""

    verdict: Verdict
    outputs: dict[str, list[dict]] = field(default_factory=dict)  # by cell
    traces: list[Trace] = field(default_factory=list)

    def of(self, handed: Handed) -> Graded:
        """Return the same for a student who handed in the same."""
        stamp = self.verdict.stamp | {"submission": handed.hash}
        return replace(self, verdict=replace(self.verdict, student=handed.student, stamp=stamp))


def ungraded(terms: Terms, handed: Handed, reason: str) -> Graded:
    """Return the verdict on a submission that nobody could grade: a fault of ours, never a zero."""
    return Graded(empty(terms, handed, "not_graded", reason))


def unreadable(terms: Terms, handed: Handed) -> Graded:
    """Return the verdict on a file that is no notebook of this assignment."""
    return Graded(empty(terms, handed, "unreadable", handed.unreadable))


def empty(terms: Terms, handed: Handed, state: str, reason: str | None = None) -> Verdict:
    """Return a verdict without any exercise."""
    return Verdict(
        student=handed.student,
        assignment=terms.assignment.id,
        state=state,
        points=0.0,
        max_points=sum((exercise.points for exercise in terms.assignment.exercises), 0.0),
        exercises=[],
        repairs=[],
        seconds=0.0,
        stamp=terms.stamp(handed.hash),
        reason=reason,
    )


def shown(outputs: list[dict]) -> Iterator[dict]:
    """What a cell printed and drew, without anything that a browser would run."""
    for output in outputs:
        match output:
            case {"kind": "stream", "name": name, "text": text}:
                yield {"output_type": "stream", "name": name, "text": _text(text)}
            case {"kind": "display", "data": data}:
                bundle = {mime: _mime(mime, content) for mime, content in data.items()}
                yield {"output_type": "display_data", "data": bundle, "metadata": {}}
            case {"kind": "error", "type": kind, "text": text, "traceback": lines}:
                yield {
                    "output_type": "error",
                    "ename": kind,
                    "evalue": _text(text),
                    "traceback": _text(lines).split("\n"),
                }


def _mime(mime: str, content: bytes) -> str:
    return _text(content) if mime == "text/plain" else base64.b64encode(content).decode()


def _text(data: bytes) -> str:
    return data.decode(errors="replace")
