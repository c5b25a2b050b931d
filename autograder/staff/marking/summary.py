"""What the commands about marking say, in sentences and in one table."""

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table

from autograder.staff.marking.answers import groups
from autograder.staff.marking.compared import Compared
from autograder.staff.marking.hand_marks import Copy
from autograder.staff.marking.shares import Share
from autograder.text.wording import name_some, plural


def about_share(share: Share, unread: Sequence[str], kept: int) -> Iterator[str]:
    """Yield sentences on what is open, and what this tutor gets.

    `unread` are students whose graded notebook cannot be read, `kept` second marks filled in before.
    """
    waiting = [one for one in share.answers if one.mark.cell.is_open]
    again = sum(one.mark.cell.by_hand is not None for one in waiting)
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
    if share.split.tutors > 1:
        yield f"Tutor {share.tutor} of {share.split.tutors}: {len(share.to_mark)} to mark."
    if share.split.second_percent:
        yield f"To mark a second time: {len(share.to_mark_again)}, filled in already: {kept}."
    if unread:
        yield (
            f"Left out, because the graded notebook cannot be read: {name_some(unread)}. Grade again."
        )


def about_compared(compared: Compared) -> Iterator[str]:
    """Yield sentences on what was compared, what could not be, and where two marks differ."""
    yield f"{compared.assignment}: {plural(len(compared.pairs), 'answer has', 'answers have')} two marks."
    yield from (*compared.left_out, *compared.damaged)
    apart = compared.disagreements()
    if apart:
        yield f"More than half a point apart: {len(apart)}."
    for pair in apart:
        comments = "; ".join(filter(None, (pair.first_comment, pair.second_comment)))
        said = f" ({comments})" if comments else ""
        yield f"{pair.student}, {pair.exercise}: {pair.first:g} and {pair.second:g}{said}"


def agreement_table(compared: Compared) -> Table:
    """Return a row an exercise: how far its first and second marks agree."""
    table = Table(title=compared.assignment, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("exercise")
    for heading in ("pairs", "second minus first", "within 0.5", "kappa"):
        table.add_column(heading, justify="right")
    for exercise, found in sorted(compared.agreements().items()):
        kappa = "too few" if found.kappa is None else f"{found.kappa:.2f}"
        if found.interval:
            kappa += f" ({found.interval[0]:.2f} to {found.interval[1]:.2f})"
        within = f"{found.within_half} of {found.pairs}"
        table.add_row(exercise, str(found.pairs), f"{found.difference:+.2f}", within, kappa)
    return table


def about_copies(copies: Sequence[Copy]) -> Iterator[str]:
    """Yield a line for each mark that would be copied, to as many as it would."""
    takers: dict[tuple, list[str]] = {}
    for one in copies:
        cell = one.giver.cell
        key = one.giver.exercise, one.giver.student, cell.by_hand, cell.extra
        takers.setdefault(key, []).append(one.taker.student)
    for (exercise, giver, points, extra), students in takers.items():
        credit = f" and {extra:g} extra" if extra else ""
        yield f"{exercise}: {points:g}{credit} from {giver} to {name_some(students)}"
