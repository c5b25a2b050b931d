"""What follows from all facts of a course for one assignment: whose each submission is, which one is
graded, and what is unmatched.

Nothing here depends on the order in which runs brought the facts, but the ids that are made of names:
these stay as the first run made them.
"""

import json
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from autograder.classroom.group_lines import GroupLine, distinct_ids
from autograder.classroom.groups import CourseGroups, Groups
from autograder.classroom.identify import Directory, UnknownSender, merged
from autograder.classroom.new_ids import slug
from autograder.classroom.records.received import (
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
from autograder.classroom.roster import Person, sender_of
from autograder.engine import Assignment, files, name_some, printable
from autograder.gradebook.lateness.late_policy import course_zone, may_count_earlier
from autograder.platforms import exchange, folder, moodle, moodle_worksheet
from autograder.platforms.collect.times import (
    BY_HAND,
    EARLIEST,
    TOLERANCE,
    SubmissionTime,
    best_time,
    read_time,
)
from autograder.platforms.download import is_archive_name
from autograder.platforms.registry import scope_of

DRAFT = "draft"
WHOLE = " --update"  # ends the command of a run of nbgrader's that read the whole exchange
MEMBERS_UNKNOWN = "a team whose members the download does not name"
UNPACKED = "with the time of the archive that it was unpacked from"


@dataclass(frozen=True)
class Candidate:
    """A submission that may be graded for its owner, with its time."""

    submission: Submission
    owner: str
    notebook: str  # its hash; "" if there is none to grade
    time: SubmissionTime
    is_late: bool | None  # as the platform says it
    stored: datetime = EARLIEST  # as the download alone says it
    sender: str = ""
    remark: str = ""
    team: str = ""
    outcome: str = ""  # of the run that saw it: "new", "newer", "older", "unchanged"

    @property
    def order(self) -> tuple[bool, datetime, datetime, int, int]:
        """The key by which candidates are sorted, the newest last: an unknown time is never newer
        than a known one, nor is one that is still to come. A worksheet's time may be that of
        several; then the file's own decides.
        """
        when, upload = self.time.when or self.time.changed, self.submission.upload or 0
        return (
            bool(when) and not self.time.is_to_come,
            when or EARLIEST,
            self.stored,
            upload,
            self.submission.id,
        )


def settle(records: Session, assignment: Assignment, into: Path) -> "Settling":
    """Compute what follows from all facts for an assignment, and replace its rows in the records.
    `into`: the folder of submissions. Raises `TableError` if a table of groups cannot be used.
    """
    settling = Settling(records, assignment, into)
    settling.compute()
    settling.write()
    return settling


class Settling:
    """The facts of a course, and what follows from them for one assignment.

    `candidates` are all submissions whose owner is known, but for `drafts` that are not graded;
    `counted` has the candidate that is graded, by owner; `unmatched` the reasons, by submission's id.
    """

    def __init__(self, records: Session, assignment: Assignment, into: Path):
        self.records, self.assignment, self.id = records, assignment, assignment.id
        self.into = into
        self.zone = course_zone(assignment.course)
        self.may_count_earlier = may_count_earlier(assignment.course)
        query = select(Submission).order_by(Submission.id).execution_options(populate_existing=True)
        of_each = selectinload(Submission.sightings), selectinload(Submission.choices)
        self.submissions = [*records.scalars(query.options(*of_each))]
        self.roster = roster_rows(records)
        runs = records.execute(select(CollectRun.id, CollectRun.at))
        self._run_ends = {id: at.replace(tzinfo=UTC) for id, at in runs}
        # by assignment and participant's number
        self.participants = defaultdict[str, dict[str, Person]](dict)
        self.teams = defaultdict[str, dict[str, str]](dict)
        self.known_teams = defaultdict[str, set[str]](set)  # also of earlier worksheets
        self._read_worksheets()
        self._names = self._read_names()
        tables = dict.fromkeys(f"`{printable(row.table)}`" for row in self.roster)
        self.directory = Directory(" and ".join(tables))
        self._of_assignment = [
            one
            for one in self.submissions
            if self.id in (one.assignment, *(choice.assignment for choice in one.choices))
        ]
        self._paths = {
            part["path"] for one in self._of_assignment for part in json.loads(one.files)
        }
        with_drafts = select(CollectRun.id).where(
            CollectRun.assignment == self.id, CollectRun.drafts, CollectRun.undone_at.is_(None)
        )
        self._takes_drafts = records.scalar(with_drafts.limit(1)) is not None
        self._course_groups = CourseGroups(assignment.course.root, into, records)
        self.candidates: list[Candidate] = []
        self.drafts: list[Candidate] = []
        self.counted: dict[str, Candidate] = {}
        self.unmatched: dict[int, str] = {}
        self.students: dict[str, str] = {}  # by participant's number
        self.senders: dict[int, str] = {}  # students, by submission's id
        self.unknown: dict[int, str] = {}  # reasons, by submission's id

    def _read_worksheets(self) -> None:
        """Keep what the grading worksheets say of each participant: a newer one without a column
        takes nothing away. Teams are those of the newest worksheet that has any.
        """
        rows = [*self.records.scalars(select(Participant).order_by(Participant.id))]
        newest = {row.assignment: row.run_id for row in rows if row.group}
        for row in rows:
            participants = self.participants[row.assignment]
            person = Person(
                "", row.name, row.email, moodle.PLATFORM, row.number,
                login=row.login, id_number=row.id_number,
            )  # fmt: skip
            participants[row.number] = merged(person, participants.get(row.number, person))
            if row.group:
                self.known_teams[row.assignment].add(row.group)
            if row.group and row.run_id == newest[row.assignment]:
                self.teams[row.assignment][row.number] = row.group

    def _read_names(self) -> dict[str, dict[str, list[str]]]:
        """Return the names that Moodle's zips give each number, the newest last, by assignment and
        number: a team may be renamed.
        """
        named = [
            (seen.run_id, one.assignment, one.number, _in_zip(seen.name or one.name))
            for one in self.submissions
            if one.platform == moodle.PLATFORM and one.number
            for seen in one.sightings
            if seen.name or seen.run_id == one.run_id
        ]
        names = defaultdict[str, dict[str, list[str]]](dict)
        for _, assignment, number, name in sorted(named):
            names[assignment].setdefault(number, []).append(name)
        return names

    def compute(self) -> None:
        """Find out who sent what, and which submission counts. Raises `TableError` if a table of
        groups cannot be used.
        """
        self._add_staffs_facts()
        for assignment in self._assignments():
            self._identify(assignment)
        self.groups = self._choose_groups()
        for submission in self._of_assignment:
            self._find_owners(submission)
        self._count()

    def _assignments(self) -> list[str]:
        """Return the assignments in the order in which their first facts came, whichever is
        settled: so that a name gets the same id in each run.
        """
        first: dict[str, int] = {}
        for kind in (Participant, Submission):
            runs = select(kind.assignment, func.min(kind.run_id)).group_by(kind.assignment)
            for assignment, run_id in self.records.execute(runs):
                first[assignment] = min(run_id, first.get(assignment, run_id))
        return sorted(first, key=first.__getitem__)

    def write(self) -> None:
        """Replace the assignment's rows that follow from facts."""
        people = select(CoursePerson.student, CoursePerson.granted_until)
        granted = self.records.execute(people.where(CoursePerson.assignment == self.id))
        self.granted_before = {student: until for student, until in granted if until}
        clear_derived(self.records, self.id)
        self.records.add_all(
            Placement(
                self.id, owner, best.submission.id, best.notebook, best.sender,
                _naive(best.time.when), best.time.source, best.is_late,
            )
            for owner, best in self.counted.items()
        )  # fmt: skip
        owned = {(one.submission.id, one.owner): one for one in self.candidates}
        graded = {best.submission.id for best in self.counted.values()}
        self.records.add_all(
            Owner(
                *key, self.id,
                # else it could count as an earlier one that was in time
                _naive(one.time.when) if one.time.is_trusted or key[0] in graded else None,
                one.sender, one.team, one.notebook,
            )
            for key, one in owned.items()
        )  # fmt: skip
        self.records.add_all(Unmatched(id, self.id, why) for id, why in self.unmatched.items())
        self.people = [*self._people()]
        self.records.add_all(self.people)
        self.records.add_all(
            GroupMember(self.id, group, student, self.groups.names[group])
            for group, members in self.groups.by_id.items()
            for student in members
        )

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
            choices = submission.choices
            alone = [choice.student for choice in choices if choice.is_alone and choice.student]
            student = [submission.placed_as, *alone][-1]
            elsewhere = any(choice.assignment != submission.assignment for choice in choices)
            is_certain = bool(submission.number or submission.email)
            if student and not elsewhere and is_certain and self._is_new(submission, student):
                person = replace(sender_of(submission), student=student)
                self.directory.add(person, _scope(submission))

    def _is_new(self, submission: Submission, student: str) -> bool:
        """Whether only staff's choice tells that the sender is this student: who is known otherwise
        stays who they are, also if one submission was given to somebody else.
        """
        if not self.directory.closed:
            return submission.suggested_id in ("", student)
        with suppress(UnknownSender):
            return not self.directory.find(sender_of(submission), _scope(submission))
        return True

    def _identify(self, assignment: str) -> None:
        """Find out who each participant and each sender of an assignment is: keep the students by
        participant's number and by submission's id, and the reasons why a sender is unknown.
        """
        students: dict[str, str] = {}
        here = [one for one in self.submissions if one.assignment == assignment]
        rows = self.participants[assignment]
        in_moodle = [one for one in here if one.platform == moodle.PLATFORM]
        numbers = {(one.name, one.number) for one in (*rows.values(), *in_moodle)}
        namesakes = Counter(name for name, _ in numbers)
        named = {one.number: one for one in reversed(here) if one.name}
        for row in rows.values():
            in_zip = named.get(row.number)
            student = (in_zip and in_zip.suggested_id) or moodle.suggested_id(row.name, row.number)
            person = replace(row, student=student)
            if not (row.name or row.email or in_zip):  # Moodle hides who it is
                self.directory.add(person, assignment)
            with suppress(UnknownSender):
                students[row.number] = self.directory.identify(
                    person, assignment, name_decides=namesakes[row.name] == 1
                )
        unplaced = [submission for submission in here if not submission.placed_as]
        rivals = _rivals(unplaced)
        for submission in filter(self._names_sender, unplaced):
            is_moodles = submission.platform == moodle.PLATFORM
            try:
                if is_moodles and rows:
                    self._refuse_absent(assignment, submission)
                self.senders[submission.id] = self.directory.identify(
                    sender_of(submission),
                    _scope(submission),
                    name_decides=is_moodles and namesakes[submission.name] == 1,
                    rival=rivals[submission.id],
                )
            except UnknownSender as error:
                self.unknown[submission.id] = str(error)
        if assignment == self.id:
            self.students = students

    def _refuse_absent(self, assignment: str, submission: Submission) -> None:
        """Raise `UnknownSender` if the grading worksheet does not have a submission of Moodle's."""
        is_row = submission.number in self.participants[assignment]
        is_sure = is_row and not self.known_teams[assignment]
        if is_sure or self._is_participant(submission):
            return
        teams = self._teams_called(assignment, submission.number)
        names = " or of ".join(f"`{printable(team)}`" for team in teams)
        alike = f"may be of {names}, which Moodle writes alike: say whose it is"
        absent = "is not in the grading worksheet: download both anew"
        raise UnknownSender(alike if names else absent)

    def _names_sender(self, submission: Submission) -> bool:
        """Whether the platform says who sent a submission; of a team's, which member."""
        if self._team(submission) and not (submission.number and submission.team):
            return False
        return _has_sender(submission)

    def _team(self, submission: Submission) -> str:
        """Return the name of the team that sent a submission; "" if a person did."""
        if submission.team or submission.platform != moodle.PLATFORM or not submission.number:
            return submission.team
        if self._is_participant(submission):
            return ""
        if not self.participants[submission.assignment] and submission.run_id in self._team_runs:
            return submission.name
        teams = self._teams_called(submission.assignment, submission.number)
        return teams[0] if len(teams) == 1 else ""

    def _is_participant(self, submission: Submission) -> bool:
        """Whether a sender has the number and the name of a participant: a team's number may be a
        participant's, too.
        """
        person = self.participants[submission.assignment].get(submission.number)
        name = _in_zip(submission.name)  # "" where Moodle hides it, which it does for no team
        return person is not None and name in (_in_zip(person.name), "")

    def _teams_called(self, assignment: str, number: str) -> list[str]:
        """Return the teams that a number may be of, by the newest name of it that is a team's in the
        newest worksheet, else in any.
        """
        names = self._names[assignment].get(number, [])[::-1]
        now = _called(names, self.teams[assignment].values())
        return now or _called(names, self.known_teams[assignment])

    def _is_gone(self, team: str) -> bool:
        """Whether only earlier worksheets have a team."""
        return team in self.known_teams[self.id] - {*self.teams[self.id].values()}

    def _team_ids(self) -> dict[str, str]:
        """Return an id for each team of the newest worksheet. A renamed team, which has the same
        number, keeps that of its first name, so that its verdicts and marks stay.
        """
        first_names: dict[str, str] = {}
        for number, names in self._names[self.id].items():
            team = self._teams_called(self.id, number)
            first = _called(names, self.known_teams[self.id])
            if len(team) == len(first) == 1:
                first_names.setdefault(team[0], first[0])
        for unnumbered in self.teams[self.id].values():
            first_names.setdefault(unnumbered, unnumbered)
        ids = distinct_ids(first_names.values())
        earliest = {first: team for team, first in reversed(first_names.items())}
        return {  # a later team may have got the first name of another
            team: ids[first] if earliest[first] == team else slug(first, files.digest_of(first)[:8])
            for team, first in first_names.items()
        }

    @cached_property
    def _exchange_runs(self) -> list[tuple[int, datetime]]:
        """The runs that read the whole of nbgrader's exchange for this assignment, with their times."""
        command = CollectRun.command
        query = (
            select(CollectRun.id)
            .join(Sighting, Sighting.run_id == CollectRun.id)
            .join(Submission, Sighting.submission_id == Submission.id)
            .where(
                Submission.platform == exchange.PLATFORM,
                CollectRun.assignment == self.id,
                CollectRun.undone_at.is_(None),
                command.not_like("nbgrader %") | command.like(f"nbgrader %{WHOLE}"),
            )
            .distinct()
        )
        return [(run, self._run_ends[run]) for run in self.records.scalars(query)]

    @cached_property
    def _team_runs(self) -> set[int]:
        """The runs in which all that was received from Moodle, without a worksheet, has the names of
        groups of staff's tables. One name alone says nothing: a person may be called so.
        """
        names = defaultdict[int, set[str]](set)
        for one in self.submissions:
            is_numbered = one.platform == moodle.PLATFORM and one.number
            if is_numbered and not self.participants[one.assignment]:
                names[one.run_id].add(_in_zip(one.name))
        groups = {*map(_in_zip, self._course_groups.of(self.id).names.values())}
        return {run for run, those in names.items() if len(those) > 1 and those <= groups}

    def _choose_groups(self) -> Groups:
        """Return the groups of the assignment: of staff's tables, else of the worksheet."""
        teams = {
            self.students[number]: team
            for number, team in self.teams[self.id].items()
            if number in self.students
        }
        recorded = [line for line in self._course_groups.members if line.assignment == self.id]
        ids = self._team_ids()
        names = {ids[team]: team for team in self.teams[self.id].values()}
        members = [
            line._replace(name=names.get(line.group, line.name))
            for line in recorded
            if line.student not in teams
        ]
        members += [
            GroupLine(student, ids[team], self.id, team, "the grading worksheet")
            for student, team in teams.items()
        ]
        groups = self._course_groups.choose(self.id, members)
        moved = [
            f"{line.student} from {line.group} to {groups.of(line.student)}"
            for line in recorded
            if line.student in teams and groups.of(line.student) not in ("", line.group)
        ]
        about = f"The team has changed since the last worksheet: {name_some(sorted(moved))}."
        return replace(groups, notes=[*groups.notes, *([about] if moved else [])])

    def _find_owners(self, submission: Submission) -> None:
        """Add a submission to the candidates of its owners, or to what is unmatched."""
        newest = [one for one in submission.choices if one.run_id == submission.choices[-1].run_id]
        for choice in newest:
            if choice.student and choice.assignment == self.id:
                sender = choice.student if choice.is_alone else ""
                self._add(submission, choice.student, sender, choice.notebook, choice.remark)
        was_read_later = submission.files == "[]" and submission.label in self._paths
        if newest or was_read_later:
            return
        sender = self.senders.get(submission.id, "")
        owner = submission.placed_as or self._owner(submission, sender)
        if not owner:
            self.unmatched[submission.id] = self._why_unknown(submission, sender)
            return
        is_lone = self._team(submission) and owner not in self.groups.by_id
        remarks = filter(None, (submission.remark, MEMBERS_UNKNOWN if is_lone else ""))
        self._add(submission, owner, sender, submission.notebook, "; ".join(remarks))

    def _add(
        self, submission: Submission, student: str, sender: str, notebook: str, remark: str
    ) -> None:
        """Add a submission to the candidates of a student, or of the student's group. What somebody
        put into a student's folder by hand is this student's alone.
        """
        is_by_hand = submission.label == BY_HAND
        owner = student if is_by_hand else self.groups.of(student) or student
        sender = sender or student
        team, rows = self._team(submission), self._rows_of(submission)
        if self._is_gone(team) or self.groups.called(team) not in ("", owner):
            team = ""  # staff gave the owner what another team has sent
        time = best_time(submission.sightings, rows, self.zone)
        ends = [self._run_ends[seen.run_id] for seen in submission.sightings]
        # a folder's name in the exchange was made before it was first seen; a worksheet may be newer
        last = min if submission.platform == exchange.PLATFORM else max
        if time.when and ends and time.when > last(ends) + TOLERANCE:
            time = replace(time, is_to_come=True)
        if time.when and submission.platform == exchange.PLATFORM:
            first = min((seen.run_id for seen in submission.sightings), default=0)
            before = max((at for run, at in self._exchange_runs if run < first), default=time.when)
            time = replace(time, missed_at=before if time.when < before else None)
        stored = best_time(submission.sightings, [], self.zone).when or EARLIEST
        late = [seen.is_late for seen in submission.sightings if seen.is_late is not None]
        candidate = Candidate(
            submission, owner, notebook, time, any(late) if late else None, stored,
            sender if sender != owner else "", remark, team,
        )  # fmt: skip
        is_draft = {row.status for row in rows if row.status} == {DRAFT}
        candidates = self.drafts if is_draft and not self._takes_drafts else self.candidates
        candidates.append(candidate)

    def _owner(self, submission: Submission, sender: str) -> str:
        """Return whose a submission is: a group's, or a student's; "" if that is not known."""
        team = self._team(submission)
        if team and (group := self.groups.called(team)):
            return group
        if team and not sender and not self.directory.closed and not self._is_gone(team):
            number = submission.team_number
            is_said = not number or team.endswith(number)  # as in `Team 12`
            return slug(team) if is_said else slug(team, number)
        if not team and sender in self.groups.by_id:
            return ""  # a person has the id of a group
        if not sender and not submission.number:
            return self.groups.called(submission.name or submission.suggested_id)
        return sender

    def _why_unknown(self, submission: Submission, sender: str) -> str:
        described = describe(submission)
        if submission.trouble and not (submission.number or submission.suggested_id):
            return submission.trouble
        if sender in self.groups.by_id:
            return f"{described} has the id of the group `{sender}`; say in a --roster who it is."
        team = self._team(submission)
        if self._is_gone(team):
            return (
                f"{described} is of the team `{printable(team)}`, which the newest grading worksheet "
                "does not have any more. If the team was renamed, collect a new download with a new "
                "worksheet. If its members have left, fill in whose the submission is."
            )
        if team:
            return (
                f"{described} is of the team `{printable(team)}`, whose members are not known: give "
                "--worksheet, or write them into groups.csv, and collect again."
            )
        return f"{described} {self.unknown.get(submission.id, 'belongs to nobody who is known')}."

    def _rows_of(self, submission: Submission) -> list[Participant]:
        """Return the sender's rows in the worksheets of the runs that saw a submission; of a team's
        submission, the rows of all its members.
        """
        if submission.platform != moodle.PLATFORM:
            return []
        names = {
            seen.run_id: _in_zip(submission.team or seen.name or submission.name)
            for seen in submission.sightings
        }
        rows = select(Participant).where(Participant.run_id.in_(names))
        if not self._team(submission):
            return [*self.records.scalars(rows.where(Participant.number == submission.number))]
        known = self.known_teams[submission.assignment]
        teams = [team for team in known if _in_zip(team) in names.values()]
        of_teams = self.records.scalars(rows.where(Participant.group.in_(teams)))
        return [row for row in of_teams if _in_zip(row.group) == names[row.run_id]]

    def _count(self) -> None:
        """Choose the newest candidate of each owner; list those whose newest has no notebook, and,
        where an earlier one may count, all that have none.
        """
        received = defaultdict[str, list[Candidate]](list)
        for one in self.candidates:
            received[one.owner].append(one)
        self.candidates = []
        for owner, theirs in received.items():
            theirs = _with_unpacked(theirs)
            self.candidates += theirs
            by_hand = (one.submission.id for one in theirs if one.submission.label == BY_HAND)
            last_by_hand = max(by_hand, default=0)  # replaces what came before
            usable = [one for one in theirs if one.notebook and one.submission.id >= last_by_hand]
            best = max(usable, key=lambda one: one.order, default=None)
            if best:
                self.counted[owner] = best
            for one in theirs:
                is_older = best is not None and one.order < best.order
                if not one.notebook and (not is_older or self.may_count_earlier):
                    self.unmatched[one.submission.id] = (
                        f"{describe(one.submission)}: {one.submission.trouble}. The student's id is "
                        f"`{owner}`."
                    )
        owned = {one.submission.files: one.submission.id for one in self.candidates}
        for submission in self._of_assignment:
            came_with_sender = owned.get(submission.files, 0) > submission.id
            if came_with_sender and submission.files != "[]" and not _has_sender(submission):
                self.unmatched.pop(submission.id, None)

    def _people(self) -> Iterator[CoursePerson]:
        """Yield a row for each student who submitted, or who is in the worksheet."""
        submitted = {one.sender or one.owner for one in self.candidates}
        submitted.update(*(self.groups.members(owner) for owner in self.counted))
        there = self._people_on_platforms()
        platforms = sorted({one.submission.platform for one in self.candidates})
        numbers = {
            (row.student, row.platform.strip().lower()): row.number
            for row in self.roster
            if row.number and row.platform
        }
        granted = self._granted()
        sections = {
            row.student: row.section.strip() for row in reversed(self.roster) if row.section.strip()
        }
        for student in sorted({*there, *submitted} - {*self.groups.by_id}):
            at = there.get(student, Person(student))
            for platform in () if at.number else [at.platform, *platforms]:
                if number := numbers.get((student, platform)):
                    at = replace(at, platform=platform, number=number)
                    break
            person = self.directory.people.get(student, at)
            yield CoursePerson(
                self.id, student, person.name, person.email, at.platform, at.number,
                sections.get(student) or at.section, student in submitted,
                _naive(granted.get(student)),
            )  # fmt: skip

    def _people_on_platforms(self) -> dict[str, Person]:
        """Return what platforms call each student of the worksheet, and each who submitted."""
        people = {
            student: Person(student, platform=moodle.PLATFORM, number=number)
            for number, student in self.students.items()
        }
        shared = Counter(candidate.submission.id for candidate in self.candidates)
        for candidate in self.candidates:
            student, submission = candidate.sender or candidate.owner, candidate.submission
            is_own = self.senders.get(submission.id, student) in (student, submission.suggested_id)
            if student not in people or not people[student].number:
                is_alone = is_own and shared[submission.id] == 1
                sender = sender_of(submission) if is_alone else Person("")
                people[student] = replace(sender, student=student, platform=submission.platform)
        for submission in self._of_assignment:
            student = self.senders.get(submission.id, "")
            if student in people and submission.number and not people[student].number:
                people[student] = replace(sender_of(submission), student=student)
        return people

    def _granted(self) -> dict[str, datetime]:
        """Return until when Moodle lets a student submit, by the newest worksheet that has the
        student: the extension, or the student's own due date.
        """
        query = select(Participant).where(Participant.assignment == self.id)
        rows = {row.number: row for row in self.records.scalars(query.order_by(Participant.id))}
        times = [
            (self.students[number], read_time(written, row.zone, self.zone).when or EARLIEST)
            for number, row in rows.items()
            for written in (row.extension, row.due)
            if written and number in self.students
        ]
        return dict(sorted(times))  # a student's latest is the last


def _has_sender(submission: Submission) -> bool:
    return any((submission.suggested_id, submission.number, submission.email, submission.name))


def _naive(when: datetime | None) -> datetime | None:
    return when.astimezone(UTC).replace(tzinfo=None) if when else None


def _in_zip(name: str) -> str:
    """Return a team's name as Moodle's zip has it, in one form of Unicode."""
    return unicodedata.normalize("NFC", moodle_worksheet.name_in_zip(name)).strip()


def _called(names: Iterable[str], teams: Collection[str]) -> list[str]:
    """Return the teams that Moodle's zip calls by the first of these names that is a team's: for it,
    `Gruppe 1/2` and `Gruppe 12` are alike.
    """
    found = ([team for team in sorted({*teams}) if _in_zip(team) == name] for name in names)
    return next(filter(None, found), [])


def _scope(submission: Submission) -> str:
    """Return the only assignment in which the sender has this number; "" for every one."""
    return scope_of(submission.platform, submission.number, submission.assignment)


def describe(submission: Submission) -> str:
    """Return the path of a submission in the download, with its sender's name if known, for a
    message.
    """
    label = f"`{printable(submission.label)}`"
    name = submission.name
    return f"{label} ({printable(name)})" if name and name not in submission.label else label


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
    return {
        one.id: " and ".join(
            text
            for key, text in wanting[one.run_id, one.suggested_id.casefold()].items()
            if key != _sender_key(one)
        )
        for one in submissions
    }


def _with_unpacked(candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates with a time for folders that staff unpacked by hand: such a folder
    stands for what could not be graded before it, and an archive's time is the folder's, too.
    """
    refused = [one for one in candidates if not one.notebook and one.time.when]
    newest = max(refused, key=lambda one: one.order, default=None)
    if newest is None:
        return candidates
    is_packed = any(is_archive_name(part["path"]) for part in json.loads(newest.submission.files))
    time = newest.time if is_packed else SubmissionTime(changed=newest.time.when)
    return [
        replace(one, time=time, stored=newest.stored, remark=UNPACKED if is_packed else one.remark)
        if one.submission.platform == folder.PLATFORM
        and one.time.when is None
        and one.submission.id > newest.submission.id
        else one
        for one in candidates
    ]
