"""Run `collect`: record the facts, compute what follows from them, and write the notebooks that are
graded. `cli/collect_run.py` prints what this returns.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from autograder.classroom.records.received import (
    FACTS,
    CollectRun,
    Placement,
    Submission,
    clear_derived,
    forget_unused_files,
    roster_rows,
)
from autograder.engine.course.assignment import Assignment, find_assignment
from autograder.engine.course.which import cannot_tell, every, in_name
from autograder.people.groups import CourseGroups
from autograder.people.roster import RECEIVED, Person
from autograder.platforms.collect import earlier
from autograder.platforms.collect.graded import put_by_hand, write_placements
from autograder.platforms.collect.receive import Run
from autograder.platforms.collect.settle import Candidate, Settled, Settling
from autograder.platforms.collect.unmatched import write_unmatched
from autograder.platforms.download import Download, may_hold_notebook
from autograder.platforms.moodle_worksheet import Worksheet, refuse_other_assignment
from autograder.platforms.platform import HandedIn
from autograder.text.errors import CommandError
from autograder.text.printable import printable
from autograder.text.wording import name_some

CLEAR = 2  # times as many names must say one assignment as say all others


@dataclass(frozen=True)
class Result:
    """What became of one submission of this run."""

    candidate: Candidate
    outcome: str  # "new", "newer", "older", "unchanged"
    is_late: bool

    @property
    def student(self) -> str:
        return self.candidate.owner

    @property
    def counts(self) -> bool:
        """Whether the submission is graded."""
        return self.outcome != "older"


@dataclass
class Outcome:
    """What a run of `collect` does; nothing is written yet."""

    results: list[Result] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)  # of this run, a sentence each
    listed: int = 0  # all that is unmatched
    notes: list[str] = field(default_factory=list)


class Collecting:
    """One run of `collect` for an assignment, in an open session on the records."""

    def __init__(
        self,
        records: Session,
        assignment: Assignment,
        into: Path,
        course_zone: tzinfo,
        **options: Any,
    ):
        """`into`: the folder of submissions; `course_zone`: of times that name none; `options`: those of `Run`."""
        self.records, self.assignment, self.into = records, assignment, into
        self.zone = course_zone
        self._others: list[Assignment] = []
        self._import_earlier()
        self._before = {row.student: row for row in self._placements()}
        self.run = Run(records, assignment, into, **options)
        self._record_put_by_hand()

    def _placements(self) -> list[Placement]:
        query = select(Placement).where(Placement.assignment == self.assignment.id)
        rows = [*self.records.scalars(query)]
        for row in rows:
            self.records.expunge(row)
        return rows

    def _import_earlier(self) -> None:
        """Import the lists of earlier versions, of all assignments that the course still has."""
        if not earlier.has_earlier_lists(self.into):
            return
        course = {one.id: one for one in every(self.assignment.course)}
        for id in earlier.assignments_of_lists(self.into):
            if id in course:
                run = Run(self.records, course[id], self.into)
                run.row.command = earlier.COMMAND
                earlier.import_lists(run)
                settled = Settling(self.records, course[id], self.into, self.zone).settle()
                settled.write(self.records, id)
        self.records.flush()

    def _record_put_by_hand(self) -> None:
        for student, (data, when, changed) in put_by_hand(
            self.records, self.into, self.assignment.id
        ).items():
            self.run.record_by_hand(student, data, when, changed)

    def people(self) -> list[Person]:
        """Return the people whom rosters of this and of earlier runs name."""
        return [
            Person(row.student, platform=row.platform, number=row.number)
            for row in roster_rows(self.records)
        ]

    def group_names(self) -> list[str]:
        """Return the names of the groups of the assignment, as staff wrote them."""
        groups = CourseGroups(self.assignment.course.root, self.into, self.records)
        return [*groups.of(self.assignment.id).names.values()]

    def sort(
        self, downloads: Iterable[Download], platform: str | None
    ) -> list[tuple[Download, HandedIn]]:
        """Return the submissions in the downloads. Raises `CommandError` if one cannot be used."""
        people, groups = self.people(), self.group_names()
        return [
            (download, handed_in)
            for download in downloads
            for handed_in in self.run.sort(download, platform, people, groups)
        ]

    def record_worksheet(self, worksheet: Worksheet, submissions: Iterable[HandedIn]) -> None:
        """Record a grading worksheet. Raises `CommandError` if it is of another assignment than
        these submissions.
        """
        numbers = {one.person.number for one in submissions if one.person.number}
        if not any(row.group for row in worksheet.participants):  # else they may be teams' numbers
            refuse_other_assignment(worksheet, numbers)
        self.run.record_worksheet(worksheet)

    def allowed_ids(self) -> set[str] | None:
        """Return the ids of the students on rosters, and of groups; None, for any, without rosters."""
        people = self.people()
        groups = CourseGroups(self.assignment.course.root, self.into, self.records)
        ids = {person.student for person in people}
        return {*ids, *groups.of(self.assignment.id).by_id} if people else None

    def settle(self) -> Outcome:
        """Compute what follows from all facts, and return what this run does. Raises `TableError` if
        a table of groups cannot be used.
        """
        settled = self._settle(self.assignment)
        chosen = {
            choice.assignment
            for id in [submission.id for submission in self.run.seen]
            for choice in self.run.choices_of(id)
        }
        for id in sorted(chosen - {self.assignment.id}):
            other = find_assignment(id, self.assignment.course)
            self._others.append(other)
            self._settle(other)
        return self._outcome(settled)

    def _settle(self, assignment: Assignment) -> Settled:
        settled = Settling(self.records, assignment, self.into, self.zone).settle()
        settled.write(self.records, assignment.id)
        self.records.flush()
        return settled

    def _outcome(self, settled: Settled) -> Outcome:
        seen = {submission.id for submission in self.run.seen}
        outcome = Outcome(notes=[*self.run.notes, *settled.groups.notes])
        for one in settled.candidates:
            if one.submission.id in seen and one.notebook:
                outcome.results.append(self._result(one, settled))
        outcome.results.sort(key=lambda result: (result.student, result.candidate.order))
        outcome.unmatched = [
            reason for id, reason in sorted(settled.unmatched.items()) if id in seen
        ]
        outcome.listed = len(settled.unmatched)
        outcome.notes += self._about_facts(settled, seen)
        return outcome

    def _result(self, one: Candidate, settled: Settled) -> Result:
        best, before = settled.counted[one.owner], self._before.get(one.owner)
        is_new = one.submission.id in self.run.new
        if one.submission.id != best.submission.id:
            word = "older" if is_new else "unchanged"
        elif before is None:
            word = "new"
        else:
            word = "unchanged" if before.notebook == one.notebook else "newer"
        return Result(one, word, bool(settled.late.get(one.submission.id)))

    def _about_facts(self, settled: Settled, seen: set[int]) -> Iterator[str]:
        """Yield sentences on zones, drafts, and members who submitted each for themselves."""
        times = {
            (one.time.source, one.time.zone, one.time.is_told)
            for one in settled.candidates
            if one.submission.id in seen and one.time.zone
        }
        for source, zone, is_told in sorted(times):
            hint = "the course's zone. Where that is wrong, collect again with --timezone."
            reason = "as --timezone says." if is_told else hint
            yield f"Times of {source} were read as {zone}, {reason}"
        drafts = [one.owner for one in settled.drafts if one.submission.id in seen]
        if drafts:
            yield (
                f"Drafts, which are not graded: {name_some(sorted(drafts))}. With --drafts they are."
            )
        senders: dict[str, set[str]] = {}
        for one in settled.candidates:
            if one.sender and one.submission.id in seen:
                senders.setdefault(one.owner, set()).add(one.sender)
        several = sorted(group for group, members in senders.items() if len(members) > 1)
        if several:
            yield (
                f"Several members of {name_some(several)} have submitted, and the newest counts for "
                f"all of them. If `{self.assignment.id}` is done alone, write the line "
                f"`*,,{self.assignment.id}` into `groups.csv`, beside nbgrader_config.py, and collect "
                "again."
            )

    def write(self) -> tuple[list[str], list[str], Path | None]:
        """Commit the facts, and write the notebooks that are graded and the table of what is
        unmatched. Return sentences for staff, others on notebooks that could not be written, and the
        table's path. Raises `OSError`.
        """
        self.records.commit()
        if earlier.has_earlier_lists(self.into):
            (self.into / RECEIVED).rename(self.into / earlier.IMPORTED)
        notes, blocked, tables = [], [], []
        for assignment in (self.assignment, *self._others):
            before = {*self._before} if assignment is self.assignment else set()
            tables.append(write_unmatched(self.records, self.into, assignment.id))
            removed, trouble = write_placements(self.records, self.into, assignment.id, before)
            blocked += [f"{student}: {reason}." for student, reason in trouble.items()]
            if removed:
                notes.append(
                    f"Taken out of `{self.into}`, because it belongs to somebody else now: "
                    f"{name_some(removed)}. If they were graded, delete their verdicts in the results "
                    f"of `{assignment.id}`."
                )
        return notes, blocked, tables[0]


def undo(
    records: Session, assignment: Assignment, into: Path, zone: tzinfo,
    marked: Callable[[], set[str]],
) -> tuple[CollectRun, list[str]]:  # fmt: skip
    """Take back the last run of `collect` for an assignment, in the records: return it, and the
    students whose graded notebook changes or goes.

    `marked`: returns the students who have marks by hand. Raises `CommandError` if there is no run,
    or if a mark depends on it.
    """
    run = last_run(records, assignment.id)
    if run is None:
        raise CommandError(f"Nothing was collected of `{assignment.id}` that could be undone.")
    placements = select(Placement).where(Placement.assignment == assignment.id)
    before = {row.student: row.notebook for row in records.scalars(placements)}
    hashes = set[str]()
    for submission in records.scalars(select(Submission).where(Submission.run_id == run.id)):
        hashes |= submission.hashes
    facts = [
        row for kind in FACTS for row in records.scalars(select(kind).where(kind.run_id == run.id))
    ]
    ids = {assignment.id, *(row.assignment for row in facts)}  # a choice may be for another one
    for id in ids:
        clear_derived(records, id)  # they refer to what goes
    for row in facts:
        records.delete(row)
        records.flush()
    run.undone_at = datetime.now(UTC).replace(tzinfo=None)
    settled = {}
    for id in ids:
        of_course = find_assignment(id, assignment.course)
        settled[id] = Settling(records, of_course, into, zone).settle()
        settled[id].write(records, id)
    forget_unused_files(records, hashes)
    here = settled[assignment.id]
    after = {owner: best.notebook for owner, best in here.counted.items()}
    changed = sorted(owner for owner, notebook in before.items() if after.get(owner) != notebook)
    has_marks = marked()
    if kept := [owner for owner in changed if has_marks.intersection(here.groups.members(owner))]:
        raise CommandError(
            f"{name_some(kept)}: marks were given by hand for what this run brought, so it stays. "
            "Nothing was changed."
        )
    return run, changed


def last_run(records: Session, assignment_id: str = "") -> CollectRun | None:
    """Return the last run of `collect` that was not undone, of this assignment or of any."""
    query = select(CollectRun).where(
        CollectRun.undone_at.is_(None), CollectRun.command != earlier.COMMAND
    )
    if assignment_id:
        query = query.where(CollectRun.assignment == assignment_id)
    return records.scalar(query.order_by(CollectRun.id.desc()).limit(1))


def assignment_of(downloads: list[Download], course) -> Assignment:
    """Return the assignment to which the downloads belong, by the names of notebooks and of the
    folders around them: more than two thirds must name it.

    The few that name another one do not matter: each notebook is later checked by its cells. Raises
    `CourseError` if no assignment is named clearly enough.
    """
    assignments = {one.id: one for one in every(course)}
    if len(assignments) == 1:
        return next(iter(assignments.values()))
    names = [file.parts for download in downloads for file in download.files]
    counts: dict[str, int] = {}
    for parts in names:
        for id in set(_assignments_in(parts, list(assignments))):
            counts[id] = counts.get(id, 0) + 1
    total = sum(counts.values())
    if clear := [id for id, count in counts.items() if count > CLEAR * (total - count)]:
        return assignments[clear[0]]
    where = " and ".join(f"`{printable(download.name)}`" for download in downloads)
    several = f"There are notebooks of {' and of '.join(sorted(counts))} in {where}"
    nothing = f"No name in {where} says of which assignment it is"
    raise cannot_tell(several if counts else nothing, sorted(counts or assignments))


def _assignments_in(parts: tuple[str, ...], ids: list[str]) -> list[str]:
    """Return those of the assignments `ids` that a file's own name contains; if none, those that
    the names of its folders contain; [] for a file that cannot hold a notebook.
    """
    if not may_hold_notebook(parts[-1]):
        return []
    return in_name(parts[-1], ids) or [id for part in parts[:-1] for id in in_name(part, ids)]
