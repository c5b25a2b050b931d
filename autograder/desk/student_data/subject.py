"""`Subject`, the student in question, and the ways in which files name that student."""

import html
import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from sqlalchemy import select

from autograder.classroom.groups import CourseGroups, Groups
from autograder.classroom.identify import spellings
from autograder.classroom.records import open_records
from autograder.classroom.records.received import (
    CollectRun,
    CoursePerson,
    Participant,
    RosterRow,
    Submission,
)
from autograder.classroom.roster import Person, is_student_id
from autograder.engine import AutograderError, Pattern, files, printable, texts
from autograder.gradebook.sync.tables import read_names
from autograder.platforms import moodle
from autograder.platforms.registry import scope_of

# errors of unreadable zips
DAMAGED = zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError, OSError
BETWEEN = r"(?:[\s_,.+-]|%20){1,3}"  # between the words of a name in files and pages
MOST_INSIDE = 256 << 20  # bytes of all members of a zip
LONGEST = 254  # characters of a name or an address
EDGE = r"[^\pL\pM\pN]"


@dataclass(frozen=True)
class Subject:
    """A student: the id, and names, addresses and numbers that nobody else has."""

    student: str
    emails: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()  # of two words or more
    numbers: frozenset[tuple[str, str, str]] = frozenset()  # as `_number` returns them
    longer: frozenset[str] = frozenset()  # other ids that contain this id
    groups: Mapping[str, Groups] = field(default_factory=dict)  # by assignment
    with_mates: bool = True  # include submissions of groups that have other members

    def ids(self, assignment: str) -> tuple[str, ...]:
        """Return the ids of the student's work in an assignment: the own id, then groups."""
        groups = self.groups.get(assignment, Groups()).by_student.get(self.student, ())
        left_out = () if self.with_mates else self.shared(assignment)
        return self.student, *(id for id in groups if id not in left_out)

    def shared(self, assignment: str) -> list[str]:
        """Return the ids of the student's groups in an assignment that have other members."""
        groups = self.groups.get(assignment, Groups())
        ids = groups.by_student.get(self.student, ())
        return [id for id in ids if groups.members(id) != [self.student]]

    @cached_property
    def _pattern(self) -> Pattern:
        patterns = [texts.escape(email) for email in sorted(self.emails)]
        for name in sorted(self.names):
            *first, last = (_escaped(word) for word in name.replace(",", " ").split())
            patterns += [BETWEEN.join([*first, last]), BETWEEN.join([last, *first])]
        words = "|".join([texts.escape(self.student), *(f"(?i:{pattern})" for pattern in patterns)])
        return Pattern(f"(?:^|{EDGE})(?:{words})(?:{EDGE}|$)")

    def is_named_in(self, content: bytes | str) -> bool:
        """Whether a text, the bytes of a file or a file inside a zip names this student."""
        for text in _texts(content):
            for other_id in self.longer:
                text = text.replace(other_id, "")
            if self._pattern.search(text):
                return True
        return False

    def sent(self, row: Submission | Participant) -> bool:
        """Whether this student is the sender of a submission, or the participant. A path in a
        download decides only if the platform gives no other data on the sender.
        """
        texts = [row.name, row.email, row.login, row.id_number]
        platform = row.platform if isinstance(row, Submission) else moodle.PLATFORM
        ids = {_number("", row.assignment, text) for text in (row.login, row.id_number)}
        if not self.numbers.isdisjoint({_number(platform, row.assignment, row.number), *ids}):
            return True
        if isinstance(row, Submission) and not any([row.number, *texts]):
            texts = [row.suggested_id, row.label]
        return self.is_named_in(" | ".join(texts))


def _number(platform: str, assignment: str, number: str) -> tuple[str, str, str]:
    """Return (platform, assignment, number) in a normal form. The platform "" stands for student
    numbers. The assignment is "" if the number is valid in all.
    """
    normal_platform = platform.strip().lower()
    return normal_platform, scope_of(normal_platform, number, assignment), number.strip().casefold()


def find_subject(
    root: Path, gradebook: str | None, student: str, assignments: Iterable[str]
) -> Subject:
    """Return the student with this id, with names from rosters and the gradebook that nobody else
    has, and groups in these assignments.

    `root`: the course's folder. `gradebook`: a URL. Raises `AutograderError` if the id is invalid
    or a group's, or if a table or the gradebook cannot be read.
    """
    if not is_student_id(student):
        raise AutograderError(
            f"`{printable(student)}` is no student's id: take it from a roster, or from results/."
        )
    submitted = root / "submitted"
    with open_records(submitted) as records:
        rows = [*records.scalars(select(RosterRow)), *records.scalars(select(CoursePerson))]
        assignments = {*assignments, *records.scalars(select(CollectRun.assignment))} - {""}
    entered = (read_names(gradebook) if gradebook else {}).items()
    everybody = [Person(row.student, row.name, row.email) for row in rows]
    everybody += [Person(id, *name_and_email) for id, name_and_email in entered]
    short = [person for person in everybody if max(len(person.name), len(person.email)) <= LONGEST]
    own_entries = [person for person in short if person.student == student]
    names = _own_names(student, short)
    course = CourseGroups(root, submitted)
    if student in course.ids:
        raise AutograderError(f"`{student}` is a group: name one of its members.")
    return Subject(
        student,
        frozenset(person.email.strip() for person in own_entries if "@" in person.email),
        frozenset(name for name in names if len(name.replace(",", " ").split()) > 1),
        frozenset(
            _number(row.platform, row.assignment, row.number)
            for row in rows
            if row.student == student and row.number
        ),
        frozenset(person.student for person in everybody if student in person.student) - {student},
        {assignment: course.of(assignment) for assignment in sorted(assignments)},
    )


def _own_names(student: str, people: list[Person]) -> set[str]:
    """Return the student's names that nobody else has."""
    of_others = {
        word for person in people if person.student != student for word in spellings(person.name)
    }
    names = [person.name for person in people if person.student == student]
    return {name for name in names if not spellings(name) & of_others}


def _texts(content: bytes | str) -> Iterator[str]:
    """Yield the text of a file. For a zip, also yield its members' names and texts, but not those
    of nested zips.
    """
    yield _text(content)
    bytes_left = MOST_INSIDE
    with suppress(*DAMAGED):  # of a damaged zip, only its bytes are searched
        if isinstance(content, bytes) and content.startswith(files.ZIP):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                for member in archive.infolist():
                    with archive.open(member) as file:
                        inside = file.read(bytes_left)
                    bytes_left -= len(inside)
                    yield from (_text(member.filename), _text(inside))


def _text(content: bytes | str) -> str:
    """Return a text without the escapes of HTML and JSON that occur in names and addresses."""
    text = content if isinstance(content, str) else content.decode("utf-8", "replace")
    if isinstance(content, bytes):
        with suppress(UnicodeDecodeError):
            text = files.decoded(content)
    return html.unescape(text).replace("\\n", " ").replace("%40", "@")


def _escaped(word: str) -> str:
    """Return a pattern for a word in plain text or JSON."""
    return f"(?:{texts.escape(word)}|{texts.escape(json.dumps(word)[1:-1])})"
