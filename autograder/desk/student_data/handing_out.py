"""Export all data on a student for that student, without data on other people or for staff only."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from nbgrader.api import Assignment
from sqlalchemy import select

from autograder.classroom.roster import Person
from autograder.desk.student_data.places import ITSELF, PLACES, RECORDS
from autograder.desk.student_data.record_rows import exported_records
from autograder.desk.student_data.subject import Subject
from autograder.desk.student_data.traces import StudentTrace
from autograder.engine import Verdict, grading, verdicts
from autograder.gradebook.grades import Grade
from autograder.gradebook.inquiries import read_inquiries
from autograder.gradebook.pages.of_grade import markdown_parts
from autograder.gradebook.sync.database import open_session
from autograder.gradebook.sync.marks import StudentMarks
from autograder.gradebook.sync.tables import marks_in

ANSWER = "at", "old_points", "new_points", "max_points", "reason"  # fields for the student
ABOUT = """What the course keeps of {student}, as far as it is about nobody else.

submitted/    the submissions that are graded
received/     files as they were received from the platform, and rows about them (records.json)
results/      points and feedback, as the student sees them; in history/, of earlier submissions;
              inquiries, and the answer to each
feedback/     the pages that were made for the student
gradebook.json    marks, comments and penalties, by assignment

Submissions of a group of {student}, and their points, are under the group's id, which groups.csv
names. Of the group's files as received, only those that {student} sent are in here. No table or
record names another member.

Kept as well, and not in here, because it is for staff or can be made again of the rest:
{others}.
"""


def handed_out(
    root: Path, traces: Iterable[StudentTrace], gradebook: str | None, subject: Subject
) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the content of each file for the student. Raises `AutograderError` if the
    gradebook cannot be used, `OSError` if a file cannot be read.

    `root`: the course's folder. `gradebook`: its URL.
    """
    exported = {place.name for place in PLACES if place.handed_out}
    left_out = dict.fromkeys(place.name for place in PLACES if place.name not in exported)
    yield "README.txt", ABOUT.format(student=subject.student, others=", ".join(left_out)).encode()
    for trace in traces:
        if trace.place.handed_out == ITSELF and trace.file and trace.file.kind == "file":
            content = trace.file.read() if trace.part.rest is None else trace.part.theirs
            if content:
                yield trace.file.label, content
        if trace.place is RECORDS:
            yield from exported_records(root / "submitted", subject)
    if gradebook:
        yield "gradebook.json", _marks(gradebook, subject.student)
    for assignment in subject.groups:
        yield from (
            result for result in _results(root / grading.RESULTS, assignment, subject) if result[1]
        )


def _results(results: Path, assignment: str, subject: Subject) -> Iterator[tuple[str, bytes]]:
    """Yield the student's view of an assignment's results: points and feedback as Markdown, and
    inquiries as lines of JSON, without the person who answered and the verdict.
    """
    label = f"{grading.RESULTS}/{assignment}"
    for id in subject.ids(assignment):
        newest = verdicts.read_verdict(results / assignment / f"{id}.json")
        earlier = verdicts.read_history(results, assignment, id)
        yield f"{label}/history/{id}.md", _view(earlier)
        yield f"{label}/{id}.md", _view([newest] if newest else [])
    rows = []
    for inquiry in read_inquiries(results, assignment).values():
        if inquiry.student == subject.student:
            answer = msgspec.to_builtins(inquiry.answer) or {}
            decision = {field: answer[field] for field in ANSWER if field in answer}
            rows.append({**msgspec.to_builtins(inquiry), "decision": decision or None})
    yield f"{label}/inquiries.jsonl", b"\n".join(map(msgspec.json.encode, rows))


def _view(verdicts: Iterable[Verdict]) -> bytes:
    parts = (markdown_parts(Grade(Person(verdict.student), verdict)) for verdict in verdicts)
    return "\n".join(text for texts in parts for text in texts).encode("utf-8", "backslashreplace")


def _marks(url: str, student: str) -> bytes:
    """Return the student's marks in the gradebook as JSON by assignment."""
    with open_session(url) as session:
        names = session.scalars(select(Assignment.name).order_by(Assignment.name)).all()
        marks = {name: marks_in(session, name, student).get(student) for name in names}
    marks_by_name = {
        name: _with_fields(student_marks) for name, student_marks in marks.items() if student_marks
    }
    return msgspec.json.format(msgspec.json.encode(marks_by_name))


def _with_fields(marks: StudentMarks) -> dict[str, Any]:
    """Return marks with field names, without the ids of nbgrader's database."""
    cells = [
        {field: value for field, value in cell._asdict().items() if not field.endswith("_id")}
        for cell in marks.cells
    ]
    return {**vars(marks), "cells": cells}
