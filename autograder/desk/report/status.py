"""Report the progress of an assignment: the number of submissions that wait at each step, and the
command for that step. Nothing is written.
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

LAST = "unreadable", "not handed in"  # rows that wait for students
LEVELS = {"landlock": "behind Landlock", limits.PRACTICE: "as practice"}  # of the sandbox


def about_course(course: Course) -> Iterator[str]:
    """Yield a sentence on the course's folder, gradebook and exchange, and a warning if students
    can read files of the staff on this computer. Raises `CourseError` if the course's configuration
    cannot be read.
    """
    folders, exchange = folders_of(course), Exchange(config=courses.read_config(course.root))
    gradebook = read_url(folders.db_url).render_as_string()
    of = f", for the course `{folders.course_id}`" if folders.course_id else ": no course_id is set"
    yield f"Course: {course.root}. Gradebook: {gradebook}. Exchange: {exchange.root}{of}."
    database = Path(str(read_url(folders.db_url).database))
    private_names = "submitted", grading.RESULTS, "autograded", "feedback", "records.db"
    secret = [
        course.graders,
        course.source,
        database,
        *(course.root / name for name in private_names),
    ]
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
    """Whether a path exists and is readable for any user of this computer."""
    if sys.platform == "win32" or not path.exists():
        return False
    may_pass = all(folder.stat().st_mode & S_IXOTH for folder in path.resolve().parents)
    return may_pass and bool(path.stat().st_mode & (S_IROTH | S_IXOTH))


class Row(NamedTuple):
    """The number of submissions that wait at a step, and its command."""

    what: str  # the step, in words
    number: int | None  # None: not known
    command: str = ""  # without the name of the program, "" if there is nothing to do


class AssignmentStatus:
    """The status of an assignment, read from `submitted/`, `results/` and the gradebook."""

    def __init__(self, assignment: Assignment, gradebook: str | None, markers: list[str]):
        """`gradebook`: a URL. Raises `AutograderError` or `OSError` if a table, all verdicts or the
        gradebook cannot be read.
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
        self.graded = [grade for grade in self.grades if grade.total is not None]
        self.exports = last_exports(self.results.results, id)
        self.inquiries = read_inquiries(root / grading.RESULTS, id).values()

    def rows(self) -> list[Row]:
        """Return the rows in the order of the work. Rows that wait for students come last."""
        rows = [*self._handed_in(), *self._in_gradebook(), *self._exported()]
        if self.inquiries:
            waiting = sum(inquiry.answer is None for inquiry in self.inquiries)
            rows.append(self._row("open inquiries", waiting, "inquiries list"))
        rows.append(self._row("unreadable", len(self.found.unreadable), "report --names"))
        rows.sort(key=lambda row: row.what in LAST)
        has_files = self.placed or self.unmatched or self.found.verdicts
        return rows if has_files else [Row("handed in", 0, self._named("collect DOWNLOAD"))]

    def about(self) -> Iterator[str]:
        """Yield sentences on unmatched files, on each export, and on unusable files."""
        if self.unmatched:
            table = unmatched_path(self.submitted, self.assignment.id)
            yield f"Fill in the column `student` in a copy of `{from_here(table)}`: choices.csv."
        for export in self.exports:
            paths = ", ".join(f"`{from_here(Path(path))}`" for path in export.paths)
            exported_at = texts.time_text(export.exported_at, course_zone(self.assignment.course))
            yield f"Exported for {export.format} on {exported_at}: {paths}."
        yield from (*self.refused, *self.found.damaged)

    def _handed_in(self) -> Iterator[Row]:
        """Yield the rows up to grading. Only students of the roster can be missing."""
        people = read_remembered(self.submitted, self.assignment.id)
        expected = {person.student for person in people}
        possible_senders = [senders([submission], people) for submission in self.unmatched]
        known_students = {
            student for id in self.placed for student in self.groups.members(id)
        }.union(*possible_senders)
        yield Row("on the roster", len(expected) or None)
        missing = len(expected - known_students) if expected else None
        yield self._row("not handed in", missing, "collect DOWNLOAD")
        unknown_senders = {
            submission.sender
            for submission, possible in zip(self.unmatched, possible_senders, strict=True)
            if not possible and submission.sender != Person("", platform=submission.sender.platform)
        }
        yield Row("handed in", len(known_students) + len(unknown_senders))
        yield Row("placed, a group once" if self.groups else "placed", len(self.placed))
        yield self._row("unmatched", len(self.unmatched), "collect --resolve choices.csv")
        file_cache = notebooks.FileCache(self.results.folder)
        wait = sum(not self._is_graded(student, file_cache) for student in self.placed)
        yield self._row("not graded, or changed since", wait, "grade")
        yield from self._in_sandbox()

    def _in_sandbox(self) -> Iterator[Row]:
        """Yield a row on the sandboxes of the graded verdicts, if there are any."""
        graded = [verdict for verdict in self.found.verdicts if verdict.state == "graded"]
        counts = Counter(verdict.stamp.sandbox for verdict in graded)
        levels = {level: LEVELS.get(level, f"behind {level}") for level in sorted(counts)}
        level_counts = ", ".join(f"{counts[level]} {words}" for level, words in levels.items())
        title = (
            f"graded: {level_counts}" if len(counts) > 1 else f"graded {''.join(levels.values())}"
        )
        if graded:
            yield Row(title, len(graded), self._named("grade") * self.has_practice)

    def _is_graded(self, student: str, file_cache: notebooks.FileCache) -> bool:
        """Whether the student has the verdict that `grade` would write now, in the same sandbox."""
        verdict = self.results.verdict(student)
        if verdict is None or verdict.state == "not_graded":
            return False
        try:
            file = file_cache.file(student, self.placed[student], self.submitted)
        except Unreadable:
            return verdict.state == "unreadable"
        submission = file.submission or self._hash_of(student)  # nbgrader's commands cache nothing
        settings = RunSettings(self.assignment, verdict.stamp.sandbox)
        return verdicts.is_current(verdict.stamp, settings.stamp(submission, verdict.stamp.seed))

    def _hash_of(self, student: str) -> str:
        notebook = self.placed[student]
        return notebooks.read_submission(self.assignment, student, notebook, self.submitted).hash

    def _penalties(self, gradebook: str, marks: Mapping[str, StudentMarks]) -> list[Penalty]:
        """Return the penalties that `grade` would compare with the gradebook's."""
        late = read_lateness(gradebook, self.assignment.course, self.assignment.id)
        people = {student for placed in self.placed for student in self.groups.members(placed)}
        return [
            Penalty(late.judged[student], marks[student].penalty)
            for student in people & marks.keys()
        ]

    def _in_gradebook(self) -> Iterator[Row]:
        """Yield the rows on marks to enter, answers to mark for each tutor, and pages to make."""
        entered = {grade.student: grade.mark for grade in self.graded if grade.mark}
        yield self._row("not in the gradebook", len(self.graded) - len(entered), "enter")
        wrong = sum(not penalty.is_right for penalty in self.penalties)
        yield self._row("penalties to be entered", wrong, "grade")
        tutors = len(self.markers) or 1
        counts = count_open(self.assignment.id, entered, tutors)
        for name, count in zip_longest(self.markers, counts):  # one count without names
            suffix = f" by {name}" if name else ""
            command = f"marking page --for {quote(name)}" if name else "marking list"
            yield self._row(f"to be marked{suffix}", count, command)
        verdicts = [grade.verdict for grade in self.graded if grade.mark]
        outdated = [*old_pages(self.assignment.course, verdicts, entered)]
        command = f"feedback {self.assignment.id}" if outdated else ""
        yield Row("pages missing or older than grades", len(outdated), command)

    def _exported(self) -> Iterator[Row]:
        """Yield a row for each export. Without any, yield a row with the number of grades."""
        if self.graded and not self.exports:
            # `export` refuses practice
            command = self._named("export --format FORMAT") * (not self.has_practice)
            yield Row("not exported", len(self.graded), command)
        for export in self.exports:
            changed = len(export.changed(self.grades))
            of = max(export.grades, changed)  # somebody may have submitted since
            title = f"exported for {export.format}"
            command = f"export --format {export.format}"
            if export.sheet:
                command += f" --sheet {quote(str(from_here(Path(export.sheet))))}"
            if export.column:
                command += f" --column {quote(export.column)}"
            if changed:
                title = f"of {of} {title} changed since"
            is_due = bool(changed) and not self.has_practice
            yield Row(title, changed or export.grades, self._named(command) * is_due)

    def _row(self, title: str, number: int | None, command: str) -> Row:
        return Row(title, number, self._named(command) if number else "")

    def _named(self, command: str) -> str:
        return f"{command} --assignment {self.assignment.id}"


def _marks(gradebook: str, assignment_id: str) -> dict[str, StudentMarks]:
    with open_session(gradebook, TRY_AGAIN) as session:
        return marks_in(session, assignment_id)
