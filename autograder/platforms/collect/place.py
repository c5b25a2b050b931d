"""Place submissions: keep all received files, copy each student's newest notebook to where it is
graded, and write the roster and the table of submissions that are not placed.

The submission `Ada Softmax_42_assignsubmission_file/` with `sheet-3.ipynb` and `plot.png` in it, as
an example:

    kept       submitted/.received/sheet-3/files/<hash>-sheet-3.ipynb and <hash>-plot.png
    graded     submitted/ada-softmax-42/sheet-3/sheet-3.ipynb, beside it timestamp.txt if a time is known
    returned   Placed("ada-softmax-42", outcome="new", ...)
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace as with_fields

from autograder.engine.course.assignment import Assignment, find_assignment
from autograder.engine.graded import describe_error
from autograder.people.groups import CourseGroups, Groups
from autograder.people.matching import NotPlaced
from autograder.people.roster import (
    Person,
    read_roster,
    remembered_roster,
    roster_path,
    write_roster,
)
from autograder.platforms.collect.choose import choose_notebook
from autograder.platforms.collect.contents import Content, read_contents
from autograder.platforms.collect.graded import GradedFolder
from autograder.platforms.collect.not_placed import ASIDE, rows_of, write_not_placed
from autograder.platforms.collect.plan import Plan, describe
from autograder.platforms.collect.receipts import Receipt
from autograder.platforms.collect.store import ReceivedStore, Unplaced, key_of
from autograder.platforms.collect.times import HandInTime, Placement, time_handed_in
from autograder.platforms.download import NOTEBOOK, may_hold_notebook
from autograder.platforms.git import BY_COMMIT, BY_TAG
from autograder.platforms.platform import HandedIn
from autograder.text.errors import CommandError
from autograder.text.printable import printable
from autograder.text.times import timestamp_text
from autograder.text.wording import name_some

CLOCKS = {BY_COMMIT: "time of the commit", BY_TAG: "time of the tag"}  # that students may set


def place(plan: Plan, assignment: Assignment, into: Path) -> Iterator[Placement | None]:
    """Place the submissions of a plan in the folder `into`, one after the other.

    Yield a `Placement` for each; None for one that cannot be placed, for which a sentence is added
    to `plan.not_placed`. At the end the roster and the table `not-placed.csv` are written. If
    `CommandError` or `OSError` is raised, what was placed before stays, and is in the roster.
    """
    run = PlaceRun(plan, assignment, into)
    try:
        if plan.course is not None:
            write_roster(remembered_roster(into, assignment.id), plan.course)
        for handed_in, sentence in plan.unplaced:
            run.leave(handed_in, sentence, read_contents(handed_in.files)[0])
        for handed_in in plan.to_place:
            yield run.place(handed_in)
        for key in plan.set_aside:
            run.store.settle(key, ASIDE)
        run.clear_groups()
    finally:
        for id, found in run.people.items():
            _add_to_roster(found, into, id)
            run.groups.keep(id)
        plan.table = write_not_placed(run.store)


class PlaceRun:
    """One run of `collect` that places submissions: its plan, a store for each assignment, and the
    people placed so far.
    """

    def __init__(self, plan: Plan, assignment: Assignment, into: Path):
        self.plan, self.assignment = plan, assignment
        self.groups = plan.groups or CourseGroups(assignment.course.root, into)
        self.store = ReceivedStore(into, assignment.id)
        self.stores = {
            assignment.id: self.store
        }  # what is placed as another assignment has another
        self.people: dict[str, list[Person]] = defaultdict(list)  # by assignment

    def place(self, handed_in: HandedIn) -> Placement | None:
        """Place one submission and return its `Placement`. If it cannot be placed, store it as not
        placed, add the reason to the plan and return None. `OSError` is not caught.
        """
        handed_in, waiting, sentence = _as_the_platform_said(self.store, handed_in)
        contents, unread = read_contents(handed_in.files)
        try:
            id = handed_in.assignment or self.assignment.id
            where = find_assignment(id, self.assignment.course)
            if where.id not in self.stores:
                self.stores[where.id] = ReceivedStore(self.store.into, where.id)
            groups = self.groups.of(where.id)
            placed = _place_one(handed_in, contents, unread, where, self.stores[where.id], groups)
        except OSError:
            raise
        except Exception as error:  # whatever it is, the others have their places
            ours = isinstance(error, NotPlaced | CommandError)
            why = f"{describe(handed_in)}: {error if ours else describe_error(error)}."
            reason = f"{why} The student's id is `{handed_in.person.student}`."
            self.leave(handed_in, reason, contents)
            return None
        self.people[where.id] += _people_of(handed_in.person, groups, self.plan.course or [])
        self._settle(handed_in, contents, waiting)
        self.plan.notes += [sentence] if sentence else []
        return placed

    def leave(self, handed_in: HandedIn, sentence: str, contents: list[Content]) -> None:
        """Store a submission that cannot be placed, and add `sentence`, the reason, to the plan.
        `contents`: the submission's files.

        If staff chose a place for it in an earlier run, it is only counted in `plan.chosen_before`.
        If it cannot be stored, the sentence says so, too.
        """
        try:
            chosen_before = self.store.leave(handed_in, sentence, contents)
        except NotPlaced as error:
            self.plan.not_placed.append(f"{sentence} It is not kept, either: {error}.")
            return
        if chosen_before and not handed_in.chosen:
            self.plan.chosen_before += 1
        else:
            self.plan.not_placed.append(sentence)

    def clear_groups(self) -> None:
        """Remove what was placed for groups that are none any more, and add a sentence on it to the
        plan. All that was received stays.
        """
        id = self.assignment.id
        cleared = [one for one in self.groups.gone(id) if GradedFolder(self.store, one).clear()]
        if cleared:
            self.plan.notes.append(
                f"No groups any more, and taken out of `{self.store.into}`: {name_some(cleared)}. If "
                f"they were graded, delete their verdicts in the results of `{id}`."
            )

    def _settle(
        self, handed_in: HandedIn, contents: list[Content], waiting: Unplaced | None
    ) -> None:
        """Record that this submission is placed now: in its own record among those not placed, in
        the record `waiting` if there is one, and in records without readable files at the same
        paths. `contents`: the submission's files.
        """
        done = {key_of(handed_in, contents), waiting.key if waiting else ""}
        paths = {handed_in.label, *(content.file.path for content in contents)}
        for key, record in self.store.records.items():
            unread = not record.handed_in.files and record.handed_in.label in paths
            if key in done or unread:
                self.store.settle(key, handed_in.person.student)


def _as_the_platform_said(
    store: ReceivedStore, handed_in: HandedIn
) -> tuple[HandedIn, Unplaced | None, str]:
    """Complete a submission from a folder that staff unpacked by hand, which has neither number nor
    time, by what the student's unplaced records in the store say.

    Return the submission, the unplaced record that it resolves (or None), and a sentence on a time
    that was added (or ""). The person is taken from the student's last record. If exactly one
    record is still unplaced, the submission resolves it; the time of that record is used if it
    holds an archive.
    """
    person = handed_in.person
    if person.number or handed_in.submitted_at or handed_in.chosen:
        return handed_in, None, ""
    records = store.records.values()
    same = [one for one in records if one.handed_in.person.student == person.student]
    if not same:
        return handed_in, None, ""
    known = replace(handed_in, person=same[-1].handed_in.person)
    waiting = [one for one in same if not one.students]
    if len(waiting) != 1:
        return known, None, ""
    archive = store.handed_in(waiting[0])
    packed = any(_is_archive(one.kept) for one in archive.files)
    told = time_handed_in(archive, archive.files[0]) if packed else None
    if told is None or told.when is None:
        return known, waiting[0], ""
    file = next(row.file for row in rows_of(store) if row.record is waiting[0])
    sentence = (
        f"`{person.student}` is taken for what is in `{file}`, which had no place, with its time of "
        "handing in; where that is wrong, late.csv can say another."
    )
    return replace(known, submitted_at=told.when, time_from=told.time_from), waiting[0], sentence


def _is_archive(name: str) -> bool:
    return may_hold_notebook(name) and not NOTEBOOK.search(name)


def _place_one(
    handed_in: HandedIn,
    contents: list[Content],
    unread: list[str],
    assignment: Assignment,
    store: ReceivedStore,
    groups: Groups,
) -> Placement:
    """Store all files of one submission, and copy the student's newest notebook, or the group's, to
    where it is graded; return what was done.

    `unread`: half a sentence for each file that could not be read; `groups`: those of the
    assignment. Raises `NotPlaced` if no notebook can be chosen, or if something else is there.
    """
    notebook, remark = _chosen(handed_in, contents, unread, assignment)
    told = time_handed_in(handed_in, notebook.file)
    sender = handed_in.person.student
    graded = GradedFolder(store, groups.of(sender) or sender)
    graded.refuse_links()
    names = [store.keep(one.data, one.name, one.hash) for one in (*contents, notebook)]
    receipt = _receipt(handed_in, notebook, names[-1], told)
    if graded.student != sender:
        receipt = with_fields(receipt, student=graded.student, sender=sender)
    outcome = graded.take(receipt)
    known_before = told.when is None and graded.timestamp() is not None
    remarks = [
        f"placed as `{handed_in.assignment}`" if handed_in.assignment else "",
        "" if receipt.student in groups.by_id else _team(handed_in),
        f"sent by {sender}" if graded.student != sender else "",
        remark,
        "late" if receipt.late else "",
        CLOCKS.get(receipt.time_from, ""),
        *(f"{one}, and is not kept" for one in unread),
    ]
    return Placement(
        student=receipt.student,
        outcome=outcome,
        told=told,
        late=bool(receipt.late),
        time_counts=outcome != "older" and not known_before,
        remark="; ".join(filter(None, remarks)),
    )


def _chosen(
    handed_in: HandedIn, contents: list[Content], unread: list[str], assignment: Assignment
) -> tuple[Content, str]:
    """Return the notebook of a submission that will be graded, and a remark on it.

    `unread`: half a sentence for each file that could not be read, which the error then includes.
    Raises `NotPlaced` if no notebook can be chosen.
    """
    if not contents and not unread and any(file.is_empty_folder for file in handed_in.files):
        raise NotPlaced("the folder is empty: ask whether something was handed in in another way")
    try:
        return choose_notebook(contents, assignment, handed_in.chosen)
    except NotPlaced as error:
        raise NotPlaced("; ".join([*unread, str(error)])) from error


def _people_of(person: Person, groups: Groups, course: list[Person]) -> list[Person]:
    """Return those for whom a person has handed in: this one, or all members of the group, as the
    roster (`course`) has them.
    """
    known = {one.student: one for one in reversed(course)} | {person.student: person}
    everybody = groups.mates(person.student)
    return [known.get(student, Person(student)) for student in everybody]


def _add_to_roster(people: list[Person], into: Path, assignment_id: str) -> None:
    """Add people to the assignment's roster in the folder `into`. For those who are in it already,
    a field that is empty now keeps its old value.
    """
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


def _receipt(handed_in: HandedIn, notebook: Content, kept: str, told: HandInTime) -> Receipt:
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
        file=kept,
        download=printable(handed_in.download),
        member=notebook.file.path,
        inside=notebook.path_in_zip,
        collected_at=datetime.now(UTC).isoformat(),
        order=0,
    )


def _team(handed_in: HandedIn) -> str:
    if not handed_in.team:
        return ""
    return f"for {printable(handed_in.team)}, whose members the download does not name"
