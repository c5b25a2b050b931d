"""What whoever decides an inquiry needs to know: the points, the first mark, earlier verdicts."""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from autograder.engine.verdict.history import counted_verdict, read_counted, read_history
from autograder.engine.verdict.verdict import ExerciseResult, Verdict, points_text, read_verdict
from autograder.gradebook.inquiries import Decision, Inquiry, Name
from autograder.report.blocks.html import as_html
from autograder.report.blocks.verdict_blocks import verdict_blocks
from autograder.staff.inquiries.deciders import Markers, has_marked
from autograder.staff.marking.answers import WrittenAnswer
from autograder.text.times import time_text


@dataclass(frozen=True)
class Case:
    """One open inquiry with all that a person needs who decides it."""

    inquiry: Inquiry
    answer: WrittenAnswer
    checks: Markup  # what the verdict that counts says of the exercise; empty without a verdict
    earlier: list[str]  # what earlier verdicts said, where it was something else
    has_known_marker: bool
    command: str  # which answers it

    @property
    def received(self) -> str:
        return time_text(self.inquiry.received)

    @property
    def points(self) -> str:
        """The points now, and where they come from."""
        cell = self.answer.cell
        if cell.is_open and cell.by_hand is None:
            return f"nobody has marked it yet, of {points_text(cell.max_points)} points"
        whose = "the checks" if cell.by_hand is None else "a person"
        return f"{points_text(cell.points)} of {points_text(cell.max_points)} points, by {whose}"

    @property
    def may_be_ones_own(self) -> bool:
        """Whether a person has marked the answer, and nobody knows who."""
        return self.answer.cell.by_hand is not None and not self.has_known_marker


def cases(
    results: Path,
    assignment_id: str,
    by: str,
    inquiries: Iterable[Inquiry],
    answers: Iterable[WrittenAnswer],
    marked: Markers,
) -> Iterator[Case]:
    """Yield a case for each inquiry of which `answers` has the answer. `by`: who decides; `marked`:
    who has marked the answers.
    """
    found = {one.name: one for one in answers}
    for one in inquiries:
        if one.name in found:
            checks, earlier = _verdicts(results, assignment_id, one.name)
            command = _command(assignment_id, one.name, by)
            known = bool(marked.get(one.name))
            yield Case(one, found[one.name], checks, earlier, known, command)


def decided_on_marks_of(who: str, inquiries: Iterable[Inquiry], marked: Markers) -> Iterator[str]:
    """Yield a sentence for each answered inquiry about what `who` has marked."""
    for one in inquiries:
        if one.answer and has_marked(who, one.name, marked):
            yield f"{one.student}, {one.exercise}: {decided_text(one.answer)}"


def decided_text(one: Decision) -> str:
    """Return a decision in a sentence for staff, without a capital."""
    old, new = points_text(one.old_points), points_text(one.new_points)
    what = f"changed from {old} to {new}" if one.is_change else f"kept at {old}"
    most = points_text(one.max_points)
    return f"{what} of {most} points by {one.by} on {time_text(one.at)}: {one.reason}"


def _verdicts(results: Path, assignment_id: str, name: Name) -> tuple[Markup, list[str]]:
    """Return what the student's verdict that counts says of the exercise, and in a sentence each,
    the oldest first, what the other ones said.
    """
    student, exercise = name
    newest = read_verdict(results / assignment_id / f"{student}.json")
    if newest is None:
        return Markup(), []
    had = read_history(results, assignment_id, student)
    now = counted_verdict(newest, had, read_counted(results, assignment_id))
    blocks = verdict_blocks(now, "staff").get(exercise)
    said = [_said(one, exercise) for one in (*had, newest) if one != now]
    differing = dict.fromkeys(one for one in said if one and one != _said(now, exercise))
    return as_html(blocks) if blocks else Markup(), list(differing)


def _said(verdict: Verdict, exercise: str) -> str:
    """Return points and mistakes of the exercise in a verdict; "" if it has none."""
    result: ExerciseResult | None = next(
        (one for one in verdict.exercises if one.id == exercise), None
    )
    if result is None:
        return ""
    points = f"{points_text(result.points)} of {points_text(result.max_points)} points"
    return " ".join([f"{points}.", *(mistake.sentence for mistake in result.mistakes)])


def _command(assignment_id: str, name: Name, by: str) -> str:
    words = ["inquiries", "answer", *name, "--assignment", assignment_id, "--by", by or "NAME"]
    return f"python -m autograder {shlex.join(words)} --kept --reason '...'"
