"""Groups of students with a shared submission, for each assignment.

A group's id replaces a student's in `submitted/` and `results/`. `Groups` maps groups to their members.

    COURSE/groups.csv    student,group,assignment
                         An empty assignment means all. `*,,assignment` means without groups.

A roster may have a column `group`, and Moodle's grading worksheet names its teams. `collect` records the
members of each group, and these records count unless a table overrides them.
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


Worth = Callable[[str, Verdict], Any]  # rates a verdict for a student, as a comparable value


@dataclass(frozen=True)
class Groups:
    """The groups of an assignment. False without any."""

    by_student: Mapping[str, Sequence[str]] = field(default_factory=dict)  # ids of groups
    names: Mapping[str, str] = field(default_factory=dict)  # as written, by id
    notes: Sequence[str] = ()  # sentences for staff on ambiguous groups

    def __bool__(self) -> bool:
        return bool(self.by_student)

    @cached_property
    def by_id(self) -> dict[str, list[str]]:
        """Members of each group, by its id."""
        members_by_id = defaultdict[str, list[str]](list)
        for student, ids in self.by_student.items():
            for id in ids:
                members_by_id[id].append(student)
        return dict(members_by_id)

    def of(self, student: str) -> str:
        """Return the id of the group with which a student submits, or ""."""
        return next(iter(self.by_student.get(student, ())), "")

    def members(self, id: str) -> list[str]:
        """Return the members of a group. Any other id is a student's and is returned itself."""
        return [*self.by_id.get(id, [id])]

    def in_no_other(self, id: str) -> list[str]:
        """Return the members of a group without another group."""
        return [member for member in self.members(id) if len(self.by_student.get(member, ())) < 2]

    def mates(self, student: str) -> list[str]:
        """Return the members of the student's groups, including the student."""
        ids = self.by_student.get(student) or [student]
        return list(dict.fromkeys(member for id in ids for member in self.members(id)))

    def called(self, name: str) -> str:
        """Return the id of the group with this name, or ""."""
        return next((id for id in self.by_id if name.strip() in (id, self.names[id])), "")

    def share(
        self, verdicts: Iterable[Verdict], worth: Worth | None = None
    ) -> tuple[dict[str, Verdict], list[str]]:
        """Return the verdict that counts for each student, and sentences for staff.

        A verdict keeps the id under which it is stored. Among several, for example of a member who
        also submitted alone, the highest `worth` counts, by default the most points.
        """
        by_student: dict[str, list[Verdict]] = defaultdict(list)
        for verdict in verdicts:
            for student in self.members(verdict.student):
                by_student[student].append(verdict)
        key = worth or by_points
        best = {
            student: max(own_verdicts, key=partial(key, student))
            if own_verdicts[1:]
            else own_verdicts[0]
            for student, own_verdicts in by_student.items()
        }
        if not self:
            return best, []
        sentences = [
            self._about(student, own_verdicts, best)
            for student, own_verdicts in sorted(by_student.items())
        ]
        alone = [id for id in sorted(by_student) if not self.of(id)]
        sentences += [f"In no group, and handed in alone: {name_some(alone)}."] if alone else []
        return dict(sorted(best.items())), list(filter(None, sentences))

    def _about(
        self, student: str, own_verdicts: Sequence[Verdict], best: Mapping[str, Verdict]
    ) -> str:
        """Return a sentence on an ambiguous choice of a student's best verdict, or ""."""
        ids = [
            "alone" if verdict.student == student else f"with {verdict.student}"
            for verdict in own_verdicts
        ]
        if not self.of(student) or (len(ids) == 1 and ids != ["alone"]):
            return ""
        best_id = ids[own_verdicts.index(best[student])]
        rule = f"the better result is {best_id}, and counts for {student}"
        if not ids[1:]:
            rule = (
                f"this counts for {student} only. Collect it with the groups if it is the group's"
            )
        return f"{student} is in {self.of(student)} and handed in {' and '.join(ids)}: {rule}."


def by_points(student: str, verdict: Verdict) -> tuple[bool, float]:
    """Rate a verdict for a student by its points alone."""
    return verdict.state == "graded", verdict.points


def as_counted(results: Path, assignment_id: str) -> Worth:
    """Return the `worth` that prefers the verdict counted in the gradebook."""
    counted = verdicts.read_counted(results, assignment_id)

    def worth(student: str, verdict: Verdict) -> tuple[bool, bool, float]:
        history = verdicts.read_history(results, assignment_id, verdict.student)
        hashes = {candidate.stamp.submission for candidate in (verdict, *history)}
        return counted.get(student) in hashes, *by_points(student, verdict)

    return worth


class CourseGroups:
    """The groups of a course, for each of its assignments. False if no table names any."""

    def __init__(self, root: Path, submitted: Path, records: "Session | None" = None):
        """`root`: course. `submitted`: all submissions. `records`: an open session, or None."""
        self.root, self.submitted, self._records = root, submitted, records
        self._groups: dict[str, Groups] = {}

    def __bool__(self) -> bool:
        return bool(self.ids)

    @cached_property
    def ids(self) -> set[str]:
        """Ids of the groups of all assignments. Raises `TableError` if a table is damaged."""
        return {line.group for line in (*self._lines, *self.members) if line.group}

    def of(self, assignment_id: str) -> Groups:
        """Return the groups of an assignment, cached. Raises `TableError` for invalid tables."""
        if assignment_id not in self._groups:
            members = [line for line in self.members if line.assignment == assignment_id]
            self._groups[assignment_id] = self.choose(assignment_id, members)
        return self._groups[assignment_id]

    def choose(self, assignment_id: str, members: Sequence[GroupLine]) -> Groups:
        """Return the groups of an assignment with recorded `members`. Raises `TableError`."""
        lines = self._lines
        refuse_shared_ids([*lines, *members])
        if any((line.student, line.assignment) == (EVERYBODY, assignment_id) for line in lines):
            lines, members = [line for line in lines if line.assignment == assignment_id], []
        lines = [line for line in lines if line.student != EVERYBODY]
        folders = {line.group: self.submitted / line.group / assignment_id for line in members}
        submitted = {
            id
            for id, folder in folders.items()
            if files.kind_of(folder, self.submitted) == "folder"
        }
        current, recorded = _by_student(lines), _by_student(members)
        chosen = {
            student: choose(current[student], recorded[student], submitted, assignment_id)
            for student in current | recorded
        }
        ids = {student: ids for student, (ids, _) in chosen.items() if ids}
        names = {line.group: line.name for line in (*members, *lines)}
        return Groups(ids, names, [note for _, note in chosen.values() if note])

    @cached_property
    def _recorded(self) -> "tuple[Sequence[RosterRow], Sequence[GroupMember]]":
        from autograder.classroom.records import database, received  # SQLAlchemy takes a moment

        session = self._records
        with nullcontext(session) if session else database.open_records(self.submitted) as records:
            return received.grouped(records)

    @cached_property
    def _lines(self) -> list[GroupLine]:
        """Lines of the course's table, then those of rosters."""
        of_rosters = (
            group_line(row.student, row.group, "", f"`{row.table}`, line {row.line}")
            for row in self._recorded[0]
        )
        return [*read_lines(self.root / GROUPS), *of_rosters]

    @cached_property
    def members(self) -> list[GroupLine]:
        """Members of groups with a collected submission."""
        return [
            GroupLine(row.student, row.group, row.assignment, row.name, "the records of `collect`")
            for row in self._recorded[1]
        ]


def _by_student(lines: Iterable[GroupLine]) -> dict[str, list[GroupLine]]:
    by_student = defaultdict[str, list[GroupLine]](list)
    for line in lines:
        by_student[line.student].append(line)
    return by_student
