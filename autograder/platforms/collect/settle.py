"""Settle an assignment: compute, from all recorded facts of the course, the owner of each
submission, the submission to grade, and the unmatched submissions.

The result does not depend on the order of the runs that recorded the facts. The only exception are
ids made from names, which stay as the first run made them.
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
WHOLE = " --update"  # end of the command if nbgrader's run read the complete exchange
MEMBERS_UNKNOWN = "a team whose members the download does not name"
UNPACKED = "with the time of the archive that it was unpacked from"


@dataclass(frozen=True)
class Candidate:
    """A submission that may be graded for its owner, with its time."""

    submission: Submission
    owner: str
    notebook: str  # its hash; "" without a notebook
    time: SubmissionTime
    is_late: bool | None  # according to the platform
    stored: datetime = EARLIEST  # time, according to the download alone
    sender: str = ""
    remark: str = ""
    team: str = ""
    outcome: str = ""  # of the run that saw it: "new", "newer", "older", "unchanged"

    @property
    def order(self) -> tuple[bool, datetime, datetime, int, int]:
        """The sort key of candidates, newest last. A submission without a time, or with a time in
        the future, is never newer than other submissions. If several submissions share a
        worksheet's time, the file's own time decides.
        """
        time, upload = self.time.when or self.time.changed, self.submission.upload or 0
        return (
            bool(time) and not self.time.is_to_come,
            time or EARLIEST,
            self.stored,
            upload,
            self.submission.id,
        )


def settle(records: Session, assignment: Assignment, into: Path) -> "Settling":
    """Settle an assignment, and replace its derived rows in the records. `into`: the folder of
    submissions. Raises `TableError` if a table of groups cannot be used.
    """
    settling = Settling(records, assignment, into)
    settling.compute()
    settling.write()
    return settling


class Settling:
    """The facts of a course, and the results derived from them for an assignment.

    `candidates`: all submissions with a known owner, without ungraded `drafts`. `counted`: the
    candidate to grade, by owner. `unmatched`: reasons, by submission id.
    """

    def __init__(self, records: Session, assignment: Assignment, into: Path):
        self.records, self.assignment, self.id = records, assignment, assignment.id
        self.into = into
        self.zone = course_zone(assignment.course)
        self.may_count_earlier = may_count_earlier(assignment.course)
        query = select(Submission).order_by(Submission.id).execution_options(populate_existing=True)
        options = selectinload(Submission.sightings), selectinload(Submission.choices)
        self.submissions = [*records.scalars(query.options(*options))]
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
            submission
            for submission in self.submissions
            if self.id
            in (submission.assignment, *(choice.assignment for choice in submission.choices))
        ]
        self._paths = {
            part["path"] for row in self._of_assignment for part in json.loads(row.files)
        }
        draft_runs = select(CollectRun.id).where(
            CollectRun.assignment == self.id, CollectRun.drafts, CollectRun.undone_at.is_(None)
        )
        self._takes_drafts = records.scalar(draft_runs.limit(1)) is not None
        self._course_groups = CourseGroups(assignment.course.root, into, records)
        self.candidates: list[Candidate] = []
        self.drafts: list[Candidate] = []
        self.counted: dict[str, Candidate] = {}
        self.unmatched: dict[int, str] = {}
        self.students: dict[str, str] = {}  # by participant's number
        self.senders: dict[int, str] = {}  # students, by submission's id
        self.unknown: dict[int, str] = {}  # reasons, by submission's id

    def _read_worksheets(self) -> None:
        """Collect the participants of all worksheets, and the teams of the newest worksheet with
        teams.
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
        """Return all names of a number in Moodle's zips, newest last. Teams can be renamed."""
        entries = [
            (
                sighting.run_id,
                submission.assignment,
                submission.number,
                _in_zip(sighting.name or submission.name),
            )
            for submission in self.submissions
            if submission.platform == moodle.PLATFORM and submission.number
            for sighting in submission.sightings
            if sighting.name or sighting.run_id == submission.run_id
        ]
        names = defaultdict[str, dict[str, list[str]]](dict)
        for _, assignment, number, name in sorted(entries):
            names[assignment].setdefault(number, []).append(name)
        return names

    def compute(self) -> None:
        """Identify the senders, and choose the submissions to grade. Raises `TableError` if a table
        of groups cannot be used.
        """
        self._add_staffs_facts()
        for assignment in self._assignments():
            self._identify(assignment)
        self.groups = self._choose_groups()
        for submission in self._of_assignment:
            self._find_owners(submission)
        self._count()

    def _assignments(self) -> list[str]:
        """Return the assignments by their first facts, so that a name gets the same id in each run."""
        first: dict[str, int] = {}
        for kind in (Participant, Submission):
            runs = select(kind.assignment, func.min(kind.run_id)).group_by(kind.assignment)
            for assignment, run_id in self.records.execute(runs):
                first[assignment] = min(run_id, first.get(assignment, run_id))
        return sorted(first, key=first.__getitem__)

    def write(self) -> None:
        """Replace the assignment's derived rows in the records."""
        people = select(CoursePerson.student, CoursePerson.granted_until)
        granted = self.records.execute(people.where(CoursePerson.assignment == self.id))
        self.granted_before = {student: until for student, until in granted if until}
        clear_derived(self.records, self.id)
        self.records.add_all(
            Placement(
                self.id, owner, candidate.submission.id, candidate.notebook, candidate.sender,
                _naive(candidate.time.when), candidate.time.source, candidate.is_late,
            )
            for owner, candidate in self.counted.items()
        )  # fmt: skip
        owned = {
            (candidate.submission.id, candidate.owner): candidate for candidate in self.candidates
        }
        graded = {candidate.submission.id for candidate in self.counted.values()}
        self.records.add_all(
            Owner(
                *key, self.id,
                # a doubtful time could make it count as an earlier submission in time
                _naive(candidate.time.when) if candidate.time.is_trusted or key[0] in graded else None,
                candidate.sender, candidate.team, candidate.notebook,
            )
            for key, candidate in owned.items()
        )  # fmt: skip
        self.records.add_all(
            Unmatched(id, self.id, reason) for id, reason in self.unmatched.items()
        )
        self.people = [*self._people()]
        self.records.add_all(self.people)
        self.records.add_all(
            GroupMember(self.id, group, student, self.groups.names[group])
            for group, members in self.groups.by_id.items()
            for student in members
        )

    def _add_staffs_facts(self) -> None:
        """Add the people in rosters, and the senders matched by staff."""
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
            students = [choice.student for choice in choices if choice.is_alone and choice.student]
            student = [submission.placed_as, *students][-1]
            is_elsewhere = any(choice.assignment != submission.assignment for choice in choices)
            is_certain = bool(submission.number or submission.email)
            if student and not is_elsewhere and is_certain and self._is_new(submission, student):
                person = replace(sender_of(submission), student=student)
                self.directory.add(person, _scope(submission))

    def _is_new(self, submission: Submission, student: str) -> bool:
        """Whether the sender is known only by a choice of staff. Other identities take precedence."""
        if not self.directory.closed:
            return submission.suggested_id in ("", student)
        with suppress(UnknownSender):
            return not self.directory.find(sender_of(submission), _scope(submission))
        return True

    def _identify(self, assignment: str) -> None:
        """Identify the participants and senders of an assignment, or record why not."""
        students: dict[str, str] = {}
        received = [row for row in self.submissions if row.assignment == assignment]
        rows = self.participants[assignment]
        in_moodle = [
            submission for submission in received if submission.platform == moodle.PLATFORM
        ]
        numbers = {(sender.name, sender.number) for sender in (*rows.values(), *in_moodle)}
        namesakes = Counter(name for name, _ in numbers)
        by_number = {
            submission.number: submission for submission in reversed(received) if submission.name
        }
        for row in rows.values():
            in_zip = by_number.get(row.number)
            student = (in_zip and in_zip.suggested_id) or moodle.suggested_id(row.name, row.number)
            person = replace(row, student=student)
            if not (row.name or row.email or in_zip):  # Moodle hides the identity
                self.directory.add(person, assignment)
            with suppress(UnknownSender):
                students[row.number] = self.directory.identify(
                    person, assignment, name_decides=namesakes[row.name] == 1
                )
        unplaced = [submission for submission in received if not submission.placed_as]
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
        """Raise `UnknownSender` if a submission from Moodle is not in the grading worksheet."""
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
        """Whether the platform names the sender: for a team's submission, the member."""
        if self._team(submission) and not (submission.number and submission.team):
            return False
        return _has_sender(submission)

    def _team(self, submission: Submission) -> str:
        """Return the name of the team that sent a submission, or ""."""
        if submission.team or submission.platform != moodle.PLATFORM or not submission.number:
            return submission.team
        if self._is_participant(submission):
            return ""
        if not self.participants[submission.assignment] and submission.run_id in self._team_runs:
            return submission.name
        teams = self._teams_called(submission.assignment, submission.number)
        return teams[0] if len(teams) == 1 else ""

    def _is_participant(self, submission: Submission) -> bool:
        """Whether name and number are a participant's. A team can have a participant's number."""
        person = self.participants[submission.assignment].get(submission.number)
        name = _in_zip(submission.name)  # "" if Moodle hides it; Moodle never hides a team's name
        return person is not None and name in (_in_zip(person.name), "")

    def _teams_called(self, assignment: str, number: str) -> list[str]:
        """Return the teams with a number, by its newest name in the newest worksheet, or in any."""
        names = self._names[assignment].get(number, [])[::-1]
        teams = _called(names, self.teams[assignment].values())
        return teams or _called(names, self.known_teams[assignment])

    def _is_gone(self, team: str) -> bool:
        """Whether only earlier worksheets have a team."""
        return team in self.known_teams[self.id] - {*self.teams[self.id].values()}

    def _team_ids(self) -> dict[str, str]:
        """Return an id for each team of the newest worksheet. A renamed team keeps its number, and
        so gets the id of its first name, which its verdicts and marks have.
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
        """Runs that read the complete exchange for this assignment, with their times."""
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
        """Runs without a worksheet in which all submissions from Moodle have the names of groups in
        the staff's tables. A single name is not enough, because it can be a person's.
        """
        names = defaultdict[int, set[str]](set)
        for submission in self.submissions:
            is_numbered = submission.platform == moodle.PLATFORM and submission.number
            if is_numbered and not self.participants[submission.assignment]:
                names[submission.run_id].add(_in_zip(submission.name))
        groups = {*map(_in_zip, self._course_groups.of(self.id).names.values())}
        return {
            run for run, run_names in names.items() if len(run_names) > 1 and run_names <= groups
        }

    def _choose_groups(self) -> Groups:
        """Return the groups: from the staff's tables, or otherwise from the worksheet."""
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
        moves = [
            f"{line.student} from {line.group} to {groups.of(line.student)}"
            for line in recorded
            if line.student in teams and groups.of(line.student) not in ("", line.group)
        ]
        note = f"The team has changed since the last worksheet: {name_some(sorted(moves))}."
        return replace(groups, notes=[*groups.notes, *([note] if moves else [])])

    def _find_owners(self, submission: Submission) -> None:
        """Add a submission to the candidates of its owners, or to the unmatched submissions."""
        newest = [
            choice
            for choice in submission.choices
            if choice.run_id == submission.choices[-1].run_id
        ]
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
        """Add a submission to the candidates of a student or the student's group. Notebooks put
        into a folder by hand belong to the student alone.
        """
        is_by_hand = submission.label == BY_HAND
        owner = student if is_by_hand else self.groups.of(student) or student
        sender = sender or student
        team, rows = self._team(submission), self._rows_of(submission)
        if self._is_gone(team) or self.groups.called(team) not in ("", owner):
            team = ""  # staff gave another team's submission to the owner
        time = best_time(submission.sightings, rows, self.zone)
        ends = [self._run_ends[sighting.run_id] for sighting in submission.sightings]
        # an exchange folder got its name before the first sighting; a worksheet can be newer
        choose = min if submission.platform == exchange.PLATFORM else max
        if time.when and ends and time.when > choose(ends) + TOLERANCE:
            time = replace(time, is_to_come=True)
        if time.when and submission.platform == exchange.PLATFORM:
            first_run = min((sighting.run_id for sighting in submission.sightings), default=0)
            missed_at = max(
                (at for run, at in self._exchange_runs if run < first_run), default=time.when
            )
            time = replace(time, missed_at=missed_at if time.when < missed_at else None)
        stored = best_time(submission.sightings, [], self.zone).when or EARLIEST
        late_flags = [
            sighting.is_late for sighting in submission.sightings if sighting.is_late is not None
        ]
        candidate = Candidate(
            submission, owner, notebook, time, any(late_flags) if late_flags else None, stored,
            sender if sender != owner else "", remark, team,
        )  # fmt: skip
        is_draft = {row.status for row in rows if row.status} == {DRAFT}
        candidates = self.drafts if is_draft and not self._takes_drafts else self.candidates
        candidates.append(candidate)

    def _owner(self, submission: Submission, sender: str) -> str:
        """Return the group or student that owns a submission, or ""."""
        team = self._team(submission)
        if team and (group := self.groups.called(team)):
            return group
        if team and not sender and not self.directory.closed and not self._is_gone(team):
            number = submission.team_number
            is_numbered = not number or team.endswith(number)  # as in `Team 12`
            return slug(team) if is_numbered else slug(team, number)
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
        """Return the worksheet rows of the sender, or of the team's members, in the same runs."""
        if submission.platform != moodle.PLATFORM:
            return []
        names = {
            sighting.run_id: _in_zip(submission.team or sighting.name or submission.name)
            for sighting in submission.sightings
        }
        rows = select(Participant).where(Participant.run_id.in_(names))
        if not self._team(submission):
            return [*self.records.scalars(rows.where(Participant.number == submission.number))]
        known_teams = self.known_teams[submission.assignment]
        teams = [team for team in known_teams if _in_zip(team) in names.values()]
        team_rows = self.records.scalars(rows.where(Participant.group.in_(teams)))
        return [row for row in team_rows if _in_zip(row.group) == names[row.run_id]]

    def _count(self) -> None:
        """Choose the newest candidate of each owner. The owner's newest submission is unmatched if
        it has no notebook, and earlier submissions are too if they may count.
        """
        received = defaultdict[str, list[Candidate]](list)
        for candidate in self.candidates:
            received[candidate.owner].append(candidate)
        self.candidates = []
        for owner, candidates in received.items():
            candidates = _with_unpacked(candidates)
            self.candidates += candidates
            by_hand = (
                candidate.submission.id
                for candidate in candidates
                if candidate.submission.label == BY_HAND
            )
            last_by_hand = max(by_hand, default=0)  # replaces all earlier submissions
            usable = [
                candidate
                for candidate in candidates
                if candidate.notebook and candidate.submission.id >= last_by_hand
            ]
            best = max(usable, key=lambda candidate: candidate.order, default=None)
            if best:
                self.counted[owner] = best
            for candidate in candidates:
                is_older = best is not None and candidate.order < best.order
                if not candidate.notebook and (not is_older or self.may_count_earlier):
                    self.unmatched[candidate.submission.id] = (
                        f"{describe(candidate.submission)}: {candidate.submission.trouble}. The student's id is "
                        f"`{owner}`."
                    )
        owned = {
            candidate.submission.files: candidate.submission.id for candidate in self.candidates
        }
        for submission in self._of_assignment:
            came_with_sender = owned.get(submission.files, 0) > submission.id
            if came_with_sender and submission.files != "[]" and not _has_sender(submission):
                self.unmatched.pop(submission.id, None)

    def _people(self) -> Iterator[CoursePerson]:
        """Yield a row for each student in the worksheet or with a submission."""
        submitted = {candidate.sender or candidate.owner for candidate in self.candidates}
        submitted.update(*(self.groups.members(owner) for owner in self.counted))
        accounts = self._people_on_platforms()
        platforms = sorted({candidate.submission.platform for candidate in self.candidates})
        numbers = {
            (row.student, row.platform.strip().lower()): row.number
            for row in self.roster
            if row.number and row.platform
        }
        granted = self._granted()
        sections = {
            row.student: row.section.strip() for row in reversed(self.roster) if row.section.strip()
        }
        for student in sorted({*accounts, *submitted} - {*self.groups.by_id}):
            account = accounts.get(student, Person(student))
            for platform in () if account.number else [account.platform, *platforms]:
                if number := numbers.get((student, platform)):
                    account = replace(account, platform=platform, number=number)
                    break
            person = self.directory.people.get(student, account)
            yield CoursePerson(
                self.id, student, person.name, person.email, account.platform, account.number,
                sections.get(student) or account.section, student in submitted,
                _naive(granted.get(student)),
            )  # fmt: skip

    def _people_on_platforms(self) -> dict[str, Person]:
        """Return the platform account of each student in the worksheet or with a submission."""
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
        """Return each student's extension or own due date in the newest worksheet with the student."""
        query = select(Participant).where(Participant.assignment == self.id)
        rows = {row.number: row for row in self.records.scalars(query.order_by(Participant.id))}
        times = [
            (self.students[number], read_time(deadline, row.zone, self.zone).when or EARLIEST)
            for number, row in rows.items()
            for deadline in (row.extension, row.due)
            if deadline and number in self.students
        ]
        return dict(sorted(times))  # a student's latest is the last


def _has_sender(submission: Submission) -> bool:
    return any((submission.suggested_id, submission.number, submission.email, submission.name))


def _naive(time: datetime | None) -> datetime | None:
    return time.astimezone(UTC).replace(tzinfo=None) if time else None


def _in_zip(name: str) -> str:
    """Return a team's name as in Moodle's zip, in Unicode's NFC."""
    return unicodedata.normalize("NFC", moodle_worksheet.name_in_zip(name)).strip()


def _called(names: Iterable[str], teams: Collection[str]) -> list[str]:
    """Return the teams of the first fitting name. Moodle's zips write `Gruppe 1/2` as `Gruppe 12`."""
    matches = ([team for team in sorted({*teams}) if _in_zip(team) == name] for name in names)
    return next(filter(None, matches), [])


def _scope(submission: Submission) -> str:
    """Return the assignment to which the sender's number is limited, or ""."""
    return scope_of(submission.platform, submission.number, submission.assignment)


def describe(submission: Submission) -> str:
    """Return the path of a submission in the download, with its sender's name, for a message."""
    label = f"`{printable(submission.label)}`"
    name = submission.name
    return f"{label} ({printable(name)})" if name and name not in submission.label else label


def _sender_key(submission: Submission) -> tuple[str, str, str]:
    """Return a key that is different for each sender in a download."""
    label = submission.label if submission.name else submission.suggested_id
    number = submission.number or submission.email or label or submission.label
    return submission.platform, number, submission.email


def _rivals(submissions: list[Submission]) -> dict[int, str]:
    """Return, by submission id, other senders in the run with the same id, which nobody gets."""
    senders = defaultdict[tuple[int, str], dict[tuple[str, str, str], str]](dict)
    for submission in submissions:
        senders[submission.run_id, submission.suggested_id.casefold()][_sender_key(submission)] = (
            describe(submission)
        )
    return {
        submission.id: " and ".join(
            text
            for key, text in senders[submission.run_id, submission.suggested_id.casefold()].items()
            if key != _sender_key(submission)
        )
        for submission in submissions
    }


def _with_unpacked(candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates, with times for folders that staff unpacked by hand. Such a folder
    replaces the newest submission before it that could not be graded. If that was an archive, the
    folder gets its time.
    """
    refused = [
        candidate for candidate in candidates if not candidate.notebook and candidate.time.when
    ]
    newest = max(refused, key=lambda candidate: candidate.order, default=None)
    if newest is None:
        return candidates
    is_packed = any(is_archive_name(part["path"]) for part in json.loads(newest.submission.files))
    time = newest.time if is_packed else SubmissionTime(changed=newest.time.when)
    return [
        replace(
            candidate,
            time=time,
            stored=newest.stored,
            remark=UNPACKED if is_packed else candidate.remark,
        )
        if candidate.submission.platform == folder.PLATFORM
        and candidate.time.when is None
        and candidate.submission.id > newest.submission.id
        else candidate
        for candidate in candidates
    ]
