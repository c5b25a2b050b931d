"""`Platform`, the record that describes a learning platform, and the classes that its functions
take and return.

For example, a platform whose zip has a folder per student, named `Ada Softmax (4711)`:

    def sort_by_student(items, assignment_id, facts):
        people = [Person(item.said["number"], item.said["name"]) for item in items]
        pairs = zip(people, items, strict=True)
        submissions = [HandedIn(person, item.name, tuple(item.files)) for person, item in pairs]
        return Contents(submissions)

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
    """A submission in a download: the files of a student or team, with information from the
    platform.

    `person.student`: the student's id suggested by the platform, or "".
    """

    person: Person
    label: str  # the download's name for it
    files: tuple[File, ...]
    submitted_at: datetime | None = None  # according to the platform
    time_from: str = ""  # source of the time
    late: bool | None = None  # if the platform marks late submissions without a time
    timeless: bool = False  # the files' times are not those of submission
    times_in_zip: bool = False  # the platform packs files with the times of submission
    team: str = ""  # a team whose members are not all in the download
    team_number: str = ""  # the platform's number, different in each assignment
    submission: str = ""  # the platform's number of this submission, if any
    trouble: str = ""  # a sentence on why it cannot be graded


@dataclass(frozen=True)
class Contents:
    """The sorted content of a download: submissions, and files that belong to no student."""

    handed_in: list[HandedIn]
    without_student: list[Left] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # sentences on ignored files


@dataclass(frozen=True)
class Item:
    """A file, or a folder with all files below it, at a level of a download."""

    name: str
    files: list[File]
    level: int  # number of folders around it
    # parts of the name, by group of the pattern
    said: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_folder(self) -> bool:
        return any(len(file.parts) > self.level + 1 for file in self.files)

    @property
    def below(self) -> list["Item"]:
        """Files and folders directly in this folder."""
        return items_at(self.files, self.level + 1)


@dataclass(frozen=True)
class Known:
    """Facts about a download that its names do not contain."""

    numbers: Collection[str] = ()  # the platform's numbers of people in the course
    groups: Collection[str] = ()  # names of the course's groups, as staff wrote them
    others: Sequence[File] = ()  # files of the download whose names the layout does not describe


@dataclass(frozen=True)
class Layout:
    """A form of a platform's downloads: its names of files or folders, and the function that sorts
    them by student.

    The platform writes such names on a single level of folders. Names below that level are the
    students' own, and never identify a student.
    """

    names: Pattern  # its groups are the parts of a name
    # takes the named items, the assignment's id and further facts; may raise `AutograderError`
    sort_by_student: Callable[[list[Item], str, Known], Contents]
    # takes items, the name of the folder around them and the assignment; by default, whether any name matches
    recognises: Callable[[list[Item], str, str], bool] | None = None
    folders: bool = True  # the names may be of folders
    files: bool = False  # the names may be of files
    aside: str = ""  # a folder beside the submissions, which contains none
    times_in_zip: bool = False  # its zips have the times of submission
    # whether these files have such times, if only some of the platform's zips do
    times_of_files: Callable[[Sequence[File]], bool] = lambda files: True
    certainty: int = 2  # 2: names made by the platform; 1: folders like nbgrader's; 0: any folder

    def fits(self, items: list[Item], around: str, assignment_id: str) -> bool:
        return (
            self.recognises(items, around, assignment_id)
            if self.recognises
            else bool(self.read(items))
        )

    def read(self, items: list[Item]) -> list[Item]:
        """Return the items whose names match the layout, with the pattern's named groups in `said`."""
        candidates = [item for item in items if (self.folders if item.is_folder else self.files)]
        matches = ((item, self.names.fullmatch(item.name)) for item in candidates)
        return [replace(item, said=names.groupdict("")) for item, names in matches if names]


@dataclass
class ClassGrades:
    """The data needed to export the grades of an assignment to a platform."""

    assignment: str
    grades: list[Grade]
    course: Path
    sheet: Path | None = None  # as downloaded from the platform
    column: str | None = None  # of that sheet
    received: Mapping[str, ReceivedFile] = field(default_factory=dict)  # from this platform
    # students for whom other data was exported after the download of the sheet
    sent_since: Collection[str] = ()
    parts: dict[str, Any] = field(default_factory=dict)  # results of `Format.part`, by student

    def number_of(self, grade: Grade, platform: str) -> str:
        """Return the student's number on a platform, from the roster or from the newest file
        received there, or "". A team's file does not contain the numbers of its members.
        """
        file = self.received.get(grade.student)
        return grade.number_at(platform) or (file.number if file and not file.team else "")

    def by_name(self, name: Callable[[Grade], str]) -> tuple[dict[str, list[Grade]], list[str]]:
        """Group the grades by `name(grade)`, the platform's name of the student or the file. Return
        the groups, and the students with the name "". Grades with the state `not_graded` are left
        out.
        """
        grades_by_name: dict[str, list[Grade]] = defaultdict(list)
        for grade in self.grades:
            if grade.verdict.state != "not_graded":
                grades_by_name[name(grade)].append(grade)
        return grades_by_name, [grade.student for grade in grades_by_name.pop("", [])]


@dataclass(frozen=True)
class Format:
    """A format of grades for a platform: names of the files, and functions that make their
    contents.
    """

    files: tuple[str, ...]  # names of the written files
    # one student's part of the files; raises `ValueError` if it cannot be written
    part: Callable[[Grade, ClassGrades], Any]
    # the files' contents, and sentences on them; raises `AutograderError`, `OSError`
    write: Callable[[ClassGrades], tuple[list[bytes], list[str]]]
    # whether a table with this header is one of these files
    is_ours: Callable[[Sequence[str]], bool] = lambda header: False
    sheet: bool = False  # it can fill in a table exported by the platform
    column: bool = False  # the table has a column for each assignment
    pages: bool = False  # it takes feedback pages
    before_grading: bool = False  # it is needed before students submit
    manual: tuple[str, str] = ("", "")  # for the docs: the files, and the platform's menu for them


@dataclass(frozen=True)
class Platform:
    """The record of a learning platform. Attributes are None if the platform lacks the feature."""

    name: str  # on the command line
    layouts: tuple[Layout, ...] = ()  # of its downloads
    format: Format | None = None  # of the grades it takes back
    # a row of the docs: name, download, and source of the time of submission
    manual: tuple[str, str, str] | None = None
    # whether a person has this number in every assignment, not only in one
    number_lasts: Callable[[str], bool] = lambda number: True


def items_at(files: Iterable[File], level: int) -> list[Item]:
    """Return the files and folders at a level of a download: with `level` folders around them."""
    by_name: dict[str, list[File]] = defaultdict(list)
    for file in files:
        if file.parts[level:] not in ((), ("",)):
            by_name[file.parts[level]].append(file)
    return [Item(name, item_files, level) for name, item_files in by_name.items()]


def lefts(label: str, files: Iterable[File], reason: str) -> list[Left]:
    """Return an entry for each file that can be a notebook or an archive, or a single entry for
    all. `label`: the download's name for them. `reason`: rest of the sentence.
    """
    sentence = f"`{printable(label)}` {reason}."
    notebooks = [Left(file.path, sentence, file) for file in files if file.may_hold_notebook]
    return notebooks or [Left(label, sentence)]
