"""Known mistakes in a class: who made them, what they cost, which go together, which are gone."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

from autograder.engine.verdict import ExerciseResult, Verdict, check_sentence
from autograder.gradebook.check_cell import STATES
from autograder.report.class_results import ClassResults
from autograder.report.statistics import chance_of_together, lift

Key = tuple[str, str]  # exercise, mistake
FEWEST_TOGETHER = 3  # students
RARE = 0.05  # how many classes of one have any such pair by chance alone
MOST_COMPARED = 200  # mistakes, those of most students
STANDING_OUT = ("unreadable", "not handed in")


@dataclass(frozen=True)
class MistakeInClass:
    """A known mistake: who made it, and how many points that cost."""

    exercise: str
    id: str
    sentence: str
    students: list[str]
    cost: float


@dataclass(frozen=True)
class Together:
    """Two mistakes that more students made than independent ones would."""

    one: MistakeInClass
    other: MistakeInClass
    both: int
    lift: float


@dataclass(frozen=True)
class Unexplained:
    """A check that students failed without a known mistake.

    `message` is what it asked most of them, and empty where no two were asked the same: it may then
    quote the code of one.
    """

    exercise: str
    check: str
    message: str
    students: list[str]
    cost: float


@dataclass(frozen=True)
class Gone:
    """A mistake of an earlier submission: of whom it is gone, of whom that cannot be told."""

    exercise: str
    id: str
    sentence: str
    gone: list[str]
    unclear: list[str]


@dataclass(frozen=True)
class Loss:
    """Why points were lost: how many, by how many students."""

    reason: str
    points: float
    students: int


@dataclass
class _Collected:
    students: list[str] = field(default_factory=list)
    sentences: Counter[str] = field(default_factory=Counter)
    cost: float = 0.0


def mistakes_in(results: ClassResults) -> list[MistakeInClass]:
    """Return the known mistakes of the class, the most expensive first.

    A mistake costs what a student lost in its exercise; several in one exercise share that equally.
    """
    found: dict[Key, _Collected] = defaultdict(_Collected)
    for verdict, result in _all(results):
        for mistake in result.mistakes:
            one = found[result.id, mistake.id]
            one.students.append(verdict.student)
            one.sentences[mistake.sentence] += 1
            one.cost += _lost(result) / len(result.mistakes)
    made = [
        MistakeInClass(*key, one.sentences.most_common(1)[0][0], one.students, one.cost)
        for key, one in found.items()
    ]
    return sorted(made, key=lambda one: (-one.cost, -len(one.students), one.exercise, one.id))


def together(mistakes: list[MistakeInClass], count: int) -> tuple[list[Together], int]:
    """Return the pairs of mistakes that go together in a class of `count`, the least probable first,
    and how many pairs were compared.

    Those are shown which at least three students made both, and which are so improbable that
    chance alone would bring even one such pair to fewer than 5 of 100 classes (Bonferroni's bound: O.
    J. Dunn, Multiple Comparisons Among Means, Journal of the American Statistical Association 56, 1961).
    """
    common = [one for one in mistakes if len(one.students) >= FEWEST_TOGETHER]
    common = sorted(common, key=lambda one: -len(one.students))[:MOST_COMPARED]
    sets = {id(one): set(one.students) for one in common}
    found, compared = [], 0
    for one, other in combinations(common, 2):
        compared += 1
        both = len(sets[id(one)] & sets[id(other)])
        sizes = len(one.students), len(other.students), count
        if both >= FEWEST_TOGETHER and lift(both, *sizes) > 1:
            pair = Together(one, other, both, lift(both, *sizes))
            found.append((chance_of_together(both, *sizes), pair))
    rare = [one for one in found if one[0] * compared < RARE]
    return [pair for _, pair in sorted(rare, key=lambda each: each[0])], compared


def unexplained(results: ClassResults) -> list[Unexplained]:
    """Return the checks that were failed, in code that ran, without a known mistake in the exercise,
    the most expensive first.
    """
    found: dict[Key, _Collected] = defaultdict(_Collected)
    for verdict, result in _all(results):
        if result.mistakes or result.state != "answered":
            continue
        for check in result.checks:
            if not check.passed:
                one = found[result.id, check.id]
                one.students.append(verdict.student)
                one.sentences[check.message or ""] += 1
                one.cost += max(0.0, check.max_points - check.points)
    made = [
        Unexplained(exercise, check_sentence(id), _shared(one.sentences), one.students, one.cost)
        for (exercise, id), one in found.items()
    ]
    return sorted(made, key=lambda one: (-one.cost, -len(one.students), one.exercise, one.check))


def gone_mistakes(results: ClassResults) -> list[Gone]:
    """Return the mistakes that earlier submissions had, those that are gone most often first."""
    gone: dict[Key, _Collected] = defaultdict(_Collected)
    unclear: dict[Key, _Collected] = defaultdict(_Collected)
    for verdict in results.verdicts:
        for result in verdict.exercises:
            for old in result.gone:
                gone[result.id, old.id].students.append(verdict.student)
                gone[result.id, old.id].sentences[old.sentence] += 1
        for earlier in verdict.earlier:
            unclear[earlier.exercise, earlier.id].students.append(verdict.student)
            unclear[earlier.exercise, earlier.id].sentences[earlier.sentence] += 1
    made = []
    for key in dict.fromkeys([*gone, *unclear]):
        said = gone[key].sentences + unclear[key].sentences
        sentence = said.most_common(1)[0][0]
        made.append(Gone(*key, sentence, gone[key].students, unclear[key].students))
    return sorted(made, key=lambda one: (-len(one.gone), -len(one.unclear), one.exercise, one.id))


def losses(results: ClassResults) -> list[Loss]:
    """Return where the points of the class went, by reason, most points first."""
    points: dict[str, float] = defaultdict(float)
    students: dict[str, set[str]] = defaultdict(set)
    for verdict, result in _all(results):
        if _lost(result) > 0:
            points[_reason(result)] += _lost(result)
            students[_reason(result)].add(verdict.student)
    unreadable = {one.student for one in results.verdicts if one.state == "unreadable"}
    for reason, who in zip(STANDING_OUT, (unreadable, set(results.missing)), strict=True):
        if who:
            points[reason] += len(who) * results.max_points
            students[reason] = who
    found = [Loss(reason, lost, len(students[reason])) for reason, lost in points.items()]
    return sorted(found, key=lambda one: -one.points)


def _shared(messages: Counter[str]) -> str:
    message, count = messages.most_common(1)[0]
    return message if count > 1 else ""


def _all(results: ClassResults) -> Iterator[tuple[Verdict, ExerciseResult]]:
    return ((verdict, result) for verdict in results.graded for result in verdict.exercises)


def _lost(result: ExerciseResult) -> float:
    return max(0.0, result.max_points - result.points)


def _reason(result: ExerciseResult) -> str:
    if result.mistakes:
        return "known mistakes"
    return STATES[result.state] or "unexplained"
