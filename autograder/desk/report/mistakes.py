"""Find the mistakes in a class: who made them, the points that they cost, and which have been
fixed; and why points were lost.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograder.classroom.blocks.verdict_blocks import STATES
from autograder.desk.report.class_results import ClassResults
from autograder.engine import Verdict, verdicts


@dataclass
class MistakeInClass:
    """A known mistake, or a failed check in an exercise without a known mistake (`is_known` says
    which): the students who have it, the points that it cost them together (`cost`), and the
    sentences that they were told.
    """

    exercise: str
    id: str  # of the known mistake, or of the check
    is_known: bool
    students: list[str] = field(default_factory=list)
    cost: float = 0.0
    sentences: Counter[str] = field(default_factory=Counter)  # what students were told

    @property
    def sentence(self) -> str:
        """The sentence on it that most students got.

        For a failed check, its question is included only if at least two students got the same: it
        may quote a student's code.
        """
        said, count = self.sentences.most_common(1)[0]
        if self.is_known:
            return said
        asked = f" It asked: {said}" if said and count > 1 else ""
        return (
            f"No known mistake, and this check failed: {verdicts.check_sentence(self.id)}.{asked}"
        )


@dataclass
class ResolvedMistake:
    """A known mistake in earlier submissions: the students whose newest answer no longer has it
    (`gone`), and those of whom that cannot be told, such as without an answer (`unclear`).
    """

    exercise: str
    id: str
    sentence: str
    gone: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Loss:
    """A reason why points were lost: how many points, by how many students."""

    reason: str
    points: float
    students: int


def mistakes_in(results: ClassResults) -> list[MistakeInClass]:
    """Return the mistakes in a class, those that cost most first.

    A known mistake costs the points lost in its exercise; several in one exercise share these
    equally. Without a known mistake, each failed check in code that ran counts as one, and costs
    its own points.
    """
    found: dict[tuple[str, str, bool], MistakeInClass] = {}
    for verdict, result in _all(results):
        for id, is_known, sentence, cost in _made(result):
            key = result.id, id, is_known
            one = found.setdefault(key, MistakeInClass(*key))
            one.students.append(verdict.student)
            one.sentences[sentence] += 1
            one.cost += cost
    return sorted(
        found.values(), key=lambda one: (-one.cost, -len(one.students), one.exercise, one.id)
    )


def gone_mistakes(results: ClassResults) -> list[ResolvedMistake]:
    """Return the mistakes in earlier submissions, those that most students have fixed first."""
    found: dict[tuple[str, str], ResolvedMistake] = {}
    for verdict in results.verdicts:
        for result in verdict.exercises:
            for old in result.gone:
                one = found.setdefault(
                    (result.id, old.id), ResolvedMistake(result.id, old.id, old.sentence)
                )
                one.gone.append(verdict.student)
        for had in verdict.earlier:
            one = found.setdefault(
                (had.exercise, had.id), ResolvedMistake(had.exercise, had.id, had.sentence)
            )
            one.unclear.append(verdict.student)
    return sorted(
        found.values(), key=lambda one: (-len(one.gone), -len(one.unclear), one.exercise, one.id)
    )


def losses(results: ClassResults) -> list[Loss]:
    """Return the reasons why points were lost, those that cost most first: known mistakes, code
    that did not run, notebooks that are unreadable or missing, and answers whose mistake is not
    known.
    """
    points: dict[str, float] = defaultdict(float)
    students: dict[str, set[str]] = defaultdict(set)
    lost = [(verdict.student, _reason(one), _lost(one)) for verdict, one in _all(results)]
    unreadable = [one.student for one in results.verdicts if one.state == "unreadable"]
    lost += [(student, "unreadable", results.max_points) for student in unreadable]
    lost += [(student, "not handed in", results.max_points) for student in results.missing]
    for student, reason, cost in lost:
        if cost > 0:
            points[reason] += cost
            students[reason].add(student)
    found = [Loss(reason, points[reason], len(who)) for reason, who in students.items()]
    return sorted(found, key=lambda one: -one.points)


def _made(result: verdicts.ExerciseResult) -> Iterator[tuple[str, bool, str, float]]:
    """Yield each mistake in a result: id, whether it is a known mistake (else a failed check),
    sentence, and points lost.
    """
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
