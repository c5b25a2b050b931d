"""`Subject`, the student whose data are looked for, and how other files name that student."""

import html
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autograder.files.csv_text import ZIP, decoded
from autograder.gradebook.tables import read_names
from autograder.people.matching import spellings
from autograder.people.not_placed import read_lines
from autograder.people.roster import Person, read_roster
from autograder.staff.student_data.course_files import MAX_BYTES, Folders
from autograder.text.patterns import WORD, Pattern, escape

DAMAGED = zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError, OSError
BETWEEN = r"(?:[\s_,.+-]|%20){1,3}"  # the words of a name, as files and pages write it
EDGE = f"[^{WORD}]"


@dataclass(frozen=True)
class Subject:
    """One student: the id, and the names and addresses that are this student's alone."""

    student: str
    emails: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()  # of two words or more
    files: frozenset[tuple[str, str]] = frozenset()  # received from nobody else: assignment, name

    @cached_property
    def _pattern(self) -> Pattern:
        said = [_escaped(one) for one in (self.student, *sorted(self.emails))]
        for name in sorted(self.names):
            words = [_escaped(word) for word in name.replace(",", " ").split()]
            said += [BETWEEN.join(words), BETWEEN.join([words[-1], *words[:-1]])]
        return Pattern(f"(?i)(?:^|{EDGE})(?:{'|'.join(said)})(?:{EDGE}|$)")

    def is_named_in(self, content: bytes | str) -> bool:
        """Whether a text, the bytes of a file or a file inside a zip says who this student is."""
        return any(self._pattern.search(text) for text in _texts(content))

    def is_person(self, said: Any) -> bool:
        """Whether this, a person in a line of JSON, is the student: by id, e-mail, or name."""
        if not isinstance(said, dict):
            return False
        id, email, name = (str(said.get(key) or "") for key in ("student", "email", "name"))
        return id == self.student or (not id and self.is_called(email, name))

    def is_called(self, *said: str) -> bool:
        """Whether one of these texts is an e-mail address or a name of the student."""
        known = {one for name in self.names for one in spellings(name)}
        return any(
            text.strip().casefold() in self.emails or spellings(text) & known for text in said
        )


def find_subject(
    folders: Folders, assignments: list[str], gradebook: str | None, student: str
) -> Subject:
    """Return what is known of the names of a student, from rosters, records of what was received,
    and the gradebook at this URL (None for none).

    A name that somebody else has, too, is left out. Raises `CommandError` if one of these cannot be
    read.
    """
    people, files = [], {}
    for id in assignments:
        people += read_roster(folders.submitted, id).values()
        for line in read_lines(folders.submitted, id, dict):
            people.append(
                Person(*(str(line.get(key) or "") for key in ("student", "name", "email")))
            )
            for name in _files(line):
                files.setdefault((id, name), []).append(line)
    if gradebook:
        people += [Person(id, *known) for id, known in read_names(gradebook).items()]
    theirs = [one for one in people if one.student == student]
    others = {
        word for one in people if one.student not in ("", student) for word in spellings(one.name)
    }
    names = {
        one.name for one in theirs if len(one.name.split()) > 1 and not spellings(one.name) & others
    }
    emails = {one.email.strip().casefold() for one in theirs if "@" in one.email}
    subject = Subject(student, frozenset(emails), frozenset(names))
    alone = {key for key, lines in files.items() if all(is_theirs(subject, one) for one in lines)}
    return Subject(student, subject.emails, subject.names, frozenset(alone))


def is_theirs(subject: Subject, line: Any) -> bool:
    """Whether this, parsed JSON, is about the student alone: a record of what was received, a mark,
    an inquiry, a verdict.
    """
    if not isinstance(line, dict):
        return False
    sent, placed = line.get("handed_in"), line.get("students")
    sender = sent.get("person") if isinstance(sent, dict) else None
    return subject.is_person(line) or subject.is_person(sender) or placed == [subject.student]


def _files(line: dict) -> Iterator[str]:
    """Yield the names of the files in the store that a record of what was received is about."""
    sent = line.get("handed_in")
    kept = [one.get("kept") for one in sent.get("files", [])] if isinstance(sent, dict) else []
    yield from (str(name) for name in (line.get("file"), *kept) if name)


def _texts(content: bytes | str) -> Iterator[str]:
    """Yield the text of a file as it is, with all escapes of HTML and JSON that matter undone; for
    a zip, also that of its members.
    """
    if isinstance(content, str):
        yield html.unescape(content).replace("\\n", " ").replace("%40", "@")
        return
    try:
        text = decoded(content)
    except UnicodeDecodeError:
        text = content.decode("utf-8", "replace")
    yield from _texts(text)
    if content.startswith(ZIP):
        yield from _members(content)


def _members(content: bytes) -> Iterator[str]:
    left = MAX_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for one in archive.infolist():
                with archive.open(one) as file:
                    inside = file.read(left)
                left -= len(inside)
                yield from (*_texts(one.filename), *_texts(inside))
    except DAMAGED:
        return  # the names of members are in the bytes themselves


def _escaped(word: str) -> str:
    """Return a pattern for a word as text or as JSON has it."""
    return f"(?:{escape(word)}|{escape(json.dumps(word)[1:-1])})"
