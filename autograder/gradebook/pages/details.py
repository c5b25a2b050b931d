"""Read what a feedback page shows of a submission and nbgrader's `GetGrades` does not provide."""

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
HEAD = 4 << 10  # bytes of a page, in which the digest of the grade is


@dataclass(frozen=True)
class Details:
    """What a feedback page says of one submission beside its points: when it was handed in, how the
    penalty was calculated, why a newer notebook is `unreadable`, which cells are `waiting` to be
    marked, the points of the checks, the good answers that may be shown, the student's inquiries
    (`asked`), those of them about an answer that was `replaced`, and the `window` in which inquiries
    are taken.
    """

    handed_in: str = ""  # when
    late: str = ""  # how the penalty was calculated
    unreadable: str = ""  # why what was handed in since then cannot be read
    waiting: Sequence[str] = ()  # cells that nobody has marked yet
    automatic: Mapping[str, float] = field(default_factory=dict)  # points of the checks, by cell
    good_answers: Mapping[str, Scheme] = field(default_factory=dict)  # that may be shown, by cell
    asked: Sequence[Inquiry] = ()  # the student's inquiries
    replaced: Sequence[Name] = ()  # those about an answer that this page does not show
    window: Window | None = None  # in which they are taken


class GetDetails(NbGraderPreprocessor):
    """A preprocessor of nbconvert that adds `Details`, and the hash of all inputs, to the resources
    that a page is rendered from.
    """

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
            grades = [grade for one in submission.notebooks for grade in one.grades]
            mark = marks_in(gradebook.db, names["assignment"], names["student"]).get(
                names["student"]
            )
            every = read_inquiries(
                Path(folders.root) / grading.RESULTS, names["assignment"]
            ).values()
            asked = inquiries_of(names["student"], every, groups)
            names[DETAILS] = Details(
                handed_in=texts.time_text(submission.timestamp, zone_of(self.config))
                if submission.timestamp
                else "",
                unreadable=_newer_unreadable(
                    folders, names["assignment"], names["student"], groups
                ),
                late=_late(gradebook, rules, names),
                waiting=sorted(one.name for one in grades if one.needs_manual_grade),
                automatic={
                    one.name: one.auto_score for one in grades if one.auto_score is not None
                },
                good_answers=self._good_answers(submission, rules, resources),
                asked=asked,
                replaced=replaced(asked, mark),
                window=self._window(names["assignment"]),
            )
            names[GRADE] = grade_digest(verdict_in(nb), mark, asked)
        names[MADE_FROM] = _made_from(nb, resources)
        return nb, resources

    def _rules(self, root: Path) -> LateRules | None:
        """Return the course's late policy with the files that staff write; None if its settings or
        files cannot be used. `root`: the course's folder.
        """
        try:
            return LateRules(self.config, root)
        except AutograderError:
            return None

    def _window(self, assignment_id: str) -> Window | None:
        """Return when the course takes inquiries about the assignment; None if the settings for
        that cannot be used.
        """
        with contextlib.suppress(AutograderError):
            return window_of(self.config, assignment_id)
        return None

    def _good_answers(
        self, submission: SubmittedAssignment, rules: LateRules | None, resources: Mapping
    ) -> dict[str, Scheme]:
        """Return the good answers that the student may see, by cell; {} before the deadline, or if
        `rules` is None because the late rules cannot be read.
        """
        assignment = assignment_of(resources)
        if rules is None or assignment is None:
            return {}
        key = submission.student.id, assignment.id
        every = submission.assignment.submissions if rules.groups else []
        of_all = {(one.student_id, assignment.id): one.extension for one in every}
        due = submission.assignment.duedate
        deadline = rules.deadline(key, due, submission.extension, of_all)
        return GoodAnswers(config=self.config).of(assignment, deadline)


def _late(gradebook: Gradebook, rules: LateRules | None, names: Mapping) -> str:
    """Return a sentence on how the student's penalty was calculated; "" without a penalty, or if
    the late policy now gives another one.

    `rules`: None if they cannot be read; `names`: nbgrader's resources of the page, with student,
    assignment and penalty.
    """
    if rules is None:
        return ""
    student = names["student"]
    late = lateness_in(gradebook.db, rules, names["assignment"], student)
    return late.explanation(student, names["late_penalty"] or 0.0)


def grade_digest(
    verdict: Verdict | None, marks: StudentMarks | None, asked: Iterable[Inquiry]
) -> str:
    """Return a digest of a student's grade, and of the answers to the inquiries `asked`, as a page
    shows them; "" for a submission of which verdict or marks are not known. It is much faster to
    compute than the hash of all inputs of a page.
    """
    answers = [[one.exercise, repr(one.answer)] for one in asked if one.answer]
    return files.digest_of(repr(verdict.stamp), marks.digest, answers) if verdict and marks else ""


def old_pages(
    course: Course, shown_verdicts: Iterable[Verdict], marks: Mapping[str, StudentMarks]
) -> Iterator[str]:
    """Yield those students of these verdicts who have no page, or one that shows another verdict,
    mark, comment or penalty, or not the answer to an inquiry. No link in the course's folder of
    pages is followed.

    `marks`: from the gradebook, by student. Only the head of each page is read, and nothing is
    computed but the digest in it. Raises `CourseError` if the course's configuration cannot be read.
    """
    folders = folders_of(course)
    top = Path(folders.format_path(folders.feedback_directory, ".", ".")).resolve()
    shown = [*shown_verdicts]
    ids = {one.assignment for one in shown}
    every = {id: read_inquiries(course.root / grading.RESULTS, id).values() for id in ids}
    groups = {id: groups_of(folders, id) for id in ids}
    for one in shown:
        head, page = b"", top / one.student / one.assignment / f"{one.assignment}.html"
        with contextlib.suppress(OSError), files.opened(page, top) as file:
            head = file.read(HEAD)
        asked = inquiries_of(one.student, every[one.assignment], groups[one.assignment])
        wanted = grade_digest(one, marks.get(one.student), asked)
        if f'"grade" content="{wanted}"'.encode() not in head:
            yield one.student


def _made_from(nb: NotebookNode, resources: dict) -> str:
    """Return a hash of everything that the page shows, and of the code that renders it."""
    names = resources["nbgrader"]
    points = [names["score"], names["max_score"], names["late_penalty"]]
    return files.digest_of(nb, points, repr(names[DETAILS]), repr(pristine_of(resources)), _code())


@cache
def _code() -> str:
    """Return a hash of the modules and templates that render pages."""
    package = Path(__file__).parents[2]
    return files.digest_of(
        [verdicts.file_hashes(package / room) for room in ("classroom/blocks", "gradebook")]
    )


def top_of_submitted(folders: CourseDirectory) -> Path:
    """Return the course's folder of all submissions, with links resolved, as staff may have made it
    a link.
    """
    return Path(folders.format_path(folders.submitted_directory, ".", ".")).resolve()


def groups_of(folders: CourseDirectory, assignment_id: str) -> Groups:
    """Return the groups of an assignment in the course with these folders. Raises `TableError` if a
    table of groups cannot be used.
    """
    return CourseGroups(Path(folders.root), top_of_submitted(folders)).of(assignment_id)


def why_unreadable(assignment: Assignment, student: str, top: Path, groups: Groups) -> str:
    """Return why a student's notebook in `submitted/`, or the group's, cannot be read; "" if it can
    be, or if there is none.

    `top`: the folder of all submissions, below which no link is followed; `groups`: those of the
    assignment.
    """
    for id in filter(None, (student, groups.of(student))):
        notebook = chosen_notebook(top / id / assignment.id, assignment.id, top)
        with contextlib.suppress(OSError):  # a link on the way: of such a student nothing is opened
            if files.kind_of(notebook, top) == "file":
                return notebooks.read_submission(assignment, student, notebook, top).unreadable
    return ""


def _newer_unreadable(
    folders: CourseDirectory, assignment_id: str, student: str, groups: Groups
) -> str:
    """Return why the notebook that is now in `submitted/` cannot be read, for a page that shows an
    earlier one; "" if it can be, if there is none, or if the course no longer has the assignment.
    """
    with contextlib.suppress(CourseError):
        assignment = find_assignment(assignment_id, courses.read_course(Path(folders.root)))
        return why_unreadable(assignment, student, top_of_submitted(folders), groups)
    return ""
