"""Read what `show` shows of one student: verdicts, roster entry, marks and received files."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from msgspec.structs import replace as with_fields

from autograder.classroom.groups import as_counted
from autograder.classroom.records.received import received_of
from autograder.classroom.roster import Person, is_student_id, read_remembered, read_roster
from autograder.classroom.unmatched import read_unmatched, senders
from autograder.desk.report.student import HistoryEntry, StudentRecord
from autograder.desk.sources import Sources
from autograder.engine import (
    AutograderError,
    Verdict,
    courses,
    files,
    find_assignment,
    notebooks,
    texts,
    verdicts,
)
from autograder.gradebook.grades import Grade
from autograder.gradebook.inquiries import inquiries_of, read_inquiries
from autograder.gradebook.lateness.late_policy import course_zone
from autograder.gradebook.sync.marks import StudentMarks
from autograder.gradebook.sync.tables import read_lateness, read_marks, read_names

CLOSE = 1e-6  # points are sums of binary fractions


def read_everybody(sources: Sources) -> dict[str, Person]:
    """Return all people who are known, by id: those with a verdict, on a roster, or in the
    gradebook.

    Raises `TableError` if a roster cannot be read, `AutograderError` if the gradebook cannot be used;
    `OSError` if a folder cannot be read.
    """
    known: dict[str, Person] = {}
    for assignment in sources.assignments:
        known |= {one.student: one for one in read_remembered(sources.submitted, assignment)}
    for assignment in sources.assignments:
        known |= read_roster(sources.submitted, assignment)
    entered = read_names(sources.gradebook) if sources.gradebook else {}
    for student, (name, email) in entered.items():
        known.setdefault(student, Person(student, name, email))
    for assignment in sources.assignments:
        for path in verdicts.verdict_files(sources.results / assignment):
            known.setdefault(path.stem, Person(path.stem))
    return {student: person for student, person in known.items() if is_student_id(student)}


def read_record(sources: Sources, assignment: str, person: Person) -> StudentRecord:
    """Return all that is known of one student's work on an assignment; marks in the gradebook that
    belong to another verdict than the one that counts are left out. Raises `AutograderError` if the
    gradebook or a file cannot be used; `OSError` if a file cannot be read.
    """
    student = person.student
    newest, stored = _newest(sources, assignment, student)
    had = [
        with_fields(one, student=student)
        for one in verdicts.read_history(sources.results, assignment, stored)
    ]
    counted = verdicts.read_counted(sources.results, assignment)
    verdict = verdicts.counted_verdict(newest, had, counted) if newest else None
    marks = None
    if sources.gradebook:
        marks = read_marks(sources.gradebook, assignment, student).get(student)
    if not (verdict and marks and _is_of(verdict, marks)):
        marks = None
    folder = sources.submitted / stored / assignment
    return StudentRecord(
        assignment=assignment,
        verdict=verdicts.with_gone_mistakes(verdict, had) if verdict else None,
        marks=marks,
        late=_late(sources, assignment, student, marks.penalty) if marks else "",
        history=_history(
            sources, assignment, stored, [*had, *([newest] if newest else [])], verdict, marks
        ),
        unmatched=senders(read_unmatched(sources.submitted, assignment), [person]).get(student, ""),
        inquiries=inquiries_of(
            student,
            read_inquiries(sources.results, assignment).values(),
            sources.groups.of(assignment),
        ),
        zone=course_zone(sources.course),
        is_submitted=files.kind_of(folder, sources.submitted) == "folder",
    )


def _newest(sources: Sources, assignment: str, student: str) -> tuple[Verdict | None, str]:
    """Return the newest verdict on what a student handed in, alone or with a group, None if there
    is none; and the id under which it is stored.
    """
    groups = sources.groups.of(assignment)
    ids = [student, *groups.by_student.get(student, ())]
    files = (sources.results / assignment / f"{id}.json" for id in ids)
    worth = as_counted(sources.results, assignment)
    shared, _ = groups.share(filter(None, map(verdicts.read_verdict, files)), worth)
    if student not in shared:
        return None, groups.of(student) or student
    return with_fields(shared[student], student=student), shared[student].student


def _is_same(verdict: Verdict | str | None, other: Verdict) -> bool:
    """Whether a verdict is on the same submission as another one."""
    return isinstance(verdict, Verdict) and verdict.stamp.submission == other.stamp.submission


def _is_of(verdict: Verdict, marks: StudentMarks) -> bool:
    """Whether the gradebook's marks belong to this verdict, and not to another one: the verdict
    gives a grade, and its points are the sum of the automatic points.
    """
    automatic = sum(cell.automatic or 0.0 for cell in marks.cells)
    usable = not Grade(Person(verdict.student), verdict).no_grade
    return usable and abs(automatic - verdict.points) < CLOSE


def _late(sources: Sources, assignment: str, student: str, penalty: float) -> str:
    """Return a sentence on how the student's `penalty` was calculated; "" if the late policy now
    gives another one, or cannot be read.
    """
    if sources.gradebook is None or sources.course is None:
        return ""
    with suppress(AutograderError):
        late = read_lateness(sources.gradebook, sources.course, assignment)
        return late.explanation(student, penalty)
    return ""


def _history(
    sources: Sources,
    assignment: str,
    student: str,
    had: Sequence[Verdict],
    counting: Verdict | None,
    marks: StudentMarks | None,
) -> list[HistoryEntry]:
    """Return an entry for each submission that was received from the student; `had`: all verdicts
    on the student's submissions; `counting`: the one that counts, None before there is one;
    `marks`: those in the gradebook for it, which have its time.
    """
    there = received_of(sources.submitted, assignment, student)
    if not there:
        return []
    judged = [
        (submission.platform, when, is_placed, verdict)
        for (submission, _, when, is_placed), verdict in zip(
            there, _verdicts_on(sources, assignment, [row[1] for row in there], had), strict=True
        )
    ]
    fitting = [  # of equal ones, the one with the time that counts, else the one that is placed
        (bool(marks and when == marks.submitted), is_placed, number)
        for number, (_, when, is_placed, verdict) in enumerate(judged)
        if (_is_same(verdict, counting) if counting else is_placed)
    ]
    counts, zone = max(fitting)[2] if fitting else None, course_zone(sources.course)
    return [
        HistoryEntry(
            texts.time_text(when, zone) if when else "", platform, verdict, number == counts
        )
        for number, (platform, when, _, verdict) in enumerate(judged)
    ]


def _verdicts_on(
    sources: Sources, assignment: str, received: Iterable[bytes], had: Sequence[Verdict]
) -> Iterator[Verdict | str | None]:
    """Yield the verdict, one of those that a student `had`, on each received notebook; the reason as a
    text if it cannot be read; None if no verdict on it is kept, or if the assignment is no longer there.
    """
    course, known = sources.course, None
    if course and assignment in courses.assignments(course):
        known = find_assignment(assignment, course)
    by_hash = {one.stamp.submission: one for one in had}
    for notebook in received:
        if known is None or not notebook:
            yield None
            continue
        submission = notebooks.parse_submission(known, "", f"{assignment}.ipynb", notebook)
        yield submission.unreadable or by_hash.get(submission.hash)
