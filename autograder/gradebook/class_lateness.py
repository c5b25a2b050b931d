"""The lateness of a class: what its gradebook knows of times, judged by the course's rules."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime

from nbgrader.api import Assignment, SubmittedAssignment
from sqlalchemy import select
from sqlalchemy.orm import Session

from autograder.engine.course import Course
from autograder.gradebook.late import Lateness, LateRules, judge, read_rules
from autograder.gradebook.late_policy import HandIn
from autograder.gradebook.sessions import reading_session

MOST_NAMED = 500  # students that a query names: databases take no list of any length


def read_lateness(url: str, course: Course, assignment_id: str) -> dict[str, Lateness]:
    """Return the lateness of each submission of an assignment, by student.

    Raises `NoCourse`, `PolicyError`, `UnreadableGradebook`.
    """
    rules = read_rules(course)
    with reading_session(url) as session:
        return class_lateness(session, rules, assignment_id)


def class_lateness(
    session: Session,
    rules: LateRules,
    assignment_id: str,
    students: Collection[str] | None = None,
) -> dict[str, Lateness]:
    """Return the lateness of these students' submissions, or of all there are."""
    return {
        student: judged[assignment_id]
        for student, handed_in in hand_ins(session, rules, students).items()
        if assignment_id in (judged := judge(handed_in, rules.policy))
    }


def hand_ins(
    session: Session, rules: LateRules, students: Collection[str] | None = None
) -> dict[str, list[HandIn]]:
    """Return all that counts in the course, by student: late days are the course's.

    A time is that of the entered submission: `late.csv` was asked when it was entered.
    """
    one = SubmittedAssignment
    query = select(
        one.student_id,
        Assignment.name,
        one.timestamp,
        Assignment.duedate,
        Assignment.max_score,
        one.extension,
    ).join(Assignment, one.assignment_id == Assignment.id)
    if students is not None and len(students) <= MOST_NAMED:
        query = query.where(one.student_id.in_(students))
    wanted = None if students is None else set(students)
    found = defaultdict(list)
    for student, assignment, submitted, due, points, granted in session.execute(query):
        if wanted is None or student in wanted:
            until = rules.extended_until((student, assignment), due, granted)
            found[student].append(HandIn(assignment, submitted, due, points or 0.0, until))
    return found


def due_dates(session: Session, assignment_id: str) -> dict[str, datetime | None]:
    """Return the due dates of this assignment and of all of which something is entered."""
    is_asked = (Assignment.name == assignment_id) | Assignment.submissions.any()
    query = select(Assignment.name, Assignment.duedate).where(is_asked)
    return dict(session.execute(query).all())
