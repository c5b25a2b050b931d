"""Plan what `collect` will place: the submissions in downloads with their students' ids, and those
that cannot be placed, each with the reason.

A Moodle zip with two entries, as an example:

    Ada Softmax_42_assignsubmission_file/sheet-3.ipynb
    homework.zip

`make_plan([open_download(zip)], assignment, into)` returns a plan with

    to_place    [HandedIn(Person("ada-softmax-42", "Ada Softmax", ...), "Ada Softmax_42", ...)]
    unplaced    [(HandedIn(Person(""), "homework.zip", ...), "`homework.zip` is nobody's: ...")]
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from autograder.engine.course.assignment import Assignment
from autograder.engine.course.course import Course
from autograder.engine.course.which import cannot_tell, every, in_name
from autograder.engine.verdict.verdict import STUDENT
from autograder.files.reading import entries
from autograder.people.group_lines import GROUPS
from autograder.people.groups import CourseGroups, Groups
from autograder.people.matching import NotPlaced, find_person
from autograder.people.new_ids import assign_ids, slug
from autograder.people.roster import Person, is_student_id, read_people, read_roster
from autograder.platforms.collect.times import PACKED, TimeRules, are_of_packing
from autograder.platforms.download import MODIFICATION_TIME, Download, Left, may_hold_notebook
from autograder.platforms.platform import HandedIn
from autograder.platforms.recognise import sort_by_student
from autograder.text.errors import CommandError
from autograder.text.printable import printable
from autograder.text.wording import name_some

CLEAR = 2  # times as many names must say one assignment as say all others


@dataclass
class Plan:
    """The submissions that one run of `collect` will place, and a sentence for each that it cannot
    place.

    Making a plan writes nothing. `to_place` is sorted by student, then by time.
    """

    to_place: list[HandedIn] = field(default_factory=list)
    not_placed: list[str] = field(default_factory=list)
    # of which that is known beforehand, and why
    unplaced: list[tuple[HandedIn, str]] = field(default_factory=list)
    chosen_before: int = 0  # of what has no place by itself, and got one by somebody's choice
    set_aside: list[str] = field(default_factory=list)  # keys of what is to be listed no more
    notes: list[str] = field(default_factory=list)  # sentences on what is placed
    table: Path | None = None  # where all is listed that has no place, once that is written
    course: list[Person] | None = None  # the roster that was named: remembered for --resolve
    groups: CourseGroups | None = None  # None: as the course's table says

    def leave(self, handed_in: HandedIn, sentence: str) -> None:
        """Add to the plan a submission that cannot be placed; `sentence` says why."""
        self.unplaced.append((handed_in, sentence))


def describe(handed_in: HandedIn) -> str:
    """Return the path of a submission in the download, with its sender's name if known, for a
    message.
    """
    name = handed_in.person.name
    label = f"`{printable(handed_in.label)}`"
    return f"{label} ({printable(name)})" if name and name not in handed_in.label else label


def told_by_names(downloads: list[Download], course: Course) -> Assignment:
    """Return the assignment to which the downloads belong, by the names of notebooks and of the
    folders around them: more than two thirds must name it.

    The few that name another one do not matter: each notebook is later checked by its cells. Raises
    `CourseError` if no assignment is named clearly enough.
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
    """Return those of the assignments `ids` that a file's own name contains; if none, those that
    the names of its folders contain.

    `parts` is the file's path. Return [] for a file that can hold no notebook.
    """
    if not may_hold_notebook(parts[-1]):
        return []
    return in_name(parts[-1], ids) or [id for part in parts[:-1] for id in in_name(part, ids)]


def make_plan(
    downloads: list[Download],
    assignment: Assignment,
    into: Path,
    platform: str | None = None,
    roster: Path | None = None,
    times: TimeRules = TimeRules(),
) -> Plan:
    """Find out which student handed in what in these downloads; return a plan for `place`. It
    writes nothing.

    `into`: the folder of submissions. `platform`: the one that the user named, None to recognise
    it. `roster`: the path of a roster (CSV) that has all students, None for ids made from names.
    `times`: how times of submission are read. Raises `TableError` if the roster is damaged, and
    `CommandError` if a download cannot be used.
    """
    people = None if roster is None else read_people(roster)
    known = known_people(into, assignment) if people is None else {}
    all_groups = CourseGroups(assignment.course.root, into, roster)
    groups = all_groups.of(assignment.id)
    plan = Plan(course=people, groups=all_groups, notes=[*groups.notes])
    named, of_groups = [], []
    told = list(known.values()) if people is None else people
    for handed_in in _read_downloads(downloads, assignment, platform, told, times, plan):
        if id := _group_of(handed_in, groups):
            of_groups.append(replace(handed_in, person=replace(handed_in.person, student=id)))
            continue
        try:
            person = _named(_without_group(handed_in.person, groups), people, roster)
            named.append(replace(handed_in, person=person))
        except NotPlaced as error:
            plan.leave(handed_in, f"{describe(handed_in)} {error}.")
    for one in _with_ids(named, known, people is None, plan):
        if one.person.student in groups.by_id:
            sentence = f"{describe(one)} has the id of the group `{one.person.student}`"
            plan.leave(one, f"{sentence}; say in a --roster who it is.")
        else:
            of_groups.append(one)
    plan.to_place = sorted(of_groups, key=_student_and_time)
    plan.notes += _on_senders(plan.to_place, groups, assignment.id)
    return plan


def _on_senders(to_place: list[HandedIn], groups: Groups, assignment_id: str) -> Iterator[str]:
    """Yield a sentence if several members of a group have handed something in, as they do where an
    assignment is done alone.
    """
    senders = defaultdict[str, set[str]](set)
    for one in to_place:
        senders[groups.of(one.person.student)].add(one.person.student)
    several = [group for group, members in senders.items() if group and len(members) > 1]
    if several:
        yield (
            f"Several members of {name_some(several)} have handed in, and the newest counts for all "
            f"of them. If `{assignment_id}` is done alone, write the line `*,,{assignment_id}` into "
            f"`{GROUPS}`, beside nbgrader_config.py, and collect again."
        )


def _group_of(handed_in: HandedIn, groups: Groups) -> str:
    """Return the id of the group that handed something in without saying which member; else "".
    Somebody with a number of their own is a person, whatever the name.
    """
    number = handed_in.person.number
    is_person = number and not number.startswith("team-")
    return "" if is_person else groups.called(handed_in.team or handed_in.person.student)


def _without_group(person: Person, groups: Groups) -> Person:
    """Return the person without the group's name that Moodle writes before a member's: `Group
    3-Ada Softmax`.
    """
    before = [f"{name}-" for name in groups.names.values() if person.name.startswith(f"{name}-")]
    if not before:
        return person
    name = person.name.removeprefix(max(before, key=len))
    return replace(person, name=name, student=slug(name, person.number))


def _with_ids(
    named: list[HandedIn], known: dict[str, Person], may_lengthen: bool, plan: Plan
) -> Iterator[HandedIn]:
    """Yield the submissions of `named` with ids that are unique in the course; add the others to
    the plan as not placed.

    `known`: people who already have an id, by id. `may_lengthen`: two people with the same id get
    their platform number appended. In one download a person has one name, so two names with the
    same id are two people.
    """
    ids, sharing = assign_ids([one.person for one in named], known, may_lengthen=may_lengthen)
    keys = [(one.download, ids.get(one.person, one.person.student).casefold()) for one in named]
    of_one: dict[tuple[str, str], dict[tuple[Person, str], str]] = defaultdict(dict)
    for one, key in zip(named, keys, strict=True):
        of_one[key][one.person, one.team] = describe(one)
    for one, key in zip(named, keys, strict=True):
        person, alike = one.person, of_one[key]
        if person in sharing or len(alike) > 1:
            others = [text for who, text in alike.items() if who != (person, one.team)]
            plan.leave(
                one,
                f"{describe(one)} would share the id `{person.student}` with "
                f"{' and '.join(others) or 'somebody else'}; tell them apart in a --roster.",
            )
        else:
            yield replace(one, person=replace(person, student=ids[person]))


def _read_downloads(
    downloads: list[Download],
    assignment: Assignment,
    platform_name: str | None,
    people: list[Person],
    times: TimeRules,
    plan: Plan,
) -> list[HandedIn]:
    """Return all submissions in the downloads. Files that were refused or belong to no student are
    added to the plan as not placed.

    `platform_name`: the platform that the user named, None to recognise it. `people`: known
    students; if a file name can be of several users, the one whose number a known student has is
    taken. `times`: the user's options on times. Raises `CommandError` if a download has no file, or
    its platform is not recognised.
    """
    found = []
    for download in downloads:
        if not download.files:
            words = [f"There is no file to read in `{printable(download.name)}`."]
            raise CommandError(
                " ".join([*words, *(left.sentence for left in download.refused[:1])])
            )
        layout, contents = sort_by_student(download, assignment.id, platform_name, people)
        packed = layout.times_in_zip and _has_times_of_packing(download, contents.handed_in)
        in_zip = layout.times_in_zip and not packed
        found += [
            times.said_of(
                replace(
                    one,
                    download=download.name,
                    times_in_zip=in_zip,
                    time_from=PACKED if packed else one.time_from,
                )
            )
            for one in contents.handed_in
        ]
        plan.notes += contents.notes
        _leave(plan, download, [*download.refused, *contents.without_student])
    return found


def _leave(plan: Plan, download: Download, nobodys: list[Left]) -> None:
    """Add these files of a download, of which no student is known, to the plan as not placed."""
    for left in nobodys:
        files = (left.file,) if left.file else ()
        nobody = HandedIn(Person(""), left.path, files, timeless=True)
        plan.leave(replace(nobody, download=download.name), left.sentence)


def _has_times_of_packing(download: Download, handed_in: list[HandedIn]) -> bool:
    """Whether the times in a platform's zip are those at which it was packed, not those of
    submission.
    """
    if download.zip_file is None:
        return False
    files = [file for one in handed_in for file in one.files]
    times = [file.changed for file in files if file.changed and not file.written]
    return are_of_packing(times, download.zip_file, len(handed_in))


def _named(person: Person, people: list[Person] | None, roster: Path | None) -> Person:
    """Return the person with the id from the roster `people`; without a roster, with the id that
    the platform suggests.

    `roster` is its path, for messages. Raises `NotPlaced` if the roster does not tell who it is, or
    if no id is known.
    """
    if people is not None:
        return find_person(person, people, str(roster))
    if not person.student and person.number:
        raise NotPlaced(
            f"is of `{printable(person.number)}` at {person.platform}, and nothing says who that is; "
            "say it in a --roster"
        )
    if not is_student_id(person.student):
        raise NotPlaced("has a name of which no id can be made; name one in a --roster")
    return person


def known_people(into: Path, assignment: Assignment) -> dict[str, Person]:
    """Return the people who already have an id, by id: those with a folder in `into`, and those in
    the roster that `collect` wrote.
    """
    there = entries(into, into) if into.is_dir() else []
    names = [one.name for one in there if one.kind != "file" and STUDENT.fullmatch(one.name)]
    return {name: Person(name) for name in names} | read_roster(into, assignment.id)


def _student_and_time(handed_in: HandedIn) -> tuple[str, bool, datetime]:
    """Return the key by which submissions are sorted: the student's id, whether a time is known,
    and the latest known time. A file's own time of modification does not count.
    """
    times = [
        file.written or file.changed
        for file in handed_in.files
        if file.changed_by != MODIFICATION_TIME
    ]
    known = [time for time in (handed_in.submitted_at, *times) if time]
    in_zones = [time.replace(tzinfo=time.tzinfo or UTC) for time in known]
    latest = max(in_zones, default=datetime.min.replace(tzinfo=UTC))
    return handed_in.person.student, bool(known), latest
