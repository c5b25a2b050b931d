"""Divide the answers of a class among tutors, and write each tutor's files: answers to mark, and
answers to mark a second time.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from pathlib import Path

from autograder.desk.marking.answers import WrittenAnswer, for_a_person, groups
from autograder.desk.marking.page import Track, write_page
from autograder.desk.marking.second_marks import write_second
from autograder.engine import Assignment, files, name_some, plural
from autograder.gradebook.sync.marks import StudentMarks

STUDENT, ANSWER = "student", "answer"  # the units that are divided
LIST = "student", "exercise", "max_points", "state", "points_before", "equal_to", "formgrader"
ENDINGS = ".html", ".csv"
Name = tuple[str, str]  # of an answer: student and exercise


def split(
    assignment_id: str, answers: Sequence[Name], tutors: int, by: str = STUDENT
) -> dict[Name, list[int]]:
    """Divide answers among tutors. Return all tutors for each answer, numbered from 1, in order of
    preference: the first marks it, the second would mark it a second time.

    `answers`: all in the class. `by`: "student" keeps the answers of a student together, "answer"
    divides single answers.

    Each tutor gets about as many answers, and few answers move when a student or tutor is added:
    rendezvous hashing with bounded loads (V. Mirrokni, M. Thorup and M. Zadimoghaddam, SODA 2018).
    """
    together = {answer: answer[:1] if by == STUDENT else answer for answer in answers}
    sizes = Counter(together.values())
    smallest, longer = divmod(len(together), tutors)  # `longer`: tutors with an extra unit
    loads = dict.fromkeys(range(1, tutors + 1), 0)
    ranks = {}
    for unit in sorted(sizes, key=lambda unit: files.digest_of("order", assignment_id, unit)):
        weights = {tutor: files.digest_of("tutor", assignment_id, unit, tutor) for tutor in loads}
        ranked = sorted(weights, key=lambda tutor: weights[tutor], reverse=True)
        longer_left = longer - sum(load > smallest for load in loads.values())
        room = smallest + (longer_left > 0) - sizes[unit]
        fitting = [tutor for tutor in ranked if loads[tutor] <= room]
        first = fitting[0] if fitting else min(loads, key=lambda tutor: loads[tutor])
        loads[first] += sizes[unit]
        ranks[unit] = [first, *(tutor for tutor in ranked if tutor != first)]
    return {answer: ranks[unit] for answer, unit in together.items()}


def count_open(assignment_id: str, marks: Mapping[str, StudentMarks], tutors: int) -> list[int]:
    """Return the number of open answers for each tutor, as `marking list` divides them. No notebook
    is read. The answer of a group counts once. `marks`: from the gradebook, by student.
    """
    cells = {
        (cell.owner or student, cell.exercise): cell
        for student, student_marks in sorted(marks.items())
        for cell in for_a_person(student_marks.cells)
    }
    shares = split(assignment_id, [*cells], tutors)
    counts = Counter(shares[name][0] for name, cell in cells.items() if cell.is_open)
    return [counts[tutor] for tutor in range(1, tutors + 1)]


def marked_twice(assignment_id: str, answers: Sequence[Name], percent: float) -> set[Name]:
    """Return the answers to mark a second time: `percent` of all, rounded up. Hashes choose them,
    so the same answers always give the same choice.
    """
    drawn = sorted(answers, key=lambda answer: files.digest_of("second", assignment_id, *answer))
    return set(drawn[: ceil(len(drawn) * percent / 100)])


@dataclass(frozen=True)
class Share:
    """The answers that a tutor marks in an assignment."""

    assignment: Assignment
    answers: Sequence[WrittenAnswer]  # of the whole class, to find equal answers
    tutor: int = 1  # the tutor's number
    tutors: int = 1
    by: str = STUDENT  # as for `split`
    second_percent: float = 0.0  # share of all answers to mark twice

    @cached_property
    def to_mark(self) -> list[WrittenAnswer]:
        """The answers of this tutor that still have to be marked."""
        return [
            answer
            for answer in self.answers
            if answer.cell.is_open and self._tutors[answer.name][0] == self.tutor
        ]

    @cached_property
    def to_mark_again(self) -> list[WrittenAnswer]:
        """The answers that this tutor marks a second time, whether the first mark is there or not.
        Another tutor gives the first mark, if there are several tutors.
        """
        names = [answer.name for answer in self.answers]
        twice = marked_twice(self.assignment.id, names, self.second_percent)
        return [
            answer
            for answer in self.answers
            if answer.cell.is_written
            and answer.name in twice
            and self._tutors[answer.name][:2][-1] == self.tutor
        ]

    @cached_property
    def _tutors(self) -> dict[Name, list[int]]:
        names = [answer.name for answer in self.answers]
        return split(self.assignment.id, names, self.tutors, self.by)

    def write(self, folder: Path, track: Track = iter) -> tuple[list[Path], int]:
        """Write this tutor's pages and tables into `folder`. Return their paths, and the number of
        second marks that were filled in before and are kept.

        `track`: returns an iterator over its argument, and may show progress. Raises
        `AutograderError` if an existing table of second marks cannot be read.
        """
        together, is_split = groups(self.answers), self.tutors > 1
        title = f"tutor {self.tutor} of {self.tutors}" if is_split else "to mark"
        suffix = f"-{self.tutor}-of-{self.tutors}" if is_split else ""
        page, table = (folder / f"{'tutor' if is_split else 'all'}{suffix}{end}" for end in ENDINGS)
        write_list(table, together, self.to_mark)
        write_page(page, title, self.assignment, together, self.to_mark, blind=False, track=track)
        paths, filled_in = [page, table], 0
        if self.to_mark_again:
            page, table = (folder / f"second{suffix}{end}" for end in ENDINGS)
            filled_in = write_second(table, self.assignment.id, self.to_mark_again)
            title = f"second marks, {title}" if is_split else "second marks"
            second_answers = self.to_mark_again
            write_page(
                page, title, self.assignment, together, second_answers, blind=True, track=track
            )
            paths += [page, table]
        return paths, filled_in


def write_list(
    path: Path, groups: Sequence[Sequence[WrittenAnswer]], answers: Sequence[WrittenAnswer]
) -> None:
    """Write a CSV file with a row for each answer: state, points, students with an equal answer,
    and a link into formgrader. Equal answers follow each other. `groups`: all answers of the class
    in groups of equal answers.
    """
    names = {answer.name for answer in answers}
    rows = [
        (
            answer.student,
            answer.exercise,
            answer.cell.max_points,
            answer.state,
            answer.cell.by_hand if answer.cell.earlier is None else answer.cell.earlier,
            ", ".join(equal.student for equal in group if equal is not answer),
            answer.address,
        )
        for group in groups
        for answer in group
        if answer.name in names
    ]
    with files.replacing(path) as file:
        file.write(files.csv_text([LIST, *rows]))


def about_share(share: Share, unread: Sequence[str], filled_in: int) -> Iterator[str]:
    """Yield sentences on the open answers and on this tutor's part of them. `unread`: students with
    an unreadable graded notebook. `filled_in`: number of second marks filled in before.
    """
    waiting = [answer for answer in share.answers if answer.cell.is_open]
    repeat_count = sum(answer.state != "open" for answer in waiting)
    changed = (
        f", {repeat_count} of them again, because something has changed" if repeat_count else ""
    )
    yield (
        f"{share.assignment.id}: {plural(len(share.answers), 'answer is', 'answers are')} for a "
        f"person to mark, {len(waiting)} of them still wait{changed}."
    )
    equal = [group for group in groups(waiting) if len(group) > 1]
    if equal:
        yield (
            f"{sum(map(len, equal))} of these are equal to others, in "
            f"{plural(len(equal), 'group')}: the pages show equal ones together."
        )
    if share.tutors > 1:
        yield f"Tutor {share.tutor} of {share.tutors}: {len(share.to_mark)} to mark."
    if share.second_percent:
        yield f"To mark a second time: {len(share.to_mark_again)}, filled in already: {filled_in}."
    if unread:
        yield (
            f"Left out, because the graded notebook cannot be read: {name_some(unread)}. Grade again."
        )
