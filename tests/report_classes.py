"""Classes to report on, honest and hostile."""

from invented_class import SECTIONS, STAMP, InventedClass

from autograder import CheckResult, ExerciseResult, NamedMistake, Verdict
from autograder.desk.look_alikes.file import AlikeExercise, AlikePair, LookAlikes
from autograder.desk.report.assignment_report import reports_of
from autograder.desk.report.class_results import ClassResults, Late
from autograder.desk.report.page import report_page
from autograder.engine.verdicts.verdict import EarlierMistake

ODD = (
    "<script>canary()</script><img src=https://canary.example/x onerror=canary()>"
    "</style></svg></title>\"'--><b>{{ 7 * 7 }}</b>$x$ \u202egpj \x1b[31m `<i>` " + "w" * 200 + ""
)


def page_of(*classes: ClassResults, names: bool = False) -> str:
    """The report on these classes."""
    return report_page(reports_of(classes, names))


def a_class(assignment, students: int) -> ClassResults:
    """Two sections; somebody handed in late, somebody not at all, and two look alike."""
    invented = InventedClass(assignment, seed=3)
    verdicts = [invented.verdict(f"student-{k:03d}", (k % 10) / 10) for k in range(students)]
    who = [verdict.student for verdict in verdicts]
    return ClassResults(
        assignment.id,
        verdicts,
        expected=frozenset([*who, "absent"]),
        names={student: f"Name of {student}" for student in who},
        sections={student: SECTIONS[k % 2] for k, student in enumerate(who)},
        late={who[0]: Late(2.0, "Two days late: 2 x 1 point.")},
        waiting={student: k % 2 for k, student in enumerate(who)},
        alike=LookAlikes(assignment.id, [], [AlikePair(who[:2], 0.9, 0.4)], "look-alikes.html"),
    )


def hostile_class() -> ClassResults:
    """Whatever somebody else writes is odd."""
    mistake = NamedMistake("odd", ODD)
    check = CheckResult(f"test_odd[{ODD}]", 0.0, 2.0, False, ODD)
    made = ExerciseResult("odd_exercise", "answered", 0.0, 2.0, [check], [mistake], [mistake])
    failed = ExerciseResult("other", "answered", 0.0, 2.0, [check], [])
    earlier = [EarlierMistake("odd_exercise", "odd", ODD)]
    verdicts = [
        Verdict(
            f"s{k}",
            "sheet",
            "graded",
            0.0,
            4.0,
            [made, failed],
            [ODD],
            0.1,
            STAMP,
            earlier=earlier,
            notes=[ODD],
        )
        for k in range(9)
    ]
    verdicts.append(
        Verdict("u1", "sheet", "unreadable", 0.0, 4.0, [], [ODD], 0.1, STAMP, reason=ODD)
    )
    pair = AlikePair(["s1", "s2"], 1.0, 0.1, [AlikeExercise(ODD, 0.5)], [ODD])
    return ClassResults(
        "sheet",
        verdicts,
        damaged=[ODD],
        expected=frozenset(["s1", "absent"]),
        names=dict.fromkeys(["s1", "s2", "u1", "absent"], ODD),
        sections={"s1": ODD, "s2": "Mon", "s3": "=HYPERLINK(1)"},
        late={"s1": Late(1.0, ODD)},
        waiting={"s1": 2},
        alike=LookAlikes("sheet", [["s1", "s2"]], [pair]),
    )
