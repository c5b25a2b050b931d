"""Copy a person's mark to equal answers without a mark.

Marks are written into nbgrader's gradebook, because formgrader, feedback and totals read them only
there.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from autograder.desk.marking.answers import WrittenAnswer, groups
from autograder.engine import name_some
from autograder.gradebook.sync.by_hand import write_comment, write_mark
from autograder.gradebook.sync.database import TRY_AGAIN, open_session


class Copy(NamedTuple):
    """A mark to copy: from an answer (`giver`) to an equal answer (`taker`)."""

    giver: WrittenAnswer
    taker: WrittenAnswer


def plan_copies(answers: Iterable[WrittenAnswer]) -> tuple[list[Copy], list[str]]:
    """Return the marks that can be copied, and a sentence for each group with different marks.

    A mark is copied from the first marked answer of a group of equal answers to its open answers
    without a mark. Nothing is copied in groups with different marks. Code with a check is left out.
    """
    copies, differing = [], []
    for group in groups(answer for answer in answers if answer.cell.is_written):
        givers = [answer for answer in group if answer.is_marked]
        takers = [answer for answer in group if answer.cell.is_open and answer.cell.by_hand is None]
        if len({(answer.cell.by_hand, answer.cell.extra or 0.0) for answer in givers}) > 1:
            marks_text = ", ".join(f"{answer.student} {answer.cell.points:g}" for answer in givers)
            name = givers[0].exercise
            differing.append(f"{name}: equal answers have different points ({marks_text}).")
        elif givers:
            copies += [Copy(givers[0], taker) for taker in takers]
    return copies, differing


def about_copies(copies: Sequence[Copy]) -> Iterator[str]:
    """Yield a line for each mark to copy: exercise, points, and the students of both answers."""
    takers: dict[tuple[str, str], list[Copy]] = defaultdict(list)
    for copy in copies:
        takers[copy.giver.name].append(copy)
    for (student, exercise), student_copies in takers.items():
        cell = student_copies[0].giver.cell
        credit = f" and {cell.extra:g} extra" if cell.extra else ""
        students = name_some([copy.taker.student for copy in student_copies])
        yield f"{exercise}: {cell.by_hand:g}{credit} from {student} to {students}"


def give_marks(url: str, copies: Iterable[Copy], comments: bool = False) -> list[Copy]:
    """Write the marks of these copies into the gradebook. Return the copies that were made.

    `url`: the gradebook's database. An answer marked in the meantime keeps its mark. `comments`:
    also copy the comment, to answers without a comment. Raises `AutograderError` if the gradebook
    cannot be written. Then nothing was copied.
    """
    copied = []
    with open_session(url, TRY_AGAIN) as session:
        for copy in copies:
            giver, taker = copy
            points, extra = giver.cell.by_hand, giver.cell.extra
            has_none = taker.cell.is_open and taker.cell.by_hand is None
            if not (has_none and write_mark(session, taker.cell, points, extra_credit=extra)):
                continue
            copied.append(copy)
            if comments and giver.comment:
                write_comment(session, taker.cell.notebook_id, taker.exercise, "", giver.comment)
        session.commit()
    return copied
