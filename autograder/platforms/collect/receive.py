"""Record the facts in downloads, worksheets, rosters and staff's choices in a run of `collect`."""

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
MOST_ROWS = 20  # of one unmatched submission
EMPTY = "the folder is empty: ask whether something was submitted in another way"


@dataclass
class Run:
    """A run of `collect` that records facts.

    `seen`: ids of the submissions in its downloads. `new`: those recorded for the first time.
    `chosen`: submissions that staff gave to students. `notes`: sentences for staff.
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
        """Return the assignment's groups. Raises `TableError` if a table of groups cannot be used."""
        course = CourseGroups(self.assignment.course.root, self.into, self.records)
        return course.of(self.assignment.id)

    def record_roster(self, path: Path, top: Path | None = None, name: str = "") -> None:
        """Record the rows of a roster. `top`: folder below which no link is followed. `name`: name
        of the table in the records, by default that of the file. Raises `TableError` if the roster
        cannot be used.
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
        """Record the rows of a grading worksheet. Raises `AutograderError` if it belongs to another
        assignment than these submissions, or than the recorded facts.
        """
        of_this = select(Participant).where(Participant.assignment == self.assignment.id)
        numbers_before = {
            (row.name, row.email): row.number
            for row in self.records.scalars(of_this)
            if row.name or row.email
        }
        # the worksheet of another group has other people
        numbers_of_same_people = {
            numbers_before[row.name, row.email]
            for row in worksheet.participants
            if (row.name, row.email) in numbers_before
        }
        refuse_other_assignment(worksheet, numbers_of_same_people)
        # with teams, the recorded numbers may be those of teams
        if not any(row.group for row in worksheet.participants):
            received = select(Submission.number).where(
                Submission.assignment == self.assignment.id,
                Submission.platform == PLATFORM,
                Submission.team == "",
            )
            numbers = {submission.person.number for submission in submissions}
            refuse_other_assignment(
                worksheet, (numbers or {*self.records.scalars(received)}) - {""}
            )
        self.records.add_all(
            Participant(*self.fact, **vars(row), zone=self.zone) for row in worksheet.participants
        )

    def sort(
        self, downloads: Iterable[Download], platform: str | None
    ) -> Iterator[tuple[Download, HandedIn]]:
        """Yield the submissions in the downloads, each after its download. Files that belong to no
        student are yielded as submissions without a sender. Raises `AutograderError` if a download
        has no file, or its platform is not recognised.
        """
        people = [
            Person(row.student, platform=row.platform, number=row.number)
            for row in roster_rows(self.records)
        ]
        groups = [*self.groups().names.values()]
        for download in downloads:
            if not download.files:
                message = f"There is no file to read in `{printable(download.name)}`."
                raise AutograderError(
                    " ".join([message, *(leftover.sentence for leftover in download.refused[:1])])
                )
            layout, contents = sort_by_student(
                download, self.assignment.id, platform, people, groups
            )
            self.notes += contents.notes
            for submission in contents.handed_in:
                yield download, replace(submission, times_in_zip=layout.times_in_zip)
            other_ids = {assignment.id for assignment in courses.every(self.assignment.course)} - {
                self.assignment.id
            }
            for leftover in (*download.refused, *contents.without_student):
                if exchange.is_for_another(leftover.path, self.assignment.id, other_ids):
                    continue
                files = (leftover.file,) if leftover.file else ()
                yield (
                    download,
                    HandedIn(
                        Person(""), leftover.path, files, timeless=True, trouble=leftover.sentence
                    ),
                )

    def receive(self, download: Download, handed_in: HandedIn) -> None:
        """Record a submission of a download with its files, and a sighting of it by this run."""
        files = handed_in.files
        has_nothing = all(file.is_empty_folder for file in files) and (files or handed_in.trouble)
        examined = Examined([], [], []) if has_nothing else examine(files, self.assignment)
        stored = [
            {
                "path": content.file.path,
                "name": content.name,
                "sha256": store_file(self.records, content.data),
            }
            for content in examined.contents
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
            self._choose_notebook(submission, handed_in, examined)
        elif not submission.placed_as:  # else the sender may have been deleted on purpose
            for attr in SENDER:  # fill in cells that earlier downloads did not have
                setattr(submission, attr, getattr(submission, attr) or getattr(received, attr))
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
        """Keep the highest upload number. A student may submit the same files again after others."""
        if file is not None and file.upload is not None:
            submission.upload = max(file.upload, submission.upload or 0)
        numbers = submission.platform_number, handed_in.submission
        submission.platform_number = max(numbers, key=lambda number: (len(number), number))

    def record_by_hand(
        self, student: str, contents: dict[str, bytes], when: str, changed: datetime
    ) -> None:
        """Record a notebook that somebody put among the submissions by hand.

        `contents`: the notebook, then its secret, by file name. `when`: its timestamp, or "".
        `changed`: modification time, used only to order submissions.
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
        """Record a submission unless it is already recorded. Return the recorded submission."""
        same = self.records.scalar(select(Submission).where(Submission.key == submission.key))
        if same is None:
            self.records.add(submission)
            self.records.flush()
        return same or submission

    def _choose_notebook(
        self, submission: Submission, handed_in: HandedIn, examined: "Examined"
    ) -> None:
        """Record the notebook to grade or the reason for none, and all possible files."""
        contents, unread = examined.contents, examined.unread
        notebooks = examined.notebooks[:MOST_ROWS]
        rows = notebooks or [content.file.path for content in contents[:1]] or [handed_in.label]
        submission.notebooks = json.dumps(rows)
        has_empty_folder = any(file.is_empty_folder for file in handed_in.files)
        is_empty = has_empty_folder and not contents and not unread
        submission.trouble = handed_in.trouble or (EMPTY if is_empty else examined.trouble)
        if examined.notebook and not submission.trouble:
            submission.notebook = store_file(self.records, examined.notebook.data)
            submission.notebook_file = examined.notebook.file.path
            submission.upload = examined.notebook.file.upload
            left_out = [f"{reason}, and is not kept" for reason in unread]
            submission.remark = "; ".join(filter(None, [examined.remark, *left_out]))


@dataclass(frozen=True)
class Examined:
    """The files of a submission: contents, half a sentence for each unreadable file, paths of all
    notebooks, and the notebook to grade with a remark, or the reason for none (`trouble`).
    """

    contents: list[Content]
    unread: list[str]
    notebooks: list[str]
    notebook: Content | None = None
    remark: str = ""
    trouble: str = ""


def examine(files: Sequence[File], assignment: Assignment) -> Examined:
    """Read the files of a submission, and choose the assignment's notebook, in a forked process. If
    it exceeds a limit, each step gets its own process, so that readable files are kept. Raises
    `OSError`.
    """
    _ = assignment.cells  # cached here, so that the forked processes do not read it again
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
    except Exception as error:  # an unforeseen file must not stop the run for other students
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
    """Return a submission's key, which is the same for the same files of the same sender."""
    content = sorted([file["name"], file["sha256"]] for file in stored_files)
    return files.digest_of(assignment, platform, sender, content or trouble)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        return "unknown"


def _refuse_lost_zeros(people: list[Person], known_ids: set[str], table: str) -> None:
    """Raise `TableError` if an id is a known id without leading zeros. Spreadsheets remove them."""
    by_number = {id.lstrip("0"): id for id in known_ids if id.startswith("0")}
    for id in (person.student for person in people):
        if id not in known_ids and id in by_number:
            raise files.TableError(
                f"`{table}` has `{id}`, and an earlier roster `{by_number[id]}`: a spreadsheet removes the "
                "zeros of numbers. Make that column a text there, and save the roster again."
            )


def _doubtful_rows(people: list[Person], table: str) -> Iterator[str]:
    """Yield a sentence for each repeated row, and for each address that two students share."""
    rows = [
        (person.student, person.platform, person.number, person.email.casefold())
        for person in people
    ]
    repeated = sorted({row[0] for row in rows if rows.count(row) > 1})
    if repeated:
        yield f"`{table}` has the same row twice: {name_some(repeated)}."
    owners: dict[str, str] = {}
    for person in people:
        if (email := person.email.strip().casefold()) and owners.setdefault(
            email, person.student
        ) != person.student:
            yield f"`{table}`: {owners[email]} and {person.student} have one address, {printable(email)}."
