"""An invented class is what its table says, for whatever an assignment has."""

import csv
import shutil
from collections import Counter
from itertools import combinations
from pathlib import Path

import nbformat
import pytest

from autograder import Assignment, AutograderError, find_assignment, find_course
from autograder.authoring.sample_class import ANSWER, SampleClass, write_class
from autograder.gradebook.pages.schemes import schemes
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


def test_two_mistakes_of_one_exercise_are_both_made_or_another_is_taken(assignment):
    sample = SampleClass(assignment, seed=1)
    first = [one for one in sample.mistakes if one.exercise == "feed_forward"]
    for pair in combinations(first, 2):
        cells = dict(sample.solutions)
        made = [one for wanted in pair for one in sample._make(wanted, cells)]
        assert made[0] == pair[0] and len(set(made)) == 2
        for one in made:
            compile(cells[one.exercise], one.id, "exec")


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


def test_written_answers_are_the_examples_that_the_table_names(assignment):
    found, texts = schemes(assignment), Counter()
    for submission in submissions(assignment, seed=1):
        coded, *written = submission.what.split("; ")
        answered = {words.partition(": ")[0]: words.partition(": ")[2] for words in written}
        assert answered.keys() == found.keys() & submission.cells.keys()
        assert not answered or not coded.startswith(("not yet", "as released"))
        for name, said in answered.items():
            number, worth, *how = said.split(", ")
            example = found[name].examples[int(number.removeprefix("example ")) - 1]
            text = submission.cells[name]
            assert worth == f"worth {example.points:g}"
            assert (text == example.text) == (not how)
            assert (text.split() == example.text.split()) == (how != ["small letters"])
            assert text.lower().split() == example.text.lower().split()
            texts[name, " ".join(text.split())] += 1
    assert len(found) > 1
    for name, scheme in found.items():
        equal = [many for (one, _), many in texts.items() if one == name]
        assert len(equal) > len(scheme.examples) and max(equal) > 5


def test_without_examples_an_answer_is_one_sentence_and_the_code_is_the_same(assignment):
    plain = SampleClass(assignment, 1)
    plain.examples = {}
    for number, with_examples in enumerate(submissions(assignment, 1)):
        submission, written = plain.submission(number), {*plain.written}
        assert {submission.cells[name] for name in written & submission.cells.keys()} <= {ANSWER}
        assert with_examples.what.partition(";")[0] == submission.what
        assert all(
            submission.cells[name] == cell
            for name, cell in with_examples.cells.items()
            if name not in written
        )
