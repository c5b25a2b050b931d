"""Combine a student's automatic points with hand marks and late penalty from the gradebook."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace as with_fields

from autograder.classroom.blocks.verdict_blocks import without_grade
from autograder.classroom.groups import Groups, as_counted
from autograder.classroom.roster import Person
from autograder.engine import AutograderError, Verdict, files, grading, points_text, texts, verdicts

if TYPE_CHECKING:  # SQLAlchemy takes a moment, also for a command's --help
    from autograder.gradebook.sync.marks import StudentMarks


@dataclass(frozen=True)
class Results:
    """The verdicts of an assignment, and a sentence on each damaged or misplaced file."""

    assignment: str
    folder: Path
    verdicts: list[Verdict]
    damaged: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)  # students with an unreadable newest file


@dataclass(frozen=True)
class Grade:
    """A student's grade. `mark` has hand marks and late penalty, None for automatic points only."""

    person: Person
    verdict: Verdict
    mark: "StudentMarks | None" = None
    submitted: str = ""  # time of submission, in UTC
    most: float | None = None  # maximum points of the assignment, if the gradebook has them
    notes: tuple[str, ...] = ()  # sentences for the student, above the points

    @property
    def student(self) -> str:
        return self.verdict.student

    def number_at(self, platform: str) -> str:
        """Return the student's number on this platform, "" if unknown or on another platform."""
        return self.person.number if self.person.platform in (platform, "") else ""

    @property
    def marked_by_hand(self) -> bool:
        """Whether a person gives some of the points."""
        mark = self.mark
        return mark is not None and (
            bool(mark.by_hand) or mark.max_points > self.verdict.max_points
        )

    @property
    def total(self) -> float | None:
        """Automatic points plus hand marks minus penalty, at least 0. None without a grade."""
        if self.no_grade:
            return None
        if self.mark is None:
            return rounded(self.verdict.points)
        return rounded(max(0.0, self.verdict.points + self.mark.by_hand - self.mark.penalty))

    @property
    def max_points(self) -> float:
        class_max = self.most if self.no_grade else None
        return rounded(self.mark.max_points if self.mark else class_max or self.verdict.max_points)

    @property
    def no_grade(self) -> str:
        """The reason for a missing grade, as a sentence for the student. "" if there is a grade."""
        return without_grade(self.verdict)


def assignments_in(results: Path, assignment: str | None = None) -> tuple[Path, list[str]]:
    """Return the folder of results, and the ids of assignments with verdicts (only `assignment` if
    given).

    `results` may also be the folder of one assignment. Then return its parent folder, and this
    assignment. Raises `AutograderError` without such verdicts.
    """
    if not results.is_dir():
        raise AutograderError(f"There is no folder `{results}`; `grade` makes it.")
    folder, ids = results, _known_in(results)
    if not ids and verdicts.verdict_files(results):
        absolute = results.resolve()
        folder = results.parent if results.name == absolute.name else absolute.parent
        ids = [absolute.name]
    if not ids or assignment not in (None, *ids):
        of_assignment = f" of `{assignment}`" if assignment else ""
        alternatives = f"; there are some of {', '.join(ids)}." if ids else "."
        looked_for = folder / (assignment or "<assignment>") / "<student>.json"
        raise AutograderError(
            f"No verdicts{of_assignment} are in `{results}`: looked for {looked_for}{alternatives}"
        )
    return folder, [assignment] if assignment else ids


def _known_in(results: Path) -> list[str]:
    """Return the sorted names of subfolders with verdicts, except hidden folders and our own."""
    folders = [
        folder
        for folder in results.iterdir()
        if not folder.name.startswith(".") and folder.is_dir()
    ]
    names = {folder.name for folder in folders if verdicts.verdict_files(folder)}
    return sorted(names - {grading.CELLS, grading.PROPOSED})


def read_results(results: Path, assignment: str, groups: Groups = Groups()) -> Results:
    """Read the verdicts of an assignment in the folder `results`, one for each student.

    Returns the newest verdict, or the earlier one chosen by staff, with mistakes of earlier
    submissions added. Damaged and misplaced files add a sentence to `damaged`. With `groups`, each
    member gets the group's verdict. Raises `AutograderError` if no verdict can be read.
    """
    newest, damaged = [], []
    folder = results / assignment
    counted = verdicts.read_counted(results, assignment)
    for path in verdicts.verdict_files(folder):
        verdict = verdicts.read_verdict(path)
        if verdict is None:
            damaged.append(f"`{path}` is no verdict, or a damaged one: grade that student again.")
        elif (verdict.student, verdict.assignment) != (path.stem, assignment):
            damaged.append(
                f"`{path}` is the verdict on {verdict.student}'s {verdict.assignment}: "
                "put it back to where it belongs, or delete it."
            )
        else:
            newest.append(verdict)
    counting, unreadable = [], []
    for student, shared in groups.share(newest, as_counted(results, assignment))[0].items():
        history = verdicts.read_history(results, assignment, shared.student)
        unreadable += [student] * (shared.state == "unreadable")
        counts = verdicts.counted_verdict(with_fields(shared, student=student), history, counted)
        counting.append(verdicts.with_gone_mistakes(with_fields(counts, student=student), history))
    if not counting:
        raise AutograderError(f"No file in `{folder}` is a verdict that can be read: grade again.")
    return Results(assignment, folder, counting, damaged, unreadable)


def without_points(verdicts: Iterable[Verdict]) -> list[str]:
    """Return a sentence for each state without points: the students, and the next step."""
    students: dict[str, list[str]] = defaultdict(list)
    for verdict in verdicts:
        students[verdict.state].append(verdict.student)
    return [
        *texts.sentence_on(
            students["unreadable"],
            "Unreadable: {}. Ask for another file, `collect` and `grade` it.",
        ),
        *texts.sentence_on(students["not_graded"], "Not graded: {}. `grade` again; it says why."),
    ]


def combine_grades(
    results: Results,
    people: dict[str, Person],
    marks: "dict[str, StudentMarks]",
    submitted: Path,
    groups: Groups = Groups(),
) -> list[Grade]:
    """Return a grade for each verdict. Marks in the gradebook are left out if their automatic
    points differ from the verdict's, because they belong to an earlier verdict.

    `people`: roster, by student. `marks`: marks in the gradebook, by student. `submitted`: the
    folder filled by `collect`. Its `timestamp.txt` files replace times missing in the gradebook.
    """
    max_points = max((mark.max_points for mark in marks.values()), default=None)
    grades = [
        _grade(verdict, people, marks, submitted / (groups.of(verdict.student) or verdict.student))
        for verdict in results.verdicts
    ]
    return [replace(grade, most=max_points) for grade in grades]


def _grade(
    verdict: Verdict, people: dict[str, Person], marks: "dict[str, StudentMarks]", folder: Path
) -> Grade:
    mark = marks.get(verdict.student)
    person = people.get(verdict.student, Person(verdict.student))
    if mark:
        person = replace(person, name=person.name or mark.name, email=person.email or mark.email)
    submitted = mark.submitted if mark else None
    submitted = submitted or texts.parse_time(
        files.read_timestamp(folder / verdict.assignment, folder.parent)
    )
    time = texts.timestamp_text(submitted).removesuffix(" UTC") if submitted else ""
    agrees = mark and math.isclose(mark.automatic, verdict.points, abs_tol=1e-6)
    usable = agrees and verdict.state == "graded"
    return Grade(person, verdict, mark if usable else None, time)


def rounded(points: float) -> float:
    """Return points rounded to five decimals, which removes errors of binary fractions."""
    return round(points, 5)


def decimal_text(points: float, comma: bool = False) -> str:
    """Return points as text with at most five decimals: `17.5`, `20` (or `17,5` with `comma`)."""
    text = points_text(points)
    return text.replace(".", ",") if comma else text
