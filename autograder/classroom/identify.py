"""Identify the student of the course behind a sender on a platform.

A number, an address, a login or an id decides if it equals that of exactly one student. A full name
decides only if the platform uses real names, and only if it is unique. Display names and parts of
addresses never decide.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from autograder.classroom.new_ids import lengthened
from autograder.classroom.roster import Person, is_student_id
from autograder.engine import Pattern, printable

Key = tuple[str, ...]
ACCENTS = Pattern("[\u0300-\u036f]")  # on letters of Latin, Greek and Cyrillic script
UMLAUT = Pattern("([aou])e")  # spelling without the letter


class UnknownSender(Exception):
    """The sender is unknown. The message continues a sentence about the submission."""


class Directory:
    """People of a course. `closed`: name of the complete list, or "" to give new senders ids."""

    def __init__(self, closed: str = ""):
        self.closed = closed
        self.people: dict[str, Person] = {}
        self._by_key: dict[Key, set[str]] = defaultdict(set)
        self._numbers: dict[Key, set[str]] = defaultdict(set)  # by student, platform, assignment
        self._ids: dict[str, str] = {}  # as written, by lower case
        self._rows: dict[str, list[Person]] = defaultdict(list)  # of rosters
        # numbers reported together with the address
        self._vouched: dict[str, set[Key]] = defaultdict(set)

    def add_row(self, row: Person, assignment: str = "") -> None:
        """Add a roster's row. Its number counts in this assignment, in all for ""."""
        self.add(row, assignment)
        self._rows[row.student].append(row)

    def add(self, person: Person, assignment: str = "", id_decides: bool = True) -> None:
        """Add a student, or further facts on a student.

        `assignment`: the only assignment in which the person has this number, "" for all.
        `id_decides`: a sender with this id is this student.
        """
        existing = self.people.get(person.student)
        self.people[person.student] = merged(existing, person) if existing else person
        self._ids[person.student.casefold()] = person.student
        ids = _id_keys(person.student) if id_decides else []
        for key in (*_keys(person, assignment), *ids, *_name_keys(person.name)):
            self._by_key[key].add(person.student)
        if person.number:
            key = person.student, person.platform, assignment
            self._numbers[key].add(person.number.casefold())

    def find(self, person: Person, assignment: str = "", name_decides: bool = False) -> str:
        """Return the id of the sender's student, or "". Raises `UnknownSender` if several match,
        or if a roster contradicts.
        """
        certain = [
            *_keys(replace(person, login=""), assignment),
            *_keys(replace(person, login="", platform=""), assignment),
        ]
        if students := self._with(certain):
            return self._only(students, person, assignment)
        keys = _id_keys(person.login)
        if not self._is_made_up(person):
            keys += _id_keys(person.student)
        students = self._with(keys)
        if not students and name_decides:
            students = self._with(_name_keys(person.name))
        if not students and (_is_bare(person) or _has_number(person)):
            students = {person.student} & self.people.keys()
        mismatched = {
            student for student in students if self._has_another_number(student, person, assignment)
        }
        return self._only(students - mismatched, person, assignment)

    def _with(self, keys: Iterable[Key]) -> set[str]:
        return set[str]().union(*(self._by_key.get(key, ()) for key in keys))

    def _only(self, students: set[str], person: Person, assignment: str) -> str:
        """Return the only student, or "". Raises `UnknownSender` for several or a contradiction."""
        if len(students) > 1:
            raise UnknownSender(f"may be of {' or of '.join(sorted(students)[:5])}")
        student = next(iter(students), "")
        if reason := self._contradiction(person, student, assignment):
            raise UnknownSender(reason)
        return student

    def _has_another_number(self, student: str, person: Person, assignment: str) -> bool:
        """Whether a student has another number on the sender's platform."""
        numbers = self._numbers.get((student, person.platform, assignment), set())
        return bool(person.number and numbers) and person.number.casefold() not in numbers

    def _contradiction(self, person: Person, student: str, assignment: str) -> str:
        """Return the contradiction between a roster and this identification, or "". A number is
        certain if the roster gives it for the sender's platform, or if the platform reported it
        together with the roster's address.
        """
        rows = self._rows.get(student, [])
        own = (person.platform, person.number)
        emails = [row.email.strip().casefold() for row in rows if row.email]
        is_vouched = not self._vouched[student].isdisjoint(_keys(person, assignment))
        if (
            person.email.casefold() in emails
            or is_vouched
            or any((row.platform.lower(), row.number) == own for row in rows)
        ):
            return ""
        names = [row.name for row in rows if row.name]
        if names and not any(agree(person.name, name) for name in names):
            return f"may be of {student}, whose name in the roster is `{printable(names[0])}`"
        if not rows and self._is_another(person, student):
            emails = [self.people[student].email]
        if emails and person.email:
            return f"may be of {student}, whose address is `{printable(emails[0])}`"
        return ""

    def _is_another(self, person: Person, student: str) -> bool:
        """Whether address and name differ. At Gradescope, senders type any student's number."""
        known_person = self.people.get(student, Person(""))
        emails = {known_person.email.casefold(), person.email.casefold()} - {""}
        return len(emails) == 2 and not agree(known_person.name, person.name)

    def identify(
        self,
        person: Person,
        assignment: str = "",
        name_decides: bool = False,
        rival: str = "",
    ) -> str:
        """Return the id of the sender's student, and remember the sender's facts. Without a
        complete list of students, a new sender gets the id that the platform suggests. `rival`:
        another sender with the same suggested id, in words.

        Raises `UnknownSender` if the sender cannot be identified.
        """
        student = self.find(person, assignment, name_decides)
        if not student:
            if self.closed:
                raise UnknownSender(
                    f"is not in {self.closed}; add a row there, and collect with --roster"
                )
            student = self._new_id(person, rival)
        sender = replace(person, student=student)
        typed = Person("", platform=person.platform, number=person.number)
        if self._with([*_keys(typed, assignment), *_id_keys(person.number)]) - {student}:
            sender = replace(sender, number="")  # another student's number was mistyped
        self.add(sender, assignment, id_decides=not self._is_made_up(person))
        emails = {row.email.strip().casefold() for row in self._rows[student]} - {""}
        if person.email.casefold() in emails:
            self._vouched[student].update(_keys(typed, assignment))
        return student

    def _new_id(self, person: Person, rival: str) -> str:
        """Return an id for a new sender. Raises `UnknownSender` if every id is taken."""
        if not person.student and person.number:
            raise UnknownSender(
                f"is of `{printable(person.number)}` at {person.platform}, and nothing says who that "
                "is; say it in a --roster"
            )
        if not is_student_id(person.student):
            raise UnknownSender("has a name of which no id can be made; name one in a --roster")
        for student in (*([] if rival else [person.student]), lengthened(person)):
            if student and student.casefold() not in self._ids:
                return student
        raise UnknownSender(
            f"would share the id `{person.student}` with {rival or 'somebody else'}; tell them apart in "
            "a --roster"
        )

    @staticmethod
    def _is_made_up(person: Person) -> bool:
        """Whether the suggested id comes from a name, so that it does not identify a student."""
        texts = person.login, person.id_number, person.email, person.number
        return person.student.casefold() not in {text.casefold() for text in texts}


def _is_bare(person: Person) -> bool:
    """Whether only the id of a sender is known, for example from a folder's name."""
    texts = person.name, person.email, person.number, person.login, person.id_number
    return not any(texts)


def _has_number(person: Person) -> bool:
    """Whether the suggested id consists of a name and the person's own number."""
    return bool(person.number) and person.student.endswith(f"-{person.number}")


def _keys(person: Person, assignment: str) -> list[Key]:
    """Return the facts that identify this person, each compared as a whole."""
    platform = person.platform.strip().lower()
    number, email = person.number.strip().casefold(), person.email.strip().casefold()
    keys: list[Key] = [("email", email)] if email else []
    if number:
        keys.append(("number", platform, assignment, number))
    for text in (person.login, person.id_number):
        keys += _id_keys(text)
    return keys


def _id_keys(text: str) -> list[Key]:
    plain = text.strip().casefold()
    kinds = ("id", "email") if "@" in plain else ("id",)
    return [(kind, plain) for kind in kinds if plain]


def _name_keys(name: str) -> list[Key]:
    words = _words(name)  # as `Ada Softmax` and as `Softmax, Ada`; `Li Nan` is not `Lin An`
    return [("name", *words[i:], *words[:i]) for i in range(len(words))]


def merged(person: Person, addition: Person) -> Person:
    """Return a person with missing facts filled in from `addition`."""
    texts = {name: text or getattr(addition, name) for name, text in vars(person).items()}
    return Person(**texts)


@cache
def spellings(name: str) -> set[str]:
    """Return a name in lower case without spaces and accents, for each rotation of its words.

    `Ada Softmax` and `Softmax, Ada` have a spelling in common.
    """
    words = _words(name)
    return {"".join(words[i:] + words[:i]) for i in range(len(words))} - {""}


def _words(name: str) -> list[str]:
    plain = ACCENTS.sub("", unicodedata.normalize("NFKD", name).casefold())
    words = ["".join(filter(_is_of_word, word)) for word in plain.replace(",", " ").split()]
    return [word for word in words if word]


def _is_of_word(character: str) -> bool:
    """Whether a character is a letter, a digit, or a mark such as a vowel sign of Hindi."""
    return character.isalnum() or unicodedata.category(character).startswith("M")


def agree(name: str, other_name: str) -> bool:
    """Whether two names can belong to the same person. Words may be missing, shortened to
    initials, or joined.

    An umlaut may be written with an e: `Müller` agrees with `Mueller`. An empty name agrees with
    every name.
    """
    words, other_words = (
        [UMLAUT.sub(r"\1", word) for word in _words(text)] for text in (name, other_name)
    )
    return (
        not words or not other_words or _is_part(words, other_words) or _is_part(other_words, words)
    )


def _is_part(part: list[str], words: list[str]) -> bool:
    if len(words) == 1 and 2 * len("".join(part)) >= len(words[0]):  # `softmaxada`
        return all(word in words[0] for word in part)
    runs = {"".join(words[i:j]) for j in range(len(words) + 1) for i in range(j)}
    initials = {word[0] for word in words}
    return not runs.isdisjoint(part) and runs | initials >= set(part)


def section_of(student: str, people: Iterable[Person]) -> str:
    """Return a student's section, from the first person with a section, or ""."""
    sections = (person.section.strip() for person in people if person.student == student)
    return next(filter(None, sections), "")
