"""A class on a terminal: points, states in words, what was repaired, what a regrade changes."""

from dataclasses import replace as replace_field
from datetime import datetime
from io import StringIO

import pytest
from courses import each_assignment
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from autograder import ExerciseResult, Verdict
from autograder._commands.terminal import Terminal
from autograder.engine.verdicts import Stamp, summary_of
from autograder.gradebook.commands.class_table import (
    changes_table,
    class_table,
    identical_lines,
    note_lines,
    reason_lines,
    repair_lines,
)
from autograder.gradebook.commands.late_lines import entered_lines, late_lines, unsaid_lines
from autograder.gradebook.commands.short_names import short_names
from autograder.gradebook.lateness.late import Lateness, Penalty

IN_TIME = Lateness(datetime(2026, 11, 20, 18), 0, 0, 0.0, "")
LATE = replace_field(IN_TIME, days=2, points=5.6, sentence="Two days late: 5.6 points less.")
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


def class_shown(assignment, verdicts, *late, width=80) -> str:
    console = Terminal(StringIO(), width)
    console.print(class_table(assignment, verdicts, console, *late))
    return console.file.getvalue()


def row_of(student: str, text: str) -> list[str]:
    return next(line.split() for line in text.splitlines() if line.split()[:1] == [student])


def test_a_row_has_points_by_exercise_in_all_and_a_state_in_words(small):
    count = len(small.exercises)
    slow = verdict(small, "s002", "timed_out")
    broken = replace(verdict(small, "s003"), state="unreadable", exercises=[])
    text = class_shown(small, [verdict(small), slow, broken])
    assert row_of("s001", text) == ["s001", *["1"] * count, str(count), "answered"]
    assert row_of("s002", text) == ["s002", *["–"] * count, "0", "ran", "out", "of", "time"]
    assert row_of("s003", text) == ["s003", *["·"] * count, "·", "unreadable"]
    for id, short in short_names(exercise.id for exercise in small.exercises).items():
        assert f"{short}={id}" in text and short in text.split(f"{short}=")[0].split()


@each_assignment
def test_a_terminal_of_80_columns_has_room_for_all_exercises(assignment):
    graded = verdict(assignment, "of-sixteen-signs")
    results = [replace(result, points=0.75) for result in graded.exercises]
    text = class_shown(assignment, [replace(graded, exercises=results, points=20.75)])
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


def test_a_regrades_changes_are_by_student_and_those_of_totals_come_first():
    rows = [
        ("s001", "2", "2", "", "values +1\nshape -1"),
        ("s003", "unreadable", "2", "+2", "graded now"),
        ("s002", "2", "1", "-1", "values -1"),
    ]
    console = Terminal(StringIO(), 200)
    console.print(changes_table(rows))
    text = console.file.getvalue()
    assert row_of("s003", text) == ["s003", "unreadable", "2", "+2", "graded", "now"]
    assert text.index("s002") < text.index("s003") < text.index("s001")


def test_a_column_says_what_being_late_costs_where_somebody_is(small):
    covered = replace_field(LATE, points=0.0, late_days_used=2, late_days_left=3)
    verdicts = [verdict(small, student) for student in ("s001", "s002", "s003", "s004")]
    plain = class_shown(small, verdicts)
    assert class_shown(small, verdicts, {"s001": IN_TIME}) == plain
    by_student = {"s001": IN_TIME, "s002": LATE, "s003": covered}
    text = class_shown(small, verdicts, by_student, ["s004"])
    assert "days" in text and "left" in text and " late" not in plain
    assert row_of("s001", text)[-1:] == ["answered"] and row_of("s001", text)[-2].isdigit()
    assert row_of("s002", text)[-2:] == ["-5.6", "answered"]
    assert row_of("s003", text)[-3:] == ["0", "3", "answered"]
    assert row_of("s004", text)[-2:] == ["?", "answered"]


def test_a_reason_that_many_share_stands_once(small):
    def without_points(student, state, reason):
        return replace(verdict(small, student), state=state, reason=reason)

    lost = [
        without_points(f"s{number:03}", "not_graded", "The scheduler is gone.")
        for number in range(14)
    ]
    others = [
        without_points("bea", "unreadable", "It is empty."),
        without_points("cleo", "not_graded", "It is too long."),
    ]
    names = ", ".join(verdict.student for verdict in lost[:12])
    assert list(reason_lines([verdict(small), *others, *lost])) == [
        "bea: It is empty.",
        "cleo: It is too long.",
        f"14 students are not graded ({names} and 2 more): The scheduler is gone.",
    ]
    ada = replace(others[0], student="ada")
    sentence = "2 students have no readable notebook (ada, bea): It is empty."
    assert list(reason_lines([ada, others[0]])) == [sentence]


def test_who_handed_in_the_same_is_named_in_one_line_unless_nothing_was_attempted(small):
    def handed_in(student, submission, state="answered"):
        stamp = replace(STAMP, submission=submission)
        return summary_of(replace(verdict(small, student, state), stamp=stamp))

    same = [handed_in(student, "a") for student in ("s1", "s3", "s5")]
    stopped = [handed_in(student, "c", "error") for student in ("s4", "s6")]
    untouched = [handed_in(student, "d", "not_attempted") for student in ("s7", "s8")]
    unreadable = [
        replace(handed_in(student, "e"), state="unreadable", is_attempted=False)
        for student in ("s9", "s10")
    ]
    assert list(
        identical_lines([*same, *stopped, handed_in("s2", "b"), *untouched, *unreadable])
    ) == [
        "3 submissions are identical: s1, s3, s5.",
        "2 submissions are identical: s4, s6.",
    ]


@pytest.mark.parametrize(
    ("lateness", "entered", "lines"),
    [
        (IN_TIME, 0.0, []),
        (LATE, 0.0, ["s1: Two days late: 5.6 points less."]),
        (LATE, 5.6, ["s1: Two days late: 5.6 points less."]),
        (LATE, 2.8, ["s1: Two days late: 5.6 points less. So far: 2.8."]),
        (IN_TIME, 2.8, ["s1: no points less. So far: 2.8."]),
        (replace_field(IN_TIME, doubt="It is still to come."), 0.0, ["s1: It is still to come."]),
    ],
)
def test_each_reason_is_listed_with_what_is_entered_so_far(lateness, entered, lines):
    assert list(late_lines({"s1": Penalty(lateness, entered)})) == lines


def test_how_many_penalties_are_new_is_said():
    changes = {"s1": Penalty(LATE, 0.0), "s2": Penalty(LATE, 5.6)}
    assert list(entered_lines(changes, entered=True)) == [
        "1 penalty is entered into the gradebook, as listed."
    ]
    assert "1 penalty is not entered" in next(entered_lines(changes, entered=False))
    assert list(entered_lines({"s2": changes["s2"]}, entered=True)) == []


def test_who_is_late_by_the_platforms_word_alone_is_named():
    assert list(unsaid_lines([])) == []
    assert "s1, s2. No penalty" in next(unsaid_lines(["s1", "s2"]))
