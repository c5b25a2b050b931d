"""`Grade`, a student's automatic points, combined with hand marks and late penalty from the
gradebook if these belong to the same verdict.
"""

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
    """The verdicts of one assignment, and a sentence on each file in their folder that is damaged
    or misplaced.
    """

    assignment: str
    folder: Path
    verdicts: list[Verdict]
    damaged: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)  # whose newest file is


@dataclass(frozen=True)
class Grade:
    """One student's grade. `mark` has hand marks and late penalty; it is None if only the automatic
    points are known.
    """

    person: Person
    verdict: Verdict
    mark: "StudentMarks | None" = None
    submitted: str = ""  # when it was handed in, in UTC
    most: float | None = None  # of the whole assignment, where the gradebook knows it
    notes: tuple[str, ...] = ()  # sentences for the student, above the points

    @property
    def student(self) -> str:
        return self.verdict.student

    def number_at(self, platform: str) -> str:
        """Return the student's number on this platform; "" if no number is known, or only another
        platform's.
        """
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
        """Automatic points plus hand marks minus the late penalty, at least 0; None if there is no
        grade.
        """
        if self.no_grade:
            return None
        if self.mark is None:
            return rounded(self.verdict.points)
        return rounded(max(0.0, self.verdict.points + self.mark.by_hand - self.mark.penalty))

    @property
    def max_points(self) -> float:
        known = self.most if self.no_grade else None  # what others can reach
        return rounded(self.mark.max_points if self.mark else known or self.verdict.max_points)

    @property
    def no_grade(self) -> str:
        """The reason why there is no grade, as a sentence for the student; "" if there is one."""
        return without_grade(self.verdict)


def assignments_in(results: Path, assignment: str | None = None) -> tuple[Path, list[str]]:
    """Return the folder of results, and the ids of the assignments that have verdicts in it; only
    `assignment` if that is given.

    `results` may also be the folder of one assignment: then return its parent folder, and this
    assignment. Raises `AutograderError` if there are no such verdicts.
    """
    if not results.is_dir():
        raise AutograderError(f"There is no folder `{results}`; `grade` makes it.")
    folder, known = results, _known_in(results)
    if not known and verdicts.verdict_files(results):
        whole = results.resolve()
        folder = results.parent if results.name == whole.name else whole.parent
        known = [whole.name]
    if not known or assignment not in (None, *known):
        meant = f" of `{assignment}`" if assignment else ""
        there = f"; there are some of {', '.join(known)}." if known else "."
        looked_for = folder / (assignment or "<assignment>") / "<student>.json"
        raise AutograderError(
            f"No verdicts{meant} are in `{results}`: looked for {looked_for}{there}"
        )
    return folder, [assignment] if assignment else known


def _known_in(results: Path) -> list[str]:
    """Return the names of the subfolders of `results` that hold verdicts, sorted. Hidden folders
    are left out, and those in which the program itself keeps other files.
    """
    folders = [one for one in results.iterdir() if not one.name.startswith(".") and one.is_dir()]
    names = {one.name for one in folders if verdicts.verdict_files(one)}
    return sorted(names - {grading.CELLS, grading.PROPOSED})


def read_results(results: Path, assignment: str, groups: Groups = Groups()) -> Results:
    """Read the verdicts of an assignment in the folder `results`, one for each student: the newest,
    or the earlier one that staff chose; mistakes of earlier submissions are added to it. A file
    that is no verdict, or that of another student or assignment, adds a sentence to `damaged` in
    the result. With `groups`, a group's verdict is returned for each of its members.

    Raises `AutograderError` if no verdict can be read.
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
    for student, one in groups.share(newest, as_counted(results, assignment))[0].items():
        had = verdicts.read_history(results, assignment, one.student)
        unreadable += [student] * (one.state == "unreadable")
        counts = verdicts.counted_verdict(with_fields(one, student=student), had, counted)
        counting.append(verdicts.with_gone_mistakes(with_fields(counts, student=student), had))
    if not counting:
        raise AutograderError(f"No file in `{folder}` is a verdict that can be read: grade again.")
    return Results(assignment, folder, counting, damaged, unreadable)


def without_points(verdicts: Iterable[Verdict]) -> list[str]:
    """Return a sentence for each state in which a verdict gives no points: whose they are, and what
    to do.
    """
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
    points are not those of the verdict: then they belong to another one.

    `people`: the roster, by student. `marks`: the marks in the gradebook, by student. `submitted`:
    the folder that `collect` filled, whose `timestamp.txt` files tell the time of submission if the
    gradebook does not; `groups`: who has handed in together.
    """
    most = max((mark.max_points for mark in marks.values()), default=None)
    grades = [
        _grade(one, people, marks, submitted / (groups.of(one.student) or one.student))
        for one in results.verdicts
    ]
    return [replace(grade, most=most) for grade in grades]


def _grade(
    verdict: Verdict, people: dict[str, Person], marks: "dict[str, StudentMarks]", folder: Path
) -> Grade:
    mark = marks.get(verdict.student)
    person = people.get(verdict.student, Person(verdict.student))
    if mark:
        person = replace(person, name=person.name or mark.name, email=person.email or mark.email)
    when = mark.submitted if mark else None
    when = when or texts.parse_time(
        files.read_timestamp(folder / verdict.assignment, folder.parent)
    )
    time = texts.timestamp_text(when).removesuffix(" UTC") if when else ""
    agrees = mark and math.isclose(mark.automatic, verdict.points, abs_tol=1e-6)
    usable = agrees and verdict.state == "graded"
    return Grade(person, verdict, mark if usable else None, time)


def rounded(points: float) -> float:
    """Return points rounded to five decimals, which removes errors of binary fractions."""
    return round(points, 5)


def decimal_text(points: float, comma: bool = False) -> str:
    """Return points as text with at most five decimals and no needless zeros: `17.5`, `20`; with
    `comma`, a decimal comma: `17,5`.
    """
    text = points_text(points)
    return text.replace(".", ",") if comma else text
