"""Compare two verdicts of one student on the same submission: what a regrade changes."""

from collections.abc import Iterator
from dataclasses import dataclass

from autograder.engine import Verdict, points_text, verdicts

ChangeRow = tuple[str, str, str, str, str]  # for people: student, before, now, by how much, why


@dataclass(frozen=True)
class Change:
    """The difference between a student's verdict (`before`) and a new verdict on the same
    submission (`after`).
    """

    before: Verdict
    after: Verdict

    @property
    def points(self) -> float:
        """The new points minus the old ones."""
        return self.after.points - self.before.points

    def reasons(self) -> Iterator[str]:
        """Yield a phrase for each check whose points differ; if the states differ, one phrase on
        these instead.
        """
        if self.before.state != self.after.state:
            yield f"{self.before.state} before, {self.after.state} now"
            return
        old, new = _checks(self.before), _checks(self.after)
        for name in {**old, **new}:
            gap = _points(new.get(name)) - _points(old.get(name))
            if gap or (name in old) != (name in new):
                exercise, check = name
                why = "" if name in old and name in new else " (new)" if name in new else " (gone)"
                words = f"{exercise.replace('_', ' ')}: {verdicts.check_sentence(check)}"
                yield f"{words}{why} {gap:+g}"

    def row(self) -> ChangeRow:
        """Return the change as a row of strings for the table in the terminal."""
        gap = f"{self.points:+g}" if self.points else ""
        before, after = _result(self.before), _result(self.after)
        return self.after.student, before, after, gap, "\n".join(self.reasons())


def change_between(before: Verdict, after: Verdict) -> Change | None:
    """Return the difference between two verdicts of a student; None if neither the points, the
    state nor the checks differ.
    """
    change = Change(before, after)
    return change if change.points or any(change.reasons()) else None


def _result(verdict: Verdict) -> str:
    """Return a verdict's points or, if it is not graded, its state, as text."""
    if verdict.state == "graded":
        return points_text(verdict.points)
    return verdict.state.replace("_", " ")


def _checks(verdict: Verdict) -> dict[tuple[str, str], verdicts.CheckResult]:
    """Return a verdict's checks, by exercise and check id."""
    return {(e.id, check.id): check for e in verdict.exercises for check in e.checks}


def _points(check: verdicts.CheckResult | None) -> float:
    """Return the points of a check; 0.0 for None, a check that a verdict does not have."""
    return check.points if check else 0.0
