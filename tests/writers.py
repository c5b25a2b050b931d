"""Students of a class that is compared, without notebooks."""

from collections.abc import Mapping

from autograder import Assignment, CheckResult, ExerciseResult, NamedMistake, Verdict
from autograder.authoring.variants import variants
from autograder.desk.look_alikes.answers import Reader, Writer
from autograder.engine.verdicts import Stamp

STAMP = Stamp(grader="g", submission="a", torch="2", python="3", seed=1, sandbox="namespaces")


def writer(
    reader: Reader, student: str, code: Mapping[str, str], text: Mapping[str, str] | None = None
) -> Writer:
    """A student who wrote this code and these texts, by exercise."""
    answers = {name: reader.answer(True, cell) for name, cell in code.items()}
    answers |= {name: reader.answer(False, cell) for name, cell in (text or {}).items()}
    return Writer(student, answers)


def sheets(assignment: Assignment) -> dict[str, dict[str, str]]:
    """Whole solutions, each in a style of its own."""
    found = variants(assignment)
    return {one.name: one.cells for one in found if one.path.startswith("variants/sheets/")}


def verdict(student: str, exercise: str, points: float, *mistakes: str) -> Verdict:
    """A verdict on one exercise of two points."""
    check = CheckResult("test_it", points, 2.0, points == 2, None)
    named = [NamedMistake(name, f"{name}.") for name in mistakes]
    result = ExerciseResult(exercise, "answered", points, 2.0, [check], named)
    return Verdict(student, "sheet", "graded", points, 2.0, [result], [], 0.1, STAMP)
