"""Find the mistakes in a class: the students who made them, the lost points, and mistakes that were
fixed. Also find the reasons for lost points.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograder.classroom.blocks.verdict_blocks import STATES
from autograder.desk.report.class_results import ClassResults
from autograder.engine import Verdict, verdicts


@dataclass
class MistakeInClass:
    """A known mistake, or a failed check in an exercise without a known mistake."""

    exercise: str
    id: str  # of the known mistake, or of the check
    is_known: bool  # False for a failed check
    students: list[str] = field(default_factory=list)
    cost: float = 0.0  # points, of all students together
    sentences: Counter[str] = field(default_factory=Counter)  # as students read them

    @property
    def sentence(self) -> str:
        """The most frequent sentence on it. The question of a failed check is included only if at
        least two students got the same, because it may quote a student's code.
        """
        sentence, count = self.sentences.most_common(1)[0]
        if self.is_known:
            return sentence
        question = f" It asked: {sentence}" if sentence and count > 1 else ""
        return f"No known mistake, and this check failed: {verdicts.check_sentence(self.id)}.{question}"


@dataclass
class ResolvedMistake:
    """A known mistake in earlier submissions."""

    exercise: str
    id: str
    sentence: str
    gone: list[str] = field(default_factory=list)  # students whose newest answer is without it
    unclear: list[str] = field(default_factory=list)  # unknown for these, such as without an answer


@dataclass(frozen=True)
class Loss:
    """A reason for lost points, with the points and the number of students."""

    reason: str
    points: float
    students: int


def mistakes_in(results: ClassResults) -> list[MistakeInClass]:
    """Return the mistakes in a class, the most costly first.

    Known mistakes share the lost points of their exercise equally. In code that ran without a known
    mistake, each failed check is a mistake, and costs its own points.
    """
    mistakes: dict[tuple[str, str, bool], MistakeInClass] = {}
    for verdict, result in _all(results):
        for id, is_known, sentence, cost in _made(result):
            key = result.id, id, is_known
            mistake = mistakes.setdefault(key, MistakeInClass(*key))
            mistake.students.append(verdict.student)
            mistake.sentences[sentence] += 1
            mistake.cost += cost
    return sorted(
        mistakes.values(),
        key=lambda mistake: (-mistake.cost, -len(mistake.students), mistake.exercise, mistake.id),
    )


def gone_mistakes(results: ClassResults) -> list[ResolvedMistake]:
    """Return the mistakes in earlier submissions, those fixed by most students first."""
    mistakes: dict[tuple[str, str], ResolvedMistake] = {}
    for verdict in results.verdicts:
        for result in verdict.exercises:
            for gone_mistake in result.gone:
                mistake = mistakes.setdefault(
                    (result.id, gone_mistake.id),
                    ResolvedMistake(result.id, gone_mistake.id, gone_mistake.sentence),
                )
                mistake.gone.append(verdict.student)
        for earlier in verdict.earlier:
            mistake = mistakes.setdefault(
                (earlier.exercise, earlier.id),
                ResolvedMistake(earlier.exercise, earlier.id, earlier.sentence),
            )
            mistake.unclear.append(verdict.student)
    return sorted(
        mistakes.values(),
        key=lambda mistake: (
            -len(mistake.gone),
            -len(mistake.unclear),
            mistake.exercise,
            mistake.id,
        ),
    )


def losses(results: ClassResults) -> list[Loss]:
    """Return the reasons for lost points, the most costly first: known mistakes, code that did not
    run, notebooks that are unreadable or missing, and unknown mistakes.
    """
    points: dict[str, float] = defaultdict(float)
    students: dict[str, set[str]] = defaultdict(set)
    lost_points = [
        (verdict.student, _reason(result), _lost(result)) for verdict, result in _all(results)
    ]
    unreadable = [verdict.student for verdict in results.verdicts if verdict.state == "unreadable"]
    lost_points += [(student, "unreadable", results.max_points) for student in unreadable]
    lost_points += [(student, "not handed in", results.max_points) for student in results.missing]
    for student, reason, cost in lost_points:
        if cost > 0:
            points[reason] += cost
            students[reason].add(student)
    reasons = [Loss(reason, points[reason], len(losers)) for reason, losers in students.items()]
    return sorted(reasons, key=lambda loss: -loss.points)


def _made(result: verdicts.ExerciseResult) -> Iterator[tuple[str, bool, str, float]]:
    """Yield each mistake in a result: id, whether it is a known mistake, sentence, points lost."""
    for mistake in result.mistakes:
        yield mistake.id, True, mistake.sentence, _lost(result) / len(result.mistakes)
    if result.state == "answered" and not result.mistakes:
        for check in result.checks:
            if not check.passed:
                yield (
                    check.id,
                    False,
                    check.message or "",
                    max(0.0, check.max_points - check.points),
                )


def _all(results: ClassResults) -> Iterator[tuple[Verdict, verdicts.ExerciseResult]]:
    return ((verdict, result) for verdict in results.graded for result in verdict.exercises)


def _lost(result: verdicts.ExerciseResult) -> float:
    return max(0.0, result.max_points - result.points)


def _reason(result: verdicts.ExerciseResult) -> str:
    if result.mistakes:
        return "known mistakes"
    return STATES[result.state] or "no known mistake"
