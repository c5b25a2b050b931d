"""A class on a terminal: points, states in words, what was repaired, what a regrade changes."""

from dataclasses import replace as replace_field
from io import StringIO

from courses import each_assignment
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from autograder import ExerciseResult, Verdict
from autograder._commands.terminal import Terminal
from autograder.engine.verdicts import Stamp
from autograder.gradebook.commands.class_table import (
    changes_table,
    class_table,
    note_lines,
    reason_lines,
    repair_lines,
)
from autograder.gradebook.commands.short_names import short_names
from autograder.gradebook.lateness.late import Lateness

STAMP = Stamp(grader="g", submission="a", torch="2", python="3", seed=1, sandbox="namespaces")


def verdict(assignment, student="s001", state="answered"):
    points = {"answered": 1.0}.get(state, 0.0)
    results = [
        ExerciseResult(exercise.id, state, points, exercise.points, [], [])
        for exercise in assignment.exercises
    ]
    total = sum((result.points for result in results), 0.0)
    whole = sum(exercise.points for exercise in assignment.exercises)
    return Verdict(student, assignment.id, "graded", total, whole, results, [], 0.1, STAMP)


def shown(table) -> str:
    console = Terminal(StringIO(), 200)
    console.print(table)
    return console.file.getvalue()


def class_shown(assignment, verdicts, *late, width=80) -> str:
    console = Terminal(StringIO(), width)
    console.print(class_table(assignment, verdicts, console, *late))
    return console.file.getvalue()


def row_of(student: str, text: str) -> list[str]:
    return next(line.split() for line in text.splitlines() if line.split()[:1] == [student])


def test_a_row_has_points_by_exercise_and_in_all(small):
    count = len(small.exercises)
    text = class_shown(small, [verdict(small)])
    assert row_of("s001", text) == ["s001", *["1"] * count, str(count), "answered"]


def test_what_is_not_plainly_answered_is_said_in_words(small):
    count = len(small.exercises)
    slow = verdict(small, "s002", "timed_out")
    broken = replace(verdict(small, "s003"), state="unreadable", exercises=[])
    text = class_shown(small, [slow, broken])
    assert row_of("s002", text) == ["s002", *["–"] * count, "0", "ran", "out", "of", "time"]
    assert row_of("s003", text) == ["s003", *["·"] * count, "·", "unreadable"]


def test_a_line_below_says_what_the_headings_are_short_for(small):
    text = class_shown(small, [verdict(small)])
    for id, short in short_names(exercise.id for exercise in small.exercises).items():
        assert f"{short}={id}" in text and short in text.split(f"{short}=")[0].split()


@each_assignment
def test_a_terminal_of_80_columns_has_room_for_all_exercises(assignment):
    one = verdict(assignment, "of-sixteen-signs")
    results = [replace(result, points=0.75) for result in one.exercises]
    text = class_shown(assignment, [replace(one, exercises=results, points=20.75)])
    assert text.count("0.75") == len(results) + 1 and "20.75" in text
    assert max(map(len, text.splitlines())) <= 80


def test_where_there_is_no_room_the_total_alone_is_shown(small):
    text = class_shown(small, [verdict(small)], width=33)
    assert row_of("s001", text) == ["s001", str(len(small.exercises)), "answered"]
    assert "grades.csv" in text


def test_a_long_id_is_shown_to_its_end(small):
    text = class_shown(small, [verdict(small, "a" * 63 + "z")])
    assert text.count("a" * 5) and "z" in text


@given(st.lists(st.from_regex(r"[a-c]{1,3}(_[a-c0-9]{0,3}){0,3}", fullmatch=True), unique=True))
def test_short_names_tell_exercises_apart(ids):
    names = short_names(ids)
    assert list(names) == ids and len(set(names.values())) == len(ids)


def test_each_student_whose_notebook_was_repaired_has_a_line(small):
    sentences = ["The cell `a` is missing.", "The cell `b` is there twice."]
    repaired = replace(verdict(small, "s002"), repairs=sentences)
    lines = list(repair_lines([verdict(small), repaired]))
    assert lines == ["s002: The cell `a` is missing. The cell `b` is there twice."]


def test_who_has_a_note_has_a_mark_and_a_line(small):
    noted = replace(verdict(small, "s002"), notes=["`a` uses `nn.X`.", "`b`: its layer lies."])
    text = class_shown(small, [verdict(small), noted])
    assert row_of("s002", text)[-2:] == ["answered,", "noted"]
    assert row_of("s001", text)[-1] == "answered"
    lines = list(note_lines([verdict(small), noted]))
    assert lines == ["s002, to look at: `a` uses `nn.X`. `b`: its layer lies."]


def test_changes_are_shown_by_student():
    rows = [("s002", "2", "1", "-1", "values -1"), ("s001", "unreadable", "2", "+2", "graded now")]
    text = shown(changes_table(rows))
    assert row_of("s001", text) == ["s001", "unreadable", "2", "+2", "graded", "now"]
    assert text.index("s001") < text.index("s002")


def test_those_whose_total_changes_come_first():
    rows = [("s001", "2", "2", "", "values +1\nshape -1"), ("s002", "2", "1", "-1", "values -1")]
    text = shown(changes_table(rows))
    assert text.index("s002") < text.index("s001")


def test_a_column_says_what_being_late_costs_where_somebody_is(small):
    late = Lateness(None, 2, 0, 5.6, "Two days late: 5.6 points less.")
    covered = replace_field(late, points=0.0, late_days_used=2, late_days_left=3)
    in_time = replace_field(late, days=0, points=0.0, sentence="")
    verdicts = [verdict(small, student) for student in ("s001", "s002", "s003", "s004")]
    plain = class_shown(small, verdicts)
    assert class_shown(small, verdicts, {"s001": in_time}) == plain
    by_student = {"s001": in_time, "s002": late, "s003": covered}
    text = class_shown(small, verdicts, by_student, ["s004"])
    assert "days" in text and "left" in text and " late" not in plain
    assert row_of("s001", text)[-1:] == ["answered"] and row_of("s001", text)[-2].isdigit()
    assert row_of("s002", text)[-2:] == ["-5.6", "answered"]
    assert row_of("s003", text)[-3:] == ["0", "3", "answered"]
    assert row_of("s004", text)[-2:] == ["?", "answered"]


def test_a_reason_that_many_share_stands_once(assignment):
    def of(student, state, reason):
        return replace(verdict(assignment, student), state=state, reason=reason)

    lost = [of(f"s{number:03}", "not_graded", "The scheduler is gone.") for number in range(14)]
    others = [of("bea", "unreadable", "It is empty."), of("cleo", "not_graded", "It is too long.")]
    names = ", ".join(one.student for one in lost[:12])
    assert list(reason_lines([verdict(assignment), *others, *lost])) == [
        "bea: It is empty.",
        "cleo: It is too long.",
        f"14 students are not graded ({names} and 2 more): The scheduler is gone.",
    ]
    alike = [of(student, "unreadable", "It is empty.") for student in ("ada", "bea")]
    assert list(reason_lines(alike)) == [
        "2 students have no readable notebook (ada, bea): It is empty."
    ]
