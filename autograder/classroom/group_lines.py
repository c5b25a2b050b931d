"""Read tables that say who is in which group, and choose which of a student's lines count."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.classroom.new_ids import slug
from autograder.classroom.roster import is_student_id
from autograder.engine import files, printable

GROUPS = "groups.csv"
COLUMNS = "student", "group", "assignment"
EVERYBODY = "*"  # as a student, without a group: an assignment that is done alone


class GroupLine(NamedTuple):
    """One line of a table: the student is in this group, or in none if `group` is ""."""

    student: str
    group: str  # its id
    assignment: str  # "" for all
    name: str  # the group's, as it is written
    where: str  # file and line, for messages


def read_lines(path: Path) -> list[GroupLine]:
    """Return the lines of a table of groups; [] if there is no such file. Raises `TableError` if the
    table is damaged.
    """
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


def group_line(student: str, name: str, assignment: str, where: str) -> GroupLine:
    """Return a line of a table of groups: the student is in the group of this name, or in none.
    `where`: file and line, for messages. Raises `TableError` for an invalid id.
    """
    if student == EVERYBODY:
        if name or not assignment:
            raise files.TableError(f"{where}: `*` goes with an assignment, and with no group.")
        return GroupLine(student, "", assignment, "", where)
    group = group_id(name)
    if not is_student_id(student) or (name and not is_student_id(group)):
        kind, text = ("group", name) if is_student_id(student) else ("student", student)
        raise files.TableError(
            f"{where}: `{printable(text)}` cannot be a {kind}'s id (letters, digits, . _ @ -, "
            "at most 64): write another."
        )
    return GroupLine(student, group, assignment, name, where)


def group_id(name: str) -> str:
    """Return the id of the group of this name: the name itself where it is a valid id; of a name
    whose letters have no ASCII form, as in `第一组`, one that is made of its hash.
    """
    if not name or is_student_id(name):
        return name
    has_letters = any(character.isalnum() for character in name)
    return slug(name) or (slug("group", files.digest_of(name)[:8]) if has_letters else "")


def distinct_ids(names: Iterable[str]) -> dict[str, str]:
    """Return an id for each of these groups' names. Names that would share one, such as `Gruppe A`
    and `Gruppe Ä`, get ids that end with their hash.
    """
    ids = {name: group_id(name) for name in names}
    times = Counter(id.casefold() for id in ids.values())
    return {
        name: slug(name, files.digest_of(name)[:8]) if times[id.casefold()] > 1 else id
        for name, id in ids.items()
    }


def refuse_shared_ids(lines: Iterable[GroupLine]) -> None:
    """Raise `TableError` if an id is a student's and a group's, or that of two groups: these would
    share a folder.
    """
    lines = list(lines)
    students = {one.student.casefold() for one in lines}
    known: dict[str, GroupLine] = {}
    for one in (line for line in lines if line.group):
        other = known.setdefault(one.group.casefold(), one)
        if one.group.casefold() in students:
            raise files.TableError(
                f"{one.where}: `{one.group}` is a group and a student: give the group another name."
            )
        if one.group != other.group or len({one.name, other.name, one.group}) > 2:
            raise files.TableError(
                f"{one.where}: the groups `{printable(one.name)}` and `{printable(other.name)}` "
                f"would share the id `{one.group}`: give one of them another name."
            )


def choose(
    now: Sequence[GroupLine], kept: Sequence[GroupLine], done: set[str], assignment_id: str
) -> tuple[list[str], str]:
    """Return the ids of the groups that a student is in for an assignment, usually one, and a
    sentence if staff should look at it, else "".

    `now`: the student's lines; `kept`: those of when the assignment was collected; `done`: the ids
    of the groups that had handed in then. Of these groups nobody becomes a member later, and nobody
    leaves them, unless a line names the assignment.
    """
    named = [one for one in now if one.assignment == assignment_id]
    always = [one for one in now if not one.assignment]
    was = [one for one in kept if one.group in done]
    recorded = {one.group for one in kept}
    still = [one for one in always if was and one.group in recorded]  # of several groups
    open_ones = [one for one in always if one.group not in done]
    chosen = named or [*still, *was] or open_ones or kept
    groups = list(dict.fromkeys(one.group for one in chosen if one.group))
    changed = (
        [] if named else [one for one in always if one.group not in (*groups, *[""] * (not was))]
    )
    if changed:
        is_in = f"in {changed[0].group}" if changed[0].group else "in no group"
        counts = f"with {was[0].group}" if was else "without it"
        return groups, (
            f"{changed[0].where}: {changed[0].student} is {is_in}, but was collected {counts} for "
            f"{assignment_id}, and that counts. A line with the assignment in {GROUPS} changes it."
        )
    if len(groups) > 1:
        return groups, (
            f"{chosen[-1].where}: {chosen[0].student} is in {' and in '.join(groups)}: what "
            f"{chosen[0].student} hands in is of {groups[0]}, and the better result counts."
        )
    return groups, ""
