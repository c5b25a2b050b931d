"""Measure how much pairs of a class share in an exercise, and how much of it chance explains.

An inverted index of fingerprints finds shared fingerprints, so answers are not compared pairwise.
The class itself shows how much honest pairs share by chance: each student's share with the most
similar classmate. A share is an outlier above the median of these plus three scaled median absolute
deviations: C. Leys et al., "Detecting outliers: do not use standard deviation around the mean, use
absolute deviation around the median", J. Experimental Social Psychology 49(4), 2013, equation 1
with the very conservative factor 3. Only if half of the class copied is the median misled.

Rare fingerprints count more. If n of N answers have a fingerprint, its weight is log((N + 1) / n):
K. Sparck Jones, "A statistical interpretation of term specificity and its application in
retrieval", J. Documentation 28, 1972.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from autograder.desk.look_alikes.answers import Writer
from autograder.desk.look_alikes.file import AlikeExercise

SCALE = 1.4826  # of a normal distribution's median absolute deviation to its standard deviation
FACTOR = 3
ENOUGH = 10  # answers for an estimate
UNKNOWN = 0.85  # share that honest pairs may reach if there are fewer
LEAST = 0.1  # share of any two answers to a question
MARGIN = 0.1  # above chance, for a pair to stand out
LEAST_PRINTS = 5  # fingerprints that a pair has to share in an exercise: a few lines
LEAST_MOST = 5  # in a class of ten or less, a fingerprint of this many still has a weight
DIGITS = 3  # of a share
TOGETHER = "all together"  # cannot be the id of an exercise, because of the space


@dataclass
class Shares:
    """The shares of all pairs of writers in an exercise, or in all exercises together (`id`
    TOGETHER).
    """

    id: str
    shared: NDArray  # (writers, writers) weights of the shared fingerprints
    count: NDArray  # (writers, writers) number of shared fingerprints
    whole: NDArray  # (writers,) weights of all fingerprints of a writer
    answered: NDArray  # (writers,) whether the writer can be compared
    students: int  # number of students, who come first; independent solutions follow
    share: NDArray = field(init=False)  # (writers, writers) 2 shared / (whole + whole), 0 to 1
    by_chance: float = field(init=False)  # share that honest pairs are expected to reach
    stands_out: NDArray = field(init=False)  # (writers, writers) share clearly above by_chance

    def __post_init__(self) -> None:
        pair_weights = self.whole[:, None] + self.whole[None, :]
        share = np.divide(
            2 * self.shared, pair_weights, out=np.zeros(pair_weights.shape), where=pair_weights > 0
        )
        self.share = share * np.outer(self.answered, self.answered)
        np.fill_diagonal(self.share, 0.0)
        first = np.arange(len(self.whole)) < self.students
        of_class, independent = (
            self.share[np.ix_(members, members)]
            for members in (self.answered & first, self.answered & ~first)
        )
        self.by_chance = by_chance(of_class, independent)
        self.stands_out = self.share >= self.by_chance + MARGIN
        if self.id != TOGETHER:  # there, few but rare fingerprints are enough
            self.stands_out &= self.count >= LEAST_PRINTS

    def of_pair(self, pair: tuple[int, int]) -> AlikeExercise:
        """Return the rounded share of a pair (indexes of two writers) for `.look-alikes.json`."""
        return AlikeExercise(self.id, round(float(self.share[pair]), DIGITS))

    def excess(self, pair: tuple[int, int]) -> float:
        """Return how far a pair (indexes of two writers) is above chance, from 0 for a pair that
        does not stand out to 1 for equal answers.
        """
        above = float(self.share[pair]) - self.by_chance
        return above / (1 - self.by_chance) if self.stands_out[pair] else 0.0


def by_chance(of_class: NDArray, independent: NDArray) -> float:
    """Return the highest share that honest pairs are expected to reach: estimated from the class if
    there are enough answers, and at least LEAST and the highest share of independent solutions.

    `of_class`, `independent`: (n, n) shares of students and of independent solutions.
    """
    levels = [LEAST, *independent.max(axis=1, initial=0.0)]
    if len(of_class) >= ENOUGH:
        nearest = of_class.max(axis=1)
        middle = float(np.median(nearest))
        spread = float(np.median(np.abs(nearest - middle)))
        levels.append(middle + FACTOR * SCALE * spread)
    elif len(independent) < ENOUGH:
        levels.append(UNKNOWN)
    return min(1.0, float(max(levels)))


def weights_of(
    exercise: str, students: Sequence[Writer], independent: Sequence[Writer]
) -> dict[str, float]:
    """Return the weight of each fingerprint in an exercise. Fingerprints in more than half of the
    students' answers (and in more than LEAST_MOST) are left out. `independent`: known solutions,
    which count toward the weights, too.
    """
    answers = [prints_of(writer, exercise) for writer in students if exercise in writer.answers]
    solutions = [
        prints_of(writer, exercise) for writer in independent if exercise in writer.answers
    ]
    holders = Counter(gram for prints in answers for gram in prints)
    everywhere = holders + Counter(gram for prints in solutions for gram in prints)
    total = len(answers) + len(solutions) + 1
    limit = max(len(answers) / 2, LEAST_MOST)
    return {
        gram: math.log(total / count)
        for gram, count in everywhere.items()
        if holders[gram] <= limit
    }


def shares_in(
    exercise: str,
    students: Sequence[Writer],
    independent: Sequence[Writer],
    weights: Mapping[str, float],
) -> Shares:
    """Return the shares of all pairs in an exercise. `weights`: as `weights_of` returns them. Other
    fingerprints are left out.
    """
    writers = [*students, *independent]
    holders: dict[str, list[int]] = defaultdict(list)
    for index, writer in enumerate(writers):
        for gram in sorted(prints_of(writer, exercise)):  # sums of floats depend on the order
            holders[gram].append(index)
    size = len(writers)
    shared, count = np.zeros((2, size, size))
    weight_sums = np.zeros(size)
    for gram, indexes in holders.items():
        if gram in weights:
            pairs = np.ix_(indexes, indexes)
            shared[pairs] += weights[gram]
            count[pairs] += 1
            weight_sums[indexes] += weights[gram]
    answered = np.array([exercise in writer.answers for writer in writers])
    return Shares(exercise, shared, count, weight_sums, answered, len(students))


def together(shares: Sequence[Shares]) -> Shares:
    """Return the sums of these shares. Only writers who answered more than half of the exercises
    are compared in the sums.
    """
    shared = np.sum([exercise.shared for exercise in shares], axis=0)
    count = np.sum([exercise.count for exercise in shares], axis=0)
    weight_sums = np.sum([exercise.whole for exercise in shares], axis=0)
    answered = np.sum([exercise.answered for exercise in shares], axis=0) > len(shares) / 2
    return Shares(TOGETHER, shared, count, weight_sums, answered, shares[0].students)


def prints_of(writer: Writer, exercise: str) -> frozenset[str]:
    """Return the fingerprints of a student's answer, none without an answer."""
    return writer.answers[exercise].prints if exercise in writer.answers else frozenset()
