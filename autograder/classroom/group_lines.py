"""Read tables of groups, and choose the lines of a student that count."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.classroom.new_ids import slug
from autograder.classroom.roster import is_student_id
from autograder.engine import files, printable

GROUPS = "groups.csv"
COLUMNS = "student", "group", "assignment"
EVERYBODY = "*"  # in the column of students: an assignment without groups


class GroupLine(NamedTuple):
    """A line of a table: the student is in this group, or in no group if `group` is ""."""

    student: str
    group: str  # its id
    assignment: str  # "" for all
    name: str  # the group's name as written
    where: str  # file and line, for messages


def read_lines(path: Path) -> list[GroupLine]:
    """Return the lines of a table of groups, [] without a file. Raises `TableError`."""
    try:
        table = files.read_table(path)
    except files.NoTable:
        return []
    return [
        group_line(*_cells(cells), f"`{table.name}`, line {line}")
        for line, cells in table.records("student", "group")
    ]


def _cells(cells: dict[str, str]) -> tuple[str, str, str]:
    student, group, assignment = (cells.get(column, "").strip() for column in COLUMNS)
    return student, group, assignment


def group_line(student: str, name: str, assignment: str, location: str) -> GroupLine:
    """Return a line of a table. `location`: for messages. Raises `TableError` for an invalid id."""
    if student == EVERYBODY:
        if name or not assignment:
            raise files.TableError(f"{location}: `*` goes with an assignment, and with no group.")
        return GroupLine(student, "", assignment, "", location)
    group = group_id(name)
    if not is_student_id(student) or (name and not is_student_id(group)):
        kind, text = ("group", name) if is_student_id(student) else ("student", student)
        raise files.TableError(
            f"{location}: `{printable(text)}` cannot be a {kind}'s id (letters, digits, . _ @ -, "
            "at most 64): write another."
        )
    return GroupLine(student, group, assignment, name, location)


def group_id(name: str) -> str:
    """Return the id of the group of this name: the name itself if it is a valid id, else its ASCII
    form. Names without an ASCII form, such as `第一组`, get an id from their hash.
    """
    if not name or is_student_id(name):
        return name
    has_letters = any(character.isalnum() for character in name)
    return slug(name) or (slug("group", files.digest_of(name)[:8]) if has_letters else "")


def distinct_ids(names: Iterable[str]) -> dict[str, str]:
    """Return an id for each group name. Clashes, `Gruppe A` and `Gruppe Ä`, add their hash."""
    ids = {name: group_id(name) for name in names}
    counts = Counter(id.casefold() for id in ids.values())
    return {
        name: slug(name, files.digest_of(name)[:8]) if counts[id.casefold()] > 1 else id
        for name, id in ids.items()
    }


def refuse_shared_ids(lines: Iterable[GroupLine]) -> None:
    """Raise `TableError` if a group shares its id, and so its folder, with another name."""
    lines = list(lines)
    students = {line.student.casefold() for line in lines}
    lines_by_id: dict[str, GroupLine] = {}
    for line in (candidate for candidate in lines if candidate.group):
        first = lines_by_id.setdefault(line.group.casefold(), line)
        if line.group.casefold() in students:
            raise files.TableError(
                f"{line.where}: `{line.group}` is a group and a student: give the group another name."
            )
        if line.group != first.group or len({line.name, first.name, line.group}) > 2:
            raise files.TableError(
                f"{line.where}: the groups `{printable(line.name)}` and `{printable(first.name)}` "
                f"would share the id `{line.group}`: give one of them another name."
            )


def choose(
    current: Sequence[GroupLine],
    recorded: Sequence[GroupLine],
    submitted: set[str],
    assignment_id: str,
) -> tuple[list[str], str]:
    """Return the ids of a student's groups for an assignment, usually a single id, and a sentence
    if staff should check it, else "".

    `current`: the student's lines. `recorded`: lines from the time when the assignment was
    collected. `submitted`: ids of groups that had submitted then. Membership of these groups is
    fixed, unless a line names the assignment.
    """
    specific = [line for line in current if line.assignment == assignment_id]
    general = [line for line in current if not line.assignment]
    with_submission = [line for line in recorded if line.group in submitted]
    recorded_groups = {line.group for line in recorded}
    # of several groups
    still_recorded = [line for line in general if with_submission and line.group in recorded_groups]
    without_submission = [line for line in general if line.group not in submitted]
    chosen = specific or [*still_recorded, *with_submission] or without_submission or recorded
    groups = list(dict.fromkeys(line.group for line in chosen if line.group))
    changed = (
        []
        if specific
        else [
            line for line in general if line.group not in (*groups, *[""] * (not with_submission))
        ]
    )
    if changed:
        is_in = f"in {changed[0].group}" if changed[0].group else "in no group"
        counted_with = f"with {with_submission[0].group}" if with_submission else "without it"
        return groups, (
            f"{changed[0].where}: {changed[0].student} is {is_in}, but was collected {counted_with} for "
            f"{assignment_id}, and that counts. A line with the assignment in {GROUPS} changes it."
        )
    if len(groups) > 1:
        return groups, (
            f"{chosen[-1].where}: {chosen[0].student} is in {' and in '.join(groups)}: what "
            f"{chosen[0].student} hands in is of {groups[0]}, and the better result counts."
        )
    return groups, ""
