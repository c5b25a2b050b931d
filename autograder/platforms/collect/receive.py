"""Record what downloads, worksheets, rosters and staff's choices say: one run of `collect`."""

import getpass
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from shlex import join

from sqlalchemy import select
from sqlalchemy.orm import Session

from autograder.classroom.groups import CourseGroups, Groups
from autograder.classroom.records.received import (
    CollectRun,
    DeletedSubmission,
    Participant,
    RosterRow,
    Sighting,
    Submission,
    forget_unused_files,
    roster_rows,
    store_file,
)
from autograder.classroom.roster import Person, people_in, roster_cells
from autograder.engine import (
    Assignment,
    AutograderError,
    courses,
    files,
    grading,
    limits,
    name_some,
    printable,
    texts,
)
from autograder.platforms import exchange
from autograder.platforms.collect.choose import NotPlaced, choose_notebook, paths_of_notebooks
from autograder.platforms.collect.contents import Content, read_contents
from autograder.platforms.collect.times import BY_HAND, time_in_download
from autograder.platforms.download import Download, File
from autograder.platforms.moodle_worksheet import PLATFORM, Worksheet, refuse_other_assignment
from autograder.platforms.platform import HandedIn
from autograder.platforms.recognise import sort_by_student

SENDER = "number", "name", "email", "login", "id_number", "suggested_id", "section"
MOST_ROWS = 20  # of one submission that is unmatched
EMPTY = "the folder is empty: ask whether something was submitted in another way"


@dataclass
class Run:
    """One run of `collect` that records facts. `seen` has the ids of the submissions of its
    downloads, of new ones also `new`; `chosen` of those that staff gave to somebody; `notes` are
    sentences for staff.
    """

    records: Session
    assignment: Assignment
    into: Path  # the folder of submissions
    zone: str = ""  # of `--timezone`
    file_times: bool = False
    drafts: bool = False
    seen: set[int] = field(default_factory=set)
    new: set[int] = field(default_factory=set)
    chosen: set[int] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        command = join(Path(word).name if "/" in word else word for word in sys.argv[1:])
        now = datetime.now(UTC).replace(tzinfo=None)
        self.row = CollectRun(self.assignment.id, now, _user(), command, self.drafts)
        self.records.add(self.row)
        self.records.flush()

    @property
    def fact(self) -> tuple[int, str]:
        """The first columns of each fact of this run."""
        return self.row.id, self.assignment.id

    def groups(self) -> Groups:
        """Return the groups of the assignment. Raises `TableError` if a table of groups cannot be
        used.
        """
        course = CourseGroups(self.assignment.course.root, self.into, self.records)
        return course.of(self.assignment.id)

    def record_roster(self, path: Path, top: Path | None = None, name: str = "") -> None:
        """Record the rows of a roster, under a name that is the file's unless another is given.
        `top`: a folder below which no link is followed. Raises `TableError` if it cannot be used.
        """
        table = files.read_table(path, top)
        people = people_in(table)
        _refuse_lost_zeros(people, {row.student for row in roster_rows(self.records)}, path.name)
        for person, (line, cells) in zip(people, table.records(), strict=True):
            group, table_name = cells.get("group", "").strip(), name or path.name
            row = RosterRow(*self.fact, *roster_cells(person), group, table_name, line)
            self.records.add(row)
        self.notes += _doubtful_rows(people, path.name)

    def record_worksheet(self, worksheet: Worksheet, submissions: Iterable[HandedIn] = ()) -> None:
        """Record the rows of a grading worksheet. Raises `AutograderError` if it is of another
        assignment than these submissions, or than what is recorded of this one.
        """
        of_this = select(Participant).where(Participant.assignment == self.assignment.id)
        numbers_before = {
            (row.name, row.email): row.number
            for row in self.records.scalars(of_this)
            if row.name or row.email
        }
        same = {
            numbers_before[row.name, row.email]
            for row in worksheet.participants
            if (row.name, row.email) in numbers_before
        }  # another group's worksheet has other people
        refuse_other_assignment(worksheet, same)
        if not any(row.group for row in worksheet.participants):  # else they may be teams' numbers
            received = select(Submission.number).where(
                Submission.assignment == self.assignment.id,
                Submission.platform == PLATFORM,
                Submission.team == "",
            )
            numbers = {one.person.number for one in submissions}
            refuse_other_assignment(
                worksheet, (numbers or {*self.records.scalars(received)}) - {""}
            )
        self.records.add_all(
            Participant(*self.fact, **vars(row), zone=self.zone) for row in worksheet.participants
        )

    def sort(
        self, downloads: Iterable[Download], platform: str | None
    ) -> Iterator[tuple[Download, HandedIn]]:
        """Yield the submissions in the downloads, each after its download; what belongs to nobody is
        among them, without a sender. Raises `AutograderError` if a download has no file, or its platform
        is not recognised.
        """
        people = [
            Person(row.student, platform=row.platform, number=row.number)
            for row in roster_rows(self.records)
        ]
        groups = [*self.groups().names.values()]
        for download in downloads:
            if not download.files:
                none = f"There is no file to read in `{printable(download.name)}`."
                raise AutograderError(
                    " ".join([none, *(left.sentence for left in download.refused[:1])])
                )
            layout, contents = sort_by_student(
                download, self.assignment.id, platform, people, groups
            )
            self.notes += contents.notes
            for one in contents.handed_in:
                yield download, replace(one, times_in_zip=layout.times_in_zip)
            others = {one.id for one in courses.every(self.assignment.course)} - {
                self.assignment.id
            }
            for left in (*download.refused, *contents.without_student):
                if exchange.is_for_another(left.path, self.assignment.id, others):
                    continue
                files = (left.file,) if left.file else ()
                yield (
                    download,
                    HandedIn(Person(""), left.path, files, timeless=True, trouble=left.sentence),
                )

    def receive(self, download: Download, handed_in: HandedIn) -> None:
        """Record one submission of a download, with its files, and that this run saw it."""
        files = handed_in.files
        has_nothing = all(file.is_empty_folder for file in files) and (files or handed_in.trouble)
        seen = Examined([], [], []) if has_nothing else examine(files, self.assignment)
        stored = [
            {"path": one.file.path, "name": one.name, "sha256": store_file(self.records, one.data)}
            for one in seen.contents
        ]
        person = handed_in.person
        sender = person.number or person.email or handed_in.team_number or handed_in.label
        key = submission_key(self.assignment.id, person.platform, sender, stored, handed_in.trouble)
        if self.records.get(DeletedSubmission, key) is not None:
            forget_unused_files(self.records, [file["sha256"] for file in stored])
            return
        received = Submission(
            *self.fact, key, person.platform, person.number, person.name, person.email, person.login,
            person.id_number, person.student, person.section, handed_in.team, handed_in.team_number,
            handed_in.label, download.name, handed_in.submission, json.dumps(stored),
        )  # fmt: skip
        submission = self.add(received)
        if submission is received:
            self.new.add(submission.id)
            self._choose_notebook(submission, handed_in, seen)
        elif not submission.placed_as:  # else the sender may have been deleted
            for cell in SENDER:  # what this download knows and an earlier one did not
                setattr(submission, cell, getattr(submission, cell) or getattr(received, cell))
        self.seen.add(submission.id)
        chosen = (file for file in files if file.path == submission.notebook_file)
        file = next(iter([*chosen, *files]), None)
        if not submission.placed_as:
            self._note_newer_upload(submission, handed_in, file)
        time, source = time_in_download(handed_in, file, self.file_times)
        zone = self.zone if time else ""
        late, name = handed_in.late, "" if submission.placed_as else person.name
        self.records.add(Sighting(*self.fact, submission.id, time, source, zone, late, name))

    @staticmethod
    def _note_newer_upload(submission: Submission, handed_in: HandedIn, file: File | None) -> None:
        """Keep the highest number that the platform gave these files: somebody may have submitted
        them again, after others.
        """
        if file is not None and file.upload is not None:
            submission.upload = max(file.upload, submission.upload or 0)
        numbers = submission.platform_number, handed_in.submission
        submission.platform_number = max(numbers, key=lambda number: (len(number), number))

    def record_by_hand(
        self, student: str, contents: dict[str, bytes], when: str, changed: datetime
    ) -> None:
        """Record a notebook that somebody put among the submissions by hand.

        `contents`: of the notebook, which is the first, and of its secret, by file name; `when`: its
        timestamp, "" if there is none; `changed`: its time of modification, which only says what
        came later.
        """
        id = self.assignment.id
        stored_files = [
            {
                "path": f"{student}/{id}/{name}",
                "name": name,
                "sha256": store_file(self.records, data),
            }
            for name, data in contents.items()
        ]
        notebook = stored_files[0]
        key = files.digest_of(id, BY_HAND, student, notebook["sha256"])
        submission = self.add(
            Submission(
                *self.fact, key, "folder", label=BY_HAND, files=json.dumps(stored_files),
                notebook=notebook["sha256"], notebook_file=notebook["path"], placed_as=student,
            )
        )  # fmt: skip
        time = texts.parse_time(when) or changed
        source = "timestamp.txt" if when else BY_HAND
        self.records.add(Sighting(*self.fact, submission.id, time.isoformat(), source))

    def add(self, submission: Submission) -> Submission:
        """Record a submission, unless it is recorded already; return the recorded one."""
        same = self.records.scalar(select(Submission).where(Submission.key == submission.key))
        if same is None:
            self.records.add(submission)
            self.records.flush()
        return same or submission

    def _choose_notebook(
        self, submission: Submission, handed_in: HandedIn, seen: "Examined"
    ) -> None:
        """Record the notebook of a submission that would be graded, or why there is none; and which
        files may be meant.
        """
        contents, unread = seen.contents, seen.unread
        notebooks = seen.notebooks[:MOST_ROWS]
        rows = notebooks or [one.file.path for one in contents[:1]] or [handed_in.label]
        submission.notebooks = json.dumps(rows)
        has_empty_folder = any(file.is_empty_folder for file in handed_in.files)
        is_empty = has_empty_folder and not contents and not unread
        submission.trouble = handed_in.trouble or (EMPTY if is_empty else seen.trouble)
        if seen.notebook and not submission.trouble:
            submission.notebook = store_file(self.records, seen.notebook.data)
            submission.notebook_file = seen.notebook.file.path
            submission.upload = seen.notebook.file.upload
            left_out = [f"{reason}, and is not kept" for reason in unread]
            submission.remark = "; ".join(filter(None, [seen.remark, *left_out]))


@dataclass(frozen=True)
class Examined:
    """The files of a submission: their contents, half a sentence for each that could not be read,
    the paths of all notebooks among them, and the one that would be graded, with a remark; or the
    trouble why there is none.
    """

    contents: list[Content]
    unread: list[str]
    notebooks: list[str]
    notebook: Content | None = None
    remark: str = ""
    trouble: str = ""


def examine(files: Sequence[File], assignment: Assignment) -> Examined:
    """Read the files of a submission, and choose the assignment's notebook among them. This is done
    in one forked process; if it exceeds a limit, in one for each step, so that what can be read is
    kept. Raises `OSError`.
    """
    _ = assignment.cells  # read once, and not by each process
    try:
        return limits.run_bounded(lambda: _examine(files, assignment))
    except limits.OutOfBounds:
        return _examine(files, assignment)


def _examine(files: Sequence[File], assignment: Assignment) -> Examined:
    contents, unread = read_contents(files)
    notebooks = paths_of_notebooks(contents)
    try:
        notebook, remark = choose_notebook(contents, assignment)
    except NotPlaced as error:
        trouble = "; ".join([*unread, str(error)])
    except OSError:
        raise
    except Exception as error:  # a file that nobody thought of is this student's alone
        trouble = grading.describe_error(error)
    else:
        return Examined(contents, unread, notebooks, notebook, remark)
    return Examined(contents, unread, notebooks, trouble=trouble)


def submission_key(
    assignment: str,
    platform: str,
    sender: str,
    stored_files: list[dict[str, str]],
    trouble: str = "",
) -> str:
    """Return the key of a submission: the same if the sender's same files are in another download."""
    content = sorted([file["name"], file["sha256"]] for file in stored_files)
    return files.digest_of(assignment, platform, sender, content or trouble)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        return "unknown"


def _refuse_lost_zeros(people: list[Person], known: set[str], table: str) -> None:
    """Raise `TableError` if an id is that of a known student without its first zeros, as spreadsheets
    write it: both would be students.
    """
    by_number = {id.lstrip("0"): id for id in known if id.startswith("0")}
    for id in (person.student for person in people):
        if id not in known and id in by_number:
            raise files.TableError(
                f"`{table}` has `{id}`, and an earlier roster `{by_number[id]}`: a spreadsheet removes the "
                "zeros of numbers. Make that column a text there, and save the roster again."
            )


def _doubtful_rows(people: list[Person], table: str) -> Iterator[str]:
    """Yield a sentence for each student who is in a roster twice, or whose address or number
    another student has.
    """
    rows = [(one.student, one.platform, one.number, one.email.casefold()) for one in people]
    twice = sorted({row[0] for row in rows if rows.count(row) > 1})
    if twice:
        yield f"`{table}` has the same row twice: {name_some(twice)}."
    owners: dict[str, str] = {}
    for person in people:
        if (email := person.email.strip().casefold()) and owners.setdefault(
            email, person.student
        ) != person.student:
            yield f"`{table}`: {owners[email]} and {person.student} have one address, {printable(email)}."
