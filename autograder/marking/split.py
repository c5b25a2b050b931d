"""Which tutor marks what, told by hashes: nobody else's answers move when somebody comes or goes."""

from dataclasses import dataclass

from autograder.engine.digest import digest_of

STUDENT, ANSWER = "student", "answer"  # what is kept together
PARTS = 10_000  # of a percentage, two digits behind the point


@dataclass(frozen=True)
class Split:
    """How the answers of one assignment are split among tutors."""

    assignment: str
    tutors: int = 1
    by: str = STUDENT
    second_percent: float = 0.0  # so many answers are marked twice

    def first(self, student: str, exercise: str) -> int:
        """Return the number of the tutor who marks this answer."""
        return self._ranked(student, exercise)[0]

    def second(self, student: str, exercise: str) -> int | None:
        """Return who marks it a second time; None for most. With one tutor it is the only one."""
        chosen = digest_of("second", self.assignment, student, exercise)
        if int(chosen, 16) % PARTS >= self.second_percent * PARTS / 100:
            return None
        ranked = self._ranked(student, exercise)
        return ranked[1] if self.tutors > 1 else ranked[0]

    def _ranked(self, student: str, exercise: str) -> list[int]:
        """The tutors' numbers, by a weight that each has for this student or answer.

        So most keep their answers also when the number of tutors changes: rendezvous hashing,
        D. G. Thaler and C. V. Ravishankar, IEEE/ACM Transactions on Networking 6 (1998).
        """
        what = [student] if self.by == STUDENT else [student, exercise]
        weights = {
            tutor: digest_of("tutor", self.assignment, what, tutor)
            for tutor in range(1, self.tutors + 1)
        }
        return sorted(weights, key=lambda tutor: weights[tutor], reverse=True)
