"""What one tutor gets: the answers to mark, those to mark a second time, and the files of both."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from pathlib import Path

from autograder.engine.course.assignment import Assignment
from autograder.files.csv_text import csv_text
from autograder.files.digest import digest_of
from autograder.files.writing import replacing
from autograder.staff.marking.answers import WrittenAnswer, groups
from autograder.staff.marking.page import Track, write_page
from autograder.staff.marking.second_marks import write_second
from autograder.text.wording import name_some, plural

STUDENT, ANSWER = "student", "answer"  # what stays with one tutor
LIST = "student", "exercise", "max_points", "state", "points_before", "equal_to", "formgrader"
ENDINGS = ".html", ".csv"
Name = tuple[str, str]  # of an answer: student and exercise


def split(
    assignment_id: str, answers: Sequence[Name], tutors: int, by: str = STUDENT
) -> dict[Name, int]:
    """Return who marks each answer of a class, from 1.

    Answers are put into an order by a hash of what stays together, and the order is cut into even
    parts: who comes or goes moves a few answers at the cuts. Parts differ by one answer, or, by
    student, by less than two students' answers.
    """

    def place(answer: Name) -> str:
        return digest_of("tutor", assignment_id, *(answer[:1] if by == STUDENT else answer))

    shares: dict[Name, int] = {}
    start, last = 0, ""
    for number, answer in enumerate(sorted(answers, key=place)):
        if place(answer) != last:
            start, last = number, place(answer)
        shares[answer] = 1 + start * tutors // len(answers)
    return shares


def marked_twice(assignment_id: str, answers: Sequence[Name], percent: float) -> set[Name]:
    """Return at least so many answers of a class, drawn by hashes."""
    drawn = sorted(answers, key=lambda one: digest_of("second", assignment_id, *one))
    return set(drawn[: ceil(len(drawn) * percent / 100)])


@dataclass(frozen=True)
class Share:
    """The answers of one tutor of an assignment."""

    assignment: Assignment
    answers: Sequence[WrittenAnswer]  # of the whole class, so that equal ones can be told
    tutor: int = 1
    tutors: int = 1
    by: str = STUDENT
    second_percent: float = 0.0  # so many answers are marked twice

    @cached_property
    def to_mark(self) -> list[WrittenAnswer]:
        """The open answers of this tutor."""
        return [one for one in self._of_tutor(self.tutor) if one.cell.is_open]

    @cached_property
    def to_mark_again(self) -> list[WrittenAnswer]:
        """Answers, marked or not, that this tutor marks a second time: some of the tutor before."""
        names = [one.name for one in self.answers if one.cell.is_written]
        twice = marked_twice(self.assignment.id, names, self.second_percent)
        before = (self.tutor - 2) % self.tutors + 1
        return [one for one in self._of_tutor(before) if one.name in twice]

    def _of_tutor(self, tutor: int) -> list[WrittenAnswer]:
        names = [one.name for one in self.answers]
        shares = split(self.assignment.id, names, self.tutors, self.by)
        return [one for one in self.answers if shares[one.name] == tutor]

    def write(self, folder: Path, track: Track = iter) -> tuple[list[Path], int]:
        """Write tables and pages; return their paths, and how many second marks were there and stay.

        `track` passes on what it gets, and may show how far it is. Raises `CommandError`, `OSError`.
        """
        together, several = groups(self.answers), self.tutors > 1
        title = f"tutor {self.tutor} of {self.tutors}" if several else "to mark"
        suffix = f"-{self.tutor}-of-{self.tutors}" if several else ""
        page, table = (folder / f"{'tutor' if several else 'all'}{suffix}{end}" for end in ENDINGS)
        write_list(table, together, self.to_mark)
        write_page(page, title, self.assignment, together, self.to_mark, blind=False, track=track)
        paths, kept = [page, table], 0
        if self.to_mark_again:
            page, table = (folder / f"second{suffix}{end}" for end in ENDINGS)
            kept = write_second(table, self.assignment.id, self.to_mark_again)
            title = f"second marks, {title}" if several else "second marks"
            again = self.to_mark_again
            write_page(page, title, self.assignment, together, again, blind=True, track=track)
            paths += [page, table]
        return paths, kept


def write_list(
    path: Path, groups: Sequence[Sequence[WrittenAnswer]], wanted: Sequence[WrittenAnswer]
) -> None:
    """Write a row for each `wanted` answer, equal ones together. Raises `OSError`."""
    names = {one.name for one in wanted}
    rows = [
        (
            one.student,
            one.exercise,
            one.cell.max_points,
            one.state,
            one.cell.by_hand,
            ", ".join(other.student for other in group if other is not one),
            one.address,
        )
        for group in groups
        for one in group
        if one.name in names
    ]
    with replacing(path) as file:
        file.write(csv_text([LIST, *rows]))


def about_share(share: Share, unread: Sequence[str], kept: int) -> Iterator[str]:
    """Yield sentences on what is open, and what this tutor gets.

    `unread` are students whose graded notebook cannot be read, `kept` second marks filled in before.
    """
    waiting = [one for one in share.answers if one.cell.is_open]
    again = sum(one.cell.by_hand is not None for one in waiting)
    changed = f", {again} of them again, because something has changed" if again else ""
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
        yield f"To mark a second time: {len(share.to_mark_again)}, filled in already: {kept}."
    if unread:
        yield (
            f"Left out, because the graded notebook cannot be read: {name_some(unread)}. Grade again."
        )
