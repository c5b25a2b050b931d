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
from typing import Any

from autograder.files.csv_text import ZIP, decoded
from autograder.gradebook.tables import read_names
from autograder.people.groups import CourseGroups, Groups
from autograder.people.matching import spellings
from autograder.people.roster import Person, is_student_id, read_remembered, read_roster
from autograder.platforms.collect.not_placed import ASIDE
from autograder.text.errors import CommandError
from autograder.text.patterns import Pattern, escape
from autograder.text.printable import printable

DAMAGED = zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError, OSError
BETWEEN = r"(?:[\s_,.+-]|%20){1,3}"  # the words of a name, as files and pages write it
MOST_INSIDE = 256 << 20  # bytes of all members of a zip
LONGEST = 254  # characters of a name or an address
EDGE = r"[^\pL\pM\pN]"


@dataclass(frozen=True)
class Subject:
    """One student: the id, and the names and addresses that are this student's alone.

    `with_mates`: whether what a group handed in is this student's also while the group has other
    members; what has none is this student's alone.
    """

    student: str
    emails: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()  # of two words or more
    longer: frozenset[str] = frozenset()  # ids of others in which this one is
    groups: Mapping[str, Groups] = field(default_factory=dict)  # by assignment
    with_mates: bool = True

    def ids(self, assignment: str) -> tuple[str, ...]:
        """Return the ids under which an assignment has the student's work: the own one first, then
        those of groups.
        """
        groups = self.groups.get(assignment, Groups())
        theirs = groups.by_student.get(self.student, ())
        alone = [id for id in theirs if groups.members(id) == [self.student]]
        return self.student, *(theirs if self.with_mates else alone)

    @cached_property
    def _pattern(self) -> Pattern:
        said = [escape(one) for one in sorted(self.emails)]
        for name in sorted(self.names):
            *first, last = (_escaped(word) for word in name.replace(",", " ").split())
            said += [BETWEEN.join([*first, last]), BETWEEN.join([last, *first])]
        words = "|".join([escape(self.student), *(f"(?i:{one})" for one in said)])
        return Pattern(f"(?:^|{EDGE})(?:{words})(?:{EDGE}|$)")

    def is_named_in(self, content: bytes | str) -> bool:
        """Whether a text, the bytes of a file or a file inside a zip says who this student is."""
        for text in _texts(content):
            for one in self.longer:
                text = text.replace(one, "")
            if self._pattern.search(text):
                return True
        return False

    def owns(self, said: Any, assignment: str) -> bool:
        """Whether parsed JSON is about this student alone: a record of what was received from them,
        or for them, a mark, an inquiry, a person.

        What is placed for others is theirs. Without an id, the e-mail address or the name tells.
        """
        if not isinstance(said, dict):
            return False
        if id := (self.with_mates and said.get("sender")) or said.get("student"):
            return id in self.ids(assignment)
        placed = said.get("students")
        if isinstance(placed, list) and placed not in ([], [ASIDE]):
            return all(one in self.ids(assignment) for one in placed)
        return self.sent(said, assignment)

    def sent(self, said: Any, assignment: str) -> bool:
        """Whether a record names this student as the one from whom something was received, or to
        whom something went.
        """
        if not isinstance(said, dict):
            return False
        keys = "sender", "to", *(("email", "name") if "email" in said else ())
        known = " ".join(str(said.get(one, "")) for one in keys)
        inside = said.get("handed_in"), said.get("person")
        return self.is_named_in(known) or any(self.owns(one, assignment) for one in inside)


def find_subject(
    root: Path, gradebook: str | None, student: str, assignments: Iterable[str]
) -> Subject:
    """Return the student with this id, with the names that rosters and the gradebook have, and the
    groups in these assignments. A name that somebody else has, too, is left out.

    `root`: the course's folder; `gradebook`: a URL, None for none. Raises `CommandError` for an
    invalid id or a group's, or if a table or the gradebook cannot be read.
    """
    if not is_student_id(student):
        raise CommandError(
            f"`{printable(student)}` is no student's id: take it from a roster, or from results/."
        )
    submitted, sheets = root / "submitted", sorted({*assignments} - {""})
    everybody = [*_people(submitted, sheets, gradebook)]
    known = [one for one in everybody if max(len(one.name), len(one.email)) <= LONGEST]
    theirs = [one for one in known if one.student == student]
    others = {word for one in known if one.student != student for word in spellings(one.name)}
    names = {one.name for one in theirs if not spellings(one.name) & others}
    course = CourseGroups(root, submitted)
    if student in course.ids:
        raise CommandError(f"`{student}` is a group: name one of its members.")
    return Subject(
        student,
        frozenset(one.email.strip() for one in theirs if "@" in one.email),
        frozenset(name for name in names if len(name.replace(",", " ").split()) > 1),
        frozenset(one.student for one in everybody if student in one.student) - {student},
        {sheet: course.of(sheet) for sheet in sheets},
    )


def _people(submitted: Path, sheets: Iterable[str], gradebook: str | None) -> Iterator[Person]:
    """Yield all people on the rosters of these assignments, and in the gradebook at this URL."""
    for sheet in sheets:
        yield from read_roster(submitted, sheet).values()
        yield from read_remembered(submitted, sheet)
    for student, known in (read_names(gradebook) if gradebook else {}).items():
        yield Person(student, *known)


def _texts(content: bytes | str) -> Iterator[str]:
    """Yield the text of a file; for a zip, also the names and texts of its members, but not of zips
    among them.
    """
    yield _text(content)
    left = MOST_INSIDE
    with suppress(*DAMAGED):  # then only what its bytes show
        if isinstance(content, bytes) and content.startswith(ZIP):
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
            text = decoded(content)
    return html.unescape(text).replace("\\n", " ").replace("%40", "@")


def _escaped(word: str) -> str:
    """Return a pattern for a word as text or as JSON has it."""
    return f"(?:{escape(word)}|{escape(json.dumps(word)[1:-1])})"
