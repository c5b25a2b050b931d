"""Two verdicts on one student: what a regrade changes, and which mistakes are gone since before."""

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from autograder.engine.verdict import (
    CheckResult,
    EarlierMistake,
    ExerciseResult,
    NamedMistake,
    Verdict,
    check_sentence,
    points_text,
)

ChangeRow = tuple[str, str, str, str, str]  # for people: student, before, now, by how much, why


@dataclass(frozen=True)
class Change:
    """A submission on which a new verdict differs from the one before."""

    before: Verdict
    after: Verdict

    @property
    def points(self) -> float:
        """How many points more than before; negative where there are less."""
        return self.after.points - self.before.points

    def reasons(self) -> Iterator[str]:
        """Yield in words which checks now have other points, or that the state is another."""
        if self.before.state != self.after.state:
            yield f"{self.before.state} before, {self.after.state} now"
            return
        old, new = _checks(self.before), _checks(self.after)
        for name in {**old, **new}:
            gap = _points(new.get(name)) - _points(old.get(name))
            if gap or (name in old) != (name in new):
                exercise, check = name
                why = "" if name in old and name in new else " (new)" if name in new else " (gone)"
                words = f"{exercise.replace('_', ' ')}: {check_sentence(check)}"
                yield f"{words}{why} {gap:+g}"

    def row(self) -> ChangeRow:
        """Return it for people."""
        gap = f"{self.points:+g}" if self.points else ""
        before, after = _result(self.before), _result(self.after)
        return self.after.student, before, after, gap, "\n".join(self.reasons())


def change_between(before: Verdict, after: Verdict) -> Change | None:
    """Return what is different for the student, or None if nothing is."""
    change = Change(before, after)
    return change if change.points or any(change.reasons()) else None


def with_gone_mistakes(verdict: Verdict, before: Verdict | None) -> Verdict:
    """Return the verdict with the mistakes of earlier submissions that are gone.

    They are gone where the exercise is answered without them. Where that cannot be told (nothing
    was graded, or the exercise has no answer), they are carried along in `earlier`.
    """
    if before is None:
        return verdict
    known = _known_mistakes(before, same=before.stamp.submission == verdict.stamp.submission)
    exercises = [_with_gone(result, known) for result in verdict.exercises]
    told = {(result.id, m.id) for result in exercises for m in (*result.mistakes, *result.gone)}
    earlier = [one for one in known if (one.exercise, one.id) not in told]
    return replace(verdict, exercises=exercises, earlier=earlier)


def _result(verdict: Verdict) -> str:
    if verdict.state == "graded":
        return points_text(verdict.points)
    return verdict.state.replace("_", " ")


def _checks(verdict: Verdict) -> dict[tuple[str, str], CheckResult]:
    return {(e.id, check.id): check for e in verdict.exercises for check in e.checks}


def _points(check: CheckResult | None) -> float:
    return check.points if check else 0.0


def _known_mistakes(before: Verdict, same: bool) -> list[EarlierMistake]:
    """The mistakes of earlier submissions; `same`: the last of them is the one that is graded now."""
    known = {(one.exercise, one.id): one for one in before.earlier}
    for result in before.exercises:
        mistakes = result.gone if same else [*result.gone, *result.mistakes]
        for mistake in mistakes:
            known[result.id, mistake.id] = EarlierMistake(result.id, mistake.id, mistake.sentence)
    return list(known.values())


def _with_gone(result: ExerciseResult, known: list[EarlierMistake]) -> ExerciseResult:
    """The result, with those of the known mistakes that it no longer has."""
    if result.state != "answered":
        return result
    there = {mistake.id for mistake in result.mistakes}
    gone = [one for one in known if one.exercise == result.id and one.id not in there]
    return replace(result, gone=[NamedMistake(one.id, one.sentence) for one in gone])
