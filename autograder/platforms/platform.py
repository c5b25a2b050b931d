"""`Platform`, the record that describes one learning platform, and the classes that its functions
take and return.

For example, a platform whose zip has a folder per student, named `Ada Softmax (4711)`:

    def sort_by_student(items, assignment_id, known):
        people = [Person(item.said["number"], item.said["name"]) for item in items]
        pairs = zip(people, items, strict=True)
        return Contents([HandedIn(one, item.name, tuple(item.files)) for one, item in pairs])

    names = Pattern("(?P<name>.+) [(](?P<number>[0-9]+)[)]")
    RECORD = Platform("campus", (Layout(names, sort_by_student),))
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from autograder.classroom.newest_files import ReceivedFile
from autograder.classroom.roster import Person
from autograder.engine import Pattern, printable
from autograder.gradebook.grades import Grade
from autograder.platforms.download import File, Left

ANY = Pattern(r"(?s).+")


@dataclass(frozen=True)
class HandedIn:
    """A submission in a download: the files that one student or one team handed in, and what the
    download says about them.

    `person.student` is the student's id as the platform suggests it, "" if it suggests none.
    """

    person: Person
    label: str  # how the download calls it
    files: tuple[File, ...]
    submitted_at: datetime | None = None  # as the platform says it
    time_from: str = ""  # what says so
    late: bool | None = None  # where the platform says that, and no time
    timeless: bool = False  # the files' times are not those of handing in
    times_in_zip: bool = False  # the platform packs files with the times of handing in
    team: str = ""  # of whom the download does not name everybody
    team_number: str = ""  # the platform's, which is another one in each assignment
    submission: str = ""  # the platform's number of this submission, where it has one
    trouble: str = ""  # a sentence on why nothing of it can be graded


@dataclass(frozen=True)
class Contents:
    """The content of a download, sorted: the submissions, and the files that belong to no student."""

    handed_in: list[HandedIn]
    without_student: list[Left] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # sentences on what is left aside


@dataclass(frozen=True)
class Item:
    """A file, or a folder with all files below it, at one level of a download."""

    name: str
    files: list[File]
    level: int  # how many folders are around it
    said: Mapping[str, str] = field(default_factory=dict)  # by the platform in the name

    @property
    def is_folder(self) -> bool:
        return any(len(file.parts) > self.level + 1 for file in self.files)

    @property
    def below(self) -> list["Item"]:
        """The files and folders directly in this folder."""
        return items_at(self.files, self.level + 1)


@dataclass(frozen=True)
class Known:
    """Facts that a download's names do not tell, from the course and from the rest of the download."""

    numbers: Collection[str] = ()  # the platform's, of people in the course
    groups: Collection[str] = ()  # names of the course's groups, as staff wrote them
    others: Sequence[File] = ()  # files of the download whose names the layout does not describe


@dataclass(frozen=True)
class Layout:
    """A form of download that a platform makes: how it names files or folders, and the function
    that sorts them by student.

    The platform writes such names at one level of folders only. Names below that level are the
    students' own, and tell nobody's identity.
    """

    names: Pattern  # that it writes; groups are what it says by them
    # the named items, the assignment's id, and what is known beside the names; may raise `AutograderError`
    sort_by_student: Callable[[list[Item], str, Known], Contents]
    # of items, the name of the folder around them, and the assignment; by default, if it reads any
    recognises: Callable[[list[Item], str, str], bool] | None = None
    folders: bool = True  # it writes names of folders
    files: bool = False  # it writes names of files
    aside: str = ""  # a folder beside submissions, of which nothing was handed in
    times_in_zip: bool = False  # its zips have the times of handing in
    # whether these files have them, where only some of the platform's zips do
    times_of_files: Callable[[Sequence[File]], bool] = lambda files: True
    certainty: int = 2  # 2: names that it makes; 1: folders as nbgrader has them; 0: any folder

    def fits(self, items: list[Item], around: str, assignment_id: str) -> bool:
        return (
            self.recognises(items, around, assignment_id)
            if self.recognises
            else bool(self.read(items))
        )

    def read(self, items: list[Item]) -> list[Item]:
        """Return the items whose names match the layout, each with the pattern's named groups in
        `said`.
        """
        own = [one for one in items if (self.folders if one.is_folder else self.files)]
        found = ((one, self.names.fullmatch(one.name)) for one in own)
        return [replace(one, said=names.groupdict("")) for one, names in found if names]


@dataclass
class ClassGrades:
    """All that is needed to export the grades of one assignment to one platform. `sent_since`: the
    students about whom something else was exported after the sheet had been downloaded.
    """

    assignment: str
    grades: list[Grade]
    course: Path
    sheet: Path | None = None  # as downloaded from the platform
    column: str | None = None  # of that sheet
    received: Mapping[str, ReceivedFile] = field(default_factory=dict)  # from this platform
    sent_since: Collection[str] = ()
    parts: dict[str, Any] = field(default_factory=dict)  # what `Format.part` made, by student

    def number_of(self, grade: Grade, platform: str) -> str:
        """Return the student's number on a platform, as the roster has it or the newest file from
        there; "" if neither does. A team's file tells no member's number.
        """
        file = self.received.get(grade.student)
        return grade.number_at(platform) or (file.number if file and not file.team else "")

    def by_name(self, name: Callable[[Grade], str]) -> tuple[dict[str, list[Grade]], list[str]]:
        """Return the grades by `name(grade)`, and the students for whom that is "".

        `name` returns what the platform calls the student or the file; several grades may have the
        same. Grades with the state `not_graded` are left out.
        """
        found: dict[str, list[Grade]] = defaultdict(list)
        for grade in self.grades:
            if grade.verdict.state != "not_graded":
                found[name(grade)].append(grade)
        return found, [grade.student for grade in found.pop("", [])]


@dataclass(frozen=True)
class Format:
    """How grades are exported to a platform: the names of the files, and the functions that make
    their contents.
    """

    files: tuple[str, ...]  # names of what is written
    # what one student is given; raises `ValueError` where that cannot be written
    part: Callable[[Grade, ClassGrades], Any]
    # the files' contents, and sentences on them; raises `AutograderError`, `OSError`
    write: Callable[[ClassGrades], tuple[list[bytes], list[str]]]
    # whether a table with this header is one of these files
    is_ours: Callable[[Sequence[str]], bool] = lambda header: False
    sheet: bool = False  # it fills in a sheet that the platform exports
    column: bool = False  # of which one column is the assignment's
    pages: bool = False  # it takes feedback pages
    before_grading: bool = False  # it is wanted before anybody hands in
    manual: tuple[str, str] = ("", "")  # what it gives, and where that goes


@dataclass(frozen=True)
class Platform:
    """Everything that is particular to one platform; an attribute is None if the platform has
    nothing of the kind.
    """

    name: str  # on the command line
    layouts: tuple[Layout, ...] = ()  # of its downloads
    format: Format | None = None  # of what it takes back
    # its name, what to download there, and where the time of handing in comes from: a row of the docs
    manual: tuple[str, str, str] | None = None
    # whether a person has this number in every assignment, not in one only
    number_lasts: Callable[[str], bool] = lambda number: True


def items_at(files: Iterable[File], level: int) -> list[Item]:
    """Return the files and folders at a level of a download; `level` is the number of folders
    around them. Files at higher levels are left out.
    """
    by_name: dict[str, list[File]] = defaultdict(list)
    for file in files:
        if file.parts[level:] not in ((), ("",)):
            by_name[file.parts[level]].append(file)
    return [Item(name, found, level) for name, found in by_name.items()]


def lefts(label: str, files: Iterable[File], why: str) -> list[Left]:
    """Return an entry for each of the files that can be a notebook or an archive with one; if there
    is none, one entry for all. `label`: how the download calls them; `why`: the rest of the sentence.
    """
    sentence = f"`{printable(label)}` {why}."
    notebooks = [Left(file.path, sentence, file) for file in files if file.may_hold_notebook]
    return notebooks or [Left(label, sentence)]
