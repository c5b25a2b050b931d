"""Choose the verdict of each student that counts. `late.py` describes the settings."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from autograder.classroom.groups import Groups, Worth
from autograder.classroom.late_files import NEWEST, submitted_at
from autograder.classroom.roster import Person
from autograder.engine import Assignment, AutograderError, ResultsFolder, Verdict, verdicts
from autograder.gradebook.lateness.counting import (
    Choice,
    Submissions,
    counted_of,
    hand_in_of,
    penalty_of,
)
from autograder.gradebook.lateness.late import ClassLateness, LateRules
from autograder.gradebook.lateness.late_policy import HandIn
from autograder.gradebook.sync.group_marks import AnswerMarks
from autograder.gradebook.sync.marks import StudentMarks
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse, may_be_entered
from autograder.gradebook.sync.notebooks import repaired_notebook
from autograder.gradebook.sync.tables import lateness_in, marks_in

MOST_ROUNDS = 10  # of choices that depend on each other


@dataclass(frozen=True)
class GradedClass:
    """Verdicts and submissions of an assignment, and their gradebook."""

    course: NbgraderCourse
    results: ResultsFolder
    top: Path  # the folder of all submissions. No link below it is followed
    folders: dict[str, Path]  # of submissions, by student or group
    rules: LateRules
    people: dict[str, Person] = field(default_factory=dict)  # by student, from the platform
    only: str | None = None  # the only student or group to enter, None for all

    @property
    def assignment(self) -> Assignment:
        return self.results.assignment

    @property
    def groups(self) -> Groups:
        """The groups of the assignment. Raises `AutograderError` if their file is invalid."""
        return self.rules.groups.of(self.assignment.id)

    @property
    def student_to_read(self) -> str | None:
        """The only student to read, None for all or if mates affect choices."""
        return None if self.rules.groups else self.only

    @property
    def students(self) -> list[str]:
        """Students who submitted, alone or with a group."""
        return [student for id in self.folders for student in self.groups.members(id)]

    def read_gradebook(self) -> tuple[dict[str, StudentMarks], ClassLateness]:
        """Return each student's marks and the class's lateness. Raises `SQLAlchemyError`."""
        id, student = self.assignment.id, self.student_to_read
        with self.course.gradebook() as gradebook:
            return (
                marks_in(gradebook.db, id, student),
                lateness_in(gradebook.db, self.rules, id, student),
            )

    def may_count_earlier(self, id: str) -> bool:
        """Whether an earlier submission of a student or group may count."""
        lines = [(student, self.assignment.id) for student in (id, *self.groups.members(id))]
        newest = self.results.verdict(id)
        return (
            self.rules.policy.counts != NEWEST
            or any(line in self.rules.counts for line in lines)
            or (newest is not None and newest.state == "unreadable")
        )


def graded_class(
    course: NbgraderCourse,
    results: ResultsFolder,
    top: Path,
    folders: dict[str, Path],
    only: str | None = None,
) -> GradedClass:
    """Return a class to enter, see `GradedClass`. Raises `AutograderError` for invalid rules."""
    rules = LateRules(course.config, course.root, top)
    rules.groups.of(results.assignment.id)  # reports errors before grading
    return GradedClass(course, results, top, folders, rules, only=only)


class CountingVerdict(NamedTuple):
    """The verdict of a student that counts, and how it was chosen."""

    newest: Verdict
    choice: Choice
    stored: str  # id in the results: the student's or a group's
    is_other: bool  # not the newest, or chosen among several groups


class ClassChoices:
    """Chooses counted verdicts. Iteration fills `notes` for staff and `times` of platforms."""

    def __init__(self, graded: GradedClass, notes: list[str]):
        """Read the gradebook. Raises `SQLAlchemyError`."""
        self.graded = graded
        self.results = graded.results
        self.submissions = Submissions(graded.results, graded.top)
        self.notes = notes
        self.times: dict[str, datetime | None] = {}
        self.marks, self.late = graded.read_gradebook()
        self.answer_marks: AnswerMarks | None = None  # without groups, no choice depends on marks
        if graded.groups:
            with graded.course.gradebook() as gradebook:
                self.answer_marks = AnswerMarks(gradebook.db, graded.assignment.id)

    def __iter__(self) -> Iterator[CountingVerdict]:
        """Yield the counted verdict of each student."""
        decided: set[str] = set()  # members with several verdicts

        def worth(student: str, newest: Verdict) -> tuple[bool, float]:
            decided.add(student)
            return self._worth(student, newest)

        for newest, stored in newest_verdicts(self.graded, worth, self.notes):
            student = newest.student
            self.times[student] = time_of_newest(self.graded, stored, self.notes)
            submitted = self._with_staff_time(student, stored, self.times[student])
            dated = verdicts.DatedVerdict(newest, submitted)
            choice = counted_of(dated, self.submissions, self.late, stored)
            is_other = choice.dated.verdict is not newest or student in decided
            yield CountingVerdict(newest, choice, stored, is_other)

    def _worth(self, student: str, newest: Verdict) -> tuple[bool, float]:
        """Return whether a member's verdict is graded, and its final points."""
        stored = newest.student
        platform_time = time_of_newest(self.graded, stored, self.notes)
        submitted = self._with_staff_time(student, stored, platform_time)
        dated = verdicts.DatedVerdict(replace(newest, student=student), submitted)
        counting = counted_of(dated, self.submissions, self.late, stored).dated
        points = counting.verdict.points
        answers = self.results.answers(replace(counting.verdict, student=stored))
        if self.answer_marks and answers:
            ids = [stored, student, *self.graded.groups.in_no_other(stored)]
            notebook = repaired_notebook(self.graded.assignment, answers.submission)
            points += self.answer_marks.added(ids, counting.verdict, notebook)
        points -= penalty_of(student, counting, self.results, self.late)
        return counting.verdict.state == "graded", max(0.0, points)

    def _with_staff_time(
        self, student: str, stored: str, platform_time: datetime | None
    ) -> datetime | None:
        """Return the time in `late.csv`, else an earlier time there, else the platform's."""
        submitted = platform_time
        # a submission gets its earlier time back if its replacement was withdrawn
        if self.submissions.has_staff_times and (newest := self.results.verdict(stored)):
            newest = replace(newest, student=student)
            submitted = self.submissions.kept_staff_time(newest, stored) or submitted
        return self.graded.rules.submitted((student, self.graded.assignment.id), submitted)


def newest_verdicts(
    graded: GradedClass, worth: Worth | None, notes: list[str]
) -> Iterator[tuple[Verdict, str]]:
    """Yield the newest verdict of each student, and the id under which it is stored. Without
    groups, yield only `graded.only` if it is set.

    `worth`: rates a verdict for a member of several groups. Sentences on groups are added to
    `notes`.
    """
    results, groups = graded.results, graded.groups
    stems = [file.stem for file in verdicts.verdict_files(results.folder)]
    if not groups:
        for verdict in map(results.verdict, stems):
            if verdict and graded.only in (None, verdict.student):
                yield verdict, verdict.student
        return
    newest = [verdict for verdict in map(results.verdict, stems) if verdict]
    shared, on_groups = groups.share(newest, worth)
    for sentence in (*groups.notes, *on_groups):
        add_note(notes, sentence)
    shared |= {verdict.student: verdict for verdict in newest if verdict.student in groups.by_id}
    for student, verdict in shared.items():
        yield replace(verdict, student=student), verdict.student


def time_of_newest(graded: GradedClass, stored: str, notes: list[str]) -> datetime | None:
    """Return the platform's time of the newest submission. Unreadable times add a note."""
    try:
        if folder := graded.folders.get(stored):
            return submitted_at(folder, graded.top)
        if verdict := graded.results.verdict(stored):
            return graded.results.submitted(verdict)
    except AutograderError as error:
        add_note(notes, f"{error} Taken as handed in without a time.")
    return None


def add_note(notes: list[str], sentence: str) -> None:
    """Add the sentence, unless it is there already."""
    if sentence not in notes:
        notes.append(sentence)


def settle(classes: list[ClassChoices]) -> None:
    """Give all assignments of a course the times of the counted submissions. Late days are shared,
    so each choice depends on the others. Starting from unknown times, all choices are repeated
    until they are stable.
    """
    ids = [choices.graded.assignment.id for choices in classes]
    hand_ins = {
        student: [
            dataclasses.replace(hand_in, submitted=None) if hand_in.assignment in ids else hand_in
            for hand_in in assignments
        ]
        for student, assignments in classes[0].late.hand_ins.items()
    }
    for choices in classes:
        choices.late = dataclasses.replace(choices.late, hand_ins=hand_ins)
    by_due_date = sorted(classes, key=_due_date_and_id)
    for _ in range(MOST_ROUNDS):
        previous = dict(hand_ins)
        for choices in by_due_date:
            _update_times(hand_ins, choices)
        if hand_ins == previous:
            return


def _due_date_and_id(choices: ClassChoices) -> tuple[datetime, str]:
    id = choices.graded.assignment.id
    return choices.late.due_dates.get(id) or datetime.max, id


def _update_times(hand_ins: dict[str, list[HandIn]], choices: ClassChoices) -> None:
    """Put the times of counted submissions of an assignment into `hand_ins`, by student."""
    for counting in choices:
        if not may_be_entered(counting.choice.dated.verdict):
            continue
        student = counting.newest.student
        hand_in_now = hand_in_of(student, choices.results, choices.late)
        hand_in_now = dataclasses.replace(hand_in_now, submitted=counting.choice.dated.submitted)
        elsewhere = [
            hand_in
            for hand_in in hand_ins.get(student, [])
            if hand_in.assignment != hand_in_now.assignment
        ]
        hand_ins[student] = sorted(
            [*elsewhere, hand_in_now], key=lambda hand_in: hand_in.assignment
        )
