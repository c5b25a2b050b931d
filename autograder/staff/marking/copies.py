"""Marks for equal answers: one that a person gave, copied to those that have none.

Written into nbgrader's gradebook, for formgrader, feedback and totals read marks nowhere else.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from nbgrader.api import BaseCell, Comment, Grade
from sqlalchemy import or_, select, update

from autograder.gradebook.database import open_session
from autograder.staff.marking.answers import REMEDY, WrittenAnswer, groups
from autograder.text.wording import name_some


class Copy(NamedTuple):
    """A mark, and an equal answer that is to have it, too."""

    giver: WrittenAnswer
    taker: WrittenAnswer


def plan_copies(answers: Iterable[WrittenAnswer]) -> tuple[list[Copy], list[str]]:
    """Return which marks equal answers could have, and a sentence where those marked differ."""
    copies, differing = [], []
    for group in groups(one for one in answers if one.cell.is_written):
        givers = [one for one in group if one.is_marked]
        takers = [one for one in group if one.cell.is_open and one.cell.by_hand is None]
        if len({(one.cell.by_hand, one.cell.extra or 0.0) for one in givers}) > 1:
            given = ", ".join(f"{one.student} {one.cell.points:g}" for one in givers)
            name = givers[0].exercise
            differing.append(f"{name}: equal answers have different points ({given}).")
        elif givers:
            copies += [Copy(givers[0], taker) for taker in takers]
    return copies, differing


def about_copies(copies: Sequence[Copy]) -> Iterator[str]:
    """Yield a line for each mark that would be copied, to as many as it would."""
    takers: dict[tuple[str, str], list[Copy]] = defaultdict(list)
    for one in copies:
        takers[one.giver.name].append(one)
    for (student, exercise), some in takers.items():
        cell = some[0].giver.cell
        credit = f" and {cell.extra:g} extra" if cell.extra else ""
        students = name_some([one.taker.student for one in some])
        yield f"{exercise}: {cell.by_hand:g}{credit} from {student} to {students}"


def give_marks(url: str, copies: Iterable[Copy], comments: bool = False) -> list[Copy]:
    """Give marks to equal answers that have none; return what was given.

    What has been marked meanwhile stays, and so does every comment that is there. With `comments`,
    those of the giver go along. Raises `CommandError`, and then nothing was given.
    """
    done = []
    with open_session(url, REMEDY) as session:
        for copy in copies:
            giver, taker = copy
            given = {
                Grade.manual_score: giver.cell.by_hand,
                Grade.extra_credit: giver.cell.extra,
                Grade.needs_manual_grade: False,
            }
            without = update(Grade).where(
                Grade.id == taker.cell.grade_id,
                Grade.manual_score.is_(None),
                Grade.needs_manual_grade,
            )
            if not session.connection().execute(without.values(given)).rowcount:
                continue
            done.append(copy)
            if comments and giver.comment:
                cells = select(BaseCell.id).where(BaseCell.name == taker.exercise)
                empty = update(Comment).where(
                    Comment.notebook_id == taker.cell.notebook_id,
                    Comment.cell_id.in_(cells),
                    or_(Comment.manual_comment.is_(None), Comment.manual_comment == ""),
                )
                session.connection().execute(empty.values({Comment.manual_comment: giver.comment}))
        session.commit()
    return done
