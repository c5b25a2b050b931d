"""How far the work on an assignment has come: how many submissions wait at each step, and the command
that takes the step. Nothing is written.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from autograder.classroom.files import FileCache
from autograder.classroom.find import NoSubmissions, find_submissions, refuse_invalid_ids
from autograder.engine.course.assignment import Assignment
from autograder.engine.limits.process import PRACTICE
from autograder.engine.notebook.reader import Unreadable
from autograder.engine.results import RESULTS
from autograder.engine.verdict.fingerprint import RunSettings, is_current
from autograder.engine.verdict.verdict import verdict_files
from autograder.files.reading import kind_of
from autograder.gradebook.old_pages import old_pages
from autograder.gradebook.tables import read_marks
from autograder.people.not_placed import read_not_placed, senders
from autograder.people.roster import NOT_PLACED_TABLE, RECEIVED, Person, read_people
from autograder.platforms.collect.plan import remembered_roster
from autograder.platforms.exports import ExportRecord, grades_digest, last_exports
from autograder.platforms.grades import Results, combine_grades, read_results
from autograder.report.terminal import from_here
from autograder.staff.marking.shares import count_open
from autograder.text.errors import CommandError

CHOICES = "choices.csv"  # the instructor's copy of what is not placed
CURRENT, NONE, CHANGED = "graded", "not graded", "changed since graded"


class Row(NamedTuple):
    """How many submissions wait at a step, and the command that takes it, without the name of the
    program; "" where nothing is to be done.
    """

    what: str
    number: int | None  # None: not known
    command: str = ""


class AssignmentStatus:
    """The status of one assignment, read from the course's folders `submitted/` and `results/`, and
    from its gradebook. What cannot be read is left out, with a sentence in `troubles`.
    """

    def __init__(self, assignment: Assignment, gradebook: str | None, markers: list[str]):
        """`gradebook`: a URL, None if there is none; `markers`: the names of those who mark."""
        self.assignment, self.markers = assignment, markers
        self.troubles: list[str] = []
        root, id = assignment.course.root, assignment.id
        self.submitted, results = root / "submitted", root / RESULTS
        self.placed, refused = self._or(({}, []), _placed, self.submitted, assignment)
        self.not_placed = self._or([], read_not_placed, self.submitted, id)
        self.people: list[Person] = self._or([], _roster, self.submitted, id)
        self.found = Results(id, results / id, [])
        if verdict_files(self.found.folder):
            self.found = self._or(self.found, read_results, results, id)
        self.troubles += [*refused, *self.found.damaged]
        marks = self._or({}, read_marks, gradebook, id) if gradebook else {}
        self.grades = combine_grades(self.found, {}, marks, self.submitted)
        self.marks = {one.student: one.mark for one in self.grades if one.mark}
        self.exports: list[ExportRecord] = self._or([], last_exports, self.found.folder)
        self._verdicts = {one.student: one for one in self.found.verdicts}
        self._seen, self._settings = FileCache(self.found.folder), RunSettings(assignment)

    @property
    def is_begun(self) -> bool:
        """Whether anything of it was handed in, or graded."""
        return bool(self.placed or self.not_placed or self.found.verdicts or self.troubles)

    def rows(self) -> Iterator[Row]:
        """Yield the rows in the order of the work; last, what students have to be asked."""
        expected = {one.student for one in self.people}
        found = [senders([one], self.people) for one in self.not_placed]
        known = {*self.placed}.union(*found)
        handed_in, missing = len(known) + found.count({}), len(expected - known)
        yield Row("on the roster", len(expected) or None)
        yield Row("handed in", handed_in, "" if handed_in else self._named("collect DOWNLOAD"))
        yield Row("placed", len(self.placed))
        yield self._row("not placed", len(self.not_placed), f"collect --resolve {CHOICES}")
        states = Counter(map(self._state, self.placed))
        yield self._row(NONE, states[NONE], "grade")
        yield self._row(CHANGED, states[CHANGED], "grade")
        yield from self._in_gradebook()
        yield from self._exported()
        unreadable = sum(one.state == "unreadable" for one in self.found.verdicts)
        yield self._row("unreadable", unreadable, "report --names")
        yield self._row("not handed in", missing, "collect DOWNLOAD")

    def about(self) -> Iterator[str]:
        """Yield a sentence on where the table of what is not placed is, on each export, and on each
        trouble.
        """
        if self.not_placed:
            table = self.submitted / RECEIVED / self.assignment.id / NOT_PLACED_TABLE
            yield f"Not placed: copy `{from_here(table)}` to {CHOICES}, and fill in the column `student`."
        for one in self.exports:
            paths = ", ".join(f"`{from_here(Path(path))}`" for path in one.paths)
            yield f"Exported for {one.format} on {one.exported_at:%Y-%m-%d %H:%M} UTC: {paths}."
        yield from self.troubles

    def _in_gradebook(self) -> Iterator[Row]:
        """Yield the rows on what is entered, to be marked by each tutor, and shown on pages."""
        entered = [one.verdict for one in self.grades if one.mark]
        graded = sum(one.total is not None for one in self.grades)
        yield self._row("not in the gradebook", graded - len(entered), "enter")
        counts = count_open(self.assignment.id, self.marks, len(self.markers) or 1)
        for number, count in enumerate(counts, start=1):
            by = f" by {self.markers[number - 1]}" if self.markers else ""
            part = f" --for {number}/{len(counts)}" if self.markers else ""
            yield self._row(f"to be marked{by}", count, f"marking list{part}")
        old = [*old_pages(self.assignment.course, entered, self.marks)] if entered else []
        feedback = f"feedback {self.assignment.id}" if old else ""
        yield Row("pages missing or older than grades", len(old), feedback)

    def _exported(self) -> Iterator[Row]:
        """Yield a row for each platform to which grades were exported; if there is none, one row
        with the number of grades.
        """
        graded = sum(one.total is not None for one in self.grades)
        if not self.exports:
            yield self._row("not exported", graded, "export --format FORMAT")
        digest = grades_digest(self.grades)
        for one in self.exports:
            same = one.digest == digest
            command = "" if same else self._named(f"export --format {one.format}")
            changed = "" if same else ", changed since"
            yield Row(f"exported for {one.format}{changed}", one.grades, command)

    def _state(self, student: str) -> str:
        """Return whether the student's submission is graded as `grade` would grade it now, is not
        graded, or has changed: it, its grader, or the versions of packages.
        """
        verdict = self._verdicts.get(student)
        if verdict is None or verdict.state == "not_graded" or verdict.stamp.sandbox == PRACTICE:
            return NONE
        try:
            file = self._seen.file(student, self.placed[student], self.submitted)
        except (Unreadable, OSError):
            return CURRENT if verdict.state == "unreadable" else CHANGED
        wanted = self._settings.stamp(file.submission, verdict.stamp.seed)
        return CURRENT if is_current(verdict.stamp, wanted) else CHANGED

    def _or(self, default: Any, read: Callable, *arguments: Any) -> Any:
        """Return what `read` returns for these arguments; `default` if it fails, which is a trouble."""
        try:
            return read(*arguments)
        except (CommandError, OSError) as error:
            self.troubles.append(str(error))
            return default

    def _row(self, what: str, count: int, command: str) -> Row:
        return Row(what, count, self._named(command) if count else "")

    def _named(self, command: str) -> str:
        return f"{command} --assignment {self.assignment.id}"


def _placed(submitted: Path, assignment: Assignment) -> tuple[dict[str, Path], list[str]]:
    """Return the notebooks in the folder of submissions, by student, and a sentence for each folder
    whose name is no student's id.
    """
    try:
        return refuse_invalid_ids(find_submissions(submitted, assignment))
    except NoSubmissions:
        return {}, []


def _roster(submitted: Path, assignment_id: str) -> list[Person]:
    """Return the people in the roster that was given to `collect`; [] if none was."""
    path = remembered_roster(submitted, assignment_id)
    return read_people(path) if kind_of(path, submitted) == "file" else []
