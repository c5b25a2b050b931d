"""Compare the submissions of a class: which are identical, and which pairs are more alike than
chance explains. `shares.py` says how that is told.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.desk.look_alikes.answers import Writer
from autograder.desk.look_alikes.file import AlikeExercise, AlikePair
from autograder.desk.look_alikes.shares import (
    DIGITS,
    TOGETHER,
    Shares,
    prints_of,
    shares_in,
    together,
    weights_of,
)

MOST_PAIRS = 500  # that are listed
WITHOUT_ONE = 2  # exercises to read of a pair of which none stands out


@dataclass(frozen=True)
class LookAlike:
    """One pair of students to look at. `most`: the exercise in which they are most alike, or
    TOGETHER; `excess`: how far they are above chance, as `Shares.excess` says it; `exercises`:
    those to be read side by side, the most alike first.
    """

    pair: AlikePair
    most: str  # an exercise, or TOGETHER
    excess: float  # how far the share there is above chance: 1 where it is all that there is
    writers: tuple[Writer, Writer]
    exercises: list[AlikeExercise]  # to read side by side, most alike first


@dataclass(frozen=True)
class Comparison:
    """The result of comparing a class: groups of identical submissions (`identical`), and the pairs
    that are more alike than chance explains (`found`, the most alike first; `left_out` is how many
    more there were). `empty` and `cut`: who wrote nothing, and whose answers were compared only in
    part. `chances`: what honest pairs reach, by exercise.
    """

    identical: list[list[str]]
    found: list[LookAlike]  # most alike first
    left_out: int  # pairs that are not listed: there are too many
    compared: int  # submissions, of identical ones each
    empty: list[str]  # who wrote nothing that could be compared
    cut: list[str]  # who wrote so much in one exercise that only its beginning was compared
    chances: dict[str, float]  # what honest pairs reach, by exercise, and in all together
    weights: dict[str, dict[str, float]]  # of fingerprints that most do not have, by exercise


def compare(
    writers: Sequence[Writer], exercises: Sequence[str], independent: Sequence[Writer] = ()
) -> Comparison:
    """Compare all writers with each other, in these exercises; of identical submissions, only the
    first is compared. Writers without any answer are listed in `empty`, and at most MOST_PAIRS
    pairs in `found`.

    `independent`: solutions of which nobody copied another. They help to tell how alike honest
    pairs are, and never appear in a pair of the result.
    """
    same: dict[frozenset, list[Writer]] = defaultdict(list)
    for writer in writers:
        if writer.answers:
            same[frozenset(writer.answers.items())].append(writer)
    firsts = [group[0] for group in same.values()]
    written = [id for id in exercises if any(id in one.answers for one in firsts)]
    weights = {id: weights_of(id, firsts, independent) for id in written}
    shares = [shares_in(id, firsts, independent, weights[id]) for id in written]
    shares = [together(shares), *shares] if shares else []
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


def _look_alike(
    pair: tuple[int, int],
    writers: Sequence[Writer],
    shares: Sequence[Shares],
    identical: Sequence[Sequence[str]],
) -> LookAlike:
    """Return what to show about a pair that stands out. `pair` has the indexes of two writers.
    `shares`: first those of all exercises together, then those of each exercise; `identical` has
    the groups of students with identical submissions.
    """
    together, *exercises = shares
    one, other = writers[pair[0]], writers[pair[1]]
    both = [found for found in exercises if all(prints_of(who, found.id) for who in (one, other))]
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


def _of_shares(
    pair: tuple[int, int], writers: tuple[Writer, Writer], shares: Sequence[Shares]
) -> Iterator[str]:
    """Yield a sentence on all exercises together, if both writers answered enough of them, and on
    each exercise in which the pair stands out.

    `pair` has the indexes of the two `writers` in `shares`, which has one for each exercise and one
    for all together.
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
    """Yield a sentence for each of the two students whose submission is identical to others': only
    the first of identical submissions is compared, so the sentence names the others.
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
