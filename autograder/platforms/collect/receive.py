"""Record what downloads, worksheets, rosters and staff's choices say: one run of `collect`."""

import getpass
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from shlex import join

from sqlalchemy import select
from sqlalchemy.orm import Session

from autograder.classroom.records.received import (
    Choice,
    CollectRun,
    DeletedSubmission,
    Participant,
    RosterRow,
    Sighting,
    Submission,
    forget_unused_files,
    store_file,
)
from autograder.engine.course.assignment import Assignment
from autograder.engine.graded import describe_error
from autograder.files.csv_text import read_table
from autograder.files.digest import digest_of
from autograder.people.matching import NotPlaced
from autograder.people.roster import Person, people_in, roster_cells
from autograder.platforms.collect.choose import choose_notebook, paths_of_notebooks
from autograder.platforms.collect.contents import Content, read_contents
from autograder.platforms.collect.settle import BY_HAND
from autograder.platforms.collect.times import time_in_download
from autograder.platforms.download import Download, File
from autograder.platforms.moodle_worksheet import Worksheet
from autograder.platforms.platform import HandedIn
from autograder.platforms.recognise import sort_by_student
from autograder.text.errors import CommandError
from autograder.text.printable import printable
from autograder.text.times import parse_time
from autograder.text.wording import name_some

MOST_ROWS = 20  # of one submission that is unmatched


@dataclass
class Run:
    """One run of `collect` that records facts. `seen` has the submissions of its downloads, new ones
    among them in `new`; `notes` are sentences for staff.
    """

    records: Session
    assignment: Assignment
    into: Path
    zone: str = ""  # of `--timezone`
    file_times: bool = False
    drafts: bool = False
    seen: list[Submission] = field(default_factory=list)
    new: set[int] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        command = join(Path(word).name if "/" in word else word for word in sys.argv[1:])
        self.row = CollectRun(
            self.assignment.id,
            datetime.now(UTC).replace(tzinfo=None),
            _user(),
            command,
            self.drafts,
        )
        self.records.add(self.row)
        self.records.flush()

    @property
    def fact(self) -> tuple[int, str]:
        """The first columns of each fact of this run."""
        return self.row.id, self.assignment.id

    def record_roster(self, path: Path) -> None:
        """Record the rows of a roster. Raises `TableError` if it cannot be used."""
        table = read_table(path)
        people = people_in(table)
        groups = table.cells("group")
        by_row = [("".join(groups(row)).strip()) for row in table.rows[1:]]
        for person, group, line in zip(people, by_row, table.lines[1:], strict=True):
            self.records.add(RosterRow(*self.fact, *roster_cells(person), group, path.name, line))
        self.notes += _doubtful_rows(people, path.name)
        self.records.flush()

    def record_worksheet(self, worksheet: Worksheet) -> None:
        """Record the rows of a grading worksheet."""
        for row in worksheet.participants:
            self.records.add(Participant(*self.fact, **vars(row), zone=self.zone))
        self.records.flush()

    def sort(
        self, download: Download, platform: str | None, people: list[Person], groups: list[str]
    ) -> list[HandedIn]:
        """Return the submissions in a download; what belongs to nobody is among them, without a
        sender. Raises `CommandError` if it has no file, or its platform is not recognised.
        """
        if not download.files:
            reasons = [left.sentence for left in download.refused[:1]]
            raise CommandError(
                " ".join([f"There is no file to read in `{printable(download.name)}`.", *reasons])
            )
        layout, contents = sort_by_student(download, self.assignment.id, platform, people, groups)
        self.notes += contents.notes
        nobodys = [*download.refused, *contents.without_student]
        return [
            *(replace(one, times_in_zip=layout.times_in_zip) for one in contents.handed_in),
            *(_of_nobody(left.path, left.file, left.sentence) for left in nobodys),
        ]

    def receive(self, download: Download, handed_in: HandedIn) -> None:
        """Record one submission of a download, with its files, and that this run saw it. Only files
        are read that are not yet recorded.
        """
        contents, unread = read_contents(handed_in.files)
        files = [
            {"path": one.file.path, "name": one.name, "sha256": store_file(self.records, one.data)}
            for one in contents
        ]
        person = handed_in.person
        sender = person.number or person.email or handed_in.team_number or handed_in.label
        key = submission_key(self.assignment.id, person.platform, sender, files, handed_in.trouble)
        if self.records.get(DeletedSubmission, key) is not None:
            forget_unused_files(self.records, [file["sha256"] for file in files])
            return
        submission = self.records.scalar(select(Submission).where(Submission.key == key))
        if submission is None:
            submission = self._add(key, download.name, handed_in, contents, files, unread)
            self.new.add(submission.id)
        self.seen.append(submission)
        notebook = next(
            (one.file for one in contents if one.file.path == submission.notebook_file), None
        )
        file = notebook or next(iter(handed_in.files), None)
        time, source = "", handed_in.time_from
        if file is not None:
            time, source = time_in_download(handed_in, file, self.file_times)
        zone = self.zone if time else ""
        self.records.add(Sighting(*self.fact, submission.id, time, source, zone, handed_in.late))
        self.records.flush()

    def record_by_hand(self, student: str, data: bytes, when: str, changed: datetime) -> None:
        """Record a notebook that somebody put among the submissions by hand.

        `when`: its timestamp, "" if there is none; `changed`: its time of modification, which only
        says what came later.
        """
        sha256, id = store_file(self.records, data), self.assignment.id
        path = f"{student}/{id}/{id}.ipynb"
        files = json.dumps([{"path": path, "name": f"{id}.ipynb", "sha256": sha256}])
        key = digest_of(id, BY_HAND, student, sha256)
        submission = self.records.scalar(select(Submission).where(Submission.key == key))
        if submission is None:
            submission = Submission(
                *self.fact, key, "folder", label=BY_HAND, files=files, notebook=sha256,
                notebook_file=path, placed_as=student,
            )  # fmt: skip
            self.records.add(submission)
            self.records.flush()
        time = parse_time(when) or changed
        source = "timestamp.txt" if when else BY_HAND
        self.records.add(Sighting(*self.fact, submission.id, time.isoformat(), source))

    def choices_of(self, submission_id: int) -> list[Choice]:
        """Return the choices for a submission that this run recorded."""
        query = select(Choice).where(
            Choice.submission_id == submission_id, Choice.run_id == self.row.id
        )
        return [*self.records.scalars(query)]

    def _add(
        self, key: str, download: str, handed_in: HandedIn, contents: list[Content],
        files: list[dict[str, str]], unread: list[str],
    ) -> Submission:  # fmt: skip
        person = handed_in.person
        submission = Submission(
            *self.fact, key, person.platform, person.number, person.name, person.email, person.login,
            person.id_number, person.student, person.section, handed_in.team, handed_in.team_number,
            handed_in.label, download, handed_in.submission, json.dumps(files),
        )  # fmt: skip
        choose(
            self.records,
            submission,
            contents,
            unread,
            self.assignment,
            handed_in.trouble,
            any(file.is_empty_folder for file in handed_in.files),
        )
        notebooks = paths_of_notebooks(contents)[:MOST_ROWS]
        rows = notebooks or [one.file.path for one in contents[:1]] or [handed_in.label]
        submission.notebooks = json.dumps(rows)
        self.records.add(submission)
        self.records.flush()
        return submission


def submission_key(
    assignment: str, platform: str, sender: str, files: list[dict[str, str]], trouble: str = ""
) -> str:
    """Return the key of a submission: the same if the sender's same files are in another download."""
    content = sorted([file["name"], file["sha256"]] for file in files)
    return digest_of(assignment, platform, sender, content or trouble)


def choose(
    records: Session, submission: Submission, contents: list[Content], unread: list[str],
    assignment: Assignment, trouble: str = "", is_empty: bool = False,
) -> None:  # fmt: skip
    """Choose the notebook of a submission that would be graded, or record why there is none.

    `unread`: half a sentence for each file that could not be read; `trouble`: a sentence, where
    nothing was to be read; `is_empty`: the student's folder is empty.
    """
    if trouble:
        submission.trouble = trouble
        return
    try:
        if not contents and not unread and is_empty:
            raise NotPlaced(
                "the folder is empty: ask whether something was submitted in another way"
            )
        notebook, remark = choose_notebook(contents, assignment)
    except NotPlaced as error:
        submission.trouble = "; ".join([*unread, str(error)])
        return
    except OSError:
        raise
    except Exception as error:  # a file that nobody thought of is this student's alone
        submission.trouble = describe_error(error)
        return
    submission.notebook = store_file(records, notebook.data)
    submission.notebook_file = notebook.file.path
    submission.upload = notebook.file.upload
    left_out = [f"{reason}, and is not kept" for reason in unread]
    submission.remark = "; ".join(filter(None, [remark, *left_out]))


def _of_nobody(path: str, file: File | None, sentence: str) -> HandedIn:
    nobody = Person("")
    return HandedIn(nobody, path, (file,) if file else (), timeless=True, trouble=sentence)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        return "unknown"


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
