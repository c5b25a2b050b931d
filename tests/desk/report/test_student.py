"""One student on a terminal: each part of the record is said, at 80 columns."""

from datetime import datetime
from io import StringIO

import msgspec
import pytest
from feedback_pages import STAMP, verdict

from autograder._commands.terminal import Terminal
from autograder.classroom.roster import Person
from autograder.desk.report.student import HistoryEntry, StudentRecord, student_page
from autograder.engine.limits import PRACTICE
from autograder.gradebook.sync.marks import CellMark, StudentMarks

ADA = Person("ada", "Ada Softmax")
CELLS = [
    CellMark("check_rms_norm", 4.0, 2.5, 4.0, 0.0, False),
    CellMark("check_softmax", 2.0, 2.0, None, 0.5, False),
    CellMark("check_prediction", 1.0, 0.0, None, 0.0, False),
    CellMark("explain", 2.0, None, None, 0.0, True),
]
MARKS = StudentMarks(
    datetime(2026, 11, 12, 9, 30), None, 1.8, CELLS, {"rms_norm": "A slip.\n" + "x " * 400}
)


def shown(*records: StudentRecord) -> str:
    console = Terminal(StringIO(), width=80)
    for part in student_page(ADA, records):
        console.print(part)
    return console.file.getvalue()


def words(*records: StudentRecord) -> str:
    return " ".join(shown(*records).split())


def test_points_mistakes_repairs_and_notes_are_there():
    said = words(StudentRecord("small-sheet", verdict()))
    for sentence in (
        "ada: Ada Softmax",
        "small-sheet: 4.5 of 7 points by automatic checks",
        "rms norm 2.5 / 4 `eps` is <added> behind the root.",
        "Fixed since an earlier submission: The softmax ran over the other axis.",
        "prediction 0 / 1 Not attempted.",
        "Repaired: The cell `softmax` had lost its id.",
        "For staff only: `rms_norm` reaches beyond its exercise.",
    ):
        assert sentence in said, said


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"state": "unreadable", "exercises": []}, "The submission could not be read: it is odd."),
        ({"state": "not_graded", "exercises": []}, "Not graded yet: it is odd."),
        (
            {"stamp": msgspec.structs.replace(STAMP, sandbox=PRACTICE)},
            "Practice: graded without a sandbox.",
        ),
    ],
)
def test_of_what_is_no_grade_it_is_said_why(changed, why):
    made = msgspec.structs.replace(verdict(), reason="it is odd.", **changed)
    assert why in words(StudentRecord("small-sheet", made))


def test_what_a_person_gave_counts():
    said = words(StudentRecord("small-sheet", verdict(), MARKS))
    assert "small-sheet: 4.7 of 9 points, 1 still to be marked by hand" in said
    assert "The checks gave 2.5; a person changed that. Comment: A slip. x x" in said
    assert "softmax 2.5 / 2" in said  # with extra credit
    assert "explain – Still to be marked by hand." in said


def test_lateness_is_said_with_its_calculation():
    record = StudentRecord("small-sheet", verdict(), MARKS, late="Two days at 10 %.")
    assert "Late, 1.8 points less. Two days at 10 %." in words(record)
    assert "Handed in on 2026-11-12 09:30 UTC." in words(
        StudentRecord("small-sheet", verdict(), MARKS)
    )


def test_hand_ins_are_listed():
    history = [
        HistoryEntry("2026-11-10 08:00 UTC", "moodle", "its JSON is damaged.", True),
        HistoryEntry("", "folder", None, False),
        HistoryEntry("2026-11-12 09:30 UTC", "moodle", verdict(), True),
    ]
    said = words(StudentRecord("small-sheet", verdict(), history=history))
    assert "2026-11-10 08:00 UTC moodle – its JSON is damaged; this one counts" in said
    assert "no time folder – no verdict is kept" in said
    assert "4.5 / 7 rms norm: no eps; this one counts" in said


def test_of_a_hand_in_with_nothing_in_it_no_mistake_is_missed():
    none = [
        msgspec.structs.replace(one, state="not_attempted", mistakes=[])
        for one in verdict().exercises
    ]
    untouched = msgspec.structs.replace(verdict(), exercises=none)
    history = [HistoryEntry("2026-11-10 08:00 UTC", "moodle", untouched, True)]
    said = words(StudentRecord("small-sheet", untouched, history=history))
    assert "nothing attempted; this one counts" in said and "none that is known" not in said


def test_no_line_is_longer_than_the_terminal():
    history = [HistoryEntry("2026-11-10 08:00 UTC", "gradescope", "x" * 300, True)]
    text = shown(StudentRecord("small-sheet", verdict(), MARKS, "late " * 40, history))
    assert max(map(len, text.splitlines())) <= 80
