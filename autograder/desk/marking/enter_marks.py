"""Enter the marks of a marking page into the gradebook, or record them as second marks."""

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
    """The result of entering the marks of a file."""

    entered: int = 0
    unchanged: int = 0
    second: list[NumberedRow] = field(default_factory=list)  # as `compare_marks` takes them
    kept_comments: list[str] = field(default_factory=list)  # students
    left_out: list[str] = field(default_factory=list)  # sentences


def enter_marks(
    url: str, results: Path, saved: SavedMarks, marker: str, answers: Iterable[WrittenAnswer]
) -> MarksEntry:
    """Enter a marker's marks into the gradebook at `url` and into the records of given marks.

    A mark is entered if its answer is open or the gradebook's mark is from the same marker.
    Otherwise it becomes a second mark, and the gradebook keeps the first. `results`: the folder of
    all results. `answers`: those of the assignment, with their present marks. Raises
    `AutograderError` if the gradebook or the records cannot be used. Then the gradebook is
    unchanged.
    """
    entry, recorded = MarksEntry(), list[GivenMark]()
    earlier = {mark.key: mark for mark in read_given(results, saved.assignment)}
    answers_by_name = {answer.name: answer for answer in answers if answer.cell.is_written}
    with open_session(url, TRY_AGAIN) as session:
        for answer, mark, previous in _new_marks(saved, marker, answers_by_name, earlier, entry):
            same = previous and answer.is_marked and replace(previous, given_at=mark.given_at)
            is_known = mark == same
            if (
                mark.is_first
                and not is_known
                and not _write(session, answer, mark, previous, entry)
            ):
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
    answers: Mapping[tuple[str, str], WrittenAnswer],
    earlier: Mapping[tuple[str, str, str, str], GivenMark],
    entry: MarksEntry,
) -> Iterator[tuple[WrittenAnswer, GivenMark, GivenMark | None]]:
    """Yield (answer, mark, the marker's previous mark) for each mark that can be entered, and the
    last mark only if a file has several for an answer. Add a sentence to `entry` for the others.
    """
    at = saved.saved_at.astimezone(UTC).isoformat(timespec="milliseconds")
    for name, saved_mark in {
        (saved_mark.student, saved_mark.exercise): saved_mark for saved_mark in saved.marks
    }.items():
        comment = saved_mark.comment.replace("\0", "").strip()
        mark = GivenMark(
            *name, marker, saved_mark.points, saved_mark.answer, at, comment, saved_mark.items
        )
        answer, previous = answers.get(name), earlier.get(mark.key)
        mark = replace(mark, is_first=answer is not None and _counts(answer, mark, previous))
        if reason := _trouble(saved_mark, answer):
            entry.left_out.append(f"{mark.student}, {mark.exercise}: {reason}")
        elif previous and previous.given_at > at:
            entry.left_out.append(
                f"{mark.student}, {mark.exercise}: a mark that was saved later is there already."
            )
        elif answer:
            yield answer, mark, previous


def _counts(answer: WrittenAnswer, mark: GivenMark, previous: GivenMark | None) -> bool:
    """Whether the gradebook takes a mark: the answer is open, or the same marker marked it."""
    if not answer.is_marked:
        return True
    if previous is None or not previous.is_first:
        return False
    # an inquiry may have changed the points of a mark that the gradebook took before
    is_same = mark == replace(previous, given_at=mark.given_at, is_first=mark.is_first)
    return is_same or previous.points == answer.cell.by_hand


def _trouble(mark: SavedMark, answer: WrittenAnswer | None) -> str:
    """Return the reason why a mark cannot be entered, as the end of a sentence, or ""."""
    if answer is None:
        return "the gradebook has no such answer to mark by hand."
    if mark.answer != answer.version:
        return "the answer has changed since. Make a new page."
    if not 0 <= mark.points <= answer.cell.max_points:
        return f"{mark.points:g} is not from 0 to {answer.cell.max_points:g}."
    return ""


def with_pages(rows: Iterable[NumberedRow], results: Path, assignment_id: str) -> list[NumberedRow]:
    """Return the rows of second-mark tables and a row for each second mark from a marking page.
    Such a row replaces a table's row without points about the same answer. `results`: the folder of
    all results. Raises `OSError` if the records cannot be read.
    """
    second_marks = [mark for mark in read_given(results, assignment_id) if not mark.is_first]
    of_pages = [(0, _row(assignment_id, mark)) for mark in second_marks]
    page_keys = {(assignment_id, mark.student, mark.exercise, mark.answer) for mark in second_marks}
    of_tables = [
        (line, row)
        for line, row in rows
        if row["points"].strip()
        or tuple(row[name] for name in ("assignment", "student", "exercise", "answer"))
        not in page_keys
    ]
    return [*of_tables, *of_pages]


def _row(assignment_id: str, mark: GivenMark) -> dict[str, str]:
    """Return a second mark as a row for `compare_marks`."""
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
    previous: GivenMark | None,
    entry: MarksEntry,
) -> bool:
    """Write points and comment. Return False if the gradebook's mark has changed since it was read.
    Another marker's comment is kept, and reported in `entry`.
    """
    cell, current, mine = answer.cell, answer.comment, previous.comment if previous else ""
    if not write_mark(session, cell, mark.points):
        return False
    is_kept = current not in ("", mine)
    if mark.comment != current and not is_kept:
        is_kept = not write_comment(session, cell.notebook_id, mark.exercise, current, mark.comment)
    if is_kept and mark.comment not in ("", mine, current):
        entry.kept_comments.append(mark.student)
    return True


def about_entry(saved: SavedMarks, marker: str, entry: MarksEntry) -> Iterator[str]:
    """Yield sentences on the marks of a file: how many were entered, and which were left out."""
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
    yield from (f"Left out: {sentence}" for sentence in entry.left_out)
