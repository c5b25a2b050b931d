"""Second marks, beside the first ones that the gradebook has."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from autograder.engine.verdict.verdict import points_text
from autograder.staff.marking.agreement import HALF, Agreement, agreement
from autograder.staff.marking.answers import WrittenAnswer
from autograder.staff.marking.sheets import SecondMark, version_of


@dataclass(frozen=True)
class Pair:
    """Two marks for one answer."""

    assignment: str
    exercise: str
    student: str
    first: float
    second: float
    first_comment: str
    second_comment: str

    @property
    def difference(self) -> float:
        return self.second - self.first


@dataclass
class Compared:
    """All pairs of one assignment, and what could not be compared, in sentences."""

    assignment: str
    pairs: list[Pair] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)  # rows that say something which is no mark

    def agreements(self) -> dict[str, Agreement]:
        """Return how far the marks of each exercise agree."""
        found: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for pair in self.pairs:
            found[pair.exercise].append((pair.first, pair.second))
        return {exercise: agreement(pairs) for exercise, pairs in found.items()}

    def disagreements(self) -> list[Pair]:
        """Return the pairs that are more than half a point apart, the largest difference first."""
        apart = [pair for pair in self.pairs if abs(pair.difference) > HALF]
        return sorted(apart, key=lambda one: (-abs(one.difference), one.exercise, one.student))


def compare_marks(
    assignment_id: str, rows: Iterable[SecondMark], answers: Iterable[WrittenAnswer]
) -> Compared:
    """Compare the rows of this assignment with the marks that its answers have in the gradebook."""
    known = {(one.student, one.exercise): one for one in answers}
    compared, reasons = Compared(assignment_id), Counter[str]()
    for row in rows:
        answer = known.get((row.student, row.exercise))
        why = _why_not(row, answer)
        if why:
            reasons[why] += 1
        elif answer is not None:
            _add(compared, row, answer)
    compared.left_out = [f"Not compared: {count} {why}." for why, count in sorted(reasons.items())]
    return compared


def by_assignment(rows: Iterable[SecondMark]) -> Mapping[str, list[SecondMark]]:
    """Return the rows by the assignment that they name."""
    found: dict[str, list[SecondMark]] = defaultdict(list)
    for row in rows:
        found[row.assignment].append(row)
    return found


def _why_not(row: SecondMark, answer: WrittenAnswer | None) -> str:
    """Why a row cannot be compared, in words that follow a number; empty where it can."""
    if not row.points.strip():
        return "without a second mark"
    if answer is None:
        return "of students or exercises without such an answer in the gradebook"
    if row.answer != version_of(answer):
        return "left out, because the answer has changed since it was marked a second time"
    return "" if answer.is_marked else "not marked yet by the first person"


def _add(compared: Compared, row: SecondMark, answer: WrittenAnswer) -> None:
    most = answer.mark.cell.max_points
    second = _points(row.points)
    if second is None or not 0 <= second <= most:
        compared.damaged.append(
            f"Row {row.row} ({row.student}, {row.exercise}): {row.points.strip()!r:.40} is no number "
            f"from 0 to {points_text(most)}."
        )
    else:
        first = answer.mark.cell.by_hand or 0.0
        compared.pairs.append(
            Pair(
                compared.assignment,
                row.exercise,
                row.student,
                first,
                second,
                answer.mark.comment,
                row.comment,
            )
        )


def _points(text: str) -> float | None:
    """The number in a cell; a comma may stand before its fraction."""
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
