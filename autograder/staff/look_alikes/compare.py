"""A class, compared: who handed in the same, and which pairs are more alike than chance explains."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autograder.engine.verdict.verdict import Verdict
from autograder.staff.look_alikes.answers import Answer, Features, Reader, Writer
from autograder.staff.look_alikes.chance import by_chance
from autograder.staff.look_alikes.odd import Odd, OddThings
from autograder.staff.look_alikes.shares import Weighted, rarity, weigh

MARGIN = 0.1  # by how much a share has to be above chance
LEAST_PRINTS = 5  # fingerprints that a pair shares in an exercise: a few lines
MOST_PAIRS = 500  # that are told
TOGETHER = "all together"  # no id of an exercise: it has a space

Pair = tuple[int, int]


@dataclass(frozen=True)
class ExerciseShare:
    """How alike a pair is in one exercise, or in all of them together."""

    id: str
    share: float
    by_chance: float
    enough: bool = True  # that both have the same in more than a line or two

    @property
    def stands_out(self) -> bool:
        return self.enough and self.share >= self.by_chance + MARGIN

    @property
    def excess(self) -> float:
        """How far the share is above chance: 1 where it is all that there is."""
        return (self.share - self.by_chance) / (1 - self.by_chance) if self.by_chance < 1 else 0.0


@dataclass(frozen=True)
class AlikePair:
    """Two students whose submissions are more alike than chance explains, or odd in the same way."""

    writers: tuple[Writer, Writer]
    together: ExerciseShare
    exercises: list[ExerciseShare]
    odd: list[Odd]  # what they have in common and few others have
    same: list[str]  # exercises that are the same but for names, comments and formatting
    identical: list[str]  # exercises that are the same to the character
    rank: float

    @property
    def students(self) -> tuple[str, str]:
        return self.writers[0].student, self.writers[1].student

    @property
    def most(self) -> ExerciseShare:
        """All exercises together, if they stand out; else the exercise that does most, if one does."""
        some = [one for one in self.exercises if one.stands_out]
        if self.together.stands_out or not some:
            return self.together
        return max(some, key=lambda one: one.excess)


@dataclass(frozen=True)
class Comparison:
    """What a class has in common."""

    identical: list[list[str]]
    pairs: list[AlikePair]  # most alike first
    compared: int  # submissions, of identical ones each
    empty: list[str]  # who wrote nothing that could be compared
    cut: list[str]  # who wrote so much in one exercise that only its beginning was compared
    chances: dict[str, float]  # what honest pairs reach, by exercise
    by_chance: float  # in all exercises together
    weights: dict[str, dict[str, float]]  # of fingerprints, by exercise
    left_out: int  # pairs that are not told: there are too many


class _Exercise:
    """The answers of the class to one exercise, and independent ones."""

    def __init__(self, id: str, found: dict[int, Features], others: dict[int, Features]):
        self.id = id
        self.places = np.array(sorted(found))
        self.prints = {index: one.prints for index, one in found.items()}
        texts = [found[index].prints for index in sorted(found)]
        known = [others[index].prints for index in sorted(others)]
        self.weights = rarity(texts, known)
        self.theirs = weigh(texts, self.weights)
        self.others = weigh(known, self.weights)
        self.other_places = np.array(sorted(others), dtype=int)
        self.by_chance = by_chance(self.theirs.shares(), self.others.shares())

    def share(self, pair: Pair) -> ExerciseShare | None:
        """How alike a pair is; None where one of them has no answer that can be compared."""
        if not all(self.prints.get(index) for index in pair):
            return None
        one, other = np.searchsorted(self.places, pair)
        both = float(self.theirs.whole[one] + self.theirs.whole[other])
        share = 2 * float(self.theirs.shared[one, other]) / both if both else 0.0
        common = self.prints[pair[0]] & self.prints[pair[1]]
        enough = sum(1 for gram in common if self.weights[gram]) >= LEAST_PRINTS
        return ExerciseShare(self.id, share, self.by_chance, enough)

    def standing_out(self) -> Iterable[Pair]:
        """Yield the pairs that are more alike than chance explains."""
        for one, other in _above(self.theirs.shares(), self.by_chance):
            pair = int(self.places[one]), int(self.places[other])
            if (share := self.share(pair)) and share.stands_out:
                yield pair


class _Total:
    """All exercises together: sums of what pairs share, and of what each has."""

    def __init__(self, size: int):
        self.shared = np.zeros((size, size), dtype=np.float32)
        self.whole = np.zeros(size, dtype=np.float32)
        self.count = np.zeros(size, dtype=int)
        self.exercises = 0

    def add(self, places: NDArray, texts: Weighted) -> None:
        self.exercises += 1
        if len(places):
            self.count[places] += 1
            self.shared[np.ix_(places, places)] += texts.shared
            self.whole[places] += texts.whole

    def with_most(self) -> NDArray:
        """Return who wrote most of the exercises, and so can be compared in all."""
        return np.flatnonzero(self.count > self.exercises / 2)

    def shares_of(self, some: NDArray) -> NDArray:
        return Weighted(self.shared[np.ix_(some, some)], self.whole[some]).shares()


class _Class:
    """Those who are compared, one of each kind of identical submissions."""

    def __init__(
        self, writers: list[Writer], independent: Sequence[Mapping[str, str]], reader: Reader
    ):
        self.writers = writers
        self.reader = reader
        self.total = _Total(len(writers))
        others = _Total(len(independent))
        self.exercises: list[_Exercise] = []
        for id in _exercises(writers, reader):
            found = {
                index: reader.features(writer.answers[id])
                for index, writer in enumerate(writers)
                if id in writer.answers
            }
            exercise = _Exercise(id, found, _different(independent, id, reader))
            self.total.add(exercise.places, exercise.theirs)
            others.add(exercise.other_places, exercise.others)
            self.exercises.append(exercise)
        self.comparable = self.total.with_most()
        self.by_chance = by_chance(
            self.total.shares_of(self.comparable), others.shares_of(others.with_most())
        )

    def standing_out(self) -> set[Pair]:
        """Return the pairs that are more alike than chance explains, in all or in one exercise."""
        shares = self.total.shares_of(self.comparable)
        found = {
            (int(self.comparable[one]), int(self.comparable[other]))
            for one, other in _above(shares, self.by_chance + MARGIN)
        }
        return found.union(*(exercise.standing_out() for exercise in self.exercises))

    def pair(self, pair: Pair, odd: OddThings) -> AlikePair:
        """Return all that is known of a pair."""
        one, other = pair
        both = float(self.total.whole[one] + self.total.whole[other])
        share = 2 * float(self.total.shared[one, other]) / both if both else 0.0
        shares = [found for exercise in self.exercises if (found := exercise.share(pair))]
        together = ExerciseShare(TOGETHER, share, self._chance_of(pair, shares))
        excess = max(0.0, together.excess, *(one.excess for one in shares))
        common = odd.of_pair(pair)
        return AlikePair(
            writers=(self.writers[one], self.writers[other]),
            together=together,
            exercises=shares,
            odd=common,
            same=self._same(pair, lambda answer: self.reader.features(answer).normal),
            identical=self._same(pair, lambda answer: answer.text),
            rank=excess + len(common) / (len(common) + odd.by_chance + 1),
        )

    def _chance_of(self, pair: Pair, shares: list[ExerciseShare]) -> float:
        """What honest pairs reach in all; of those who wrote little, in the exercises that they share."""
        if np.isin(pair, self.comparable).all():
            return self.by_chance
        return max((one.by_chance for one in shares), default=1.0)

    def _same(self, pair: Pair, seen: Callable[[Answer], str]) -> list[str]:
        """The exercises in which both wrote what is the same, seen in this way."""
        one, other = (self.writers[index].answers for index in pair)
        return [
            name
            for name, answer in one.items()
            if name in other and seen(answer) == seen(other[name])
        ]


def compare(
    writers: Sequence[Writer],
    independent: Sequence[Mapping[str, str]],
    reader: Reader,
    verdicts: Iterable[Verdict] = (),
) -> Comparison:
    """Compare all with each other; who wrote nothing is left out.

    `independent`: solutions of which nobody copied another one, code by exercise. `verdicts` tell who
    made which mistakes.
    """
    groups: dict[str, list[Writer]] = defaultdict(list)
    for writer in writers:
        if writer.answers:
            groups[writer.hash].append(writer)
    them = _Class([same[0] for same in groups.values()], independent, reader)
    by_student = {verdict.student: verdict for verdict in verdicts}
    odd = OddThings(them.writers, independent, by_student, reader)
    found = [them.pair(pair, odd) for pair in them.standing_out() | odd.standing_out()]
    found.sort(key=lambda one: (-one.rank, one.students))
    return Comparison(
        identical=sorted(
            [one.student for one in same] for same in groups.values() if len(same) > 1
        ),
        pairs=found[:MOST_PAIRS],
        compared=sum(map(len, groups.values())),
        empty=sorted(writer.student for writer in writers if not writer.answers),
        cut=sorted(writer.student for writer in writers if _is_cut(writer, reader)),
        chances={exercise.id: exercise.by_chance for exercise in them.exercises},
        by_chance=them.by_chance,
        weights={exercise.id: exercise.weights for exercise in them.exercises},
        left_out=max(0, len(found) - MOST_PAIRS),
    )


def _is_cut(writer: Writer, reader: Reader) -> bool:
    return not all(reader.features(answer).whole for answer in writer.answers.values())


def _exercises(writers: Iterable[Writer], reader: Reader) -> list[str]:
    """The exercises for which anybody wrote something, in the notebook's order."""
    written = {name for writer in writers for name in writer.answers}
    return [cell.id for cell in reader.assignment.cells if cell.id in written]


def _different(
    independent: Sequence[Mapping[str, str]], exercise: str, reader: Reader
) -> dict[int, Features]:
    """The independent solutions of an exercise; one that is there twice is so once."""
    first: dict[str, int] = {}
    for index, cells in enumerate(independent):
        if exercise in cells:
            first.setdefault(cells[exercise], index)
    return {index: reader.features(Answer(True, text)) for text, index in first.items()}


def _above(shares: NDArray, level: float) -> Iterable[Pair]:
    """Yield the pairs, each once, whose share is this level or more."""
    for one, other in np.argwhere(np.triu(shares >= level, 1)):
        yield int(one), int(other)
