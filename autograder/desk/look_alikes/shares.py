"""How much the pairs of a class share in an exercise, and how much of that chance explains.

What two students share is looked up in an inverted index of fingerprints, so no two answers are
compared directly. How much honest pairs share by chance is estimated from the class itself: of each
student, the share with the most similar classmate. A share is an outlier if it is above the median
of these by more than three times the median absolute deviation, scaled as for a normal
distribution. See C. Leys et al., "Detecting outliers: do not use standard deviation around the
mean, use absolute deviation around the median", J. Experimental Social Psychology 49(4), 2013,
equation 1 and the very conservative factor 3. The median is misled only if half of the class
copied.

What is rare counts more: a fingerprint that n of N answers have gets the weight log((N + 1) / n),
as in K. Sparck Jones, "A statistical interpretation of term specificity and its application in
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
ENOUGH = 10  # answers from which it can be told what is usual
UNKNOWN = 0.85  # what honest pairs may reach where there are fewer
LEAST = 0.1  # two answers to one question share at least this
MARGIN = 0.1  # by how much a share has to be above chance
LEAST_PRINTS = 5  # fingerprints that a pair shares in an exercise: a few lines
LEAST_MOST = 5  # in a class of ten or less, what this many share is no more "what most share"
DIGITS = 3  # of a share
TOGETHER = "all together"  # no id of an exercise: it has a space


@dataclass
class Shares:
    """How much each pair of writers shares in one exercise, or in all exercises together (`id` is
    then TOGETHER). The arrays are indexed by writers: the first `students` of them are the class,
    the others independent solutions.

    `share` is from 0 to 1, `by_chance` is what honest pairs are expected to reach, and `stands_out`
    says which pairs are clearly above it.
    """

    id: str
    shared: NDArray  # (writers, writers) weights of the fingerprints that both have
    count: NDArray  # (writers, writers) how many these are
    whole: NDArray  # (writers,) weights of all that each has
    answered: NDArray  # (writers,) who can be compared here
    students: int  # so many writers come first; the others are independent solutions
    share: NDArray = field(init=False)  # twice what a pair shares by all that both have
    by_chance: float = field(init=False)
    stands_out: NDArray = field(init=False)  # whether a pair is more alike than chance explains

    def __post_init__(self) -> None:
        both = self.whole[:, None] + self.whole[None, :]
        share = np.divide(2 * self.shared, both, out=np.zeros(both.shape), where=both > 0)
        self.share = share * np.outer(self.answered, self.answered)
        np.fill_diagonal(self.share, 0.0)
        first = np.arange(len(self.whole)) < self.students
        of_class, independent = (
            self.share[np.ix_(some, some)]
            for some in (self.answered & first, self.answered & ~first)
        )
        self.by_chance = by_chance(of_class, independent)
        self.stands_out = self.share >= self.by_chance + MARGIN
        if self.id != TOGETHER:  # in all together, a pair is told by little that nobody else has
            self.stands_out &= self.count >= LEAST_PRINTS

    def of_pair(self, pair: tuple[int, int]) -> AlikeExercise:
        """Return the share of a pair in this exercise, rounded, as `.look-alikes.json` has it.
        `pair` has the indexes of two writers.
        """
        return AlikeExercise(self.id, round(float(self.share[pair]), DIGITS))

    def excess(self, pair: tuple[int, int]) -> float:
        """Return how far the share of a pair is above chance: 0 for a pair that does not stand out,
        1 if the two have everything in common. `pair` has the indexes of two writers.
        """
        above = float(self.share[pair]) - self.by_chance
        return above / (1 - self.by_chance) if self.stands_out[pair] else 0.0


def by_chance(of_class: NDArray, independent: NDArray) -> float:
    """Return the highest share that honest pairs are expected to reach, estimated from the class
    itself; if there are too few answers for that, at least UNKNOWN.

    `of_class` has the share of each pair in the class, as a square array; `independent`, that of
    each pair of solutions known to be independent. The result is at least the highest of the
    latter, and at least LEAST.
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
    """Return the weight of each fingerprint in an exercise, by fingerprint; a rarer one weighs
    more. Fingerprints that more than half of the students' answers have (and more than LEAST_MOST
    of them) are left out.

    `independent`: solutions known to be independent, whose fingerprints count toward the weights,
    too.
    """
    answers = [prints_of(one, exercise) for one in students if exercise in one.answers]
    others = [prints_of(one, exercise) for one in independent if exercise in one.answers]
    held = Counter(gram for prints in answers for gram in prints)
    everywhere = held + Counter(gram for prints in others for gram in prints)
    total = len(answers) + len(others) + 1
    most = max(len(answers) / 2, LEAST_MOST)
    return {
        gram: math.log(total / count) for gram, count in everywhere.items() if held[gram] <= most
    }


def shares_in(
    exercise: str,
    students: Sequence[Writer],
    independent: Sequence[Writer],
    weights: Mapping[str, float],
) -> Shares:
    """Return how much each pair of these writers shares in an exercise. `weights`: of its fingerprints,
    as `weights_of` returns them; fingerprints without a weight are left out.
    """
    writers = [*students, *independent]
    holders: dict[str, list[int]] = defaultdict(list)
    for index, writer in enumerate(writers):
        for gram in sorted(prints_of(writer, exercise)):  # sums of floats depend on the order
            holders[gram].append(index)
    size = len(writers)
    shared, count = np.zeros((2, size, size))
    whole = np.zeros(size)
    for gram, who in holders.items():
        if gram in weights:
            pairs = np.ix_(who, who)
            shared[pairs] += weights[gram]
            count[pairs] += 1
            whole[who] += weights[gram]
    answered = np.array([exercise in writer.answers for writer in writers])
    return Shares(exercise, shared, count, whole, answered, len(students))


def together(shares: Sequence[Shares]) -> Shares:
    """Return the sums of these shares over all exercises. Only writers who answered more than half
    of the exercises are compared in the sums.
    """
    shared = np.sum([one.shared for one in shares], axis=0)
    count = np.sum([one.count for one in shares], axis=0)
    whole = np.sum([one.whole for one in shares], axis=0)
    most = np.sum([one.answered for one in shares], axis=0) > len(shares) / 2
    return Shares(TOGETHER, shared, count, whole, most, shares[0].students)


def prints_of(writer: Writer, exercise: str) -> frozenset[str]:
    """Return the fingerprints of a student's answer to an exercise; none without an answer."""
    return writer.answers[exercise].prints if exercise in writer.answers else frozenset()
