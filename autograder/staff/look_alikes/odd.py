"""What hardly anybody in a class has: odd names, comments, texts and numbers, rare mistakes."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from autograder.engine.verdict.verdict import Verdict
from autograder.staff.look_alikes.answers import Answer, Reader, Writer
from autograder.staff.look_alikes.chance import ENOUGH, outlier_level

FEW = 3  # of a class: what more of them have is not odd
LEAST = 6  # odd things that make a pair stand out by themselves
UNKNOWN = 8.0  # how many honest pairs may share, where the class is too small to tell
MOST = 400  # odd things of one answer that are compared

Pair = tuple[int, int]


class Odd(NamedTuple):
    """Something that few have; a wrong number or a mistake is one of an exercise."""

    kind: str  # "name", "comment", "string", "number", "mistake"
    what: str
    exercise: str
    holders: int  # how many in the class


class OddThings:
    """Who has which odd things. `by_chance`: how many of them honest pairs have in common."""

    def __init__(
        self,
        writers: Sequence[Writer],
        independent: Iterable[Mapping[str, str]],
        verdicts: Mapping[str, Verdict],
        reader: Reader,
    ):
        ordinary = {
            odd
            for one in independent
            for text in one.values()
            for odd in reader.features(Answer(True, text)).odd
        }
        right = _right_numbers(writers, verdicts, reader)
        held: dict[tuple[str, str, str], set[int]] = defaultdict(set)
        for index, writer in enumerate(writers):
            for key in _of_writer(writer, verdicts.get(writer.student), ordinary, reader):
                held[key].add(index)
        self._of: dict[Pair, list[Odd]] = defaultdict(list)
        for (kind, what, exercise), holders in sorted(held.items()):
            if 2 <= len(holders) <= FEW and (kind, what, exercise) not in right:
                for pair in combinations(sorted(holders), 2):
                    self._of[pair].append(Odd(kind, what, exercise, len(holders)))
        self.by_chance = _level(self._of, len(writers))

    def of_pair(self, pair: Pair) -> list[Odd]:
        """Return what both have."""
        return self._of.get(pair, [])

    def standing_out(self) -> set[Pair]:
        """Return the pairs that share more odd things than honest pairs do."""
        least = max(self.by_chance + 1, LEAST)
        return {pair for pair, things in self._of.items() if len(things) >= least}


def _of_writer(
    writer: Writer, verdict: Verdict | None, ordinary: set[tuple[str, str]], reader: Reader
) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, what, exercise) of all that could be odd: of numbers, those that cost points."""
    for result in verdict.exercises if verdict else ():
        for mistake in result.mistakes:
            yield "mistake", mistake.id, result.id
    lost = _graded(verdict, full=False)
    for exercise, answer in writer.answers.items():
        for kind, what in sorted(reader.features(answer).odd - ordinary)[:MOST]:
            if kind != "number":
                yield kind, what, ""
            elif exercise in lost:
                yield kind, what, exercise


def _right_numbers(
    writers: Sequence[Writer], verdicts: Mapping[str, Verdict], reader: Reader
) -> set[tuple[str, str, str]]:
    """The numbers of those who got all points of an exercise."""
    return {
        (kind, what, exercise)
        for writer in writers
        for exercise in _graded(verdicts.get(writer.student), full=True) & writer.answers.keys()
        for kind, what in reader.features(writer.answers[exercise]).odd
        if kind == "number"
    }


def _graded(verdict: Verdict | None, full: bool) -> set[str]:
    """The exercises that were answered, and got all points or fewer."""
    results = verdict.exercises if verdict else []
    return {
        one.id
        for one in results
        if one.state == "answered" and (one.points == one.max_points) is full
    }


def _level(things: Mapping[Pair, list[Odd]], size: int) -> float:
    """How many odd things a student and the one with whom there are most have in common."""
    if size < ENOUGH:
        return UNKNOWN
    most = Counter[int]()
    for pair, common in things.items():
        for index in pair:
            most[index] = max(most[index], len(common))
    return outlier_level(np.array([most[index] for index in range(size)]))
