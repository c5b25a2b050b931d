"""All that is known of one student, for that student: without what is other people's, or for staff
only.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import msgspec
from nbgrader.api import Assignment
from sqlalchemy import select

from autograder.engine.verdict.history import SUBMITTED
from autograder.engine.verdict.verdict import from_json
from autograder.gradebook.database import open_session
from autograder.gradebook.inquiries import Inquiry
from autograder.gradebook.marks import StudentMarks
from autograder.gradebook.tables import marks_in
from autograder.people.roster import Person
from autograder.platforms.feedback import markdown_parts
from autograder.platforms.grades import Grade
from autograder.staff.student_data.places import GRADEBOOK, INQUIRIES, PLACES, VIEW
from autograder.staff.student_data.traces import StudentTrace

ANSWER = "at", "old_points", "new_points", "max_points", "reason"  # of an inquiry, for the student
ABOUT = """What the course keeps of {student}, as far as it is about nobody else.

submitted/    what was handed in, and what was received from the platform
results/      points and feedback, as the student sees them; in history/, of earlier submissions;
              inquiries, and the answer to each
feedback/     the pages that were made for the student
gradebook.json    marks, comments and penalties, by assignment

Kept as well, and not in here, because it is for staff or can be made again of the rest:
{others}.
"""


def handed_out(traces: Iterable[StudentTrace], student: str) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the content of each file that a student is given. Raises `CommandError` if
    the gradebook cannot be used, `OSError` if a file cannot be read.
    """
    others = [place.name for place in PLACES if not place.handed_out]
    yield "README.txt", ABOUT.format(student=student, others=", ".join(others)).encode()
    for trace in traces:
        if trace.url and trace.place is GRADEBOOK:
            yield "gradebook.json", _marks(trace.url, student)
        elif trace.file and trace.place.handed_out and trace.file.kind == "file":
            whole = trace.part.rest is None
            content = trace.file.read() if whole else trace.part.theirs
            path = trace.file.label.replace("/.received/", "/received/")
            if trace.place is INQUIRIES:
                content = _inquiries(content)
            elif trace.place.handed_out == VIEW:
                path, content = f"{path.rpartition('.')[0]}.md", _view(content)
            if content:
                yield path, content


def _marks(url: str, student: str) -> bytes:
    """Return the student's marks in the gradebook as JSON, by assignment."""
    with open_session(url) as session:
        names = session.scalars(select(Assignment.name).order_by(Assignment.name)).all()
        marks = {name: marks_in(session, name, student).get(student) for name in names}
    named = {name: _with_fields(one) for name, one in marks.items() if one}
    return msgspec.json.format(msgspec.json.encode(named))


def _with_fields(marks: StudentMarks) -> dict[str, Any]:
    """Return marks with the names of their fields, without the ids of nbgrader's database."""
    cells = [
        {field: value for field, value in cell._asdict().items() if not field.endswith("_id")}
        for cell in marks.cells
    ]
    return {**vars(marks), "cells": cells}


def _inquiries(content: bytes) -> bytes:
    """Return the student's inquiries in these lines as they are now, a line of JSON each, with the
    answer, and without who gave it and on which verdict.
    """
    last = {}
    for line in content.splitlines():
        with suppress(ValueError, RecursionError):
            one = msgspec.json.decode(line, type=Inquiry)
            last[one.name] = one
    said = []
    for one in last.values():
        answer = msgspec.to_builtins(one.answer) or {}
        shown = {field: answer[field] for field in ANSWER if field in answer}
        said.append({**msgspec.to_builtins(one), "decision": shown or None})
    return b"\n".join(map(msgspec.json.encode, said))


def _view(content: bytes) -> bytes:
    """Return what the student sees of these verdicts as Markdown: one, or one in each line."""
    texts = []
    for one in [content] if content.startswith(b"{\n") else content.splitlines():
        with suppress(ValueError, RecursionError):  # it is damaged, and nobody sees anything of it
            said = json.loads(one)
            said.pop(SUBMITTED, None)
            verdict = from_json(said)
            texts += markdown_parts(Grade(Person(verdict.student), verdict))
    return "\n".join(texts).encode("utf-8", "backslashreplace")
