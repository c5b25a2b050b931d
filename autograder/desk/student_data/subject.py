"""`Subject`, the student whose data are looked for, and how files name that student."""

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

DAMAGED = zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError, OSError
BETWEEN = r"(?:[\s_,.+-]|%20){1,3}"  # the words of a name, as files and pages write it
MOST_INSIDE = 256 << 20  # bytes of all members of a zip
LONGEST = 254  # characters of a name or an address
EDGE = r"[^\pL\pM\pN]"


@dataclass(frozen=True)
class Subject:
    """One student: the id, and the names, addresses and numbers that are this student's alone.

    `numbers`: as `_number` returns them. `with_mates`: whether what a group handed in is this student's also while the group has other
    members; what has none is this student's alone.
    """

    student: str
    emails: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()  # of two words or more
    numbers: frozenset[tuple[str, str, str]] = frozenset()
    longer: frozenset[str] = frozenset()  # ids of others in which this one is
    groups: Mapping[str, Groups] = field(default_factory=dict)  # by assignment
    with_mates: bool = True

    def ids(self, assignment: str) -> tuple[str, ...]:
        """Return the ids under which an assignment has the student's work: the own one first, then
        those of groups.
        """
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
        said = [texts.escape(one) for one in sorted(self.emails)]
        for name in sorted(self.names):
            *first, last = (_escaped(word) for word in name.replace(",", " ").split())
            said += [BETWEEN.join([*first, last]), BETWEEN.join([last, *first])]
        words = "|".join([texts.escape(self.student), *(f"(?i:{one})" for one in said)])
        return Pattern(f"(?:^|{EDGE})(?:{words})(?:{EDGE}|$)")

    def is_named_in(self, content: bytes | str) -> bool:
        """Whether a text, the bytes of a file or a file inside a zip says who this student is."""
        for text in _texts(content):
            for one in self.longer:
                text = text.replace(one, "")
            if self._pattern.search(text):
                return True
        return False

    def sent(self, row: Submission | Participant) -> bool:
        """Whether a row of the records says that this student is the sender, or the participant. A
        path in a download tells only where the platform says nothing else of the sender.
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
    """Return a number on a platform ("": a student number), with the only assignment in which it is
    the student's, "" for all.
    """
    known = platform.strip().lower()
    return known, scope_of(known, number, assignment), number.strip().casefold()


def find_subject(
    root: Path, gradebook: str | None, student: str, assignments: Iterable[str]
) -> Subject:
    """Return the student with this id, with the names that rosters and the gradebook have, and the
    groups in these assignments. A name that somebody else has, too, is left out.

    `root`: the course's folder; `gradebook`: a URL, None for none. Raises `AutograderError` for an
    invalid id or a group's, or if a table or the gradebook cannot be read.
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
    short = [one for one in everybody if max(len(one.name), len(one.email)) <= LONGEST]
    theirs = [person for person in short if person.student == student]
    names = _own_names(student, short)
    course = CourseGroups(root, submitted)
    if student in course.ids:
        raise AutograderError(f"`{student}` is a group: name one of its members.")
    return Subject(
        student,
        frozenset(person.email.strip() for person in theirs if "@" in person.email),
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
    """Return the names of a student that nobody else has."""
    of_others = {
        word for person in people if person.student != student for word in spellings(person.name)
    }
    own = [person.name for person in people if person.student == student]
    return {name for name in own if not spellings(name) & of_others}


def _texts(content: bytes | str) -> Iterator[str]:
    """Yield the text of a file; for a zip, also the names and texts of its members, but not of zips
    among them.
    """
    yield _text(content)
    left = MOST_INSIDE
    with suppress(*DAMAGED):  # then only what its bytes show
        if isinstance(content, bytes) and content.startswith(files.ZIP):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                for one in archive.infolist():
                    with archive.open(one) as file:
                        inside = file.read(left)
                    left -= len(inside)
                    yield from (_text(one.filename), _text(inside))


def _text(content: bytes | str) -> str:
    """Return a text with those escapes of HTML and JSON undone that matter."""
    text = content if isinstance(content, str) else content.decode("utf-8", "replace")
    if isinstance(content, bytes):
        with suppress(UnicodeDecodeError):
            text = files.decoded(content)
    return html.unescape(text).replace("\\n", " ").replace("%40", "@")


def _escaped(word: str) -> str:
    """Return a pattern for a word as text or as JSON has it."""
    return f"(?:{texts.escape(word)}|{texts.escape(json.dumps(word)[1:-1])})"
