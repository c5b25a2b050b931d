"""Compare the submissions of a class: which are identical, and which pairs are more alike than
chance explains.

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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from autograder.staff.look_alikes.answers import Writer
from autograder.staff.look_alikes.file import AlikeExercise, AlikePair

SCALE = 1.4826  # of a normal distribution's median absolute deviation to its standard deviation
FACTOR = 3
ENOUGH = 10  # answers from which it can be told what is usual
UNKNOWN = 0.85  # what honest pairs may reach where there are fewer
LEAST = 0.1  # two answers to one question share at least this
MARGIN = 0.1  # by how much a share has to be above chance
LEAST_PRINTS = 5  # fingerprints that a pair shares in an exercise: a few lines
LEAST_MOST = 5  # in a class of ten or less, what this many share is no more "what most share"
MOST_PAIRS = 500  # that are listed
WITHOUT_ONE = 2  # exercises to read of a pair of which none stands out
DIGITS = 3  # of a share
TOGETHER = "all together"  # no id of an exercise: it has a space


@dataclass(frozen=True)
class LookAlike:
    """One pair to look at, and the exercise, or all together, in which the two are most alike."""

    pair: AlikePair
    most: str  # an exercise, or TOGETHER
    excess: float  # how far the share there is above chance: 1 where it is all that there is
    writers: tuple[Writer, Writer]
    exercises: list[AlikeExercise]  # to read side by side, most alike first


@dataclass(frozen=True)
class Comparison:
    """The result of comparing a class: identical submissions, and pairs that are alike."""

    identical: list[list[str]]
    found: list[LookAlike]  # most alike first
    left_out: int  # pairs that are not listed: there are too many
    compared: int  # submissions, of identical ones each
    empty: list[str]  # who wrote nothing that could be compared
    cut: list[str]  # who wrote so much in one exercise that only its beginning was compared
    chances: dict[str, float]  # what honest pairs reach, by exercise, and in all together
    weights: dict[str, dict[str, float]]  # of fingerprints that most do not have, by exercise


@dataclass
class Shares:
    """How much each pair of writers shares in one exercise, or in all exercises together."""

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
        """Return how much a pair shares in this exercise, for the file that other programs read.
        `pair` has the indexes of two writers.
        """
        return AlikeExercise(self.id, round(float(self.share[pair]), DIGITS))

    def excess(self, pair: tuple[int, int]) -> float:
        """Return how far the share of a pair is above chance, from 0 to 1; 0 for a pair that does
        not stand out. `pair` has the indexes of two writers.
        """
        above = float(self.share[pair]) - self.by_chance
        return above / (1 - self.by_chance) if self.stands_out[pair] else 0.0


def by_chance(of_class: NDArray, independent: NDArray) -> float:
    """Return the highest share that honest pairs are expected to reach.

    `of_class` has the share of each pair in the class, as a square array; `independent`, that of
    each pair of solutions known to be independent. The result is at least the highest of the
    latter.
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


def compare(
    writers: Sequence[Writer], exercises: Sequence[str], independent: Sequence[Writer] = ()
) -> Comparison:
    """Compare all writers with each other, in these exercises. Writers without any answer are only
    listed.

    `independent`: solutions of which nobody copied another. They help to tell how alike honest
    pairs are, and never appear in a pair of the result.
    """
    same: dict[frozenset, list[Writer]] = defaultdict(list)
    for writer in writers:
        if writer.answers:
            same[frozenset(writer.answers.items())].append(writer)
    firsts = [group[0] for group in same.values()]
    written = [id for id in exercises if any(id in one.answers for one in firsts)]
    weights = {id: _weights(id, firsts, independent) for id in written}
    shares = [_shares(id, firsts, independent, weights[id]) for id in written]
    shares = [_together(shares), *shares] if shares else []
    groups = [[one.student for one in group] for group in same.values() if len(group) > 1]
    above = np.zeros((len(firsts), len(firsts)), dtype=bool)
    for one in shares:
        above |= one.stands_out[: len(firsts), : len(firsts)]
    pairs = [(int(one), int(other)) for one, other in np.argwhere(np.triu(above))]
    found = [_look_alike(pair, firsts, shares, groups) for pair in pairs]
    found.sort(key=lambda one: (-one.excess, one.pair.students))
    return Comparison(
        identical=sorted(groups),
        found=found[:MOST_PAIRS],
        left_out=max(0, len(found) - MOST_PAIRS),
        compared=sum(map(len, same.values())),
        empty=sorted(one.student for one in writers if not one.answers),
        cut=sorted(one.student for one in writers if any(a.is_cut for a in one.answers.values())),
        chances={one.id: one.by_chance for one in [*shares[1:], *shares[:1]]},
        weights=weights,
    )


def _weights(
    exercise: str, students: Sequence[Writer], independent: Sequence[Writer]
) -> dict[str, float]:
    """Return the weight of each fingerprint in an exercise, by fingerprint; a rarer one weighs
    more. Those that most students have are left out.

    `independent`: solutions known to be independent, which are counted, too.
    """
    answers = [_prints(one, exercise) for one in students if exercise in one.answers]
    others = [_prints(one, exercise) for one in independent if exercise in one.answers]
    held = Counter(gram for prints in answers for gram in prints)
    everywhere = held + Counter(gram for prints in others for gram in prints)
    total = len(answers) + len(others) + 1
    most = max(len(answers) / 2, LEAST_MOST)
    return {
        gram: math.log(total / count) for gram, count in everywhere.items() if held[gram] <= most
    }


def _shares(
    exercise: str,
    students: Sequence[Writer],
    independent: Sequence[Writer],
    weights: Mapping[str, float],
) -> Shares:
    writers = [*students, *independent]
    holders: dict[str, list[int]] = defaultdict(list)
    for index, writer in enumerate(writers):
        for gram in sorted(_prints(writer, exercise)):  # sums of floats depend on the order
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


def _together(shares: Sequence[Shares]) -> Shares:
    """Return the sums over all exercises. Only writers who answered more than half of the exercises
    are compared in them.
    """
    shared = np.sum([one.shared for one in shares], axis=0)
    count = np.sum([one.count for one in shares], axis=0)
    whole = np.sum([one.whole for one in shares], axis=0)
    most = np.sum([one.answered for one in shares], axis=0) > len(shares) / 2
    return Shares(TOGETHER, shared, count, whole, most, shares[0].students)


def _look_alike(
    pair: tuple[int, int],
    writers: Sequence[Writer],
    shares: Sequence[Shares],
    identical: Sequence[Sequence[str]],
) -> LookAlike:
    """Return what to show about a pair. `pair` has the indexes of two writers. `shares` are those
    of all exercises together, then of each exercise; `identical` has the groups of students with
    identical submissions.
    """
    together, *exercises = shares
    one, other = writers[pair[0]], writers[pair[1]]
    both = [found for found in exercises if all(_prints(who, found.id) for who in (one, other))]
    most = together if together.stands_out[pair] else max(both, key=lambda one: one.excess(pair))
    by_share = sorted(both, key=lambda one: -one.share[pair])
    standing = [found for found in by_share if found.stands_out[pair]]
    signs = [
        *_of_shares(pair, (one, other), [together, *both]),
        *_of_identical((one.student, other.student), identical),
    ]
    return LookAlike(
        AlikePair(
            students=(one.student, other.student),
            share=round(float(most.share[pair]), DIGITS),
            by_chance=round(most.by_chance, DIGITS),
            exercises=[found.of_pair(pair) for found in both],
            signs=signs,
        ),
        most=most.id,
        excess=max(found.excess(pair) for found in shares),
        writers=(one, other),
        exercises=[found.of_pair(pair) for found in standing or by_share[:WITHOUT_ONE]],
    )


def _prints(writer: Writer, exercise: str) -> frozenset[str]:
    return writer.answers[exercise].prints if exercise in writer.answers else frozenset()


def _of_shares(
    pair: tuple[int, int], writers: tuple[Writer, Writer], shares: Sequence[Shares]
) -> Iterator[str]:
    """Yield a sentence on all exercises together, and on each exercise in which the pair stands
    out.
    """
    for found in shares:
        share, reached = (
            percent(found.share[pair]),
            f"honest pairs reach {percent(found.by_chance)}",
        )
        if found.id == TOGETHER:
            if found.answered[list(pair)].all():
                yield f"All together {share} is the same; {reached}."
        elif found.stands_out[pair]:
            one, other = (writer.answers[found.id].text for writer in writers)
            if one == other:
                yield f"`{found.id}` is the same to the character, comments and spaces included; {reached}."
            else:
                yield f"`{found.id}` is alike by {share}; {reached}."


def _of_identical(students: tuple[str, str], identical: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a sentence for each of the two students to whose submission others are identical: only
    one of such submissions is compared.
    """
    for student in students:
        for same in identical:
            if student in same:
                others = ", ".join(f"`{one}`" for one in same if one != student)
                yield f"The submission of `{student}` is identical to that of {others}."


def percent(share: float) -> str:
    """Return a share (0 to 1) in percent, as text. Only a share of 1 becomes 100 %, not a rounded
    one.
    """
    return f"{min(99, round(100 * share)) if share < 0.9999 else 100} %"
