"""Read the data that `show` prints: verdicts, roster entry, marks and received files."""

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

CLOSE = 1e-6  # points are sums of floats


def read_everybody(sources: Sources) -> dict[str, Person]:
    """Return all known people by id: those with a verdict, on a roster, or in the gradebook. Raises
    `TableError` if a roster cannot be read, `AutograderError` if the gradebook cannot be used,
    `OSError` if a folder cannot be read.
    """
    people: dict[str, Person] = {}
    for assignment in sources.assignments:
        people |= {
            person.student: person for person in read_remembered(sources.submitted, assignment)
        }
    for assignment in sources.assignments:
        people |= read_roster(sources.submitted, assignment)
    entered = read_names(sources.gradebook) if sources.gradebook else {}
    for student, (name, email) in entered.items():
        people.setdefault(student, Person(student, name, email))
    for assignment in sources.assignments:
        for path in verdicts.verdict_files(sources.results / assignment):
            people.setdefault(path.stem, Person(path.stem))
    return {student: person for student, person in people.items() if is_student_id(student)}


def read_record(sources: Sources, assignment: str, person: Person) -> StudentRecord:
    """Return a student's record on an assignment, without marks that belong to another verdict than
    the one that counts. Raises `AutograderError` if the gradebook or a file cannot be used,
    `OSError` if a file cannot be read.
    """
    student = person.student
    newest, stored = _newest(sources, assignment, student)
    earlier = [
        with_fields(verdict, student=student)
        for verdict in verdicts.read_history(sources.results, assignment, stored)
    ]
    counted = verdicts.read_counted(sources.results, assignment)
    verdict = verdicts.counted_verdict(newest, earlier, counted) if newest else None
    marks = None
    if sources.gradebook:
        marks = read_marks(sources.gradebook, assignment, student).get(student)
    if not (verdict and marks and _is_of(verdict, marks)):
        marks = None
    folder = sources.submitted / stored / assignment
    return StudentRecord(
        assignment=assignment,
        verdict=verdicts.with_gone_mistakes(verdict, earlier) if verdict else None,
        marks=marks,
        late=_late(sources, assignment, student, marks.penalty) if marks else "",
        history=_history(
            sources, assignment, stored, [*earlier, *([newest] if newest else [])], verdict, marks
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
    """Return the newest verdict on a student's submission, alone or with a group, and the id under
    which it is stored.
    """
    groups = sources.groups.of(assignment)
    ids = [student, *groups.by_student.get(student, ())]
    files = (sources.results / assignment / f"{id}.json" for id in ids)
    worth = as_counted(sources.results, assignment)
    shared, _ = groups.share(filter(None, map(verdicts.read_verdict, files)), worth)
    if student not in shared:
        return None, groups.of(student) or student
    return with_fields(shared[student], student=student), shared[student].student


def _is_same(verdict: Verdict | str | None, counting: Verdict) -> bool:
    """Whether both verdicts are on the same submission."""
    return isinstance(verdict, Verdict) and verdict.stamp.submission == counting.stamp.submission


def _is_of(verdict: Verdict, marks: StudentMarks) -> bool:
    """Whether the marks belong to this verdict: it gives a grade, and its points are the sum of the
    automatic points.
    """
    automatic = sum(cell.automatic or 0.0 for cell in marks.cells)
    usable = not Grade(Person(verdict.student), verdict).no_grade
    return usable and abs(automatic - verdict.points) < CLOSE


def _late(sources: Sources, assignment: str, student: str, penalty: float) -> str:
    """Return a sentence on the calculation of `penalty`, "" if the late policy now gives another
    penalty or cannot be read.
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
    all_verdicts: Sequence[Verdict],
    counting: Verdict | None,
    marks: StudentMarks | None,
) -> list[HistoryEntry]:
    """Return an entry for each submission received from the student. `counting`: the verdict that
    counts, or None. `marks`: for that verdict, with its time.
    """
    received = received_of(sources.submitted, assignment, student)
    if not received:
        return []
    judged = [
        (submission.platform, submitted_at, is_placed, verdict)
        for (submission, _, submitted_at, is_placed), verdict in zip(
            received,
            _verdicts_on(sources, assignment, [row[1] for row in received], all_verdicts),
            strict=True,
        )
    ]
    fitting = [  # of equal submissions, the time that counts decides, else the matched one
        (bool(marks and submitted_at == marks.submitted), is_placed, number)
        for number, (_, submitted_at, is_placed, verdict) in enumerate(judged)
        if (_is_same(verdict, counting) if counting else is_placed)
    ]
    counts, zone = max(fitting)[2] if fitting else None, course_zone(sources.course)
    return [
        HistoryEntry(
            texts.time_text(submitted_at, zone) if submitted_at else "",
            platform,
            verdict,
            number == counts,
        )
        for number, (platform, submitted_at, _, verdict) in enumerate(judged)
    ]


def _verdicts_on(
    sources: Sources, assignment: str, received: Iterable[bytes], all_verdicts: Sequence[Verdict]
) -> Iterator[Verdict | str | None]:
    """Yield the verdict on each received notebook, a reason if it cannot be read, or None if no
    verdict on it is stored or the assignment no longer exists.
    """
    course, known_assignment = sources.course, None
    if course and assignment in courses.assignments(course):
        known_assignment = find_assignment(assignment, course)
    by_hash = {verdict.stamp.submission: verdict for verdict in all_verdicts}
    for notebook in received:
        if known_assignment is None or not notebook:
            yield None
            continue
        submission = notebooks.parse_submission(
            known_assignment, "", f"{assignment}.ipynb", notebook
        )
        yield submission.unreadable or by_hash.get(submission.hash)
