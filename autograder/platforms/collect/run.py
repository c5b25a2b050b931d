"""Run `collect`: record the facts, compute what follows from them, and write the notebooks that are
graded. `commands/collect_run.py` prints what this returns.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from autograder.classroom.late_files import COLUMNS, read_said
from autograder.classroom.records import open_records
from autograder.classroom.records.received import (
    FACTS,
    Choice,
    CollectRun,
    Placement,
    Sighting,
    Submission,
    clear_derived,
    forget_unused_files,
)
from autograder.classroom.roster import RECEIVED
from autograder.engine import (
    Assignment,
    AutograderError,
    Course,
    courses,
    files,
    find_assignment,
    name_some,
    printable,
    texts,
)
from autograder.gradebook.lateness.late_policy import course_zone
from autograder.platforms import exchange
from autograder.platforms.collect import earlier
from autograder.platforms.collect.graded import put_by_hand, take_out, write_placements
from autograder.platforms.collect.receive import Run
from autograder.platforms.collect.settle import Candidate, Settling, settle
from autograder.platforms.collect.times import BY_HAND
from autograder.platforms.collect.unmatched import write_unmatched
from autograder.platforms.collect.verdicts import (
    Notebooks,
    forget_verdicts,
    outdated_verdicts,
    owned_notebooks,
    with_lost_marks,
)
from autograder.platforms.download import Download, may_hold_notebook

KEPT_ASIDE = "Another submission counts"
CLEAR = 2  # times as many names must say one assignment as say all others


class Placed(NamedTuple):
    """The notebooks of an assignment as it was settled last: those that are graded, by student or
    group, and all that may be.
    """

    graded: dict[str, str]
    owned: Notebooks


@dataclass(frozen=True)
class Settled:
    """What follows from all facts for one assignment, and what that changes."""

    settling: Settling
    before: Placed
    outdated: dict[str, set[str]]  # verdicts, by student

    @property
    def changed(self) -> list[str]:
        """The students and groups whose graded notebook changes or goes."""
        counted = {owner: best.notebook for owner, best in self.settling.counted.items()}
        graded = self.before.graded.items()
        return sorted(owner for owner, notebook in graded if counted.get(owner) != notebook)

    def take_out(self) -> list[str]:
        """Remove the notebooks that are graded no more and would be graded again if this run ended
        now: of students of whom nothing is graded any more, who are returned, and of those who lose
        a submission. Raises `OSError`.
        """
        gone = self.before.graded.keys() - self.settling.counted
        losing = gone.union(self.outdated.keys() & self.changed)
        placed = {student: self.before.graded[student] for student in sorted(losing)}
        return [
            student
            for student in take_out(self.settling.into, self.settling.id, placed)
            if student in gone
        ]


@dataclass(frozen=True)
class Outcome:
    """What a run of `collect` does; nothing is written yet."""

    results: list[Candidate]  # the submissions of this run, each with its outcome
    unmatched: list[str]  # of this run, a sentence each
    listed: int  # all that is unmatched
    notes: list[str]
    settled: list[Settled]  # this run's assignment first
    counted: set[int]  # ids of the submissions that are graded


@contextmanager
def alone_in(into: Path) -> Iterator[None]:
    """Lock the folder of submissions against other runs of `collect` within the block. It is not
    created: if it does not exist, the nearest folder above is locked. Raises `AutograderError` if
    another run has the lock.
    """
    nearest = next(folder for folder in (into, *into.absolute().parents) if folder.is_dir())
    with files.locked(
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
        for other in courses.every(assignment.course):
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
    ids = _concerned(run.records, run.row)
    all_settled = _settle_anew(run.records, run.assignment, run.into, _placed(run.records, ids))
    settled, graded = all_settled[0].settling, all_settled[0].before.graded
    results = [
        replace(one, outcome=_outcome(one, run, settled, graded))
        for one in settled.candidates
        if one.submission.id in run.seen and one.notebook
    ]
    results.sort(key=lambda result: (result.owner, result.order))
    unmatched = [why for number, why in sorted(settled.unmatched.items()) if number in run.seen]
    notes = [*run.notes, *settled.groups.notes, *_about_facts(run, settled)]
    counted = {one.submission.id for one in settled.counted.values()}
    return Outcome(results, unmatched, len(settled.unmatched), notes, all_settled, counted)


def _concerned(records: Session, run: CollectRun) -> list[str]:
    """Return the assignments for which a run has facts, its own first: also those for which a
    submission was chosen before, if the run chooses anew.
    """
    chosen = select(Choice.submission_id).where(Choice.run_id == run.id)
    ids = records.scalars(select(Choice.assignment).where(Choice.submission_id.in_(chosen)))
    return [run.assignment, *sorted({*ids} - {run.assignment})]


def _placed(records: Session, ids: Iterable[str]) -> dict[str, Placed]:
    """Return the notebooks of these assignments, as they were settled last."""
    placed = select(Placement.student, Placement.notebook)
    rows = {id: records.execute(placed.where(Placement.assignment == id)).all() for id in ids}
    return {id: Placed(dict(graded), owned_notebooks(records, id)) for id, graded in rows.items()}


def _settle_anew(
    records: Session, assignment: Assignment, into: Path, before: dict[str, Placed]
) -> list[Settled]:
    """Settle these assignments of the course. `before`: their notebooks, by assignment."""
    settled = []
    for id, placed in before.items():
        other = find_assignment(id, assignment.course)
        settling = settle(records, other, into)
        settled.append(Settled(settling, placed, outdated_verdicts(records, other, placed.owned)))
    return settled


def _outcome(one: Candidate, run: Run, settled: Settling, before: dict[str, str]) -> str:
    best = settled.counted[one.owner]
    is_same = before.get(one.owner) == best.notebook
    if one.submission.id != best.submission.id:
        is_known = is_same and one.submission.id not in run.new | run.chosen
        return "unchanged" if is_known else "older"
    if one.owner not in before:
        return "new"
    return "unchanged" if is_same else "newer"


def _about_facts(run: Run, settled: Settling) -> Iterator[str]:
    """Yield sentences on zones, drafts, extensions and teams."""
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
    changed = [
        f"{person.student} ({f'until {texts.time_text(now, settled.zone)}' if now else 'none'})"
        for person in settled.people
        if (before := settled.granted_before.get(person.student))
        and (now := person.granted_until) != before
    ]
    if changed:
        yield f"The platform has changed the extension of {name_some(changed)}."
    yield from _about_teams(run, seen, settled)


def _about_teams(run: Run, seen: list[Candidate], settled: Settling) -> Iterator[str]:
    """Yield sentences on members of teams who are not known, and on members who submitted each for
    themselves.
    """
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
                f"{one.owner}: `{printable(one.submission.label)}` says {texts.time_text(claimed, zone)}, and was not "
                f"in the exchange with this content at {texts.time_text(missed, zone)}. {then}."
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
            yield f"{result.owner}: {texts.time_text(when, zone)} is still to come. {then}"
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
    records, into = run.records, run.into
    for one in outcome.settled:
        forget_verdicts(one.settling.assignment, one.outdated)
    # before the records forget that these notebooks were placed: a run may end at any step
    removed = sorted({student for one in outcome.settled for student in one.take_out()})
    records.commit()
    if earlier.has_earlier_lists(into):
        (into / RECEIVED).rename(into / earlier.IMPORTED)
    ids = [one.settling.id for one in outcome.settled]
    table, *_ = [write_unmatched(records, into, id) for id in ids]
    blocked = [sentence for id in ids for sentence in write_placements(records, into, id)]
    gone = (
        f"Taken out of `{into}`, because it is not theirs any more: {name_some(removed)}. The next "
        "`grade` takes them out of the gradebook."
    )
    return [gone] if removed else [], blocked, table


def undo(
    records: Session, assignment: Assignment, into: Path
) -> tuple[CollectRun, list[Settled], set[str]]:
    """Take back the last run of `collect` for an assignment, in the records; return the run, what
    follows from the facts that stay, and the hashes of the files that the run brought.

    Raises `AutograderError` if there is no run, or if a mark by hand depends on it.
    """
    run = last_run(records, assignment.id)
    if run is None:
        raise AutograderError(f"Nothing was collected of `{assignment.id}` that could be undone.")
    brought = [*records.scalars(select(Submission).where(Submission.run_id == run.id))]
    hashes = {hash for one in brought if one.label != BY_HAND for hash in one.hashes}
    before = _placed(records, _concerned(records, run))
    for id in before:
        clear_derived(records, id)  # they refer to what goes
    by_hand = [one.id for one in brought if one.label == BY_HAND]  # they were there before the run
    staying = {
        Submission: Submission.id.not_in(by_hand),
        Sighting: Sighting.submission_id.not_in(by_hand),
    }
    for kind in FACTS:
        of_run = delete(kind).where(kind.run_id == run.id)
        records.execute(of_run.where(staying[kind]) if kind in staying else of_run)
    run.undone_at = datetime.now(UTC).replace(tzinfo=None)
    settled = _settle_anew(records, assignment, into, before)
    for one in settled:
        owned, groups = one.before.owned, one.settling.groups
        if kept := with_lost_marks(records, one.settling.assignment, owned, groups):
            raise AutograderError(
                f"{name_some(kept)}: marks were given by hand for what this run brought, so it stays. "
                "Nothing was changed."
            )
    return run, settled, hashes


def write_undone(records: Session, into: Path, settled: list[Settled], hashes: set[str]) -> None:
    """Write what is graded after a run was taken back, and commit. Raises `OSError`."""
    for one in settled:
        forget_verdicts(one.settling.assignment, one.outdated)
        one.take_out()
        # before the records forget the run's notebooks, else they would be taken for staff's
        write_placements(records, into, one.settling.id)
    forget_unused_files(records, hashes)
    records.commit()
    for one in settled:
        write_unmatched(records, into, one.settling.id)


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
    assignments = {one.id: one for one in courses.every(course)}
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
    raise courses.cannot_tell(several if counts else nothing, sorted(counts or assignments))


def _assignments_in(parts: tuple[str, ...], ids: list[str]) -> list[str]:
    """Return those of the assignments `ids` that a file's own name contains; if none, those that
    the names of its folders contain; [] for a file that cannot hold a notebook.
    """
    if not may_hold_notebook(parts[-1]):
        return []
    return courses.in_name(parts[-1], ids) or [
        id for part in parts[:-1] for id in courses.in_name(part, ids)
    ]
