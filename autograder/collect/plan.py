"""Downloads to submissions: whose is what, which notebook it is, and where it goes."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from autograder.collect.archive import open_download
from autograder.collect.choose import NotChosen, Notebook, choose_notebook
from autograder.collect.contents import Content, read_contents
from autograder.collect.received import NotPlaced, Receipt, StudentFolders, safe_name
from autograder.collect.table import write_not_placed
from autograder.collect.times import Known, TimeRules, Told, are_of_packing, time_handed_in
from autograder.collect.unpacked import as_the_platform_said
from autograder.collect.unplaced import ASIDE, Unplaced, UnplacedStore
from autograder.engine.assignment import Assignment
from autograder.engine.course import Course
from autograder.engine.graded import describe_error
from autograder.engine.verdict import STUDENT
from autograder.engine.which import cannot_tell, every, in_name
from autograder.files import entries
from autograder.people import (
    NotInRoster,
    Person,
    assign_ids,
    find_person,
    is_student_id,
    read_people,
    read_roster,
    roster_path,
    write_roster,
)
from autograder.platforms import moodle
from autograder.platforms.download import (
    MODIFICATION_TIME,
    Download,
    HandedIn,
    NoDownload,
    empty_folder,
    may_hold_notebook,
)
from autograder.platforms.github_classroom import BY_COMMIT
from autograder.platforms.matching import final_number
from autograder.platforms.moodle_times import read_worksheet_times
from autograder.platforms.recognise import PLATFORMS, recognise
from autograder.text import printable
from autograder.times import timestamp_text

CLEAR = 2  # times as many names must say one assignment as say all others


@dataclass
class Plan:
    """All that can be placed, by the course's ids, and a sentence for all else.

    Nothing is written yet. What is to be placed is sorted by student and, for one student, by time.
    """

    to_place: list[HandedIn] = field(default_factory=list)
    not_placed: list[str] = field(default_factory=list)
    unplaced: list[Unplaced] = field(default_factory=list)  # of which that is known beforehand
    chosen_before: int = 0  # of what has no place by itself, and got one by somebody's choice
    set_aside: list[str] = field(default_factory=list)  # keys of what is to be listed no more
    notes: list[str] = field(default_factory=list)  # sentences on what is placed
    known_times: list[Known] = field(default_factory=list)  # of what was placed
    table: Path | None = None  # where all is listed that has no place, once that is written

    def leave(self, handed_in: HandedIn, sentence: str) -> None:
        """Note that something has no place."""
        self.unplaced.append(Unplaced(handed_in, sentence))


@dataclass(frozen=True)
class Placed:
    """What became of one submission."""

    student: str
    outcome: str  # "new", "newer", "older", "unchanged"
    submitted_at: str | None
    remark: str


def open_downloads(paths: list[Path], platform: str | None = None) -> list[Download]:
    """Open each of them once. Raises `NoDownload`, `OSError`."""
    return [replace(open_download(path, platform=platform), place=path) for path in paths]


def told_by_names(downloads: list[Download], course: Course) -> Assignment:
    """Return the assignment after which notebooks, or folders that nbgrader made, are called.

    A few that are called after another one change nothing: each is then looked at by its cells.
    Raises `UnknownAssignment` where the names say none, or several.
    """
    known = {one.id: one for one in every(course)}
    if len(known) == 1:
        return next(iter(known.values()))
    names = [file.parts for download in downloads for file in download.files]
    said = Counter(id for parts in names for id in set(_said_by(parts, list(known))))
    most = [id for id, count in said.items() if count > CLEAR * (said.total() - count)]
    if most:
        return known[most[0]]
    where = " and ".join(f"`{printable(download.name)}`" for download in downloads)
    several = f"There are notebooks of {' and of '.join(sorted(said))} in {where}"
    nothing = f"No name in {where} says of which assignment it is"
    raise cannot_tell(several if said else nothing, sorted(said or known))


def _said_by(parts: tuple[str, ...], ids: list[str]) -> list[str]:
    """The assignments that a file's path says: by its own name, else by its folders' names."""
    if not may_hold_notebook(parts[-1]):
        return []
    return in_name(parts[-1], ids) or [id for part in parts[:-1] for id in in_name(part, ids)]


def make_plan(
    downloads: list[Download],
    assignment: Assignment,
    into: Path,
    platform: str | None = None,
    roster: Path | None = None,
    worksheet: Path | None = None,
) -> Plan:
    """Read who handed in what. Raises `NoDownload`, `RosterError`, `OSError`; writes nothing."""
    people = None if roster is None else read_people(roster)
    said = {} if worksheet is None else read_worksheet_times(worksheet)
    plan = Plan()
    named = []
    for handed_in in _read_downloads(downloads, assignment, platform, plan):
        try:
            person = _named(handed_in.person, people, roster)
            named.append(_with_time_of(said, replace(handed_in, person=person)))
        except NotInRoster as error:
            plan.leave(handed_in, f"{_whose(handed_in)} {error}.")
    wanted = [handed_in.person for handed_in in named]
    if people is None:
        ids, sharing = assign_ids(wanted, known_people(into, assignment))
    else:
        ids, sharing = assign_ids(wanted, {}, may_lengthen=False)
    for handed_in in named:
        person = handed_in.person
        if person in sharing:
            plan.leave(
                handed_in,
                f"{_whose(handed_in)} would share the id `{person.student}` with somebody else; "
                "tell them apart in a --roster.",
            )
        else:
            plan.to_place.append(replace(handed_in, person=replace(person, student=ids[person])))
    plan.to_place.sort(key=_student_and_time)
    return plan


def _read_downloads(
    downloads: list[Download], assignment: Assignment, platform_name: str | None, plan: Plan
) -> list[HandedIn]:
    """All that was handed in; what is refused, or is no student's, is left in the plan.

    Raises `NoDownload`.
    """
    found = []
    for download in downloads:
        if not download.files:
            words = [f"There is no file to read in `{printable(download.name)}`."]
            raise NoDownload(" ".join([*words, *(left.sentence for left in download.refused[:1])]))
        platform = PLATFORMS[platform_name] if platform_name else recognise(download, assignment.id)
        files = [*download.files, *map(empty_folder, download.empty)]
        contents = platform.sort_by_student(files, assignment.id)
        packed = platform.times_in_zip and _has_times_of_packing(download, contents.handed_in)
        in_zip = platform.times_in_zip and not packed
        found += [
            replace(one, download=download.name, packed=packed, times_in_zip=in_zip)
            for one in contents.handed_in
        ]
        for left in (*download.refused, *contents.without_student):
            files_left = (left.file,) if left.file else ()
            nobody = HandedIn(Person(""), left.path, files_left, timeless=True)
            plan.leave(replace(nobody, download=download.name), left.sentence)
    return found


def _with_time_of(worksheet: dict[str, datetime], handed_in: HandedIn) -> HandedIn:
    """With the time that Moodle's worksheet says, if it says one."""
    person = handed_in.person
    when = (
        worksheet.get(final_number(person.number)) if person.platform == moodle.PLATFORM else None
    )
    if when is None:
        return handed_in
    return replace(handed_in, submitted_at=when, time_from="Moodle's worksheet")


def _has_times_of_packing(download: Download, handed_in: list[HandedIn]) -> bool:
    """Whether a platform's zip says when it was packed, and not when something was handed in."""
    if download.place is None or not download.place.is_file():
        return False
    files = [file for one in handed_in for file in one.files]
    times = [file.changed for file in files if file.changed and not file.written]
    return are_of_packing(times, download.place, len(handed_in))


def _named(person: Person, people: list[Person] | None, roster: Path | None) -> Person:
    """The person under the course's id, or under the platform's. Raises `NotInRoster`."""
    if people is not None:
        return find_person(person, people, str(roster))
    if not is_student_id(person.student):
        raise NotInRoster("has a name of which no id can be made; name one in a --roster")
    return person


def known_people(into: Path, assignment: Assignment) -> dict[str, Person]:
    """Return who has an id: those of whom there is a folder, and those in the roster written here."""
    there = entries(into, into) if into.is_dir() else []
    names = [one.name for one in there if one.kind != "file" and STUDENT.fullmatch(one.name)]
    return {name: Person(name) for name in names} | read_roster(into, assignment.id)


def _student_and_time(handed_in: HandedIn) -> tuple[str, bool, datetime]:
    """What to sort by: about when it was handed in, what has no time coming first."""
    times = [
        file.written or file.changed
        for file in handed_in.files
        if file.changed_by != MODIFICATION_TIME
    ]
    known = [time for time in (handed_in.submitted_at, *times) if time]
    in_zones = [time.replace(tzinfo=time.tzinfo or UTC) for time in known]
    latest = max(in_zones, default=datetime.min.replace(tzinfo=UTC))
    return handed_in.person.student, bool(known), latest


def place(
    plan: Plan, assignment: Assignment, into: Path, times: TimeRules = TimeRules()
) -> Iterator[Placed | None]:
    """Place one submission after the other; give None for what cannot be, and say so in the plan.

    Raises `OSError`: what was placed before stays, and the roster has it.
    """
    people: list[Person] = []
    store = UnplacedStore(into, assignment.id)
    try:
        for unplaced in plan.unplaced:
            _leave(store, unplaced, plan)
        for handed_in in plan.to_place:
            handed_in, key_before, sentence = as_the_platform_said(handed_in, store, times)
            contents, unread = read_contents(handed_in.files)
            try:
                placed = _place_one(handed_in, contents, unread, assignment, into, times, plan)
            except OSError:
                raise
            except Exception as error:  # whatever it is, the others have their places
                ours = isinstance(error, NotChosen | NotPlaced)
                why = f"{_whose(handed_in)}: {error if ours else describe_error(error)}."
                reason = f"{why} The student's id is `{handed_in.person.student}`."
                _leave(store, Unplaced(handed_in, reason, contents), plan)
                yield None
                continue
            people.append(handed_in.person)
            store.settle(handed_in, contents, handed_in.person.student)
            if key_before:
                store.settle_key(key_before, handed_in.person.student)
            plan.notes += [sentence] if sentence else []
            yield placed
        for key in plan.set_aside:
            store.settle_key(key, ASIDE)
    finally:
        if people:
            _add_to_roster(people, into, assignment.id)
        plan.table = write_not_placed(store)


def _place_one(
    handed_in: HandedIn,
    contents: list[Content],
    unread: list[str],
    assignment: Assignment,
    into: Path,
    times: TimeRules,
    plan: Plan,
) -> Placed:
    """Place what one student handed in, and note its time in the plan.

    Raises `NotChosen`, `NotPlaced`, `OSError`.
    """
    student = handed_in.person.student
    notebook, remark = _chosen(handed_in, contents, unread, assignment)
    told = time_handed_in(handed_in, notebook.file, times)
    receipt = _receipt(handed_in, notebook, told)
    folders = StudentFolders(into, assignment.id, student)
    outcome = folders.place(receipt, _files_to_keep(receipt, notebook, contents))
    folders.keep_others(contents)
    known_before = told.when is None and folders.timestamp() is not None
    if outcome != "older" and not known_before:
        plan.known_times.append(Known(student, told, bool(receipt.late)))
    not_kept = [f"{one}, and is not kept" for one in unread]
    late = "late" if receipt.late else ""
    by_commit = "time of the commit" if receipt.time_from == BY_COMMIT else ""
    remarks = [_team(handed_in), remark, late, by_commit, *not_kept]
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
) -> tuple[Notebook, str]:
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


def _receipt(handed_in: HandedIn, notebook: Notebook, told: Told) -> Receipt:
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
    receipt: Receipt, notebook: Notebook, contents: list[Content]
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


def _whose(handed_in: HandedIn) -> str:
    name = handed_in.person.name
    label = f"`{printable(handed_in.label)}`"
    return f"{label} ({printable(name)})" if name and name not in handed_in.label else label
