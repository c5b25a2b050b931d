"""Which tutor marks what: even shares, told by hashes, so that few answers move when others come."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import ceil

from autograder.files.digest import digest_of

STUDENT, ANSWER = "student", "answer"  # what is kept together


@dataclass(frozen=True)
class Split:
    """How the answers of one assignment are split among tutors."""

    assignment: str
    answers: Iterable[tuple[str, str]]  # of the whole class: student and exercise
    tutors: int = 1
    by: str = STUDENT
    second_percent: float = 0.0  # so many answers are marked twice

    def first(self, student: str, exercise: str) -> int:
        """Return the number of the tutor who marks this answer."""
        return self._shares[self._together(student, exercise)]

    def second(self, student: str, exercise: str) -> int | None:
        """Return who marks it a second time; None for most. With one tutor it is the only one."""
        if (student, exercise) not in self._marked_twice:
            return None
        first = self.first(student, exercise)
        others = [one for one in self._ranked(self._together(student, exercise)) if one != first]
        return others[0] if others else first

    @cached_property
    def _marked_twice(self) -> set[tuple[str, str]]:
        """At least so many answers as the percentage says, drawn by hashes."""
        drawn = sorted(self.answers, key=lambda one: digest_of("second", self.assignment, *one))
        return set(drawn[: ceil(len(drawn) * self.second_percent / 100)])

    @cached_property
    def _shares(self) -> dict[tuple[str, ...], int]:
        """Whose share it is: the first tutor's by rank who has room for what stays together.

        Shares differ by one answer, or by one student's. This is rendezvous hashing with bounded
        loads: V. Mirrokni, M. Thorup and M. Zadimoghaddam, SODA 2018.
        """
        sizes = Counter(self._together(*answer) for answer in self.answers)
        least, longer = divmod(sizes.total(), self.tutors)  # so many shares have one more
        loads = dict.fromkeys(range(1, self.tutors + 1), 0)
        shares = {}
        for what in sorted(sizes, key=lambda what: digest_of("order", self.assignment, what)):
            more = longer - sum(load > least for load in loads.values())
            room = least + (more > 0) - sizes[what]
            fitting = [tutor for tutor in self._ranked(what) if loads[tutor] <= room]
            shares[what] = fitting[0] if fitting else min(loads, key=lambda one: loads[one])
            loads[shares[what]] += sizes[what]
        return shares

    def _together(self, student: str, exercise: str) -> tuple[str, ...]:
        return (student,) if self.by == STUDENT else (student, exercise)

    def _ranked(self, what: tuple[str, ...]) -> list[int]:
        """The tutors' numbers, by a weight that each has for what stays together."""
        weights = {
            tutor: digest_of("tutor", self.assignment, what, tutor)
            for tutor in range(1, self.tutors + 1)
        }
        return sorted(weights, key=lambda tutor: weights[tutor], reverse=True)
