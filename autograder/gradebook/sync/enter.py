"""Update a course's gradebook from the verdict files. Only differences are entered, in batches.

This may run at any time and repeatedly. Points and comments given by hand are kept.
"""

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from msgspec.structs import replace
from nbgrader.converters.base import NbGraderException
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from autograder.classroom.late_files import BEST
from autograder.classroom.records.received import was_collected
from autograder.classroom.roster import Person
from autograder.engine import (
    ResultsFolder,
    Verdict,
    courses,
    files,
    name_some,
    plural,
    texts,
    verdicts,
)
from autograder.gradebook.lateness.counting import Submissions
from autograder.gradebook.sync.answers import answer_in
from autograder.gradebook.sync.choices import (
    ClassChoices,
    CountingVerdict,
    GradedClass,
    add_note,
    newest_verdicts,
    settle,
)
from autograder.gradebook.sync.database import is_locked
from autograder.gradebook.sync.entering import GROUP
from autograder.gradebook.sync.group_marks import (
    free_moved_marks,
    owners_of_marks,
    share_marks,
    with_own_marks,
)
from autograder.gradebook.sync.nbgrader_course import CellsRefused, Record, may_be_entered
from autograder.gradebook.sync.notebooks import repaired_notebook
from autograder.gradebook.sync.tables import marks_in
from autograder.gradebook.table import write_table

BATCH = 25
LONGEST_ERROR = 300  # characters
AGAIN = "grade again to enter them."
NOTHING_KEPT = "what its cells said is not kept beside it: grade again with --regrade"


@dataclass
class Entered:
    """Entered and failed verdicts of an assignment."""

    count: int = 0  # verdicts that were entered
    unchanged: int = 0  # verdicts that were in the gradebook already
    without_points: list[Verdict] = field(default_factory=list)  # unreadable or not graded
    notes: list[str] = field(default_factory=list)  # sentences for staff
    refused: dict[str, str] = field(default_factory=dict)  # reasons, by student
    waiting: set[str] = field(default_factory=set)  # students, while the gradebook is unusable
    error: str = ""  # reason of the wait
    remedy: str = AGAIN  # next step, after "All verdicts are kept in the results; "
    times: dict[str, datetime | None] = field(default_factory=dict)  # platforms', by student
    counting: dict[str, str] = field(default_factory=dict)  # submissions that are not the newest
    checked: set[str] = field(default_factory=set)  # students whose choice was checked
    elsewhere: list["Entered"] = field(default_factory=list)  # of assignments that depend on it

    @property
    def unreadable(self) -> set[str]:
        """Students with an unreadable submission."""
        return {verdict.student for verdict in self.without_points if verdict.state == "unreadable"}

    @property
    def troubles(self) -> list[str]:
        """A sentence for each refused verdict, and a sentence on all that wait for the gradebook."""
        failed = [
            (f"the verdict on {student}", reason, AGAIN) for student, reason in self.refused.items()
        ]
        if self.waiting:
            failed.append((plural(len(self.waiting), "verdict"), self.error, self.remedy))
        sentences = [
            f"The gradebook did not take {verdict} ({reason}). All verdicts are kept in the results; "
            f"{remedy}"
            for verdict, reason, remedy in failed
        ]
        return sentences + [sentence for entered in self.elsewhere for sentence in entered.troubles]


def enter_verdicts(graded: GradedClass, with_penalties: bool = True) -> Entered:
    """Enter the verdicts that differ from the gradebook. A group's verdict is entered for each of
    its members, and for the group, which has no penalty. Record in the results which students have
    a counted submission other than the newest.

    Without `with_penalties`, counted submissions of other assignments stay. Raises `OSError` if a
    file cannot be written.
    """
    entered = Entered()
    try:
        _share_marks(graded, entered.notes)  # marks affect the choice among a member's groups
        other_classes = [*_others(graded)] if with_penalties else []
        entered.elsewhere = [Entered() for _ in other_classes]
        results = [entered, *entered.elsewhere]
        classes = [
            ClassChoices(graded_class, result.notes)
            for graded_class, result in zip((graded, *other_classes), results, strict=True)
        ]
        if other_classes:
            settle(classes)
    except SQLAlchemyError as error:
        entered.error = texts.first_line(error, LONGEST_ERROR)
        entered.waiting = {
            verdict.student
            for verdict, _ in newest_verdicts(graded, None, entered.notes)
            if verdict.state == "graded"
        }
        return entered
    for choices, result in zip(classes, results, strict=True):
        _ClassEntry(choices, result, is_elsewhere=result is not entered).run()
    return entered


def _others(graded: GradedClass) -> Iterator[GradedClass]:
    """Yield other assignments whose counted submissions may depend on shared late days."""
    rules, top = graded.rules, graded.top
    chosen = {rules.policy.counts, *(line.word for line in rules.counts.values())}
    if not rules.policy.late_days or not (BEST in chosen or rules.groups):
        return
    for assignment in courses.every(graded.assignment.course):
        results = ResultsFolder(graded.results.results, assignment)
        stems = [file.stem for file in verdicts.verdict_files(results.folder)]
        folders = {stem: top / stem / assignment.id for stem in stems}
        folders = {
            id: folder for id, folder in folders.items() if files.kind_of(folder, top) == "folder"
        }
        if stems and assignment.id != graded.assignment.id:
            yield dataclasses.replace(
                graded,
                results=results,
                folders=folders,
                people={},
                only=graded.student_to_read,
            )


class _ClassEntry:
    """Enters the counted verdicts of an assignment."""

    def __init__(self, choices: ClassChoices, entered: Entered, is_elsewhere: bool):
        """`is_elsewhere`: only change verdicts that are entered already."""
        self.choices = choices
        self.graded = choices.graded
        self.entered = entered
        self.is_elsewhere = is_elsewhere
        self.answers_of: dict[str, set[tuple[str, str]]] = {}  # cache of `_has`

    def run(self) -> None:
        """Enter differences in batches, and record the counted submissions."""
        graded, entered = self.graded, self.entered
        records = self._differing()
        while batch := list(islice(records, BATCH)):
            _enter(graded, batch, entered)
        if graded.only is None and not (self.is_elsewhere or entered.waiting):
            _withdraw(graded, self.choices.submissions, entered)
        if not entered.waiting:
            _share_marks(graded, entered.notes, self._has)
        self.choices.submissions.store()
        entered.times = self.choices.times
        counting = entered.counting
        if graded.only is not None or self.is_elsewhere:
            counted_before = verdicts.read_counted(graded.results.results, graded.assignment.id)
            unchecked = {
                student: id
                for student, id in counted_before.items()
                if student not in entered.checked
            }
            counting = counting | unchecked
        verdicts.write_counted(graded.results.results, graded.assignment.id, counting)
        if self.is_elsewhere and entered.checked:
            write_table(graded.results.results, graded.assignment)

    def _differing(self) -> Iterator[Record]:
        """Yield records that differ from the gradebook. Refuse those without stored outputs."""
        graded, entered = self.graded, self.entered
        counted_before = verdicts.read_counted(graded.results.results, graded.assignment.id)
        for counting in self.choices:
            student, verdict = counting.newest.student, counting.choice.dated.verdict
            if graded.only not in (None, student, counting.stored):
                continue
            submission = verdict.stamp.submission if counting.is_other else None
            is_same = counted_before.get(student) == submission
            if self.is_elsewhere and (is_same or student not in self.choices.marks):
                continue
            self._note(counting)
            if submission is not None:
                entered.counting[student] = submission
            if verdict.state != "graded":
                entered.without_points.append(verdict)
            if self._agrees(counting):
                entered.unchanged += may_be_entered(verdict)
            elif record := self._record(counting):
                yield record
            else:
                entered.refused[student] = NOTHING_KEPT

    def _note(self, counting: CountingVerdict) -> None:
        """Record the choice of a student, its reason, and the time given by staff."""
        student = counting.newest.student
        line = self.graded.rules.times.get((student, self.graded.assignment.id))
        staff_time = line.when if line else None
        self.choices.submissions.keep_staff_time(counting.newest, counting.stored, staff_time)
        self.entered.checked.add(student)
        for sentence in filter(None, (counting.choice.sentence, counting.choice.doubt)):
            add_note(self.entered.notes, f"{student}: {sentence}")

    def _agrees(self, counting: CountingVerdict) -> bool:
        """Whether the gradebook has this verdict already."""
        (verdict, submitted), reason, _ = counting.choice
        # an earlier version entered "" as the owner
        owners = {counting.stored} if self.graded.groups else {counting.stored, ""}
        marks = self.choices.marks.get(verdict.student)
        return self.graded.course.agrees_with(verdict, marks, submitted, reason, owners)

    def _record(self, counting: CountingVerdict) -> Record | None:
        """Return the record to enter, None if the cells' outputs were not kept."""
        graded, (verdict, submitted) = self.graded, counting.choice.dated
        answers = graded.results.answers(replace(verdict, student=counting.stored))
        if answers is None:
            return None
        results, id = graded.results.results, graded.assignment.id
        history = verdicts.read_history(results, id, counting.stored)
        return Record(
            verdicts.with_gone_mistakes(verdict, history),
            answers.submission,
            answers.outputs,
            submitted,
            _person(graded, verdict.student),
            counting.choice.sentence,
            counting.stored,
        )

    def _has(self, owner: str, exercise: str, digest: str) -> bool:
        """Whether any submission of a student or group has the answer with this digest."""
        if owner not in self.answers_of:
            results = self.graded.results
            newest = results.verdict(owner)
            earlier = self.choices.submissions.earlier(newest, owner) if newest else ()
            all_verdicts = [newest, *(dated.verdict for dated in earlier)] if newest else []
            all_answers = filter(None, map(results.answers, all_verdicts))
            self.answers_of[owner] = {
                (cell.id, answer_in(cell).digest)
                for answers in all_answers
                for cell in repaired_notebook(self.graded.assignment, answers.submission).cells
            }
        return (exercise, digest) in self.answers_of[owner]


def _person(graded: GradedClass, id: str) -> Person | None:
    """Return the name of a student or group, None if unknown."""
    groups = graded.groups
    if id in groups.by_id:
        return Person(id, f"{GROUP} {groups.names[id]}")
    return graded.people.get(id)


def _enter(graded: GradedClass, records: list[Record], entered: Entered) -> None:
    """Enter these records in a batch, or singly if that fails, so that good records are entered."""
    try:
        graded.course.enter(graded.assignment, records)
        entered.count += len(records)
    except Exception as error:
        reason = texts.first_line(error, LONGEST_ERROR)
        if isinstance(error, CellsRefused):
            reason, entered.remedy = "its cells are others", f"to enter them: {error}"
        elif isinstance(error, NbGraderException):
            reason, entered.remedy = f"nbgrader: {reason.rstrip('.')}", f"mend that, and {AGAIN}"
        students = [record.verdict.student for record in records]
        if _is_of_all(error):
            entered.error = reason
            entered.waiting.update(students)
        elif len(records) > 1:
            for record in records:
                _enter(graded, [record], entered)
        else:
            entered.refused.update(dict.fromkeys(students, reason))


def _is_of_all(error: Exception) -> bool:
    """Whether this error concerns every student: a locked gradebook, or a refused course."""
    if isinstance(error, OperationalError):
        return is_locked(error)
    return isinstance(error, NbGraderException)


def _withdraw(graded: GradedClass, submissions: Submissions, entered: Entered) -> None:
    """Remove students without a submission from the gradebook, after `collect` withdrew or
    reassigned it. Students with their own mark by hand stay, with a note. Without records of
    `collect`, nobody is removed.
    """
    id, groups = graded.assignment.id, graded.groups
    if not was_collected(graded.top, id):
        return
    placed = submissions.placed
    stems = {file.stem for file in verdicts.verdict_files(graded.results.folder)}
    ids = {*graded.folders, *placed, *stems}
    present = {student for one_id in ids for student in (one_id, *groups.members(one_id))}
    with graded.course.gradebook() as gradebook:
        without_submission = marks_in(gradebook.db, id).keys() - (present - entered.unreadable)
        marked = (
            with_own_marks(gradebook.db, id, without_submission) if without_submission else set()
        )
    senders = {
        row.sender
        for group, row in placed.items()
        if row.sender and group in groups.by_id and row.sender not in groups.members(group)
    }
    removed = sorted(without_submission - marked - senders)
    if removed:
        graded.course.withdraw(id, removed)
    students_by_sentence = {
        "Without a submission, and out of the gradebook: {}.": removed,
        "Without a submission, and with marks by hand in the gradebook: {}. Empty the marks in "
        "formgrader and grade again to take them out.": sorted(marked - senders),
        "In another group than the one for which they submitted: {}. Collect again, and what they "
        "sent goes along.": sorted(senders & without_submission),
    }
    for sentence, students in students_by_sentence.items():
        if students:
            add_note(entered.notes, sentence.format(name_some(students)))


def _share_marks(
    graded: GradedClass, notes: list[str], has: Callable[[str, str, str], bool] | None = None
) -> None:
    """Copy marks by hand to the rest of the group, and note differences."""
    with graded.course.gradebook() as gradebook:
        if not (graded.groups or owners_of_marks(gradebook.db) - {"", *graded.folders}):
            return
        if has:
            free_moved_marks(gradebook.db, graded.assignment.id, has)
        for sentence in share_marks(gradebook.db, graded.assignment.id, graded.groups):
            add_note(notes, sentence)
