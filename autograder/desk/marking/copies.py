"""Copy a mark that a person gave to equal answers that have none.

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
    """A mark to copy: from one answer (`giver`) to an equal one (`taker`)."""

    giver: WrittenAnswer
    taker: WrittenAnswer


def plan_copies(answers: Iterable[WrittenAnswer]) -> tuple[list[Copy], list[str]]:
    """Return which marks can be copied: from the first marked answer of each group of equal ones to
    those that are open and have no mark. Return also a sentence for each group whose marks
    differ; from it nothing is copied.

    Only answers that a person alone marks are considered, no code with a check. Nothing is written.
    """
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
    """Yield a line for each mark to copy: exercise, points, and the students from whom and to whom."""
    takers: dict[tuple[str, str], list[Copy]] = defaultdict(list)
    for one in copies:
        takers[one.giver.name].append(one)
    for (student, exercise), some in takers.items():
        cell = some[0].giver.cell
        credit = f" and {cell.extra:g} extra" if cell.extra else ""
        students = name_some([one.taker.student for one in some])
        yield f"{exercise}: {cell.by_hand:g}{credit} from {student} to {students}"


def give_marks(url: str, copies: Iterable[Copy], comments: bool = False) -> list[Copy]:
    """Write the marks of these copies into the gradebook; return the copies that were made.

    `url`: the gradebook's database. An answer that was marked meanwhile keeps its mark. With
    `comments`, the giver's comment is copied, too, where the taker has none. Raises `AutograderError`
    if the gradebook cannot be written; then nothing was copied.
    """
    done = []
    with open_session(url, TRY_AGAIN) as session:
        for copy in copies:
            giver, taker = copy
            points, extra = giver.cell.by_hand, giver.cell.extra
            has_none = taker.cell.is_open and taker.cell.by_hand is None
            if not (has_none and write_mark(session, taker.cell, points, extra_credit=extra)):
                continue
            done.append(copy)
            if comments and giver.comment:
                write_comment(session, taker.cell.notebook_id, taker.exercise, "", giver.comment)
        session.commit()
    return done
