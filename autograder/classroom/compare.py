"""Compare two verdicts of a student on the same submission, to show changes by a regrade."""

from collections.abc import Iterator
from dataclasses import dataclass

from autograder.engine import Verdict, points_text, verdicts

ChangeRow = tuple[str, str, str, str, str]  # for display: student, before, now, difference, reasons


@dataclass(frozen=True)
class Change:
    """The difference between two verdicts of a student on the same submission."""

    before: Verdict
    after: Verdict

    @property
    def points(self) -> float:
        """The new points minus the old points."""
        return self.after.points - self.before.points

    def reasons(self) -> Iterator[str]:
        """Yield a phrase for each check with changed points, or on changed states."""
        if self.before.state != self.after.state:
            yield f"{self.before.state} before, {self.after.state} now"
            return
        old_checks, new_checks = _checks(self.before), _checks(self.after)
        for name in {**old_checks, **new_checks}:
            gap = _points(new_checks.get(name)) - _points(old_checks.get(name))
            if gap or (name in old_checks) != (name in new_checks):
                exercise, check = name
                note = (
                    ""
                    if name in old_checks and name in new_checks
                    else " (new)"
                    if name in new_checks
                    else " (gone)"
                )
                words = f"{exercise.replace('_', ' ')}: {verdicts.check_sentence(check)}"
                yield f"{words}{note} {gap:+g}"

    def row(self) -> ChangeRow:
        gap = f"{self.points:+g}" if self.points else ""
        old_result, new_result = _result(self.before), _result(self.after)
        return self.after.student, old_result, new_result, gap, "\n".join(self.reasons())


def change_between(before: Verdict, after: Verdict) -> Change | None:
    """Return the difference between two verdicts of a student, None if they are equal."""
    change = Change(before, after)
    return change if change.points or any(change.reasons()) else None


def _result(verdict: Verdict) -> str:
    """Return a verdict's points, or its state if it is not graded, as text."""
    if verdict.state == "graded":
        return points_text(verdict.points)
    return verdict.state.replace("_", " ")


def _checks(verdict: Verdict) -> dict[tuple[str, str], verdicts.CheckResult]:
    return {
        (exercise.id, check.id): check
        for exercise in verdict.exercises
        for check in exercise.checks
    }


def _points(check: verdicts.CheckResult | None) -> float:
    return check.points if check else 0.0
