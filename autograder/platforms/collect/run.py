"""Run `collect`: record the facts, compute what follows from them, and write the notebooks that are
graded. `commands/collect_run.py` prints what this returns.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from autograder.classroom.late_files import COLUMNS, read_said
from autograder.classroom.records.database import open_records
from autograder.classroom.records.received import (
    FACTS,
    Choice,
    CollectRun,
    Placement,
    Submission,
    clear_derived,
    forget_unused_files,
)
from autograder.classroom.roster import RECEIVED
from autograder.engine.course.assignment import Assignment, find_assignment
from autograder.engine.course.course import Course
from autograder.engine.course.which import cannot_tell, every, in_name
from autograder.engine.files.locks import locked
from autograder.engine.results import RESULTS, ResultsFolder
from autograder.engine.text.errors import AutograderError
from autograder.engine.text.printable import printable
from autograder.engine.text.times import time_text
from autograder.engine.text.wording import name_some
from autograder.gradebook.lateness.late_policy import course_zone
from autograder.platforms import exchange
from autograder.platforms.collect import earlier
from autograder.platforms.collect.graded import put_by_hand, write_placements
from autograder.platforms.collect.receive import Run
from autograder.platforms.collect.settle import Candidate, Settling, settle
from autograder.platforms.collect.unmatched import write_unmatched
from autograder.platforms.collect.verdicts import (
    Notebooks,
    forget_verdicts,
    outdated_verdicts,
    owned_notebooks,
)
from autograder.platforms.download import Download, may_hold_notebook

KEPT_ASIDE = "Another submission counts"
CLEAR = 2  # times as many names must say one assignment as say all others


@dataclass(frozen=True)
class Outcome:
    """What a run of `collect` does; nothing is written yet."""

    results: list[Candidate]  # the submissions of this run, each with its outcome
    unmatched: list[str]  # of this run, a sentence each
    listed: int  # all that is unmatched
    notes: list[str]
    before: set[str]  # the students of whom something was graded before
    others: list[str]  # ids of assignments for which this run chose something
    outdated: dict[str, dict[str, set[str]]]  # verdicts, by assignment and student
    counted: set[int]  # ids of the submissions that are graded


@contextmanager
def alone_in(into: Path) -> Iterator[None]:
    """Lock the folder of submissions against other runs of `collect` within the block. It is not
    created: if it does not exist, the nearest folder above is locked. Raises `AutograderError` if
    another run has the lock.
    """
    nearest = next(folder for folder in (into, *into.absolute().parents) if folder.is_dir())
    with locked(
        nearest, f"Somebody else is collecting into `{into}`: collect again when that is done."
    ):
        yield


@contextmanager
def collecting(
    assignment: Assignment, into: Path, dry_run: bool = False, **options: Any
) -> Iterator[Run]:
    """Yield a run in a transaction on the records, alone in the folder of submissions (`into`). It
    begins with the lists of earlier versions, and with notebooks that somebody put there by hand.

    `dry_run`: nothing is kept; `options`: those of `Run`. Raises `AutograderError` if another run is
    collecting, or if the records cannot be used.
    """
    with alone_in(into), open_records(into, write=not dry_run) as records:
        yield _begin(records, assignment, into, **options)


def _begin(records: Session, assignment: Assignment, into: Path, **options: Any) -> Run:
    if earlier.has_earlier_lists(into):
        there = earlier.assignments_of_lists(into)
        for other in every(assignment.course):
            if other.id in there:
                imported = Run(records, other, into)
                imported.row.command = earlier.COMMAND
                earlier.import_lists(imported)
                settle(records, other, into)
    run = Run(records, assignment, into, **options)
    for by_hand in put_by_hand(records, into, assignment.id):
        run.record_by_hand(*by_hand)
    return run


def settle_run(run: Run) -> Outcome:
    """Compute what follows from all facts, and return what this run does. Raises `TableError` if a
    table of groups cannot be used.
    """
    records, id = run.records, run.assignment.id
    before = _graded_notebooks(records, id)
    settled, outdated_here = _settle_anew(records, run.assignment, run.into)
    outdated = {id: outdated_here}
    chosen = records.scalars(select(Choice.assignment).where(Choice.run_id == run.row.id))
    others = sorted({*chosen} - {id})
    for other in others:
        assignment = find_assignment(other, run.assignment.course)
        _, outdated[other] = _settle_anew(records, assignment, run.into)
    results = [
        replace(one, outcome=_outcome(one, run, settled, before))
        for one in settled.candidates
        if one.submission.id in run.seen and one.notebook
    ]
    results.sort(key=lambda result: (result.owner, result.order))
    unmatched = [why for number, why in sorted(settled.unmatched.items()) if number in run.seen]
    notes = [*run.notes, *settled.groups.notes, *_about_facts(run, settled)]
    counted = {one.submission.id for one in settled.counted.values()}
    return Outcome(
        results, unmatched, len(settled.unmatched), notes, {*before}, others, outdated, counted
    )


def _settle_anew(
    records: Session, assignment: Assignment, into: Path, owned: Notebooks | None = None
) -> tuple[Settling, dict[str, set[str]]]:
    """Settle an assignment; return what follows from its facts, and the verdicts that are outdated
    then. `owned`: the notebooks of before, if facts are gone since.
    """
    before = owned_notebooks(records, assignment.id) if owned is None else owned
    settled = settle(records, assignment, into)
    return settled, outdated_verdicts(records, assignment, before)


def _graded_notebooks(records: Session, assignment_id: str) -> dict[str, str]:
    """Return the hashes of the notebooks that are graded, by student or group."""
    placed = select(Placement.student, Placement.notebook)
    rows = records.execute(placed.where(Placement.assignment == assignment_id))
    return dict(rows.all())


def _outcome(one: Candidate, run: Run, settled: Settling, before: dict[str, str]) -> str:
    if one.submission.id != settled.counted[one.owner].submission.id:
        return "older" if one.submission.id in run.new | run.chosen else "unchanged"
    if one.owner not in before:
        return "new"
    return "unchanged" if before[one.owner] == one.notebook else "newer"


def _about_facts(run: Run, settled: Settling) -> Iterator[str]:
    """Yield sentences on zones, drafts, members of teams who are not known, and members who
    submitted each for themselves.
    """
    seen = [one for one in settled.candidates if one.submission.id in run.seen]
    times = {(one.time.source, one.time.zone, one.time.is_told) for one in seen if one.time.zone}
    for source, zone, is_told in sorted(times):
        hint = "the course's zone. Where that is wrong, collect again with --timezone."
        reason = "as --timezone says." if is_told else hint
        yield f"Times of {source} were read as {zone}, {reason}"
    yield from _about_backdated(run, seen, settled)
    drafts = [one.owner for one in settled.drafts if one.submission.id in run.seen]
    if drafts:
        yield f"Drafts, which are not graded: {name_some(sorted(drafts))}. With --drafts they are."
    owners = {one.owner for one in seen}
    unknown_members = [
        settled.participants[run.assignment.id][number].name
        for number, team in settled.teams[run.assignment.id].items()
        if number not in settled.students and settled.groups.called(team) in owners
    ]
    if unknown_members:
        yield (
            f"In a team that has submitted, and not in {settled.directory.closed or 'the course'}: "
            f"{printable(name_some(sorted(unknown_members)))}. They get no grade before they are."
        )
    senders = {(one.owner, one.sender) for one in seen if one.sender}
    counts = Counter(group for group, _ in senders)
    several = sorted(group for group, count in counts.items() if count > 1)
    if several:
        yield (
            f"Several members of {name_some(several)} have submitted, and the newest counts for "
            f"all of them. If `{run.assignment.id}` is done alone, write the line "
            f"`*,,{run.assignment.id}` into `groups.csv`, beside nbgrader_config.py, and collect "
            "again."
        )


def _about_backdated(run: Run, seen: list[Candidate], settled: Settling) -> Iterator[str]:
    """Yield a sentence on each submission in nbgrader's exchange that claims to be older than a run
    that did not find it there. `seen`: what this run saw.
    """
    zone, counted = settled.zone, settled.counted
    for one in seen:
        claimed, missed = one.time.when, one.time.missed_at
        if claimed and missed and one.submission.id in run.new:
            counts = one.submission.id == counted[one.owner].submission.id
            then = "If it was made later, write its time into late.csv" if counts else KEPT_ASIDE
            yield (
                f"{one.owner}: `{printable(one.submission.label)}` says {time_text(claimed, zone)}, and was not "
                f"in the exchange with this content at {time_text(missed, zone)}. {then}."
            )


def about_times(course: Course, outcome: Outcome, zone: tzinfo) -> Iterator[str]:
    """Yield a sentence for each kind of problem with times of submission: they are unknown, or late
    without a time, or doubtful; those that staff wrote into late.csv are none.
    """
    counting = [result for result in outcome.results if result.outcome != "older"]
    unknown = [
        result.owner
        for result in counting
        if result.time.when is None
        and not is_late_without_time(result)
        and result.time.source != exchange.UNREAD_TIME
    ]
    if unknown:
        yield (
            f"No time of submission is known of {name_some(sorted(set(unknown)))}: nobody of them is "
            "late before late.csv says so. Moodle's grading worksheet has the times (--worksheet); a "
            "file's own time is taken with --file-times only."
        )
    unread = [result.owner for result in counting if result.time.source == exchange.UNREAD_TIME]
    if unread:
        yield f"What nbgrader's exchange says is not a time: {name_some(unread)}."
    late = sorted({result.owner for result in counting if is_late_without_time(result)})
    if late:
        yield (
            f"Late, as the platform says, which does not say when: {name_some(late)}. No penalty "
            "before late.csv has their times: --late-template FILE writes it, to be filled in."
        )
    timed = _with_late_times(course)
    for result in outcome.results:
        when, counts = result.time.when, result.submission.id in outcome.counted
        if counts and (result.owner, result.submission.assignment) in timed:
            continue
        if when and result.time.is_to_come:
            then = "Is the time zone right?" if counts else f"{KEPT_ASIDE}."
            yield f"{result.owner}: {time_text(when, zone)} is still to come. {then}"
        elif result.time.doubt and counts:
            yield f"{result.owner}: {result.time.doubt}. Is the time zone right?"


def _with_late_times(course: Course) -> set[tuple[str, str]]:
    """Return the students with a time in late.csv, each with an assignment."""
    with suppress(AutograderError):  # `grade` names the lines that cannot be used
        entries = read_said(course.root / "late.csv", COLUMNS["late.csv"], course_zone(course))
        return {key for key, entry in entries.items() if entry.when}
    return set()


def is_late_without_time(result: Candidate) -> bool:
    """Whether the platform calls a submission late without saying when it came."""
    return result.outcome != "older" and bool(result.is_late) and result.time.when is None


def write(run: Run, outcome: Outcome) -> tuple[list[str], list[str], Path | None]:
    """Commit the facts, and write the notebooks that are graded and the table of what is unmatched.
    Return sentences for staff, others on notebooks that could not be written, and the table's path.
    Raises `OSError`.
    """
    records, into, id = run.records, run.into, run.assignment.id
    for other, outdated in outcome.outdated.items():
        forget_verdicts(find_assignment(other, run.assignment.course), outdated)
    records.commit()
    if earlier.has_earlier_lists(into):
        (into / RECEIVED).rename(into / earlier.IMPORTED)
    table = write_unmatched(records, into, id)
    removed, blocked = write_placements(records, into, id, outcome.before)
    for other in outcome.others:
        write_unmatched(records, into, other)
        blocked += write_placements(records, into, other)[1]
    gone = (
        f"Taken out of `{into}`, because it is not theirs any more: {name_some(removed)}. The next "
        "`grade` takes them out of the gradebook."
    )
    return [gone] if removed else [], blocked, table


@dataclass(frozen=True)
class Undone:
    """What taking back a run changes, by assignment, as a choice may be for another one: the
    students whose graded notebook changes or goes, and the verdicts that go, by student.
    """

    run: CollectRun
    changed: dict[str, list[str]] = field(default_factory=dict)
    outdated: dict[str, dict[str, set[str]]] = field(default_factory=dict)


def undo(
    records: Session, assignment: Assignment, into: Path, marked: Callable[[Assignment], set[str]]
) -> Undone:
    """Take back the last run of `collect` for an assignment, in the records.

    `marked`: returns the students who have marks by hand. Raises `AutograderError` if there is no run,
    or if a mark depends on it.
    """
    run = last_run(records, assignment.id)
    if run is None:
        raise AutograderError(f"Nothing was collected of `{assignment.id}` that could be undone.")
    facts = [
        row for kind in FACTS for row in records.scalars(select(kind).where(kind.run_id == run.id))
    ]
    hashes = {hash for row in facts if isinstance(row, Submission) for hash in row.hashes}
    ids = {assignment.id, *(row.assignment for row in facts)}
    before = {id: (_graded_notebooks(records, id), owned_notebooks(records, id)) for id in ids}
    for id in ids:
        clear_derived(records, id)  # they refer to what goes
    for kind in FACTS:
        records.execute(delete(kind).where(kind.run_id == run.id))
    run.undone_at = datetime.now(UTC).replace(tzinfo=None)
    undone = Undone(run)
    for id in ids:
        other = find_assignment(id, assignment.course)
        graded, owned = before[id]
        settled, undone.outdated[id] = _settle_anew(records, other, into, owned)
        after = {owner: best.notebook for owner, best in settled.counted.items()}
        undone.changed[id] = sorted(
            owner for owner, notebook in graded.items() if after.get(owner) != notebook
        )
        results = ResultsFolder(other.course.root / RESULTS, other)
        has_marks = marked(other) - {
            who
            for who in undone.changed[id]
            if (verdict := results.verdict(who)) and verdict.state == "unreadable"
        }  # what cannot be read has no marks
        alone_with = settled.groups.in_no_other
        changed = undone.changed[id]
        if kept := [one for one in changed if has_marks.intersection([one, *alone_with(one)])]:
            raise AutograderError(
                f"{name_some(kept)}: marks were given by hand for what this run brought, so it stays. "
                "Nothing was changed."
            )
    forget_unused_files(records, hashes)
    return undone


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
    counts = Counter(id for parts in names for id in {*_assignments_in(parts, [*assignments])})
    total = counts.total()
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
