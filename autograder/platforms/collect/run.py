"""Run `collect`: record the facts, settle the assignment, and write the notebooks to grade.
`commands/collect_run.py` prints the results.
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
CLEAR = 2  # minimum ratio of an assignment's names to those of all others


class Placed(NamedTuple):
    """Notebooks of an assignment when it was last settled. `graded`: by student or group."""

    graded: dict[str, str]
    owned: Notebooks


@dataclass(frozen=True)
class Settled:
    """A settled assignment, with its state before."""

    settling: Settling
    before: Placed
    outdated: dict[str, set[str]]  # verdicts, by student

    @property
    def changed(self) -> list[str]:
        """Students and groups with a replaced or removed graded notebook."""
        counted = {owner: candidate.notebook for owner, candidate in self.settling.counted.items()}
        graded = self.before.graded.items()
        return sorted(owner for owner, notebook in graded if counted.get(owner) != notebook)

    def take_out(self) -> list[str]:
        """Remove notebooks that must not be graded, even if the run is interrupted now: those of
        students without a graded submission, who are returned, and changed notebooks of students
        with a lost submission. Raises `OSError`.
        """
        without_any = self.before.graded.keys() - self.settling.counted
        losing = without_any.union(self.outdated.keys() & self.changed)
        placed = {student: self.before.graded[student] for student in sorted(losing)}
        return [
            student
            for student in take_out(self.settling.into, self.settling.id, placed)
            if student in without_any
        ]


@dataclass(frozen=True)
class Outcome:
    """The effect of a run of `collect` before anything is written."""

    results: list[Candidate]  # the submissions of this run, each with its outcome
    unmatched: list[str]  # a sentence for each unmatched submission of this run
    listed: int  # number of unmatched submissions of all runs
    notes: list[str]
    settled: list[Settled]  # this run's assignment first
    counted: set[int]  # ids of the submissions that are graded


@contextmanager
def alone_in(into: Path) -> Iterator[None]:
    """Lock the folder of submissions against other runs of `collect` within the block. The folder
    is not created: if it is missing, the nearest existing parent is locked. Raises
    `AutograderError` if another run has the lock.
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
    """Yield a run in a transaction on the records, with a lock on the folder of submissions
    (`into`). Lists of earlier versions and notebooks put there by hand are recorded first.

    `dry_run`: roll everything back. `options`: those of `Run`. Raises `AutograderError` if another
    run is collecting, or if the records cannot be used.
    """
    with alone_in(into), open_records(into, write=not dry_run) as records:
        yield _begin(records, assignment, into, **options)


def _begin(records: Session, assignment: Assignment, into: Path, **options: Any) -> Run:
    if earlier.has_earlier_lists(into):
        recorded_ids = earlier.assignments_of_lists(into)
        for earlier_assignment in courses.every(assignment.course):
            if earlier_assignment.id in recorded_ids:
                imported = Run(records, earlier_assignment, into)
                imported.row.command = earlier.COMMAND
                earlier.import_lists(imported)
                settle(records, earlier_assignment, into)
    run = Run(records, assignment, into, **options)
    for notebook in put_by_hand(records, into, assignment.id):
        run.record_by_hand(*notebook)
    return run


def settle_run(run: Run) -> Outcome:
    """Settle all assignments for which a run has facts, and return the effect of the run. Raises
    `TableError` if a table of groups cannot be used.
    """
    ids = _concerned(run.records, run.row)
    all_settled = _settle_anew(run.records, run.assignment, run.into, _placed(run.records, ids))
    settled, graded = all_settled[0].settling, all_settled[0].before.graded
    results = [
        replace(candidate, outcome=_outcome(candidate, run, settled, graded))
        for candidate in settled.candidates
        if candidate.submission.id in run.seen and candidate.notebook
    ]
    results.sort(key=lambda result: (result.owner, result.order))
    unmatched = [reason for id, reason in sorted(settled.unmatched.items()) if id in run.seen]
    notes = [*run.notes, *settled.groups.notes, *_about_facts(run, settled)]
    counted = {candidate.submission.id for candidate in settled.counted.values()}
    return Outcome(results, unmatched, len(settled.unmatched), notes, all_settled, counted)


def _concerned(records: Session, run: CollectRun) -> list[str]:
    """Return the assignments for which a run has facts or changes earlier choices, its own first."""
    chosen = select(Choice.submission_id).where(Choice.run_id == run.id)
    ids = records.scalars(select(Choice.assignment).where(Choice.submission_id.in_(chosen)))
    return [run.assignment, *sorted({*ids} - {run.assignment})]


def _placed(records: Session, ids: Iterable[str]) -> dict[str, Placed]:
    """Return the notebooks of these assignments when they were last settled."""
    placed = select(Placement.student, Placement.notebook)
    rows = {id: records.execute(placed.where(Placement.assignment == id)).all() for id in ids}
    return {id: Placed(dict(graded), owned_notebooks(records, id)) for id, graded in rows.items()}


def _settle_anew(
    records: Session, assignment: Assignment, into: Path, placed_by_assignment: dict[str, Placed]
) -> list[Settled]:
    settled = []
    for id, placed in placed_by_assignment.items():
        current = find_assignment(id, assignment.course)
        settling = settle(records, current, into)
        settled.append(Settled(settling, placed, outdated_verdicts(records, current, placed.owned)))
    return settled


def _outcome(candidate: Candidate, run: Run, settled: Settling, graded: dict[str, str]) -> str:
    best = settled.counted[candidate.owner]
    is_same = graded.get(candidate.owner) == best.notebook
    if candidate.submission.id != best.submission.id:
        is_known = is_same and candidate.submission.id not in run.new | run.chosen
        return "unchanged" if is_known else "older"
    if candidate.owner not in graded:
        return "new"
    return "unchanged" if is_same else "newer"


def _about_facts(run: Run, settled: Settling) -> Iterator[str]:
    candidates = [
        candidate for candidate in settled.candidates if candidate.submission.id in run.seen
    ]
    times = {
        (candidate.time.source, candidate.time.zone, candidate.time.is_told)
        for candidate in candidates
        if candidate.time.zone
    }
    for source, zone, is_told in sorted(times):
        hint = "the course's zone. Where that is wrong, collect again with --timezone."
        reason = "as --timezone says." if is_told else hint
        yield f"Times of {source} were read as {zone}, {reason}"
    yield from _about_backdated(run, candidates, settled)
    drafts = [
        candidate.owner for candidate in settled.drafts if candidate.submission.id in run.seen
    ]
    if drafts:
        yield f"Drafts, which are not graded: {name_some(sorted(drafts))}. With --drafts they are."
    changed = [
        f"{person.student} ({f'until {texts.time_text(current, settled.zone)}' if current else 'none'})"
        for person in settled.people
        if (previous := settled.granted_before.get(person.student))
        and (current := person.granted_until) != previous
    ]
    if changed:
        yield f"The platform has changed the extension of {name_some(changed)}."
    yield from _about_teams(run, candidates, settled)


def _about_teams(run: Run, candidates: list[Candidate], settled: Settling) -> Iterator[str]:
    """Yield sentences on unknown members of teams, and on teams with several submitting members."""
    owners = {candidate.owner for candidate in candidates}
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
    senders = {(candidate.owner, candidate.sender) for candidate in candidates if candidate.sender}
    counts = Counter(group for group, _ in senders)
    groups = sorted(group for group, count in counts.items() if count > 1)
    if groups:
        yield (
            f"Several members of {name_some(groups)} have submitted, and the newest counts for "
            f"all of them. If `{run.assignment.id}` is done alone, write the line "
            f"`*,,{run.assignment.id}` into `groups.csv`, beside nbgrader_config.py, and collect "
            "again."
        )


def _about_backdated(run: Run, candidates: list[Candidate], settled: Settling) -> Iterator[str]:
    """Yield a sentence on each exchange submission with a time before a run that did not find it."""
    zone, counted = settled.zone, settled.counted
    for candidate in candidates:
        claimed, missed = candidate.time.when, candidate.time.missed_at
        if claimed and missed and candidate.submission.id in run.new:
            counts = candidate.submission.id == counted[candidate.owner].submission.id
            advice = "If it was made later, write its time into late.csv" if counts else KEPT_ASIDE
            yield (
                f"{candidate.owner}: `{printable(candidate.submission.label)}` says {texts.time_text(claimed, zone)}, and was not "
                f"in the exchange with this content at {texts.time_text(missed, zone)}. {advice}."
            )


def about_times(course: Course, outcome: Outcome, zone: tzinfo) -> Iterator[str]:
    """Yield a sentence on each problem with times of submission: unknown times, late submissions
    without a time, doubtful times. Times in late.csv are not doubtful.
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
        time, counts = result.time.when, result.submission.id in outcome.counted
        if counts and (result.owner, result.submission.assignment) in timed:
            continue
        if time and result.time.is_to_come:
            advice = "Is the time zone right?" if counts else f"{KEPT_ASIDE}."
            yield f"{result.owner}: {texts.time_text(time, zone)} is still to come. {advice}"
        elif result.time.doubt and counts:
            yield f"{result.owner}: {result.time.doubt}. Is the time zone right?"


def _with_late_times(course: Course) -> set[tuple[str, str]]:
    """Return pairs of student and assignment with a time in late.csv."""
    with suppress(AutograderError):  # `grade` reports unusable lines
        entries = read_said(course.root / "late.csv", COLUMNS["late.csv"], course_zone(course))
        return {key for key, entry in entries.items() if entry.when}
    return set()


def is_late_without_time(result: Candidate) -> bool:
    """Whether the platform marks a submission as late without giving its time."""
    return result.outcome != "older" and bool(result.is_late) and result.time.when is None


def write(run: Run, outcome: Outcome) -> tuple[list[str], list[str], Path | None]:
    """Commit the facts, and write the notebooks to grade and the table of unmatched submissions.
    Return sentences for staff, sentences on notebooks that could not be written, and the path of
    the table. Raises `OSError`.
    """
    records, into = run.records, run.into
    for settled in outcome.settled:
        forget_verdicts(settled.settling.assignment, settled.outdated)
    # before the commit removes their old locations from the records: a run can be interrupted at any step
    removed = sorted({student for settled in outcome.settled for student in settled.take_out()})
    records.commit()
    if earlier.has_earlier_lists(into):
        (into / RECEIVED).rename(into / earlier.IMPORTED)
    ids = [settled.settling.id for settled in outcome.settled]
    table, *_ = [write_unmatched(records, into, id) for id in ids]
    blocked = [sentence for id in ids for sentence in write_placements(records, into, id)]
    removal = (
        f"Taken out of `{into}`, because it is not theirs any more: {name_some(removed)}. The next "
        "`grade` takes them out of the gradebook."
    )
    return [removal] if removed else [], blocked, table


def undo(
    records: Session, assignment: Assignment, into: Path
) -> tuple[CollectRun, list[Settled], set[str]]:
    """Undo the last run of `collect` for an assignment, in the records. Return the run, the
    assignments settled without it, and the hashes of the files that it added.

    Raises `AutograderError` if nothing was collected, or if a mark by hand depends on the run.
    """
    run = last_run(records, assignment.id)
    if run is None:
        raise AutograderError(f"Nothing was collected of `{assignment.id}` that could be undone.")
    brought = [*records.scalars(select(Submission).where(Submission.run_id == run.id))]
    hashes = {
        hash for submission in brought if submission.label != BY_HAND for hash in submission.hashes
    }
    placed_by_assignment = _placed(records, _concerned(records, run))
    for id in placed_by_assignment:
        clear_derived(records, id)  # these rows refer to facts that are deleted
    # notebooks put there by hand existed before the run
    by_hand = [submission.id for submission in brought if submission.label == BY_HAND]
    staying = {
        Submission: Submission.id.not_in(by_hand),
        Sighting: Sighting.submission_id.not_in(by_hand),
    }
    for kind in FACTS:
        of_run = delete(kind).where(kind.run_id == run.id)
        records.execute(of_run.where(staying[kind]) if kind in staying else of_run)
    run.undone_at = datetime.now(UTC).replace(tzinfo=None)
    settled = _settle_anew(records, assignment, into, placed_by_assignment)
    for settled_assignment in settled:
        owned, groups = settled_assignment.before.owned, settled_assignment.settling.groups
        if owners := with_lost_marks(
            records, settled_assignment.settling.assignment, owned, groups
        ):
            raise AutograderError(
                f"{name_some(owners)}: marks were given by hand for what this run brought, so it stays. "
                "Nothing was changed."
            )
    return run, settled, hashes


def write_undone(records: Session, into: Path, settled: list[Settled], hashes: set[str]) -> None:
    """Write the notebooks to grade after a run was undone, and commit. Raises `OSError`."""
    for settled_assignment in settled:
        forget_verdicts(settled_assignment.settling.assignment, settled_assignment.outdated)
        settled_assignment.take_out()
        # before the commit: notebooks without a record would be taken for staff's own files
        write_placements(records, into, settled_assignment.settling.id)
    forget_unused_files(records, hashes)
    records.commit()
    for settled_assignment in settled:
        write_unmatched(records, into, settled_assignment.settling.id)


def last_run(records: Session, assignment_id: str = "") -> CollectRun | None:
    """Return the last run of `collect` that was not undone, of an assignment or of any."""
    query = select(CollectRun).where(
        CollectRun.undone_at.is_(None), CollectRun.command != earlier.COMMAND
    )
    if assignment_id:
        query = query.where(CollectRun.assignment == assignment_id)
    return records.scalar(query.order_by(CollectRun.id.desc()).limit(1))


def assignment_of(downloads: list[Download], course) -> Assignment:
    """Return the assignment of the downloads, by the names of notebooks and of the folders around
    them. More than two thirds of the names must agree. Other names do no harm, because the cells of
    each notebook are checked later.

    Raises `CourseError` without a clear majority.
    """
    assignments = {assignment.id: assignment for assignment in courses.every(course)}
    if len(assignments) == 1:
        return next(iter(assignments.values()))
    names = [file.parts for download in downloads for file in download.files]
    counts = Counter(id for parts in names for id in {*_assignments_in(parts, [*assignments])})
    total = counts.total()
    if clear := [id for id, count in counts.items() if count > CLEAR * (total - count)]:
        return assignments[clear[0]]
    download_names = " and ".join(f"`{printable(download.name)}`" for download in downloads)
    ambiguity = f"There are notebooks of {' and of '.join(sorted(counts))} in {download_names}"
    absence = f"No name in {download_names} says of which assignment it is"
    raise courses.cannot_tell(ambiguity if counts else absence, sorted(counts or assignments))


def _assignments_in(parts: tuple[str, ...], ids: list[str]) -> list[str]:
    """Return the assignments (`ids`) named by a file that can be a notebook, or by its folders."""
    if not may_hold_notebook(parts[-1]):
        return []
    return courses.in_name(parts[-1], ids) or [
        id for part in parts[:-1] for id in courses.in_name(part, ids)
    ]
