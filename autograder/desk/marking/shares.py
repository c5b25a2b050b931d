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

STUDENT, ANSWER = "student", "answer"  # what stays with one tutor
LIST = "student", "exercise", "max_points", "state", "points_before", "equal_to", "formgrader"
ENDINGS = ".html", ".csv"
Name = tuple[str, str]  # of an answer: student and exercise


def split(
    assignment_id: str, answers: Sequence[Name], tutors: int, by: str = STUDENT
) -> dict[Name, list[int]]:
    """Divide answers among tutors; return all tutors for each answer, numbered from 1, in order of
    preference: the first one marks it, the second would mark it a second time.

    `answers`: all in the class, as student and exercise. `tutors`: how many. `by`: `student` keeps
    the answers of a student together, `answer` divides them one by one.

    Each tutor gets about as many answers, and few change tutors when a student or tutor is added.
    This is rendezvous hashing with bounded loads: V. Mirrokni, M. Thorup and M. Zadimoghaddam, SODA
    2018.
    """
    together = {answer: answer[:1] if by == STUDENT else answer for answer in answers}
    sizes = Counter(together.values())
    least, longer = divmod(len(together), tutors)  # so many shares have one more
    loads = dict.fromkeys(range(1, tutors + 1), 0)
    ranks = {}
    for what in sorted(sizes, key=lambda what: files.digest_of("order", assignment_id, what)):
        weights = {tutor: files.digest_of("tutor", assignment_id, what, tutor) for tutor in loads}
        ranked = sorted(weights, key=lambda tutor: weights[tutor], reverse=True)
        more = longer - sum(load > least for load in loads.values())
        room = least + (more > 0) - sizes[what]
        fitting = [tutor for tutor in ranked if loads[tutor] <= room]
        first = fitting[0] if fitting else min(loads, key=lambda one: loads[one])
        loads[first] += sizes[what]
        ranks[what] = [first, *(tutor for tutor in ranked if tutor != first)]
    return {answer: ranks[what] for answer, what in together.items()}


def count_open(assignment_id: str, marks: Mapping[str, StudentMarks], tutors: int) -> list[int]:
    """Return how many answers each of so many tutors still has to mark, as `marking list` divides
    them; no notebook is read, and an answer of a group is marked once.

    `marks`: from the gradebook, by student.
    """
    cells = {
        (cell.owner or student, cell.exercise): cell
        for student, theirs in sorted(marks.items())
        for cell in for_a_person(theirs.cells)
    }
    shares = split(assignment_id, [*cells], tutors)
    counts = Counter(shares[name][0] for name, cell in cells.items() if cell.is_open)
    return [counts[tutor] for tutor in range(1, tutors + 1)]


def marked_twice(assignment_id: str, answers: Sequence[Name], percent: float) -> set[Name]:
    """Return the answers that are marked a second time: `percent` of all, rounded up to a whole
    answer. They are drawn by their hashes, so that the same answers give the same choice.
    `answers`: as student and exercise.
    """
    drawn = sorted(answers, key=lambda one: files.digest_of("second", assignment_id, *one))
    return set(drawn[: ceil(len(drawn) * percent / 100)])


@dataclass(frozen=True)
class Share:
    """The answers that one tutor marks in an assignment: `tutor` is the tutor's number, `tutors`
    how many there are, `answers` are those of the whole class. `by`: as for `split`;
    `second_percent`: how many of all answers are marked twice.
    """

    assignment: Assignment
    answers: Sequence[WrittenAnswer]  # of the whole class, so that equal ones can be told
    tutor: int = 1
    tutors: int = 1
    by: str = STUDENT
    second_percent: float = 0.0  # so many answers are marked twice

    @cached_property
    def to_mark(self) -> list[WrittenAnswer]:
        """The answers of this tutor that still have to be marked."""
        return [
            one
            for one in self.answers
            if one.cell.is_open and self._tutors[one.name][0] == self.tutor
        ]

    @cached_property
    def to_mark_again(self) -> list[WrittenAnswer]:
        """The answers, marked or not, that this tutor marks a second time. The first mark is
        another tutor's, unless there is only one tutor.
        """
        names = [one.name for one in self.answers]
        twice = marked_twice(self.assignment.id, names, self.second_percent)
        return [
            one
            for one in self.answers
            if one.cell.is_written
            and one.name in twice
            and self._tutors[one.name][:2][-1] == self.tutor
        ]

    @cached_property
    def _tutors(self) -> dict[Name, list[int]]:
        names = [one.name for one in self.answers]
        return split(self.assignment.id, names, self.tutors, self.by)

    def write(self, folder: Path, track: Track = iter) -> tuple[list[Path], int]:
        """Write this tutor's pages and tables into `folder`; return their paths, and how many
        second marks were filled in already and are kept.

        `track`: a function that returns an iterator over its argument, and may show progress.
        Raises `AutograderError` if a table of second marks exists and cannot be read.
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
    """Write a CSV file with a row for each answer in `wanted`: whose it is, its state and points,
    who has an equal one, and a link into formgrader; equal answers follow each other. `groups`: all
    answers of the class, grouped by equal ones.
    """
    names = {one.name for one in wanted}
    rows = [
        (
            one.student,
            one.exercise,
            one.cell.max_points,
            one.state,
            one.cell.by_hand if one.cell.earlier is None else one.cell.earlier,
            ", ".join(other.student for other in group if other is not one),
            one.address,
        )
        for group in groups
        for one in group
        if one.name in names
    ]
    with files.replacing(path) as file:
        file.write(files.csv_text([LIST, *rows]))


def about_share(share: Share, unread: Sequence[str], kept: int) -> Iterator[str]:
    """Yield sentences on how many answers wait to be marked, and which of them this tutor gets.

    `unread`: students whose graded notebook cannot be read. `kept`: how many second marks were
    filled in already.
    """
    waiting = [one for one in share.answers if one.cell.is_open]
    again = sum(one.state != "open" for one in waiting)
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
