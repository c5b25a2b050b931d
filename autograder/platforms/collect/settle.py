"""What follows from all facts of a course for one assignment: whose each submission is, which one is
graded, and what is unmatched.

Nothing here depends on the order in which runs brought the facts, but the ids that are made of names:
these stay as the first run made them.
"""

import json
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from dataclasses import replace as with_fields
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from autograder.classroom.records.received import (
    Choice,
    CollectRun,
    CoursePerson,
    GroupMember,
    Owner,
    Participant,
    Placement,
    Sighting,
    Submission,
    Unmatched,
    clear_derived,
    roster_rows,
)
from autograder.engine.course.assignment import Assignment
from autograder.people.group_lines import GroupLine, group_id
from autograder.people.groups import CourseGroups, Groups
from autograder.people.identify import Directory, UnknownSender, section_of
from autograder.people.new_ids import slug
from autograder.people.roster import Person
from autograder.platforms import folder, moodle, moodle_worksheet
from autograder.platforms.collect.times import BY_HAND, SubmissionTime, WrittenTime, best_time
from autograder.platforms.download import is_archive_name
from autograder.platforms.registry import PLATFORMS
from autograder.text.printable import printable

DRAFT = "draft"
MEMBERS_UNKNOWN = "a team whose members the download does not name"
UNPACKED = "with the time of the archive that it was unpacked from"
EARLIEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Candidate:
    """A submission that may be graded for its owner, with its time."""

    submission: Submission
    owner: str
    notebook: str  # its hash; "" if there is none to grade
    time: SubmissionTime
    sender: str = ""
    remark: str = ""
    team: str = ""

    @property
    def order(self) -> tuple[bool, datetime, int, int]:
        """The key by which candidates are sorted, the newest last: an unknown time is never newer
        than a known one.
        """
        when = self.time.when or self.time.changed
        return bool(when), when or EARLIEST, self.submission.upload or 0, self.submission.id


@dataclass
class Settled:
    """The outcome for one assignment. `counted` has the candidate that is graded, by owner."""

    counted: dict[str, Candidate] = field(default_factory=dict)
    candidates: list[Candidate] = field(default_factory=list)
    unmatched: dict[int, str] = field(default_factory=dict)  # reasons, by submission's id
    drafts: list[Candidate] = field(default_factory=list)  # that are not graded
    late: dict[int, bool | None] = field(default_factory=dict)  # by submission's id
    people: list[CoursePerson] = field(default_factory=list)
    groups: Groups = field(default_factory=Groups)

    def write(self, records: Session, assignment: str) -> None:
        """Replace the assignment's rows that follow from facts."""
        clear_derived(records, assignment)
        for owner, best in self.counted.items():
            time, id = best.time, best.submission.id
            placement = Placement(
                assignment, owner, id, best.notebook, best.sender, _naive(time.when)
            )
            placement.source, placement.is_late = time.source, self.late.get(id)
            records.add(placement)
        for one in {(c.submission.id, c.owner): c for c in self.candidates}.values():
            when = _naive(one.time.when)
            records.add(Owner(one.submission.id, one.owner, assignment, when, one.sender, one.team))
        for submission_id, reason in self.unmatched.items():
            records.add(Unmatched(submission_id, assignment, reason))
        records.add_all(self.people)
        for student, groups in self.groups.by_student.items():
            for group in groups:
                records.add(GroupMember(assignment, group, student, self.groups.names[group]))


def _naive(when: datetime | None) -> datetime | None:
    return when.astimezone(UTC).replace(tzinfo=None) if when else None


class Settling:
    """The facts of a course, and what follows from them for one assignment."""

    def __init__(self, records: Session, assignment: Assignment, into: Path, zone: tzinfo):
        """`into`: the folder of submissions; `zone`: the course's, of times that name none."""
        self.records, self.into, self.zone = records, into, zone
        self.id, self.root = assignment.id, assignment.course.root
        self.submissions = [*records.scalars(select(Submission).order_by(Submission.id))]
        self.participants = [*records.scalars(select(Participant).order_by(Participant.id))]
        self.roster = roster_rows(records)
        self.directory = Directory(self._closed)
        self._choices: dict[int, list[Choice]] = defaultdict(list)
        for choice in records.scalars(select(Choice).order_by(Choice.id)):
            self._choices[choice.submission_id].append(choice)
        self.groups = Groups()
        # of the assignment that was identified last
        self._participant_ids: dict[str, str] = {}  # students, by number
        self._senders: dict[int, str] = {}  # students, by submission's id
        self._unknown: dict[int, str] = {}  # reasons, by submission's id

    def settle(self) -> Settled:
        """Return what follows from all facts. Raises `TableError` if a table of groups cannot be
        used.
        """
        self._add_staffs_facts()
        others = dict.fromkeys(row.assignment for row in (*self.participants, *self.submissions))
        for assignment in sorted(others, key=lambda id: id == self.id):  # this one last
            self._identify(assignment)
        self.groups = self._choose_groups()
        settled = Settled(groups=self.groups)
        settled.late = {
            submission.id: self._is_late(submission) for submission in self._of_assignment
        }
        for submission in self._of_assignment:
            self._find_owners(submission, settled)
        self._count(settled)
        settled.people = [*self._people(settled)]
        return settled

    @cached_property
    def _of_assignment(self) -> list[Submission]:
        chosen = {
            id
            for id, choices in self._choices.items()
            if any(choice.assignment == self.id for choice in choices)
        }
        return [
            submission
            for submission in self.submissions
            if submission.assignment == self.id or submission.id in chosen
        ]

    @cached_property
    def _closed(self) -> str:
        tables = dict.fromkeys(f"`{printable(row.table)}`" for row in self.roster)
        return " and ".join(tables)

    def _add_staffs_facts(self) -> None:
        """Add the people of rosters, and those for whom staff chose a place."""
        for row in self.roster:
            platform = row.platform.strip().lower()
            id_number = "" if platform else row.number
            person = Person(
                row.student, row.name, row.email, platform, row.number, row.section,
                id_number=id_number,
            )  # fmt: skip
            self.directory.add_row(person)
            if platform in ("", moodle.PLATFORM):
                self.directory.add_row(person, row.assignment)
        for submission in self.submissions:
            choices = self._choices.get(submission.id, [])
            chosen = [choice.student for choice in choices if choice.is_alone and choice.student]
            student = chosen[-1] if chosen else submission.placed_as
            elsewhere = any(choice.assignment != submission.assignment for choice in choices)
            is_certain = bool(submission.number or submission.email)
            if student and not elsewhere and is_certain and self._is_new(submission, student):
                person = with_fields(_sender(submission), student=student)
                self.directory.add(person, self._scope(submission))

    def _is_new(self, submission: Submission, student: str) -> bool:
        """Whether only staff's choice tells that the sender is this student: who is known otherwise
        stays who they are, also if one submission was given to somebody else.
        """
        if not self._closed:
            return submission.suggested_id in ("", student)
        with suppress(UnknownSender):
            return not self.directory.find(_sender(submission), self._scope(submission))
        return True

    def _identify(self, assignment: str) -> None:
        """Find out who each participant and each sender of an assignment is."""
        self._participant_ids, self._senders, self._unknown = {}, {}, {}
        numbers_of = self._numbers_by_name(assignment)
        named = {
            submission.number: submission
            for submission in reversed(self.submissions)
            if submission.assignment == assignment and submission.name
        }
        for row in self._participants_of(assignment).values():
            person = Person(
                "", row.name, row.email, moodle.PLATFORM, row.number,
                login=row.login, id_number=row.id_number,
            )  # fmt: skip
            in_zip = named.get(row.number)
            student = in_zip.suggested_id if in_zip else ""
            student = student or moodle.suggested_id(row.name, row.number)
            person = with_fields(person, student=student)
            if not (row.name or row.email or in_zip):  # Moodle hides who it is
                self.directory.add(person, assignment)
            with suppress(UnknownSender):
                self._participant_ids[row.number] = self.directory.identify(
                    person, assignment, name_decides=len(numbers_of[row.name]) == 1
                )
        here = [
            submission
            for submission in self.submissions
            if submission.assignment == assignment and not submission.placed_as
        ]
        rivals = _rivals(here)
        for submission in here:
            self._identify_sender(submission, numbers_of, rivals.get(submission.id, ""))

    def _identify_sender(
        self, submission: Submission, numbers_of: dict[str, set[str]], rival: str
    ) -> None:
        """Find out who sent a submission; of a team's, only if the platform says which member."""
        person = _sender(submission)
        if self._team(submission) and not (person.number and submission.team):
            return
        if not (person.student or person.number or person.email or person.name):
            return
        rows = self._participants_of(submission.assignment)
        by_moodle = submission.platform == moodle.PLATFORM
        try:
            if by_moodle and rows and person.number not in rows:
                raise UnknownSender("is not in the grading worksheet: download both anew")
            self._senders[submission.id] = self.directory.identify(
                person,
                self._scope(submission),
                name_decides=by_moodle and len(numbers_of[person.name]) == 1,
                rival=rival,
            )
        except UnknownSender as error:
            self._unknown[submission.id] = str(error)

    def _numbers_by_name(self, assignment: str) -> dict[str, set[str]]:
        """Return the participants' numbers with each name, for one assignment: two people may have
        one name.
        """
        numbers = defaultdict[str, set[str]](set)
        for row in self._participants_of(assignment).values():
            numbers[row.name].add(row.number)
        for submission in self.submissions:
            if submission.assignment == assignment and submission.platform == moodle.PLATFORM:
                numbers[submission.name].add(submission.number)
        return numbers

    def _participants_of(self, assignment: str) -> dict[str, Participant]:
        """Return the newest row of each participant of an assignment, by number."""
        if assignment not in self._newest_rows:
            rows = [row for row in self.participants if row.assignment == assignment]
            self._newest_rows[assignment] = {row.number: row for row in rows}
        return self._newest_rows[assignment]

    @cached_property
    def _newest_rows(self) -> dict[str, dict[str, Participant]]:
        return {}

    def _scope(self, submission: Submission) -> str:
        """Return the only assignment in which the sender has this number; "" for every one."""
        platform = PLATFORMS.get(submission.platform)
        lasts = platform is None or platform.number_lasts(submission.number)
        return "" if lasts else submission.assignment

    def _team(self, submission: Submission) -> str:
        """Return the name of the team that sent a submission; "" if a person did."""
        if submission.team or submission.platform != moodle.PLATFORM or not submission.number:
            return submission.team
        rows = self._participants_of(submission.assignment)
        name = _in_zip(submission.name)
        person = rows.get(submission.number)
        if person and _in_zip(person.name) in (name, ""):
            return ""  # a team's number may be a participant's, too
        if not rows and self._are_teams(submission.run_id):
            return submission.name
        teams = {row.group for row in rows.values() if row.group}
        return next((team for team in teams if _in_zip(team) == name), "")

    def _are_teams(self, run_id: int) -> bool:
        """Whether all that a run received from Moodle has the names of groups of staff's tables. One
        name alone says nothing: a person may be called so.
        """
        if run_id not in self._team_runs:
            names = {
                _in_zip(one.name)
                for one in self.submissions
                if one.run_id == run_id and one.platform == moodle.PLATFORM and one.number
            }
            groups = CourseGroups(self.root, self.into, self.records).of(self.id).names.values()
            self._team_runs[run_id] = len(names) > 1 and names <= {*map(_in_zip, groups)}
        return self._team_runs[run_id]

    @cached_property
    def _team_runs(self) -> dict[int, bool]:
        return {}

    def _choose_groups(self) -> Groups:
        """Return the groups of the assignment: of staff's tables, else of the worksheet."""
        of_course = CourseGroups(self.root, self.into, self.records)
        teams = {
            self._participant_ids[number]: row.group
            for number, row in self._participants_of(self.id).items()
            if row.group and number in self._participant_ids
        }
        members = [
            GroupLine(row.student, row.group, self.id, row.name, "the records of `collect`")
            for row in self.records.scalars(
                select(GroupMember).where(GroupMember.assignment == self.id)
            )
            if row.student not in teams
        ]
        members += [
            GroupLine(student, group_id(team), self.id, team, "the grading worksheet")
            for student, team in teams.items()
        ]
        return of_course.choose(self.id, members)

    def _find_owners(self, submission: Submission, settled: Settled) -> None:
        """Add a submission to the candidates of its owners, or to what is unmatched."""
        time = self._time(submission)
        sender = self._senders.get(submission.id, "")
        choices = self._choices.get(submission.id, [])
        if choices:
            newest = [choice for choice in choices if choice.run_id == choices[-1].run_id]
            for choice in newest:
                if choice.student and choice.assignment == self.id:
                    sender = choice.student if choice.is_alone else ""
                    self._add(
                        settled,
                        submission,
                        choice.student,
                        sender,
                        choice.notebook,
                        time,
                        choice.remark,
                    )
            return
        if not json.loads(submission.files) and submission.label in self._paths:
            return  # it was read later
        owner = submission.placed_as or self._owner(submission, sender)
        if not owner:
            settled.unmatched[submission.id] = self._why_unknown(submission)
        else:
            is_lone = self._team(submission) and owner not in self.groups.by_id
            remarks = submission.remark, MEMBERS_UNKNOWN if is_lone else ""
            remark = "; ".join(filter(None, remarks))
            self._add(settled, submission, owner, sender, submission.notebook, time, remark)

    def _add(
        self, settled: Settled, submission: Submission, student: str, sender: str, notebook: str,
        time: SubmissionTime, remark: str,
    ) -> None:  # fmt: skip
        owner = self.groups.of(student) or student
        sender = sender or (student if owner != student else "")
        sender = sender if sender != owner else ""
        one = Candidate(submission, owner, notebook, time, sender, remark, self._team(submission))
        if self._is_draft(submission):
            settled.drafts.append(one)
        else:
            settled.candidates.append(one)

    @cached_property
    def _paths(self) -> set[str]:
        """The paths of all files of the assignment's submissions."""
        return {
            part["path"]
            for submission in self._of_assignment
            for part in json.loads(submission.files)
        }

    def _owner(self, submission: Submission, sender: str) -> str:
        """Return whose a submission is: a group's, or a student's; "" if that is not known."""
        team = self._team(submission)
        if team and (group := self.groups.called(team)):
            return group
        if team and not sender and not self._closed:
            number = submission.team_number
            is_said = not number or team.endswith(number)  # as in `Team 12`
            return slug(team) if is_said else slug(team, number)
        if not team and sender in self.groups.by_id:
            return ""  # a person has the id of a group
        if not sender and not submission.number:
            return self.groups.called(submission.name or submission.suggested_id)
        return sender

    def _why_unknown(self, submission: Submission) -> str:
        described = describe(submission)
        if submission.trouble and not (submission.number or submission.suggested_id):
            return submission.trouble
        sender = self._senders.get(submission.id, "")
        if sender in self.groups.by_id:
            return f"{described} has the id of the group `{sender}`; say in a --roster who it is."
        if team := self._team(submission):
            return (
                f"{described} is of the team `{printable(team)}`, whose members are not known: give "
                "--worksheet, or write them into groups.csv, and collect again."
            )
        reason = self._unknown.get(submission.id, "belongs to nobody who is known")
        return f"{described} {reason}."

    def _time(self, submission: Submission) -> SubmissionTime:
        sightings = self._sightings.get(submission.id, [])
        return best_time(sightings, self._rows_of(submission), self.zone)

    def _rows_of(self, submission: Submission) -> list[Participant]:
        """Return the sender's rows in the worksheets of the runs that saw a submission; of a team's
        submission, the rows of all its members.
        """
        if submission.platform != moodle.PLATFORM:
            return []
        runs = dict.fromkeys(seen.run_id for seen in self._sightings.get(submission.id, []))
        team = self._team(submission)
        rows = (row for run in runs for row in self._rows_of_run.get(run, []))
        if team:
            return [row for row in rows if row.group == team]
        return [row for row in rows if row.number == submission.number]

    @cached_property
    def _rows_of_run(self) -> dict[int, list[Participant]]:
        rows = defaultdict[int, list[Participant]](list)
        for row in self.participants:
            rows[row.run_id].append(row)
        return rows

    @cached_property
    def _sightings(self) -> dict[int, list[Sighting]]:
        sightings = defaultdict[int, list[Sighting]](list)
        for seen in self.records.scalars(select(Sighting).order_by(Sighting.id)):
            sightings[seen.submission_id].append(seen)
        return sightings

    def _is_late(self, submission: Submission) -> bool | None:
        marks = [
            seen.is_late
            for seen in self._sightings.get(submission.id, [])
            if seen.is_late is not None
        ]
        return any(marks) if marks else None

    def _is_draft(self, submission: Submission) -> bool:
        """Whether a submission is only a draft, and nobody asked for drafts."""
        statuses = {row.status for row in self._rows_of(submission) if row.status}
        return statuses == {DRAFT} and not self._takes_drafts

    @cached_property
    def _takes_drafts(self) -> bool:
        asked = select(CollectRun.id).where(
            CollectRun.assignment == self.id, CollectRun.drafts, CollectRun.undone_at.is_(None)
        )
        return self.records.scalar(asked.limit(1)) is not None

    def _count(self, settled: Settled) -> None:
        """Choose the newest candidate of each owner; list those whose newest has no notebook."""
        by_owner = defaultdict[str, list[Candidate]](list)
        for one in settled.candidates:
            by_owner[one.owner].append(one)
        settled.candidates = []
        for owner, received in by_owner.items():
            theirs = _with_unpacked(received)
            settled.candidates += theirs
            usable = [one for one in theirs if one.notebook]
            best = max(_after_last_by_hand(usable), key=lambda one: one.order, default=None)
            if best:
                settled.counted[owner] = best
            for one in theirs:
                if not one.notebook and (best is None or one.order > best.order):
                    settled.unmatched[one.submission.id] = (
                        f"{describe(one.submission)}: {one.submission.trouble}. The student's id is "
                        f"`{owner}`."
                    )

    def _people(self, settled: Settled) -> Iterator[CoursePerson]:
        """Yield a row for each student who submitted, or who is in the worksheet."""
        submitted = {
            student: None for owner in settled.counted for student in self.groups.members(owner)
        }
        for one in settled.candidates:
            submitted[one.sender or one.owner] = None
        there: dict[str, Person] = {}
        for number, student in self._participant_ids.items():
            there[student] = Person(student, platform=moodle.PLATFORM, number=number)
        shared = Counter(one.submission.id for one in settled.candidates)
        for one in settled.candidates:
            student, submission = one.sender or one.owner, one.submission
            is_own = self._senders.get(submission.id, student) in (student, submission.suggested_id)
            if student not in there or not there[student].number:
                sender = (
                    _sender(submission) if is_own and shared[submission.id] == 1 else Person("")
                )
                there[student] = with_fields(sender, student=student, platform=submission.platform)
        for submission in self._of_assignment:
            student = self._senders.get(submission.id, "")
            if student in there and submission.number and not there[student].number:
                there[student] = with_fields(_sender(submission), student=student)
        granted = self._granted()
        for student in sorted({*there, *submitted} - {*self.groups.by_id}):
            at = there.get(student, Person(student))
            person = self.directory.people.get(student, at)
            yield CoursePerson(
                self.id, student, person.name, person.email, at.platform, at.number,
                section_of(student, self._roster_people) or at.section, student in submitted,
                _naive(granted.get(student)),
            )  # fmt: skip

    @cached_property
    def _roster_people(self) -> list[Person]:
        return [Person(row.student, section=row.section) for row in self.roster]

    def _granted(self) -> dict[str, datetime]:
        """Return until when Moodle lets a student submit: the latest extension, or own due date."""
        granted: dict[str, datetime] = {}
        for row in self.participants:
            student = self._participant_ids.get(row.number)
            if row.assignment != self.id or student is None:
                continue
            for written in filter(None, (row.extension, row.due)):
                when = WrittenTime(written, "", row.zone).read(self.zone).when
                if when:
                    granted[student] = max(when, granted.get(student, when))
        return granted


def _in_zip(name: str) -> str:
    """Return a team's name as Moodle's zip has it, in one form of Unicode."""
    return unicodedata.normalize("NFC", moodle_worksheet.name_in_zip(name)).strip()


def describe(submission: Submission) -> str:
    """Return the path of a submission in the download, with its sender's name if known, for a
    message.
    """
    label = f"`{printable(submission.label)}`"
    name = submission.name
    return f"{label} ({printable(name)})" if name and name not in submission.label else label


def _sender(submission: Submission) -> Person:
    return Person(
        submission.suggested_id, submission.name, submission.email, submission.platform,
        submission.number, submission.section, submission.login, submission.id_number,
    )  # fmt: skip


def _sender_key(submission: Submission) -> tuple[str, str, str]:
    """Return what tells a sender from others of one download."""
    label = submission.label if submission.name else submission.suggested_id
    number = submission.number or submission.email or label or submission.label
    return submission.platform, number, submission.email


def _rivals(submissions: list[Submission]) -> dict[int, str]:
    """Return, by submission's id, who else in the same run is another sender and would get the same
    id: then neither gets it.
    """
    wanting = defaultdict[tuple[int, str], dict[tuple[str, str, str], str]](dict)
    for one in submissions:
        wanting[one.run_id, one.suggested_id.casefold()][_sender_key(one)] = describe(one)
    rivals = {}
    for one in submissions:
        senders = wanting[one.run_id, one.suggested_id.casefold()]
        others = [text for key, text in senders.items() if key != _sender_key(one)]
        rivals[one.id] = " and ".join(others)
    return rivals


def _after_last_by_hand(candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates without those that came before the last notebook that somebody put
    among the submissions by hand: it replaces them.
    """
    by_hand = [one.submission.id for one in candidates if one.submission.label == BY_HAND]
    return [one for one in candidates if one.submission.id >= max(by_hand, default=0)]


def _with_unpacked(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates with a time for folders that staff unpacked by hand: such a folder
    stands for what could not be graded before it, and an archive's time is the folder's, too.
    """
    candidates = list(candidates)
    refused = [one for one in candidates if not one.notebook and one.time.when]
    newest = max(refused, key=lambda one: one.order, default=None)
    if newest is None:
        return candidates
    is_packed = any(is_archive_name(part["path"]) for part in json.loads(newest.submission.files))
    time = newest.time if is_packed else SubmissionTime(changed=newest.time.when)
    return [
        with_fields(one, time=time, remark=UNPACKED if is_packed else one.remark)
        if one.submission.platform == folder.PLATFORM
        and one.time.when is None
        and one.submission.id > newest.submission.id
        else one
        for one in candidates
    ]
