"""How far the work on an assignment has come: how many submissions wait at each step, and the command
that takes the step. Nothing is written.
"""

import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from shlex import quote
from stat import S_IROTH, S_IXOTH
from typing import NamedTuple

from nbgrader.exchange.default.exchange import Exchange

from autograder._commands.terminal import from_here
from autograder.classroom.find import submissions_in
from autograder.classroom.roster import Person, read_remembered
from autograder.classroom.unmatched import read_unmatched, senders, unmatched_path
from autograder.desk.marking.shares import count_open
from autograder.engine import (
    Assignment,
    Course,
    ResultsFolder,
    RunSettings,
    Unreadable,
    courses,
    grading,
    limits,
    name_some,
    notebooks,
    texts,
    verdicts,
)
from autograder.gradebook.grades import Results, combine_grades, read_results
from autograder.gradebook.inquiries import read_inquiries
from autograder.gradebook.lateness.late import Penalty
from autograder.gradebook.lateness.late_policy import course_zone
from autograder.gradebook.pages.details import groups_of, old_pages
from autograder.gradebook.sync.database import TRY_AGAIN, folders_of, open_session, read_url
from autograder.gradebook.sync.marks import StudentMarks
from autograder.gradebook.sync.tables import marks_in, read_lateness
from autograder.platforms.exports import last_exports

LAST = "unreadable", "not handed in"  # what waits for students
LEVELS = {"landlock": "behind Landlock", limits.PRACTICE: "as practice"}  # of the sandbox, in words


def about_course(course: Course) -> Iterator[str]:
    """Yield a sentence on the course's folder, gradebook and exchange, and another if users of this
    computer who are no teachers can read what students must not see. Raises `CourseError` if the
    course's configuration cannot be read.
    """
    folders, exchange = folders_of(course), Exchange(config=courses.read_config(course.root))
    gradebook = read_url(folders.db_url).render_as_string()
    of = f", for the course `{folders.course_id}`" if folders.course_id else ": no course_id is set"
    yield f"Course: {course.root}. Gradebook: {gradebook}. Exchange: {exchange.root}{of}."
    database = Path(str(read_url(folders.db_url).database))
    own = "submitted", grading.RESULTS, "autograded", "feedback", "records.db"
    secret = [course.graders, course.source, database, *(course.root / name for name in own)]
    if readable := [path for path in secret if _is_open_to_all(path)]:
        names = [f"`{from_here(path)}`" for path in readable]
        shut = [course.root if course.root in path.parents else path for path in readable]
        paths = " ".join(quote(str(path)) for path in dict.fromkeys(map(from_here, shut)))
        is_ours = all(path.stat().st_uid == os.geteuid() for path in shut)
        yield (
            f"Everybody on this computer, students too, can read {name_some(names)}: "
            f"{'type' if is_ours else 'let their owner, or root, type'} `chmod o-rwx {paths}`."
        )


def _is_open_to_all(path: Path) -> bool:
    """Whether a file or folder exists, and any user of this computer may look into it."""
    if sys.platform == "win32" or not path.exists():
        return False
    may_pass = all(folder.stat().st_mode & S_IXOTH for folder in path.resolve().parents)
    return may_pass and bool(path.stat().st_mode & (S_IROTH | S_IXOTH))


class Row(NamedTuple):
    """How many submissions wait at a step, and the command that takes it, without the name of the
    program; "" where nothing is to be done.
    """

    what: str
    number: int | None  # None: not known
    command: str = ""


class AssignmentStatus:
    """The status of one assignment, read from the course's folders `submitted/` and `results/`, and
    from its gradebook.
    """

    def __init__(self, assignment: Assignment, gradebook: str | None, markers: list[str]):
        """`gradebook`: a URL, None if there is none; `markers`: the names of those who mark. Raises
        `AutograderError` or `OSError` if a table, all verdicts or the gradebook cannot be read.
        """
        root, id = assignment.course.root, assignment.id
        self.assignment, self.markers = assignment, markers
        self.submitted, self.results = (
            root / "submitted",
            ResultsFolder(root / grading.RESULTS, assignment),
        )
        self.placed, self.refused = submissions_in(self.submitted, assignment)
        self.unmatched = read_unmatched(self.submitted, id)
        self.groups = groups_of(folders_of(assignment.course), id)
        self.found = Results(id, self.results.folder, [])
        if verdicts.verdict_files(self.results.folder):
            self.found = read_results(root / grading.RESULTS, id, self.groups)
        marks = _marks(gradebook, id) if gradebook else {}
        self.grades = combine_grades(self.found, {}, marks, self.submitted, self.groups)
        self.penalties = self._penalties(gradebook, marks) if gradebook else []
        self.has_practice = any(verdict.is_practice for verdict in self.found.verdicts)
        self.graded = [one for one in self.grades if one.total is not None]
        self.exports = last_exports(self.results.results, id)
        self.inquiries = read_inquiries(root / grading.RESULTS, id).values()

    def rows(self) -> list[Row]:
        """Return the rows in the order of the work; last, what students have to be asked. If nothing
        was handed in, return one row.
        """
        rows = [*self._handed_in(), *self._in_gradebook(), *self._exported()]
        if self.inquiries:
            waiting = sum(one.answer is None for one in self.inquiries)
            rows.append(self._row("open inquiries", waiting, "inquiries list"))
        rows.append(self._row("unreadable", len(self.found.unreadable), "report --names"))
        rows.sort(key=lambda row: row.what in LAST)
        begun = self.placed or self.unmatched or self.found.verdicts
        return rows if begun else [Row("handed in", 0, self._named("collect DOWNLOAD"))]

    def about(self) -> Iterator[str]:
        """Yield sentences on what is unmatched, on each export, and on what cannot be used."""
        if self.unmatched:
            table = unmatched_path(self.submitted, self.assignment.id)
            yield f"Fill in the column `student` in a copy of `{from_here(table)}`: choices.csv."
        for one in self.exports:
            paths = ", ".join(f"`{from_here(Path(path))}`" for path in one.paths)
            when = texts.time_text(one.exported_at, course_zone(self.assignment.course))
            yield f"Exported for {one.format} on {when}: {paths}."
        yield from (*self.refused, *self.found.damaged)

    def _handed_in(self) -> Iterator[Row]:
        """Yield the rows up to what is graded; those who have not handed in are of the roster."""
        people = read_remembered(self.submitted, self.assignment.id)
        expected = {one.student for one in people}
        found = [senders([one], people) for one in self.unmatched]
        known = {who for id in self.placed for who in self.groups.members(id)}.union(*found)
        yield Row("on the roster", len(expected) or None)
        missing = len(expected - known) if expected else None
        yield self._row("not handed in", missing, "collect DOWNLOAD")
        others = {
            one.sender
            for one, those in zip(self.unmatched, found, strict=True)
            if not those and one.sender != Person("", platform=one.sender.platform)
        }
        yield Row("handed in", len(known) + len(others))
        yield Row("placed, a group once" if self.groups else "placed", len(self.placed))
        yield self._row("unmatched", len(self.unmatched), "collect --resolve choices.csv")
        seen = notebooks.FileCache(self.results.folder)
        wait = sum(not self._is_graded(student, seen) for student in self.placed)
        yield self._row("not graded, or changed since", wait, "grade")
        yield from self._in_sandbox()

    def _in_sandbox(self) -> Iterator[Row]:
        """Yield a row on the sandboxes in which the graded verdicts were made; none without them."""
        graded = [verdict for verdict in self.found.verdicts if verdict.state == "graded"]
        counts = Counter(verdict.stamp.sandbox for verdict in graded)
        levels = {level: LEVELS.get(level, f"behind {level}") for level in sorted(counts)}
        each = ", ".join(f"{counts[level]} {words}" for level, words in levels.items())
        what = f"graded: {each}" if len(counts) > 1 else f"graded {''.join(levels.values())}"
        if graded:
            yield Row(what, len(graded), self._named("grade") * self.has_practice)

    def _is_graded(self, student: str, seen: notebooks.FileCache) -> bool:
        """Whether the student has the verdict that `grade` would write now, in the same sandbox. No
        submission is run.
        """
        verdict = self.results.verdict(student)
        if verdict is None or verdict.state == "not_graded":
            return False
        try:
            file = seen.file(student, self.placed[student], self.submitted)
        except Unreadable:
            return verdict.state == "unreadable"
        submission = file.submission or self._hash_of(student)  # nbgrader's commands cache nothing
        settings = RunSettings(self.assignment, verdict.stamp.sandbox)
        return verdicts.is_current(verdict.stamp, settings.stamp(submission, verdict.stamp.seed))

    def _hash_of(self, student: str) -> str:
        notebook = self.placed[student]
        return notebooks.read_submission(self.assignment, student, notebook, self.submitted).hash

    def _penalties(self, gradebook: str, marks: Mapping[str, StudentMarks]) -> list[Penalty]:
        """Return the penalties that `grade` would compare with the gradebook's: of those who have
        handed in, alone or with a group, and have `marks`. `gradebook`: a URL.
        """
        late = read_lateness(gradebook, self.assignment.course, self.assignment.id)
        people = {who for placed in self.placed for who in self.groups.members(placed)}
        return [Penalty(late.judged[who], marks[who].penalty) for who in people & marks.keys()]

    def _in_gradebook(self) -> Iterator[Row]:
        """Yield the rows on what is entered, to be marked by each tutor, and shown on pages."""
        entered = {one.student: one.mark for one in self.graded if one.mark}
        yield self._row("not in the gradebook", len(self.graded) - len(entered), "enter")
        wrong = sum(not one.is_right for one in self.penalties)
        yield self._row("penalties to be entered", wrong, "grade")
        tutors = len(self.markers) or 1
        counts = count_open(self.assignment.id, entered, tutors)
        for name, count in zip_longest(self.markers, counts):  # one count without names
            by = f" by {name}" if name else ""
            command = f"marking page --for {quote(name)}" if name else "marking list"
            yield self._row(f"to be marked{by}", count, command)
        verdicts = [one.verdict for one in self.graded if one.mark]
        old = [*old_pages(self.assignment.course, verdicts, entered)]
        command = f"feedback {self.assignment.id}" if old else ""
        yield Row("pages missing or older than grades", len(old), command)

    def _exported(self) -> Iterator[Row]:
        """Yield a row for each platform to which grades were exported; without any, one row with
        the number of grades, if there are some. `export` is not suggested while it refuses practice.
        """
        if self.graded and not self.exports:
            command = self._named("export --format FORMAT") * (not self.has_practice)
            yield Row("not exported", len(self.graded), command)
        for one in self.exports:
            changed = len(one.changed(self.grades))
            of = max(one.grades, changed)  # somebody may have submitted since
            what = f"exported for {one.format}"
            command = f"export --format {one.format}"
            if one.sheet:
                command += f" --sheet {quote(str(from_here(Path(one.sheet))))}"
            if one.column:
                command += f" --column {quote(one.column)}"
            if changed:
                what = f"of {of} {what} changed since"
            due = bool(changed) and not self.has_practice
            yield Row(what, changed or one.grades, self._named(command) * due)

    def _row(self, what: str, number: int | None, command: str) -> Row:
        return Row(what, number, self._named(command) if number else "")

    def _named(self, command: str) -> str:
        return f"{command} --assignment {self.assignment.id}"


def _marks(gradebook: str, assignment_id: str) -> dict[str, StudentMarks]:
    with open_session(gradebook, TRY_AGAIN) as session:
        return marks_in(session, assignment_id)
