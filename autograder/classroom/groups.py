"""Groups, which hand in one submission together: who is in which, for each assignment.

A group's id takes a student's place in `submitted/` and `results/`. `Groups` leads from a group to
its members; a student who is in no group stands alone.

    COURSE/groups.csv    student,group,assignment (none: for all); *,,assignment: it is done alone

A roster may have a column `group`, and Moodle's grading worksheet names its teams. Who was in a group
when `collect` ran is recorded, and counts where no table says otherwise.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.classroom.group_lines import (
    EVERYBODY,
    GROUPS,
    GroupLine,
    choose,
    group_line,
    read_lines,
    refuse_shared_ids,
)
from autograder.engine import Verdict, files, name_some, verdicts

if TYPE_CHECKING:  # SQLAlchemy takes a moment, also for a command's --help
    from sqlalchemy.orm import Session

    from autograder.classroom.records.received import GroupMember, RosterRow


Worth = Callable[[str, Verdict], Any]  # how good a verdict is for a student, to be compared


@dataclass(frozen=True)
class Groups:
    """The groups of one assignment; it is false if there are none."""

    by_student: Mapping[str, Sequence[str]] = field(default_factory=dict)  # ids of groups
    names: Mapping[str, str] = field(default_factory=dict)  # as they are written, by id
    notes: Sequence[str] = ()  # sentences for staff, on those whose group is not clear

    def __bool__(self) -> bool:
        return bool(self.by_student)

    @cached_property
    def by_id(self) -> dict[str, list[str]]:
        """The members of each group, by its id."""
        found = defaultdict[str, list[str]](list)
        for student, ids in self.by_student.items():
            for id in ids:
                found[id].append(student)
        return dict(found)

    def of(self, student: str) -> str:
        """Return the id of the group with which a student hands in; "" if there is none."""
        return next(iter(self.by_student.get(student, ())), "")

    def members(self, id: str) -> list[str]:
        """Return the members of a group; of any other id, which is a student's, that student."""
        return [*self.by_id.get(id, [id])]

    def in_no_other(self, id: str) -> list[str]:
        """Return the members of a group who are in no other one."""
        return [one for one in self.members(id) if len(self.by_student.get(one, ())) < 2]

    def mates(self, student: str) -> list[str]:
        """Return the members of the student's groups, this student among them."""
        ids = self.by_student.get(student) or [student]
        return list(dict.fromkeys(one for id in ids for one in self.members(id)))

    def called(self, name: str) -> str:
        """Return the id of the group that has this name; "" if none has."""
        return next((id for id in self.by_id if name.strip() in (id, self.names[id])), "")

    def share(
        self, verdicts: Iterable[Verdict], worth: Worth | None = None
    ) -> tuple[dict[str, Verdict], list[str]]:
        """Return the verdict that counts for each person, by student, and sentences for staff.

        A verdict keeps the id under which it is stored. Of several, as of a member who handed in
        alone, the one with the highest `worth` counts; without that, the one with the most points.
        """
        found: dict[str, list[Verdict]] = defaultdict(list)
        for verdict in verdicts:
            for student in self.members(verdict.student):
                found[student].append(verdict)
        key = worth or by_points
        best = {
            student: max(theirs, key=partial(key, student)) if theirs[1:] else theirs[0]
            for student, theirs in found.items()
        }
        if not self:
            return best, []
        said = [self._about(student, theirs, best) for student, theirs in sorted(found.items())]
        alone = [one for one in sorted(found) if not self.of(one)]
        said += [f"In no group, and handed in alone: {name_some(alone)}."] if alone else []
        return dict(sorted(best.items())), list(filter(None, said))

    def _about(self, student: str, theirs: Sequence[Verdict], best: Mapping[str, Verdict]) -> str:
        """Return a sentence on a student's verdicts (`theirs`), if it is not clear that the one in
        `best` counts; else "".
        """
        ids = ["alone" if one.student == student else f"with {one.student}" for one in theirs]
        if not self.of(student) or (len(ids) == 1 and ids != ["alone"]):
            return ""
        counts = ids[theirs.index(best[student])]
        rule = f"the better result is {counts}, and counts for {student}"
        if not ids[1:]:
            rule = (
                f"this counts for {student} only. Collect it with the groups if it is the group's"
            )
        return f"{student} is in {self.of(student)} and handed in {' and '.join(ids)}: {rule}."


def by_points(student: str, verdict: Verdict) -> tuple[bool, float]:
    """Return how good a verdict is for a student, by its points alone."""
    return verdict.state == "graded", verdict.points


def as_counted(results: Path, assignment_id: str) -> Worth:
    """Return the `worth` by which that verdict counts which counts in the gradebook, where several
    verdicts are a student's. `results`: the folder of all results.
    """
    counted = verdicts.read_counted(results, assignment_id)

    def worth(student: str, verdict: Verdict) -> tuple[bool, bool, float]:
        had = verdicts.read_history(results, assignment_id, verdict.student)
        hashes = {one.stamp.submission for one in (verdict, *had)}
        return counted.get(student) in hashes, *by_points(student, verdict)

    return worth


class CourseGroups:
    """The groups of a course, for each of its assignments; it is false if no table names any."""

    def __init__(self, root: Path, submitted: Path, records: "Session | None" = None):
        """`root`: the course's folder; `submitted`: that of all submissions; `records`: an open
        session on its records, which are opened if it is None.
        """
        self.root, self.submitted, self._records = root, submitted, records
        self._groups: dict[str, Groups] = {}

    def __bool__(self) -> bool:
        return bool(self.ids)

    @cached_property
    def ids(self) -> set[str]:
        """The ids of the groups of all assignments. Raises `TableError` if a table is damaged."""
        return {line.group for line in (*self._lines, *self.members) if line.group}

    def of(self, assignment_id: str) -> Groups:
        """Return the groups of an assignment; later calls return the same ones.

        Raises `TableError` if a table is damaged, or if an id is a group's and a student's.
        """
        if assignment_id not in self._groups:
            members = [line for line in self.members if line.assignment == assignment_id]
            self._groups[assignment_id] = self.choose(assignment_id, members)
        return self._groups[assignment_id]

    def choose(self, assignment_id: str, members: Sequence[GroupLine]) -> Groups:
        """Return the groups of an assignment of which `members` are recorded. Raises `TableError`
        as `of` does.
        """
        lines = self._lines
        refuse_shared_ids([*lines, *members])
        if any((line.student, line.assignment) == (EVERYBODY, assignment_id) for line in lines):
            lines, members = [line for line in lines if line.assignment == assignment_id], []
        lines = [line for line in lines if line.student != EVERYBODY]
        folders = {line.group: self.submitted / line.group / assignment_id for line in members}
        done = {
            id
            for id, folder in folders.items()
            if files.kind_of(folder, self.submitted) == "folder"
        }
        now, before = _by_student(lines), _by_student(members)
        chosen = {
            student: choose(now[student], before[student], done, assignment_id)
            for student in now | before
        }
        ids = {student: ids for student, (ids, _) in chosen.items() if ids}
        names = {line.group: line.name for line in (*members, *lines)}
        return Groups(ids, names, [note for _, note in chosen.values() if note])

    @cached_property
    def _recorded(self) -> "tuple[Sequence[RosterRow], Sequence[GroupMember]]":
        from autograder.classroom.records import database, received  # SQLAlchemy takes a moment

        given = self._records
        with nullcontext(given) if given else database.open_records(self.submitted) as records:
            return received.grouped(records)

    @cached_property
    def _lines(self) -> list[GroupLine]:
        """The lines of the course's table, then those of rosters."""
        of_rosters = (
            group_line(row.student, row.group, "", f"`{row.table}`, line {row.line}")
            for row in self._recorded[0]
        )
        return [*read_lines(self.root / GROUPS), *of_rosters]

    @cached_property
    def members(self) -> list[GroupLine]:
        """The members of groups for whom something was collected."""
        return [
            GroupLine(row.student, row.group, row.assignment, row.name, "the records of `collect`")
            for row in self._recorded[1]
        ]


def _by_student(lines: Iterable[GroupLine]) -> dict[str, list[GroupLine]]:
    found = defaultdict[str, list[GroupLine]](list)
    for one in lines:
        found[one.student].append(one)
    return found
