"""What is said at the end of an export: what the grades are made of, and what has none."""

from collections.abc import Sequence

from autograder.platforms.downloaded_sheet import FilledSheet
from autograder.platforms.grades import Grade, decimal_text
from autograder.wording import name_some, plural


def describe_grades(grades: Sequence[Grade], why: str) -> list[str]:
    """Return sentences on what the grades are made of.

    `why` says why there is no gradebook; it is empty where there is one.
    """
    graded = [grade for grade in grades if grade.total is not None]
    marked = [grade for grade in graded if grade.mark]
    bare = [grade for grade in graded if not grade.mark]
    lines = []
    if marked:
        lines.append(
            f"{len(marked)} with what was marked by hand and late penalties, from the gradebook."
        )
    if bare:
        most = " or ".join(decimal_text(points) for points in sorted({g.max_points for g in bare}))
        reason = (
            why
            or f"the gradebook does not hold these points of {name_some([one.student for one in bare])}"
        )
        lines.append(f"{len(bare)} with automatic points only, of {most}: {reason}.")
    waiting = [grade for grade in marked if grade.mark and grade.mark.waiting]
    if waiting:
        count = sum(grade.mark.waiting for grade in waiting if grade.mark)
        lines.append(
            f"Still to be marked by hand: {plural(count, 'written exercise')} of "
            f"{plural(len(waiting), 'student')} ({name_some([one.student for one in waiting])}). Export again when they are."
        )
    lines += [f"No grade for {g.student}. {g.no_grade}" for g in grades if g.no_grade]
    return lines


def describe_sheet(filled: FilledSheet) -> list[str]:
    """Return sentences on what was not filled, and what was replaced."""
    matches, lines = filled.matches, []
    if matches.missing:
        lines.append(f"Not in the sheet: {name_some(matches.missing)}.")
    if matches.unsure:
        lines.append(
            "Found by a name or the part before an @ only, so please look: "
            f"{name_some(matches.unsure)}."
        )
    if matches.doubtful:
        lines.append(
            f"Not filled in, because several rows or students may be meant: {name_some(matches.doubtful)}."
        )
    if filled.kept:
        lines.append(f"Left as the sheet has it: {name_some(filled.kept)}.")
    if filled.replaced:
        lines.append(f"{filled.replaced} had another grade in the sheet, which is replaced.")
    return lines + filled.remarks
