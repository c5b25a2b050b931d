"""What a regrade changes: who, by how much, because of which check."""

from collections.abc import Iterator
from dataclasses import dataclass

from autograder.report.check_cell import number, sentence
from autograder.verdict import CheckResult, Verdict


@dataclass(frozen=True)
class Change:
    """One submission that a new verdict judges otherwise than the one before."""

    before: Verdict
    after: Verdict

    @property
    def points(self) -> float:
        return self.after.points - self.before.points

    def reasons(self) -> Iterator[str]:
        """In words: the checks that now say something else, or the state."""
        if self.before.state != self.after.state:
            yield f"{self.before.state} before, {self.after.state} now"
            return
        old, new = _checks(self.before), _checks(self.after)
        for name in {**old, **new}:
            gap = _points(new.get(name)) - _points(old.get(name))
            if gap or (name in old) != (name in new):
                exercise, check = name
                why = "" if name in old and name in new else " (new)" if name in new else " (gone)"
                yield f"{exercise.replace('_', ' ')}: {sentence(check)}{why} {gap:+g}"


def changed(before: Verdict, after: Verdict) -> Change | None:
    """Return what is different for the student, or None if nothing is."""
    change = Change(before, after)
    return change if change.points or any(change.reasons()) else None


def shown(change: Change) -> tuple[str, str, str, str, str]:
    """A row for people: student, before, after, by how much, why."""
    before, after = (
        number(verdict.points) if verdict.state == "graded" else verdict.state.replace("_", " ")
        for verdict in (change.before, change.after)
    )
    gap = f"{change.points:+g}" if change.points else ""
    return change.after.student, before, after, gap, "\n".join(change.reasons())


def _checks(verdict: Verdict) -> dict[tuple[str, str], CheckResult]:
    return {(e.id, check.id): check for e in verdict.exercises for check in e.checks}


def _points(check: CheckResult | None) -> float:
    return check.points if check else 0.0
