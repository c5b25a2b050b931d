"""Downloads to submissions: whose is what, which notebook it is, and where it goes."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from autograder.engine.assignment import Assignment
from autograder.collect.archive import open_download
from autograder.collect.choose import NotChosen, Notebook, choose
from autograder.platforms.download import HandedIn
from autograder.people import settle
from autograder.collect.keep import NotKept, Receipt, Shelf, safe_name
from autograder.platforms.download import Download, NoDownload, shown
from autograder.platforms import PLATFORMS, recognise
from autograder.people import (
    NotInRoster,
    Person,
    find_person,
    is_id,
    read_people,
    read_roster,
    roster_path,
    write_roster,
)
from autograder.platforms.times import in_zone, stamp
from autograder.engine.verdict import STUDENT


@dataclass(frozen=True)
class Ready:
    """What somebody handed in, with the course's id, in the download that it is from."""

    student: str
    handed_in: HandedIn
    download: Download

    @property
    def when(self) -> datetime | None:
        """About when; to begin with what is oldest."""
        times = [file.written or file.member.changed for file in self.handed_in.files]
        known = [time for time in (self.handed_in.submitted_at, *times) if time]
        return max((time.replace(tzinfo=time.tzinfo or UTC) for time in known), default=None)


@dataclass
class Plan:
    """All that can be placed, before anything is written, and a sentence for all else."""

    ready: list[Ready] = field(default_factory=list)
    not_placed: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Placed:
    """What became of one submission."""

    student: str
    name: str
    outcome: str  # "new", "newer", "older", "unchanged"
    submitted_at: str | None
    remark: str


def plan(
    downloads: list[Path],
    assignment: Assignment,
    into: Path,
    platform: str | None = None,
    roster: Path | None = None,
) -> Plan:
    """Read who handed in what. Raises `NoDownload`, `RosterError`, `OSError`; writes nothing."""
    people = None if roster is None else read_people(roster)
    made = Plan()
    named = []
    for handed_in, download in _found(downloads, assignment, platform, made.not_placed):
        try:
            person = _named(handed_in.person, people, roster)
            named.append((replace(handed_in, person=person), download))
        except NotInRoster as error:
            made.not_placed.append(f"{_who(handed_in)} {error}.")
    known = _known_ids(into, assignment)
    wanted = [handed_in.person for handed_in, _ in named]
    ids, rivals = settle(wanted, known) if people is None else settle(wanted, {}, False)
    for handed_in, download in named:
        if handed_in.person in rivals:
            made.not_placed.append(
                f"{_who(handed_in)} would share the id `{handed_in.person.student}` with somebody "
                "else; tell them apart in a --roster."
            )
        else:
            made.ready.append(Ready(ids[handed_in.person], handed_in, download))
    made.ready.sort(key=_oldest_first)
    return made


def _found(
    downloads: list[Path], assignment: Assignment, platform: str | None, not_placed: list[str]
) -> list[tuple[HandedIn, Download]]:
    """All that was handed in; what is refused or nobody's is told. Raises `NoDownload`."""
    found = []
    for path in downloads:
        download = open_download(path)
        if not download.members:
            words = [f"There is no file to read in `{path}`.", *download.refused[:1]]
            raise NoDownload(" ".join(words))
        its = PLATFORMS[platform] if platform else recognise(download, assignment.id)
        content = its.find(download.members, assignment.id)
        found += [(handed_in, download) for handed_in in content.handed_in]
        not_placed += [*download.refused, *content.nobodys]
    return found


def _named(person: Person, people: list[Person] | None, roster: Path | None) -> Person:
    """The person under the course's id, or under the platform's. Raises `NotInRoster`."""
    if people is not None:
        return find_person(person, people, str(roster))
    if not is_id(person.student):
        raise NotInRoster("has a name of which no id can be made; name one in a --roster")
    return person


def place(
    made: Plan, assignment: Assignment, into: Path, zone: tzinfo | None = None
) -> Iterator[Placed | None]:
    """Place what is ready, one by one; None, and a sentence in the plan, for what cannot be.

    Raises `OSError`: what was placed before stays, and the roster has it.
    """
    people: list[Person] = []
    try:
        for ready in made.ready:
            try:
                notebook, remark = choose(ready.handed_in.files, assignment)
                receipt = _receipt(ready, notebook, zone)
                shelf = Shelf(into, assignment.id, ready.student)
                outcome = shelf.place(receipt, _files(receipt, notebook))
            except (NotChosen, NotKept) as error:
                made.not_placed.append(f"{_who(ready.handed_in)}: {error}.")
                yield None
                continue
            person = replace(ready.handed_in.person, student=ready.student)
            people.append(person)
            remarks = [_team(ready.handed_in), remark, "late" if receipt.late else ""]
            yield Placed(
                ready.student,
                person.name,
                outcome,
                receipt.submitted_at,
                "; ".join(filter(None, remarks)),
            )
    finally:
        if people:
            _remember(people, roster_path(into, assignment.id))


def _oldest_first(ready: Ready) -> tuple[str, bool, datetime]:
    when = ready.when
    return ready.student, when is not None, when or datetime.min.replace(tzinfo=UTC)


def _known_ids(into: Path, assignment: Assignment) -> dict[str, Person]:
    """Who has an id: those of whom there is a folder, and those who are in the roster written here."""
    known: dict[str, Person] = {}
    if into.is_dir():
        names = [path.name for path in into.iterdir() if STUDENT.fullmatch(path.name)]
        known = {name: Person(name) for name in names if (into / name).is_dir()}
    return known | read_roster(roster_path(into, assignment.id))


def _remember(people: list[Person], path: Path) -> None:
    """Merge into the roster: what a download does not say stays as it was."""
    known = read_roster(path)
    for person in people:
        old = known.get(person.student, person)
        if old.number and not person.number:  # from a place that knows less of people
            person = replace(person, platform=old.platform, number=old.number)
        known[person.student] = replace(
            person, name=person.name or old.name, email=person.email or old.email
        )
    write_roster(path, known.values())


def _receipt(ready: Ready, notebook: Notebook, zone: tzinfo | None) -> Receipt:
    person = ready.handed_in.person
    when, time_from, clock = _moment(ready.handed_in, notebook, zone)
    return Receipt(
        student=ready.student,
        platform=person.platform,
        number=person.number,
        name=person.name,
        email=person.email,
        submitted_at=stamp(when) if when else None,
        time_from=time_from,
        clock=clock,
        late=ready.handed_in.late,
        upload=notebook.file.upload,
        sha256=notebook.hash,
        bytes=len(notebook.data),
        file=safe_name(notebook.name),
        download=shown(ready.download.name),
        member=notebook.file.member.path,
        inside=notebook.inside,
        collected_at=datetime.now(UTC).isoformat(),
        order=0,
    )


def _moment(
    handed_in: HandedIn, notebook: Notebook, zone: tzinfo | None
) -> tuple[datetime | None, str, str | None]:
    """When it was handed in, who says so, and in which words if they name no zone."""
    member = notebook.file.member
    if handed_in.submitted_at:
        return in_zone(handed_in.submitted_at, zone), handed_in.time_from, None
    if notebook.file.written:
        said, by = notebook.file.written, "the file's name"
    elif handed_in.timeless or member.changed is None:
        return None, handed_in.time_from or "nobody", None
    else:
        said, by = member.changed, member.changed_by
    if said.tzinfo:
        return in_zone(said, zone), by, None
    return in_zone(said, zone), f"{by}, read as {zone or 'on this machine'}", said.isoformat(" ")


def _files(receipt: Receipt, notebook: Notebook) -> dict[str, bytes]:
    """The notebook and, if it came in one, the zip around it."""
    files = {receipt.file: notebook.data}
    if notebook.around:
        files[safe_name(notebook.file.name)] = notebook.around
    return files


def _team(handed_in: HandedIn) -> str:
    if not handed_in.team:
        return ""
    return f"for {shown(handed_in.team)}, whose members the download does not name"


def _who(handed_in: HandedIn) -> str:
    name = handed_in.person.name
    label = f"`{shown(handed_in.label)}`"
    return f"{label} ({shown(name)})" if name and name not in handed_in.label else label
