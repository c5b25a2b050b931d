"""Submissions to their places: each student's notebook, what was received, and the roster."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from autograder.engine.course.assignment import Assignment, UnknownAssignment, find_assignment
from autograder.engine.graded import describe_error
from autograder.people.roster import Person, read_roster, roster_path, write_roster
from autograder.platforms.collect.choices import write_not_placed
from autograder.platforms.collect.choose import NotChosen, choose_notebook
from autograder.platforms.collect.contents import Content, read_contents
from autograder.platforms.collect.plan import Plan, describe, remembered_roster
from autograder.platforms.collect.receipts import Receipt, safe_name
from autograder.platforms.collect.received import NotPlaced, StudentFolders
from autograder.platforms.collect.times import HandInTime, PlacedTime, time_handed_in
from autograder.platforms.collect.unplaced import ASIDE, Unplaced, UnplacedStore
from autograder.platforms.git import BY_COMMIT, BY_TAG
from autograder.platforms.platform import HandedIn
from autograder.text.printable import printable
from autograder.text.times import timestamp_text

CLOCKS = {BY_COMMIT: "time of the commit", BY_TAG: "time of the tag"}  # that students may set


@dataclass(frozen=True)
class Placed:
    """What became of one submission."""

    student: str
    outcome: str  # "new", "newer", "older", "unchanged"
    submitted_at: str | None
    remark: str


def place(plan: Plan, assignment: Assignment, into: Path) -> Iterator[Placed | None]:
    """Place one submission after the other; give None for what cannot be, and say so in the plan.

    Raises `OSError`: what was placed before stays, and the roster has it.
    """
    people: dict[str, list[Person]] = defaultdict(list)
    store = UnplacedStore(into, assignment.id)
    try:
        if plan.course is not None:
            write_roster(remembered_roster(into, assignment.id), plan.course)
        for unplaced in plan.unplaced:
            _leave(store, unplaced, plan)
        for handed_in in plan.to_place:
            handed_in, key_before, sentence = store.as_the_platform_said(handed_in)
            contents, unread = read_contents(handed_in.files)
            try:
                where = find_assignment(handed_in.assignment or assignment.id, assignment.course)
                placed = _place_one(handed_in, contents, unread, where, into, plan)
            except OSError:
                raise
            except Exception as error:  # whatever it is, the others have their places
                ours = isinstance(error, NotChosen | NotPlaced | UnknownAssignment)
                why = f"{describe(handed_in)}: {error if ours else describe_error(error)}."
                reason = f"{why} The student's id is `{handed_in.person.student}`."
                _leave(store, Unplaced(handed_in, reason, contents), plan)
                yield None
                continue
            people[where.id].append(handed_in.person)
            store.settle(handed_in, contents, handed_in.person.student)
            if key_before:
                store.settle_key(key_before, handed_in.person.student)
            plan.notes += [sentence] if sentence else []
            yield placed
        for key in plan.set_aside:
            store.settle_key(key, ASIDE)
    finally:
        for id, found in people.items():
            _add_to_roster(found, into, id)
        plan.table = write_not_placed(store)


def _place_one(
    handed_in: HandedIn,
    contents: list[Content],
    unread: list[str],
    assignment: Assignment,
    into: Path,
    plan: Plan,
) -> Placed:
    """Place what one student handed in, and note its time in the plan.

    Raises `NotChosen`, `NotPlaced`, `OSError`.
    """
    student = handed_in.person.student
    notebook, remark = _chosen(handed_in, contents, unread, assignment)
    told = time_handed_in(handed_in, notebook.file)
    receipt = _receipt(handed_in, notebook, told)
    folders = StudentFolders(into, assignment.id, student)
    kept = _files_to_keep(receipt, notebook, contents)
    outcome = folders.place(receipt, kept)
    folders.keep_others([one for one in contents if one.data not in kept.values()])
    known_before = told.when is None and folders.timestamp() is not None
    if outcome != "older" and not known_before:
        plan.known_times.append(PlacedTime(student, told, bool(receipt.late)))
    not_kept = [f"{one}, and is not kept" for one in unread]
    late = "late" if receipt.late else ""
    clock = CLOCKS.get(receipt.time_from, "")
    elsewhere = f"placed as `{handed_in.assignment}`" if handed_in.assignment else ""
    remarks = [elsewhere, _team(handed_in), remark, late, clock, *not_kept]
    return Placed(
        student=student,
        outcome=outcome,
        submitted_at=receipt.submitted_at,
        remark="; ".join(filter(None, remarks)),
    )


def _leave(store: UnplacedStore, unplaced: Unplaced, plan: Plan) -> None:
    """Keep what has no place and say why, unless somebody chose for it before. Raises `OSError`."""
    try:
        chosen_before = store.keep(unplaced)
    except NotPlaced as error:
        plan.not_placed.append(f"{unplaced.sentence} It is not kept, either: {error}.")
        return
    if chosen_before and not unplaced.handed_in.chosen:
        plan.chosen_before += 1
    else:
        plan.not_placed.append(unplaced.sentence)


def _chosen(
    handed_in: HandedIn, contents: list[Content], unread: list[str], assignment: Assignment
) -> tuple[Content, str]:
    """The notebook that was handed in, and a remark. Raises `NotChosen`."""
    if not contents and not unread and any(file.is_empty_folder for file in handed_in.files):
        raise NotChosen("the folder is empty: ask whether something was handed in in another way")
    try:
        return choose_notebook(contents, assignment, handed_in.chosen)
    except NotChosen as error:
        raise NotChosen("; ".join([*unread, str(error)])) from error


def _add_to_roster(people: list[Person], into: Path, assignment_id: str) -> None:
    """Merge into the roster: what a download does not say stays as it was."""
    known = read_roster(into, assignment_id)
    for person in people:
        old = known.get(person.student, person)
        if old.number and not person.number:  # from a place that knows less of people
            person = replace(person, platform=old.platform, number=old.number)
        known[person.student] = replace(
            person,
            name=person.name or old.name,
            email=person.email or old.email,
            section=person.section or old.section,
        )
    write_roster(roster_path(into, assignment_id), known.values())


def _receipt(handed_in: HandedIn, notebook: Content, told: HandInTime) -> Receipt:
    person = handed_in.person
    return Receipt(
        student=person.student,
        platform=person.platform,
        number=person.number,
        name=person.name,
        email=person.email,
        submitted_at=timestamp_text(told.when) if told.when else None,
        time_from=told.time_from,
        clock=told.clock,
        late=handed_in.late,
        upload=notebook.file.upload,
        sha256=notebook.hash,
        bytes=len(notebook.data),
        file=safe_name(notebook.name),
        download=printable(handed_in.download),
        member=notebook.file.path,
        inside=notebook.path_in_zip,
        collected_at=datetime.now(UTC).isoformat(),
        order=0,
    )


def _files_to_keep(
    receipt: Receipt, notebook: Content, contents: list[Content]
) -> dict[str, bytes]:
    """The notebook and, if it came in one, the zip around it."""
    files = {receipt.file: notebook.data}
    if notebook.path_in_zip:
        zip_data = next(one.data for one in contents if one.file is notebook.file)
        name = safe_name(notebook.file.original_name)
        files[name if name != receipt.file else f"{name}.zip"] = zip_data
    return files


def _team(handed_in: HandedIn) -> str:
    if not handed_in.team:
        return ""
    return f"for {printable(handed_in.team)}, whose members the download does not name"
