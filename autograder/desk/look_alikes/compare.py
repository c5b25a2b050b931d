"""Compare the submissions of a class: find identical submissions, and pairs that are more similar
than chance explains. `shares.py` has the statistics.
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

MOST_PAIRS = 500  # in the result
WITHOUT_ONE = 2  # exercises shown of a pair that stands out only in all exercises together


@dataclass(frozen=True)
class LookAlike:
    """A pair of students to look at."""

    pair: AlikePair
    most: str  # the exercise in which they are most similar, or TOGETHER
    excess: float  # as `Shares.excess`
    writers: tuple[Writer, Writer]
    exercises: list[AlikeExercise]  # to read side by side, the most similar first


@dataclass(frozen=True)
class Comparison:
    """The result of comparing a class."""

    identical: list[list[str]]  # groups of students
    found: list[LookAlike]  # the most similar first
    left_out: int  # pairs beyond MOST_PAIRS
    compared: int  # submissions, including identical ones
    empty: list[str]  # students without an answer
    cut: list[str]  # students with an answer too long to be compared as a whole
    chances: dict[str, float]  # share that honest pairs reach, by exercise and TOGETHER
    weights: dict[str, dict[str, float]]  # of fingerprints that most do not have, by exercise


def compare(
    writers: Sequence[Writer], exercises: Sequence[str], independent: Sequence[Writer] = ()
) -> Comparison:
    """Compare all writers with each other in these exercises. Of identical submissions, only the
    first is compared.

    `independent`: known solutions, for the statistics of honest pairs. They are not in the result.
    """
    by_answers: dict[frozenset, list[Writer]] = defaultdict(list)
    for writer in writers:
        if writer.answers:
            by_answers[frozenset(writer.answers.items())].append(writer)
    firsts = [group[0] for group in by_answers.values()]
    answered = [id for id in exercises if any(id in writer.answers for writer in firsts)]
    weights = {id: weights_of(id, firsts, independent) for id in answered}
    shares = [shares_in(id, firsts, independent, weights[id]) for id in answered]
    shares = [together(shares), *shares] if shares else []
    groups = [
        [writer.student for writer in group] for group in by_answers.values() if len(group) > 1
    ]
    above = np.zeros((len(firsts), len(firsts)), dtype=bool)
    for share in shares:
        above |= share.stands_out[: len(firsts), : len(firsts)]
    pairs = [(int(first), int(second)) for first, second in np.argwhere(np.triu(above))]
    look_alikes = [_look_alike(pair, firsts, shares, groups) for pair in pairs]
    look_alikes.sort(key=lambda look_alike: (-look_alike.excess, look_alike.pair.students))
    return Comparison(
        identical=sorted(groups),
        found=look_alikes[:MOST_PAIRS],
        left_out=max(0, len(look_alikes) - MOST_PAIRS),
        compared=sum(map(len, by_answers.values())),
        empty=sorted(writer.student for writer in writers if not writer.answers),
        cut=sorted(
            writer.student
            for writer in writers
            if any(answer.is_cut for answer in writer.answers.values())
        ),
        chances={share.id: share.by_chance for share in [*shares[1:], *shares[:1]]},
        weights=weights,
    )


def _look_alike(
    pair: tuple[int, int],
    writers: Sequence[Writer],
    shares: Sequence[Shares],
    identical: Sequence[Sequence[str]],
) -> LookAlike:
    """Return the data to show about a pair that stands out. `pair`: indexes of two writers.
    `shares`: of all exercises together, then of each. `identical`: groups of students.
    """
    together, *exercises = shares
    first, second = writers[pair[0]], writers[pair[1]]
    shared_exercises = [
        exercise
        for exercise in exercises
        if all(prints_of(writer, exercise.id) for writer in (first, second))
    ]
    top = (
        together
        if together.stands_out[pair]
        else max(shared_exercises, key=lambda share: share.excess(pair))
    )
    by_share = sorted(shared_exercises, key=lambda exercise: -exercise.share[pair])
    standing = [exercise for exercise in by_share if exercise.stands_out[pair]]
    signs = [
        *_of_shares(pair, (first, second), [together, *shared_exercises]),
        *_of_identical((first.student, second.student), identical),
    ]
    return LookAlike(
        AlikePair(
            students=(first.student, second.student),
            share=round(float(top.share[pair]), DIGITS),
            by_chance=round(top.by_chance, DIGITS),
            exercises=[exercise.of_pair(pair) for exercise in shared_exercises],
            signs=signs,
        ),
        most=top.id,
        excess=max(share.excess(pair) for share in shares),
        writers=(first, second),
        exercises=[exercise.of_pair(pair) for exercise in standing or by_share[:WITHOUT_ONE]],
    )


def _of_shares(
    pair: tuple[int, int], writers: tuple[Writer, Writer], shares: Sequence[Shares]
) -> Iterator[str]:
    """Yield a sentence on all exercises together, if both writers answered enough of them, and on
    each exercise in which the pair stands out. `pair`: indexes in `shares`.
    """
    for exercise in shares:
        share, reached = (
            percent(exercise.share[pair]),
            f"honest pairs reach {percent(exercise.by_chance)}",
        )
        if exercise.id == TOGETHER:
            if exercise.answered[list(pair)].all():
                yield f"All together {share} is the same; {reached}."
        elif exercise.stands_out[pair]:
            first, second = (writer.answers[exercise.id].text for writer in writers)
            if first == second:
                yield f"`{exercise.id}` is the same to the character, comments and spaces included; {reached}."
            else:
                yield f"`{exercise.id}` is alike by {share}; {reached}."


def _of_identical(students: tuple[str, str], identical: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a sentence for each of the two students with a submission identical to others, because
    only the first of these is compared.
    """
    for student in students:
        for group in identical:
            if student in group:
                other_students = ", ".join(f"`{member}`" for member in group if member != student)
                yield f"The submission of `{student}` is identical to that of {other_students}."


def percent(share: float) -> str:
    """Return a share (0 to 1) in percent as text. Only a share of 1 becomes 100 %."""
    return f"{min(99, round(100 * share)) if share < 0.9999 else 100} %"
