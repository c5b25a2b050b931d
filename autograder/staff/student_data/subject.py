"""`Subject`, the student whose data are looked for, and how files name that student."""

import html
import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autograder.files.csv_text import ZIP, decoded
from autograder.people.matching import spellings
from autograder.people.roster import Person
from autograder.text.patterns import Pattern, escape

DAMAGED = zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError, OSError
BETWEEN = r"(?:[\s_,.+-]|%20){1,3}"  # the words of a name, as files and pages write it
MOST_INSIDE = 256 << 20  # bytes of all members of a zip
LONGEST = 254  # characters of a name or an address
EDGE = r"[^\pL\pM\pN]"


@dataclass(frozen=True)
class Subject:
    """One student: the id, and the names and addresses that are this student's alone."""

    student: str
    emails: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()  # of two words or more
    longer: frozenset[str] = frozenset()  # ids of others in which this one is

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

    def owns(self, said: Any) -> bool:
        """Whether parsed JSON is about this student alone: a record of what was received from them,
        or for them, a mark, an inquiry, a person.

        Without an id, the e-mail address or the name tells.
        """
        if not isinstance(said, dict):
            return False
        if id := said.get("student"):
            return id == self.student
        who = f"{said.get('email', '')} {said.get('name', '')}"
        known = "email" in said and self.is_named_in(who)
        inside = self.owns(said.get("handed_in")) or self.owns(said.get("person"))
        return known or inside or said.get("students") == [self.student]


def find_subject(people: Iterable[Person], student: str) -> Subject:
    """Return the student with what these people, all of the course, say of names and addresses. A
    name that somebody else has, too, is left out.
    """
    everybody = [*people]
    known = [one for one in everybody if max(len(one.name), len(one.email)) <= LONGEST]
    theirs = [one for one in known if one.student == student]
    others = {word for one in known if one.student != student for word in spellings(one.name)}
    names = {one.name for one in theirs if not spellings(one.name) & others}
    return Subject(
        student,
        frozenset(one.email.strip() for one in theirs if "@" in one.email),
        frozenset(name for name in names if len(name.replace(",", " ").split()) > 1),
        frozenset(one.student for one in everybody if student in one.student) - {student},
    )


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
