"""An invented class is what its table says, for whatever an assignment has."""

import csv
import shutil
from pathlib import Path

import nbformat
import pytest

from autograder import Assignment, AutograderError, find_assignment, find_course
from autograder.authoring.sample_class import SampleClass, write_class
from autograder.mistakes.mistake import mistakes

STUDENTS = 60


def make_assignment(small: Assignment, folder: Path, drop: tuple[str, ...], parts=()) -> Assignment:
    """A copy of the small assignment without these exercises, and without these files of graders."""
    shutil.copytree(small.course.root, folder / "course")
    course = find_course(folder / "course")
    copy = Assignment(small.id, course)
    for path in (copy.source, copy.release):
        notebook = nbformat.read(path, as_version=4)
        gone = {name for exercise in drop for name in (exercise, f"check_{exercise}")}
        notebook.cells = [cell for cell in notebook.cells if cell.id not in gone]
        nbformat.write(notebook, path)
    for part in parts:
        shutil.rmtree(copy.graders / part)
    return find_assignment(small.id, course)


def submissions(assignment: Assignment, seed: int):
    sample = SampleClass(assignment, seed)
    return [sample.submission(number) for number in range(STUDENTS)]


@pytest.mark.parametrize("name", ["assignment", "small"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_mistake_that_the_table_names_was_made(request, name, seed):
    assignment = request.getfixturevalue(name)
    known = {f"{one.exercise}: {one.id}": one for one in mistakes(assignment)}
    coded = [(one, one.what.partition(";")[0].split(", ")) for one in submissions(assignment, seed)]
    mistaken = [(one, said) for one, said in coded if said[0] in known]
    assert len(mistaken) > STUDENTS / 3
    for submission, said in mistaken:
        made = [known[words] for words in said]
        for mistake in made:
            solution = assignment.solutions[mistake.exercise]
            cell, alone = submission.cells[mistake.exercise], mistake.cells[0]
            others = [one for one in made if one.exercise == mistake.exercise]
            assert (cell == alone) if len(others) == 1 else (cell not in (alone, solution))


def test_all_kinds_of_submissions_are_in_a_class_of_any_assignment(small):
    said = [submission.what for submission in submissions(small, seed=1)]
    assert {"the solution", "as released", "half a file"} <= {*said}
    for words in ("rightly, ", "not yet: ", ": a syntax error", ": ends the process", ": "):
        assert any(words in what for what in said), words


def test_a_syntax_error_is_one_whatever_the_exercise_is(small):
    broken = [one for one in submissions(small, seed=3) if one.what.endswith("a syntax error")]
    assert {one.what.split(":")[0] for one in broken} >= {"softmax", "prediction"}
    for submission in broken:
        with pytest.raises(SyntaxError):
            compile(submission.cells[submission.what.split(":")[0]], "cell", "exec")


def test_a_single_exercise_without_mistakes_and_variants_is_enough(small, tmp_path):
    assignment = make_assignment(
        small, tmp_path, ("softmax", "prediction"), parts=("mistakes", "variants")
    )
    assert write_class(assignment, tmp_path / "class", STUDENTS, seed=1) == STUDENTS
    with (tmp_path / "class" / "sample-class.csv").open() as file:
        said = {row["what"] for row in csv.DictReader(file)}
    assert said == {
        "the solution",
        "not yet: rms_norm, explain",
        "rms_norm: a syntax error",
        "rms_norm: ends the process",
        "as released",
        "half a file",
    }


def test_an_assignment_without_any_exercise_is_refused(small, tmp_path):
    assignment = make_assignment(small, tmp_path, ("rms_norm", "softmax", "prediction"))
    with pytest.raises(AutograderError, match="has no check cell"):
        SampleClass(assignment, seed=1)


def test_the_same_seed_gives_the_same_class(small):
    assert [one.cells for one in submissions(small, 5)] == [
        one.cells for one in submissions(small, 5)
    ]
    assert [one.what for one in submissions(small, 5)] != [
        one.what for one in submissions(small, 6)
    ]
