"""Enter the marks of a marking page: into the gradebook, or beside another marker's as second marks."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path

from msgspec.structs import replace
from sqlalchemy.orm import Session

from autograder.desk.marking.answers import WrittenAnswer
from autograder.desk.marking.given import GivenMark, add_given, read_given
from autograder.desk.marking.marks_file import SavedMark, SavedMarks
from autograder.desk.marking.second_marks import NumberedRow
from autograder.engine import plural
from autograder.gradebook.sync.by_hand import write_comment, write_mark
from autograder.gradebook.sync.database import TRY_AGAIN, open_session


@dataclass
class MarksEntry:
    """What became of the marks of one file."""

    entered: int = 0
    unchanged: int = 0
    second: list[NumberedRow] = field(default_factory=list)  # as `compare_marks` takes them
    kept_comments: list[str] = field(default_factory=list)  # students
    left_out: list[str] = field(default_factory=list)  # sentences


def enter_marks(
    url: str, results: Path, saved: SavedMarks, marker: str, answers: Iterable[WrittenAnswer]
) -> MarksEntry:
    """Enter a marker's marks into the gradebook at this URL and into the file of given marks.

    `results`: the folder of all results; `answers`: those of the assignment, with their marks now. A
    mark is entered if its answer waits, or if the gradebook's mark is this marker's; else it is a
    second mark, and the gradebook keeps the first. Raises `AutograderError` if the gradebook or the
    records cannot be used; then the gradebook stays as it was.
    """
    entry, recorded = MarksEntry(), list[GivenMark]()
    earlier = {one.key: one for one in read_given(results, saved.assignment)}
    known = {one.name: one for one in answers if one.cell.is_written}
    with open_session(url, TRY_AGAIN) as session:
        for answer, mark, before in _new_marks(saved, marker, known, earlier, entry):
            same = before and answer.is_marked and replace(before, given_at=mark.given_at)
            is_known = mark == same
            if mark.is_first and not is_known and not _write(session, answer, mark, before, entry):
                entry.left_out.append(
                    f"{mark.student}, {mark.exercise}: was marked meanwhile. Enter the file again."
                )
                continue
            if not mark.is_first:
                entry.second.append((len(entry.second) + 1, _row(saved.assignment, mark)))
            if is_known:
                entry.unchanged += mark.is_first
            else:
                entry.entered += mark.is_first
                recorded.append(mark)
        add_given(results, saved.assignment, *recorded)
        session.commit()
    return entry


def _new_marks(
    saved: SavedMarks,
    marker: str,
    known: Mapping[tuple[str, str], WrittenAnswer],
    earlier: Mapping[tuple[str, str, str, str], GivenMark],
    entry: MarksEntry,
) -> Iterator[tuple[WrittenAnswer, GivenMark, GivenMark | None]]:
    """Yield each mark that can be entered, the last one for its answer, between the answer and the
    mark that the marker gave before; of the others, add a sentence to `entry`.
    """
    at = saved.saved_at.astimezone(UTC).isoformat(timespec="milliseconds")
    for name, one in {(one.student, one.exercise): one for one in saved.marks}.items():
        comment = one.comment.replace("\0", "").strip()
        mark = GivenMark(*name, marker, one.points, one.answer, at, comment, one.items)
        answer, before = known.get(name), earlier.get(mark.key)
        mark = replace(mark, is_first=answer is not None and _counts(answer, mark, before))
        if why := _trouble(one, answer):
            entry.left_out.append(f"{mark.student}, {mark.exercise}: {why}")
        elif before and before.given_at > at:
            entry.left_out.append(
                f"{mark.student}, {mark.exercise}: a mark that was saved later is there already."
            )
        elif answer:
            yield answer, mark, before


def _counts(answer: WrittenAnswer, mark: GivenMark, before: GivenMark | None) -> bool:
    """Whether the gradebook takes a mark: the answer waits, or has the mark that the same marker
    gave `before`. So does it a mark that it took before, although an inquiry may have changed it.
    """
    if not answer.is_marked:
        return True
    if before is None or not before.is_first:
        return False
    is_same = mark == replace(before, given_at=mark.given_at, is_first=mark.is_first)
    return is_same or before.points == answer.cell.by_hand


def _trouble(mark: SavedMark, answer: WrittenAnswer | None) -> str:
    """Return why a mark cannot be entered, as the end of a sentence; "" if it can."""
    if answer is None:
        return "the gradebook has no such answer to mark by hand."
    if mark.answer != answer.version:
        return "the answer has changed since. Make a new page."
    if not 0 <= mark.points <= answer.cell.max_points:
        return f"{mark.points:g} is not from 0 to {answer.cell.max_points:g}."
    return ""


def with_pages(rows: Iterable[NumberedRow], results: Path, assignment_id: str) -> list[NumberedRow]:
    """Return the rows of tables of second marks with one for each second mark that an assignment
    has from marking pages; a row without points about the same answer is left out.

    `results`: the folder of all results. Raises `OSError` if the file of marks cannot be read.
    """
    given = [one for one in read_given(results, assignment_id) if not one.is_first]
    of_pages = [(0, _row(assignment_id, one)) for one in given]
    there = {(assignment_id, one.student, one.exercise, one.answer) for one in given}
    of_tables = [
        (line, row)
        for line, row in rows
        if row["points"].strip()
        or tuple(row[name] for name in ("assignment", "student", "exercise", "answer")) not in there
    ]
    return [*of_tables, *of_pages]


def _row(assignment_id: str, mark: GivenMark) -> dict[str, str]:
    """Return a second mark as a row of the table that `marking compare` reads."""
    return {
        "assignment": assignment_id,
        "student": mark.student,
        "exercise": mark.exercise,
        "answer": mark.answer,
        "points": str(mark.points),
        "comment": mark.comment,
    }


def _write(
    session: Session,
    answer: WrittenAnswer,
    mark: GivenMark,
    before: GivenMark | None,
    entry: MarksEntry,
) -> bool:
    """Write points and comment; return whether the mark was still the one that was read. A comment
    that is not this marker's is kept, and said in `entry`.
    """
    cell, there, mine = answer.cell, answer.comment, before.comment if before else ""
    if not write_mark(session, cell, mark.points):
        return False
    is_kept = there not in ("", mine)
    if mark.comment != there and not is_kept:
        is_kept = not write_comment(session, cell.notebook_id, mark.exercise, there, mark.comment)
    if is_kept and mark.comment not in ("", mine, there):
        entry.kept_comments.append(mark.student)
    return True


def about_entry(saved: SavedMarks, marker: str, entry: MarksEntry) -> Iterator[str]:
    """Yield sentences on what became of the marks of one file."""
    second = f", {plural(len(entry.second), 'second mark')}" if entry.second else ""
    yield (
        f"{saved.assignment}, {marker}: {plural(entry.entered, 'mark')} entered, {entry.unchanged} "
        f"there before{second}, {len(entry.left_out)} left out."
    )
    if entry.kept_comments:
        yield (
            "The gradebook has another comment, which is kept, for: "
            f"{', '.join(entry.kept_comments)}."
        )
    yield from (f"Left out: {one}" for one in entry.left_out)
