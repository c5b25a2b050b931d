"""Read details for a feedback page that nbgrader's `GetGrades` does not provide."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook, SubmittedAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import List

from autograder.classroom.groups import CourseGroups, Groups
from autograder.classroom.submitted_files import chosen_notebook
from autograder.engine import (
    Assignment,
    AutograderError,
    Course,
    CourseError,
    Verdict,
    courses,
    files,
    find_assignment,
    grading,
    notebooks,
    texts,
    verdicts,
)
from autograder.gradebook.inquiries import (
    Inquiry,
    Name,
    Window,
    inquiries_of,
    read_inquiries,
    replaced,
    window_of,
)
from autograder.gradebook.lateness.late import LateRules
from autograder.gradebook.lateness.late_policy import zone_of
from autograder.gradebook.pages.good_answers import GoodAnswers
from autograder.gradebook.pages.pristine import assignment_of, pristine_of
from autograder.gradebook.pages.schemes import Scheme
from autograder.gradebook.sync.database import folders_of
from autograder.gradebook.sync.marks import StudentMarks
from autograder.gradebook.sync.notebooks import verdict_in
from autograder.gradebook.sync.tables import lateness_in, marks_in

DETAILS, MADE_FROM, GRADE = "details", "made_from", "grade"  # the keys in nbgrader's resources
HEAD = 4 << 10  # first bytes of a page, with the digest of the grade


@dataclass(frozen=True)
class Details:
    """Details of a submission on a feedback page, beside its points."""

    handed_in: str = ""  # time of submission
    late: str = ""  # calculation of the penalty
    unreadable: str = ""  # reason why a newer notebook cannot be read
    waiting: Sequence[str] = ()  # cells that need marking
    automatic: Mapping[str, float] = field(default_factory=dict)  # points of the checks, by cell
    good_answers: Mapping[str, Scheme] = field(default_factory=dict)  # that may be shown, by cell
    asked: Sequence[Inquiry] = ()  # the student's inquiries
    replaced: Sequence[Name] = ()  # inquiries about an answer that this page does not show
    window: Window | None = None  # period in which inquiries are accepted


class GetDetails(NbGraderPreprocessor):
    """nbconvert's preprocessor that adds `Details` and the hash of all inputs to the resources."""

    display_data_priority: List = List().tag(
        config=True
    )  # the exporter sets it, and this shows no data

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        names = resources["nbgrader"]
        folders = CourseDirectory(config=self.config)
        groups = groups_of(folders, names["assignment"])
        with Gradebook(names["db_url"], folders.course_id) as gradebook:
            rules = self._rules(Path(folders.root))
            submission = gradebook.find_submission(names["assignment"], names["student"])
            grades = [grade for submitted in submission.notebooks for grade in submitted.grades]
            mark = marks_in(gradebook.db, names["assignment"], names["student"]).get(
                names["student"]
            )
            inquiries = read_inquiries(
                Path(folders.root) / grading.RESULTS, names["assignment"]
            ).values()
            own_inquiries = inquiries_of(names["student"], inquiries, groups)
            names[DETAILS] = Details(
                handed_in=texts.time_text(submission.timestamp, zone_of(self.config))
                if submission.timestamp
                else "",
                unreadable=_newer_unreadable(
                    folders, names["assignment"], names["student"], groups
                ),
                late=_late(gradebook, rules, names),
                waiting=sorted(grade.name for grade in grades if grade.needs_manual_grade),
                automatic={
                    grade.name: grade.auto_score for grade in grades if grade.auto_score is not None
                },
                good_answers=self._good_answers(submission, rules, resources),
                asked=own_inquiries,
                replaced=replaced(own_inquiries, mark),
                window=self._window(names["assignment"]),
            )
            names[GRADE] = grade_digest(verdict_in(nb), mark, own_inquiries)
        names[MADE_FROM] = _made_from(nb, resources)
        return nb, resources

    def _rules(self, root: Path) -> LateRules | None:
        """Return the course's late policy, None if its settings or files are invalid."""
        try:
            return LateRules(self.config, root)
        except AutograderError:
            return None

    def _window(self, assignment_id: str) -> Window | None:
        """Return the period for inquiries, None if its settings are invalid."""
        with contextlib.suppress(AutograderError):
            return window_of(self.config, assignment_id)
        return None

    def _good_answers(
        self, submission: SubmittedAssignment, rules: LateRules | None, resources: Mapping
    ) -> dict[str, Scheme]:
        """Return the good answers that the student may see, by cell."""
        assignment = assignment_of(resources)
        if rules is None or assignment is None:
            return {}
        key = submission.student.id, assignment.id
        submissions = submission.assignment.submissions if rules.groups else []
        of_all = {(mate.student_id, assignment.id): mate.extension for mate in submissions}
        due = submission.assignment.duedate
        deadline = rules.deadline(key, due, submission.extension, of_all)
        return GoodAnswers(config=self.config).of(assignment, deadline)


def _late(gradebook: Gradebook, rules: LateRules | None, names: Mapping) -> str:
    """Return the calculation of the penalty, or "". `names`: nbgrader's resources of the page."""
    if rules is None:
        return ""
    student = names["student"]
    late = lateness_in(gradebook.db, rules, names["assignment"], student)
    return late.explanation(student, names["late_penalty"] or 0.0)


def grade_digest(
    verdict: Verdict | None, marks: StudentMarks | None, inquiries: Iterable[Inquiry]
) -> str:
    """Return a digest of a student's grade and of the answers to inquiries, as shown on a page. ""
    if the verdict or the marks are unknown. It is much faster to compute than the hash of all
    inputs of a page.
    """
    answers = [[inquiry.exercise, repr(inquiry.answer)] for inquiry in inquiries if inquiry.answer]
    return files.digest_of(repr(verdict.stamp), marks.digest, answers) if verdict and marks else ""


def old_pages(
    course: Course, shown_verdicts: Iterable[Verdict], marks: Mapping[str, StudentMarks]
) -> Iterator[str]:
    """Yield students without a page, or with an outdated verdict, mark, comment, penalty or answer
    to an inquiry on it.

    Only the head of each page is read, and no link in the folder of pages is followed. `marks`:
    from the gradebook, by student. Raises `CourseError` if the course's configuration cannot be
    read.
    """
    folders = folders_of(course)
    top = Path(folders.format_path(folders.feedback_directory, ".", ".")).resolve()
    listed = [*shown_verdicts]
    ids = {verdict.assignment for verdict in listed}
    inquiries = {id: read_inquiries(course.root / grading.RESULTS, id).values() for id in ids}
    groups = {id: groups_of(folders, id) for id in ids}
    for verdict in listed:
        head, page = b"", top / verdict.student / verdict.assignment / f"{verdict.assignment}.html"
        with contextlib.suppress(OSError), files.opened(page, top) as file:
            head = file.read(HEAD)
        own_inquiries = inquiries_of(
            verdict.student, inquiries[verdict.assignment], groups[verdict.assignment]
        )
        digest = grade_digest(verdict, marks.get(verdict.student), own_inquiries)
        if f'"grade" content="{digest}"'.encode() not in head:
            yield verdict.student


def _made_from(nb: NotebookNode, resources: dict) -> str:
    """Return a hash of the page's content, and of the code that renders it."""
    names = resources["nbgrader"]
    points = [names["score"], names["max_score"], names["late_penalty"]]
    return files.digest_of(nb, points, repr(names[DETAILS]), repr(pristine_of(resources)), _code())


@cache
def _code() -> str:
    package = Path(__file__).parents[2]
    return files.digest_of(
        [verdicts.file_hashes(package / room) for room in ("classroom/blocks", "gradebook")]
    )


def top_of_submitted(folders: CourseDirectory) -> Path:
    """Return the course's folder of all submissions. Links are resolved, as staff may use them."""
    return Path(folders.format_path(folders.submitted_directory, ".", ".")).resolve()


def groups_of(folders: CourseDirectory, assignment_id: str) -> Groups:
    """Return the groups of an assignment. Raises `TableError` for an invalid table of groups."""
    return CourseGroups(Path(folders.root), top_of_submitted(folders)).of(assignment_id)


def why_unreadable(assignment: Assignment, student: str, top: Path, groups: Groups) -> str:
    """Return the reason why the notebook of a student or the group in `submitted/` cannot be read.
    "" if it is readable or missing.

    `top`: the folder of all submissions, below which no link is followed.
    """
    for id in filter(None, (student, groups.of(student))):
        notebook = chosen_notebook(top / id / assignment.id, assignment.id, top)
        with contextlib.suppress(OSError):  # a link on the way is never followed
            if files.kind_of(notebook, top) == "file":
                return notebooks.read_submission(assignment, student, notebook, top).unreadable
    return ""


def _newer_unreadable(
    folders: CourseDirectory, assignment_id: str, student: str, groups: Groups
) -> str:
    """Return the reason why the current notebook in `submitted/` cannot be read, or ""."""
    with contextlib.suppress(CourseError):
        assignment = find_assignment(assignment_id, courses.read_course(Path(folders.root)))
        return why_unreadable(assignment, student, top_of_submitted(folders), groups)
    return ""
